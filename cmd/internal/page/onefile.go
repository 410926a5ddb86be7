package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hailmark/hailmark/cmd/internal/static"
)

// OneFile returns the page as one HTML file that opens from a disk. It contains the
// module, and needs no server.
func OneFile() []byte {
	script := link("app.js")
	style := string(readFile("style.css"))
	icon := "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(readFile("icon.svg"))
	text := replaceOnce(string(readPage("")), ` data-server="yes"`, "")
	text = replaceOnce(text, `href="/icon.svg"`, `href="`+icon+`"`)
	text = preloads.ReplaceAllString(text, "")
	text = replaceOnce(text, `<link rel="stylesheet" href="/style.css">`, "<style>"+style+"</style>")
	text = replaceOnce(text, `<script type="module" src="/app.js"></script>`, "")
	text = replaceOnce(text, `<meta charset="utf-8">`, `<meta charset="utf-8">`+"\n"+
		`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src `+hashOf(script)+` 'wasm-unsafe-eval'; `+
		`style-src `+hashOf(style)+`; img-src data:; form-action 'none'; base-uri 'none'; `+
		`require-trusted-types-for 'script'; trusted-types 'none'">`)
	data := ""
	if HasModule() {
		data = `<script type="text/plain" id="module-data">` + base64.StdEncoding.EncodeToString(static.Gzip(readFile(moduleFile))) + "</script>\n"
	}
	return []byte(replaceOnce(text, "</body>", data+`<script type="module">`+script+"</script>\n</body>"))
}

// replaceOnce replaces a part of the page, which must be there.
func replaceOnce(text, old, replacement string) string {
	before, after, found := strings.Cut(text, old)
	if !found {
		panic("the page has no " + old)
	}
	return before + replacement + after
}

// hashOf returns the source expression of an inline script or style.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

var (
	preloads   = regexp.MustCompile(`<link rel="(?:module)?preload"[^>]*>\n?`)
	importLine = regexp.MustCompile(`(?m)^import (\{[^}]*\}) from "\./([\w.-]+)";\n`)
	importCall = regexp.MustCompile(`import\("\./([\w.-]+)"\)`)
	exportLine = regexp.MustCompile(`(?m)^export ((?:async )?function\*?|const|let|class) ([\w$]+)`)
)

// link returns a script of a module and all modules that it imports. Each module becomes a
// function, which returns its exports. Modules export declarations only, and import names
// by one line at a time.
func link(root string) string {
	var b bytes.Buffer
	b.WriteString("const modules = {};\n")
	names, linked := sourceNames(), map[string]bool{}
	var add func(name string)
	add = func(name string) {
		if linked[name] || !slices.Contains(names, name) {
			return
		}
		linked[name] = true
		body := string(readFile(name))
		for _, m := range importLine.FindAllStringSubmatch(body, -1) {
			add(m[2])
		}
		for _, m := range importCall.FindAllStringSubmatch(body, -1) {
			add(m[1])
		}
		var exports []string
		for _, m := range exportLine.FindAllStringSubmatch(body, -1) {
			exports = append(exports, m[2])
		}
		body = importLine.ReplaceAllStringFunc(body, func(line string) string {
			m := importLine.FindStringSubmatch(line)
			return "const " + strings.ReplaceAll(m[1], " as ", ": ") + " = modules[\"" + m[2] + "\"];\n"
		})
		body = importCall.ReplaceAllString(body, `Promise.resolve(modules["$1"])`)
		body = exportLine.ReplaceAllString(body, "$1 $2")
		fmt.Fprintf(&b, "modules[%q] = (() => {\n%s\nreturn { %s };\n})();\n", name, body, strings.Join(exports, ", "))
	}
	add(root)
	return b.String()
}

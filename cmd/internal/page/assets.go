package page

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"maps"
	"path"
	"regexp"
	"strings"

	"github.com/hailmark/hailmark/cmd/internal/static"
	"github.com/hailmark/hailmark/qrcode"
)

//go:embed assets
var files embed.FS

// The files that a build makes, so that they may be missing, and those that are not sent
// as they are.
const (
	moduleFile = "hailmark.wasm"
	loaderFile = "hailmark.js" // loads the module
	pageFile   = "index.html"
	textsFile  = "texts.js"
)

// The caching of assets. Those with the hash of all assets in their path never change.
const (
	cacheForever = "public, max-age=31536000, immutable"
	cacheChecked = "no-cache"
)

var contentTypes = map[string]string{
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
	".wasm": "application/wasm",
}

// New returns the page and its assets by their paths.
func New() map[string]*static.File {
	names := sourceNames()
	base := "/-/" + hashOfAll(names)
	pages := map[string]*static.File{}
	add := func(location, cache string, own map[string]string, body func() []byte) {
		header := maps.Clone(securityHeader)
		maps.Copy(header, own)
		header["Content-Type"] = contentTypes[cmp.Or(path.Ext(location), path.Ext(pageFile))]
		header["Cache-Control"] = cache
		pages[location] = static.New(header, body)
	}
	for _, name := range names {
		if name == pageFile {
			continue
		}
		add(base+"/"+name, cacheForever, nil, func() []byte { return readFile(name) })
	}
	add("/-/hailmark.html", cacheChecked, map[string]string{"Content-Disposition": `attachment; filename="hailmark.html"`}, OneFile)
	add("/", cacheChecked, nil, func() []byte { return readPage(base) })
	return pages
}

// sourceNames returns the names of the assets, sorted.
func sourceNames() []string {
	entries, err := files.ReadDir("assets")
	if err != nil {
		panic(err) // the files are in the program
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func readFile(name string) []byte {
	body, err := files.ReadFile("assets/" + name)
	if err != nil {
		panic(err)
	}
	return body
}

// hashOfAll returns a hash of all assets, which is part of their paths. It holds only a
// piece of the module in memory.
func hashOfAll(names []string) string {
	h := sha256.New()
	for _, name := range names {
		fmt.Fprintln(h, name)
		file, err := files.Open("assets/" + name)
		if err != nil {
			panic(err)
		}
		_, _ = io.Copy(h, file) // neither a file of the program nor a hash fails
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// readPage returns the page with its texts and its sample.
func readPage(base string) []byte {
	// The browser asks for everything at once, and not for one script after another.
	module, preload := "", ""
	for _, name := range sourceNames() {
		switch location := base + "/" + name; {
		case name == moduleFile && HasModule():
			module = "yes"
			preload += `<link rel="preload" as="fetch" type="application/wasm" crossorigin href="` + location + `">`
		case path.Ext(name) == ".js":
			preload += `<link rel="modulepreload" href="` + location + `">`
		}
	}
	text := strings.NewReplacer("{base}", base, "{module}", module, "{preload}", preload, "{sample}", sample()).Replace(string(readFile(pageFile)))
	texts := readTexts()
	text = labelPlace.ReplaceAllStringFunc(text, func(label string) string {
		return `aria-label="` + html.EscapeString(texts[labelPlace.FindStringSubmatch(label)[1]]) + `"`
	})
	return []byte(textPlace.ReplaceAllStringFunc(text, func(tag string) string {
		m := textPlace.FindStringSubmatch(tag)
		return m[1] + m[3] + html.EscapeString(texts[m[2]]) + "</"
	}))
}

// sample returns the address of a picture that the page shows before the first entry.
func sample() string {
	picture, err := qrcode.RenderQR("https://wa.me/jane.doe", qrcode.Options{Format: qrcode.SVG})
	if err != nil {
		panic(err)
	}
	return "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(picture)
}

// The places of texts: the content of an element without children, and a label.
var (
	textPlace  = regexp.MustCompile(`(<[^<>]*?) data-t="(\w+)"([^<>]*>)</`)
	labelPlace = regexp.MustCompile(`data-label="(\w+)"`)
)

// readTexts returns the texts by key.
func readTexts() map[string]string {
	_, table, _ := strings.Cut(string(readFile(textsFile)), "texts =")
	var texts map[string]string
	if err := json.Unmarshal([]byte(strings.TrimSuffix(strings.TrimSpace(table), ";")), &texts); err != nil {
		panic(err)
	}
	return texts
}

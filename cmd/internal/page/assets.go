package page

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/hailmark/hailmark/cmd/internal/static"
)

//go:embed assets
var files embed.FS

// The files that a build makes, so that they may be missing, and those that are not sent
// as they are.
const (
	moduleFile = "hailmark.wasm"
	loaderFile = "hailmark.js" // loads the module
	pageFile   = "index.html"
	textsFile  = "texts.json"

	textsScript = "texts.js" // made of textsFile
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
		add(base+"/"+name, cacheForever, nil, func() []byte { return readSource(name) })
	}
	add("/-/hailmark.html", cacheChecked, map[string]string{"Content-Disposition": `attachment; filename="hailmark.html"`}, OneFile)
	add("/", cacheChecked, nil, func() []byte { return readPage(base) })
	return pages
}

// sourceNames returns the names of the assets, sorted. The texts are a script.
func sourceNames() []string {
	entries, err := files.ReadDir("assets")
	if err != nil {
		panic(err) // the files are in the program
	}
	var names []string
	for _, entry := range entries {
		if entry.Name() == textsFile {
			names = append(names, textsScript)
		} else {
			names = append(names, entry.Name())
		}
	}
	slices.Sort(names)
	return names
}

func readSource(name string) []byte {
	if name == textsScript {
		return makeTextsScript()
	}
	return readFile(name)
}

// makeTextsScript lists the texts by language, which compresses better than by key. A text that
// a language lacks is empty.
func makeTextsScript() []byte {
	texts := readTexts()
	keys := slices.Sorted(maps.Keys(texts))
	columns := map[string][]string{}
	for _, language := range languages {
		for _, key := range keys {
			columns[language] = append(columns[language], texts[key][language])
		}
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	b.WriteString("export const keys = ")
	_ = encoder.Encode(keys) // strings always encode
	b.WriteString("export const texts = ")
	_ = encoder.Encode(columns)
	return b.Bytes()
}

// languages are those of the texts.
var languages = []string{"en", "es", "pt", "de", "ar", "hi"}

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
		if name == textsScript {
			name = textsFile
		}
		file, err := files.Open("assets/" + name)
		if err != nil {
			panic(err)
		}
		_, _ = io.Copy(h, file) // neither a file of the program nor a hash fails
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// readPage returns the page with its texts in English, which a script replaces by those of
// another language.
func readPage(base string) []byte {
	module := ""
	if HasModule() {
		module = "yes"
	}
	text := strings.NewReplacer("{base}", base, "{module}", module).Replace(string(readFile(pageFile)))
	english := readTexts()
	return []byte(textPlace.ReplaceAllStringFunc(text, func(tag string) string {
		key := textPlace.FindStringSubmatch(tag)[1]
		return strings.TrimSuffix(tag, "</") + html.EscapeString(english[key]["en"]) + "</"
	}))
}

// textPlace finds the elements whose text is in the table of texts.
var textPlace = regexp.MustCompile(`data-t="(\w+)"[^<>]*></`)

// readTexts returns the texts by key and language.
func readTexts() map[string]map[string]string {
	var texts map[string]map[string]string
	if err := json.Unmarshal(readFile(textsFile), &texts); err != nil {
		panic(err)
	}
	return texts
}

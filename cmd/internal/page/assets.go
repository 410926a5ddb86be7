package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"fmt"
	"html"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
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
	workerFile = "worker.js"
)

// The caching of assets. Those with the hash of all assets in their path never change.
const (
	cacheForever = "public, max-age=31536000, immutable"
	cacheChecked = "no-cache"
)

// An asset is what is sent for one path.
type asset struct {
	contentType, cache string
	header             map[string]string
	content            func() content
}

// A content is the body of an asset and its entity tags.
type content struct {
	body, gzip   []byte // gzip is nil if it is not smaller
	tag, gzipTag string
}

// lazily returns a function that makes a content when it is first needed.
func lazily(makeBody func() []byte) func() content {
	return sync.OnceValue(func() content {
		c := content{body: makeBody()}
		sum := sha256.Sum256(c.body)
		c.tag, c.gzipTag = fmt.Sprintf(`"%x"`, sum[:12]), fmt.Sprintf(`"%x-gzip"`, sum[:12])
		if packed := compressed(c.body); len(packed) < len(c.body) {
			c.gzip = packed
		}
		return c
	})
}

func compressed(body []byte) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is valid
	_, _ = w.Write(body)                                  // a buffer takes everything
	_ = w.Close()
	return b.Bytes()
}

var contentTypes = map[string]string{
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
	".wasm": "application/wasm",
}

// newAssets returns the page and its assets by their paths.
func newAssets() map[string]*asset {
	sources := readSources()
	base := "/-/" + sources.hash()
	assets := map[string]*asset{}
	add := func(location, cache string, header map[string]string, body func() []byte) {
		assets[location] = &asset{contentTypes[path.Ext(location)], cache, header, lazily(body)}
	}
	var cached []string
	for name, body := range sources {
		if name == pageFile || name == workerFile {
			continue
		}
		location := base + "/" + name
		cached = append(cached, location)
		add(location, cacheForever, nil, func() []byte { return body })
	}
	slices.Sort(cached)
	list, _ := json.Marshal(cached) // strings always encode
	worker := bytes.Replace(sources[workerFile], []byte("[/* assets */]"), list, 1)
	add("/-/"+workerFile, cacheChecked, map[string]string{"Service-Worker-Allowed": "/"}, func() []byte { return worker })
	add("/-/hailmark.html", cacheChecked, map[string]string{"Content-Disposition": `attachment; filename="hailmark.html"`}, OneFile)
	add("/", cacheChecked, nil, func() []byte { return sources.page(base) })
	assets["/"].contentType = contentTypes[".html"]
	return assets
}

// sources are the assets by their names. The texts are a script.
type sources map[string][]byte

func readSources() sources {
	entries, err := files.ReadDir("assets")
	if err != nil {
		panic(err) // the files are in the program
	}
	s := sources{}
	for _, entry := range entries {
		body, err := files.ReadFile("assets/" + entry.Name())
		if err != nil {
			panic(err)
		}
		s[entry.Name()] = body
	}
	s["texts.js"] = textsScript(s[textsFile])
	delete(s, textsFile)
	return s
}

// hash returns a hash of all assets, which is part of their paths.
func (s sources) hash() string {
	h := sha256.New()
	for _, name := range s.names() {
		fmt.Fprintf(h, "%s %d\n%s", name, len(s[name]), s[name])
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

func (s sources) names() []string {
	var names []string
	for name := range s {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// page returns the page with its texts in English, which a script replaces by those of
// another language.
func (s sources) page(base string) []byte {
	module := ""
	if s[moduleFile] != nil && s[loaderFile] != nil {
		module = "yes"
	}
	text := strings.NewReplacer("{base}", base, "{module}", module).Replace(string(s[pageFile]))
	english := readTexts()
	return []byte(textPlace.ReplaceAllStringFunc(text, func(tag string) string {
		key := textPlace.FindStringSubmatch(tag)[1]
		return strings.TrimSuffix(tag, "</") + html.EscapeString(english[key]["en"]) + "</"
	}))
}

// textPlace finds the elements whose text is in the table of texts.
var textPlace = regexp.MustCompile(`data-t="(\w+)"[^<>]*></`)

// textsScript returns the table of texts as a script.
func textsScript(table []byte) []byte {
	var b bytes.Buffer
	b.WriteString("export const texts = ")
	if err := json.Compact(&b, table); err != nil {
		panic(err) // the table is in the program
	}
	b.WriteString("\n")
	return b.Bytes()
}

// readTexts returns the texts by key and language.
func readTexts() map[string]map[string]string {
	table, err := files.ReadFile("assets/" + textsFile)
	if err != nil {
		panic(err)
	}
	var texts map[string]map[string]string
	if err := json.Unmarshal(table, &texts); err != nil {
		panic(err)
	}
	return texts
}

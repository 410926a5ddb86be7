package page

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/hailmark/hailmark/cmd/internal/static"
	"github.com/hailmark/hailmark/qrcode"
)

//go:embed assets/index.html assets/style.css assets/icon.svg assets/texts.js assets/offline.js assets/*.json all:built
var files embed.FS

// Files that aren't served unchanged. The folder built contains compressed files, and is empty
// without a build.
const (
	pageFile   = "index.html"
	styleFile  = "style.css"
	textsFile  = "texts.js"
	scriptFile = "app.js"
	workerFile = "offline.js"
	moduleFile = "core.wasm" // the script fetches others when it needs them
	compressed = ".br"
)

// workerPath is the service worker's path in every release, so that a release replaces the worker of another one.
const workerPath = "/-/" + workerFile

// Assets don't change, because their paths contain a hash. Otherwise, clients should revalidate.
const (
	cacheForever = "public, max-age=31536000, immutable"
	cacheChecked = "no-cache"
)

var contentTypes = map[string]string{
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".json": "application/json",
	".svg":  "image/svg+xml",
	".wasm": "application/wasm",
}

// New returns the page and its assets by their paths. If offline is set, browsers keep them, so that the
// page works without a network after the first visit. Otherwise, browsers remove what they kept.
func New(offline bool) map[string]*static.File {
	all := readFiles()
	base := "/-/" + hashOfAll(all)
	offline = offline && HasModule()
	pages := map[string]*static.File{}
	header := func(name, cache string) map[string]string {
		header := maps.Clone(securityHeader)
		header["Content-Type"], header["Cache-Control"] = contentTypes[path.Ext(name)], cache
		return header
	}
	for name, body := range all {
		switch served, isCompressed := strings.CutSuffix(name, compressed); {
		case isCompressed:
			pages[base+"/"+served] = static.FromBrotli(header(served, cacheForever), body)
		case contentTypes[path.Ext(name)] != "" && !slices.Contains([]string{pageFile, textsFile, workerFile}, name):
			pages[base+"/"+name] = static.New(header(name, cacheForever), func() []byte { return body })
		}
	}
	var kept []string
	if offline {
		// The release's own page, because / is that of the current release.
		pages[base+"/"+pageFile] = static.New(header(pageFile, cacheForever), func() []byte { return readPage(base, offline) })
		for location := range pages {
			kept = append(kept, path.Base(location))
		}
		slices.Sort(kept)
	}
	pages["/"] = static.New(header(pageFile, cacheChecked), func() []byte { return readPage(base, offline) })
	worker := header(workerFile, cacheChecked)
	worker["Service-Worker-Allowed"] = "/"
	pages[workerPath] = static.New(worker, func() []byte { return readWorker(all[workerFile], base, kept) })
	return pages
}

// readWorker returns the service worker that keeps the files with these names. It removes all files if
// there are none.
func readWorker(script []byte, base string, names []string) []byte {
	list, err := json.Marshal(slices.Concat([]string{}, names))
	if err != nil {
		panic(err) // it's a list of texts
	}
	return []byte(strings.NewReplacer(`"{base}"`, `"`+base+`"`, "{names}", string(list)).Replace(string(script)))
}

// readFiles returns the embedded files by name.
func readFiles() map[string][]byte {
	all := map[string][]byte{}
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			all[path.Base(name)], err = files.ReadFile(name)
		}
		return err
	})
	if err != nil {
		panic(err) // the files are in the program
	}
	all[styleFile] = slices.Concat(static.Style, all[styleFile])
	return all
}

// hashOfAll returns the hash in the assets' paths, of everything that the page contains.
func hashOfAll(all map[string][]byte) string {
	h := sha256.New()
	fmt.Fprintln(h, sample())
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintln(h, name, len(all[name]))
		h.Write(all[name])
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// readPage returns the page including its texts and sample code.
func readPage(base string, offline bool) []byte {
	all := readFiles()
	// Browsers should request the module before the script runs.
	head, stalled := "", "noticeModule"
	if HasModule() {
		head = `<link rel="preload" as="fetch" type="application/wasm" crossorigin href="` + base + "/" + moduleFile + `">` + "\n" +
			`<script type="module" src="` + base + "/" + scriptFile + `"></script>`
		stalled = "noticeFailed"
	}
	if offline {
		head += "\n" + `<meta name="offline">`
	}
	text := strings.NewReplacer("{base}", base, "{head}", head, "{stalled}", stalled, "{sample}", sample()).Replace(string(all[pageFile]))
	texts := readTexts(all[textsFile])
	text = labelPlace.ReplaceAllStringFunc(text, func(label string) string {
		return label + ` aria-label="` + html.EscapeString(texts[labelPlace.FindStringSubmatch(label)[1]]) + `"`
	})
	return []byte(textPlace.ReplaceAllStringFunc(text, func(tag string) string {
		m := textPlace.FindStringSubmatch(tag)
		return m[1] + ` data-t="` + m[2] + `"` + m[3] + html.EscapeString(texts[m[2]]) + "</"
	}))
}

// sample returns the sample code's data URL.
func sample() string {
	picture, err := qrcode.RenderQR("https://wa.me/jane.doe", qrcode.Options{Format: qrcode.SVG})
	if err != nil {
		panic(err)
	}
	return "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(picture)
}

// Texts replace an empty element's content or a label.
var (
	textPlace  = regexp.MustCompile(`(<[^<>]*?) data-t="(\w+)"([^<>]*>)</`)
	labelPlace = regexp.MustCompile(`data-label="(\w+)"`)
)

// readTexts returns a script's texts by key.
func readTexts(script []byte) map[string]string {
	_, table, _ := strings.Cut(string(script), "texts =")
	var texts map[string]string
	if err := json.Unmarshal([]byte(strings.TrimSuffix(strings.TrimSpace(table), ";")), &texts); err != nil {
		panic(err)
	}
	return texts
}

package page

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/cmd/internal/static"
	"github.com/hailmark/hailmark/internal/check/testenv"
)

func request(t *testing.T, pages map[string]*static.File, location string, header http.Header) *http.Response {
	t.Helper()
	f := pages[location]
	require.NotNil(t, f, location)
	r := httptest.NewRequest(http.MethodGet, location, http.NoBody)
	for name, values := range header {
		r.Header[name] = values
	}
	w := httptest.NewRecorder()
	f.Serve(w, r)
	return w.Result()
}

func get(t *testing.T, pages map[string]*static.File, location string) string {
	t.Helper()
	body, err := io.ReadAll(request(t, pages, location, nil).Body)
	require.NoError(t, err)
	return string(body)
}

// readSources returns the sources of the page by their names.
func readSources(t *testing.T) map[string][]byte {
	sources := map[string][]byte{}
	entries, err := os.ReadDir("assets")
	require.NoError(t, err)
	for _, entry := range entries {
		sources[entry.Name()], err = os.ReadFile("assets/" + entry.Name())
		require.NoError(t, err)
	}
	return sources
}

// assetPath matches the paths of assets that never change.
var assetPath = regexp.MustCompile(`^/-/[0-9a-f]{16}/[\w.-]+$`)

// Every path is / or has a segment that no username can have, so no short link is hidden.
func TestPaths(t *testing.T) {
	for location := range New(true) {
		require.True(t, location == "/" || strings.HasPrefix(location, "/-/"), location)
	}
}

func TestResponses(t *testing.T) {
	pages := New(true)
	for location := range pages {
		res := request(t, pages, location, nil)
		require.Equal(t, http.StatusOK, res.StatusCode)
		require.NotEmpty(t, res.Header.Get("Content-Type"), location)
		require.Equal(t, "nosniff", res.Header.Get("X-Content-Type-Options"))
		require.Equal(t, "no-referrer", res.Header.Get("Referrer-Policy"))
		require.Equal(t, "DENY", res.Header.Get("X-Frame-Options"))
		require.Equal(t, "same-origin", res.Header.Get("Cross-Origin-Opener-Policy"))
		require.Equal(t, securityPolicy, res.Header.Get("Content-Security-Policy"))
		require.Empty(t, res.Header.Get("Set-Cookie"))
		if assetPath.MatchString(location) {
			require.Equal(t, cacheForever, res.Header.Get("Cache-Control"), location)
		} else {
			require.Equal(t, cacheChecked, res.Header.Get("Cache-Control"), location)
		}
	}
}

// A browser keeps every file of the release, from paths that contain its hash, and nothing if it shouldn't.
func TestOffline(t *testing.T) {
	names := func(pages map[string]*static.File) (base string, names []string) {
		require.Equal(t, "/", request(t, pages, workerPath, nil).Header.Get("Service-Worker-Allowed"))
		m := regexp.MustCompile(`(?m)^const base = "(.*)";\nconst names = (.*);$`).FindStringSubmatch(get(t, pages, workerPath))
		require.NotNil(t, m)
		require.NoError(t, json.Unmarshal([]byte(m[2]), &names))
		return m[1], names
	}
	pages := New(false)
	_, kept := names(pages)
	require.Empty(t, kept)
	require.NotContains(t, get(t, pages, "/"), `<meta name="offline">`)
	if !HasModule() {
		testenv.Missing(t, "the WebAssembly module", "cmd/wasm/build")
	}
	pages = New(true)
	base, kept := names(pages)
	locations := []string{"/", workerPath}
	for _, name := range kept {
		locations = append(locations, base+"/"+name)
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(pages)), locations)
	require.Equal(t, get(t, pages, "/"), get(t, pages, base+"/"+pageFile))
	require.Contains(t, get(t, pages, "/"), `<meta name="offline">`)
}

func TestContentSecurityPolicy(t *testing.T) {
	require.NotContains(t, securityPolicy, "unsafe-inline")
	require.NotContains(t, securityPolicy, "'unsafe-eval'")
	require.Contains(t, securityPolicy, "default-src 'none'")
	text := get(t, New(true), "/")
	require.NotRegexp(t, `<script[^>]*>[^<]`, text, "an inline script")
	require.NotRegexp(t, `<style|\sstyle=|\son\w+=`, text, "an inline style or handler")
}

// Until it has drawn its first code, the page loads at most 725 kB. Go's runtime
// is two thirds of the module. After compression, the table of phone numbers takes 15 kB, 10 kB of
// them for national numbers, and the code that reads targets in a country 10 kB. The margin is 1 %.
func TestSize(t *testing.T) {
	if !HasModule() {
		testenv.Missing(t, "the WebAssembly module", "cmd/wasm/build")
	}
	pages, total := New(true), 0
	for location := range pages {
		if path.Base(location) == "page.wasm" || path.Ext(location) == ".json" || location == workerPath || path.Base(location) == pageFile { // fetched later
			continue
		}
		res := request(t, pages, location, http.Header{"Accept-Encoding": {"br, gzip"}})
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		t.Logf("%s: %d bytes", path.Base(location), len(body))
		total += len(body)
	}
	t.Logf("%d bytes", total)
	require.LessOrEqual(t, total, 725_000)
}

// The page refers only to its own server, except in namespaces of XML and examples.
func TestNoThirdParty(t *testing.T) {
	for name, body := range readSources(t) {
		for _, address := range regexp.MustCompile(`(https?:)?//[\w.-]+\.[a-z]{2,}[^\s"'<]*`).FindAllString(string(body), -1) {
			require.Contains(t, []string{"http://www.w3.org/2000/svg"}, address, name)
		}
	}
}

// Every id that the scripts and the attributes of the page name is there, once.
func TestIDs(t *testing.T) {
	s := readSources(t)
	text := string(s[pageFile])
	var ids []string
	for _, m := range regexp.MustCompile(`\sid="([^"]+)"`).FindAllStringSubmatch(text, -1) {
		require.NotContains(t, ids, m[1])
		ids = append(ids, m[1])
	}
	for _, m := range regexp.MustCompile(`\s(?:for|aria-controls|aria-labelledby|aria-describedby)="([^"]+)"`).FindAllStringSubmatch(text, -1) {
		for id := range strings.FieldsSeq(m[1]) {
			require.Contains(t, ids, id)
		}
	}
	for name, body := range s {
		if path.Ext(name) != ".js" {
			continue
		}
		for _, m := range regexp.MustCompile(`\$\("([\w-]+)"\)`).FindAllStringSubmatch(string(body), -1) {
			require.Contains(t, ids, m[1], name)
		}
	}
}

// Every text that the page or its scripts name is in the table, and the other way round.
func TestTextsAreUsed(t *testing.T) {
	used := map[string]bool{"noticeModule": true} // without a build
	for name, body := range readSources(t) {
		switch path.Ext(name) {
		case ".html":
			for _, m := range regexp.MustCompile(`data-(?:t|label)="(\w+)"`).FindAllStringSubmatch(string(body), -1) {
				used[m[1]] = true
			}
		case ".js":
			if name == textsFile {
				continue
			}
			for _, m := range regexp.MustCompile(`"(\w+)"`).FindAllStringSubmatch(string(body), -1) {
				used[m[1]] = true
			}
		}
	}
	texts := readTexts(readFiles()[textsFile])
	for key := range texts {
		if strings.HasPrefix(key, "group.") {
			continue // its name is composed
		}
		require.True(t, used[key], key)
	}
	page := string(readFiles()[pageFile])
	for _, m := range regexp.MustCompile(`data-(?:t|label)="(\w+)"`).FindAllStringSubmatch(page, -1) {
		require.Contains(t, texts, m[1])
	}
	for _, m := range regexp.MustCompile(`\bt\("([\w.]+)"`).FindAllStringSubmatch(scripts(t), -1) {
		require.Contains(t, texts, m[1])
	}
}

// Every language has the same texts with the same places for values, and the page offers it.
func TestLanguages(t *testing.T) {
	all := readFiles()
	english := readTexts(all[textsFile])
	values := regexp.MustCompile(`\{\w+\}`)
	sorted := func(text string) []string { return slices.Sorted(slices.Values(values.FindAllString(text, -1))) }
	languages := 1
	for name, body := range all {
		if path.Ext(name) != ".json" {
			continue
		}
		languages++
		var texts map[string]string
		require.NoError(t, json.Unmarshal(body, &texts), name)
		require.ElementsMatch(t, slices.Collect(maps.Keys(english)), slices.Collect(maps.Keys(texts)), name)
		for key, text := range texts {
			require.NotEmpty(t, text, "%s, %s", name, key)
			require.Equal(t, sorted(english[key]), sorted(text), "%s, %s", name, key)
		}
		require.Contains(t, string(all[pageFile]), `<option value="`+strings.TrimSuffix(name, ".json")+`" lang=`, name)
	}
	require.Equal(t, 5, languages)
	require.Equal(t, languages, strings.Count(string(all[pageFile]), "lang=")-1)
}

// scripts returns the scripts of the page that were written by hand.
func scripts(t *testing.T) string {
	var b strings.Builder
	for name, body := range readSources(t) {
		if path.Ext(name) == ".js" && name != textsFile {
			b.Write(body)
		}
	}
	return b.String()
}

// No script declares a name that it imports, at any depth: a call would reach one of the two.
func TestImportsAreNotHidden(t *testing.T) {
	imported := regexp.MustCompile(`import \{([^}]*)\}`)
	declared := regexp.MustCompile(`\b(?:function|const|let|class)\s+(\w+)`)
	imports := 0
	for name, body := range readSources(t) {
		if path.Ext(name) != ".js" {
			continue
		}
		names := map[string]bool{}
		for _, list := range imported.FindAllSubmatch(body, -1) {
			for _, item := range strings.Split(string(list[1]), ",") {
				_, alias, renamed := strings.Cut(item, " as ")
				if !renamed {
					alias = item
				}
				names[strings.TrimSpace(alias)] = true
				imports++
			}
		}
		for _, m := range declared.FindAllSubmatch(body, -1) {
			require.False(t, names[string(m[1])], "%s declares %s, which it imports: rename one of them", name, m[1])
		}
	}
	require.Greater(t, imports, 50)
}

// The page has its texts and a sample before its scripts run.
func TestTexts(t *testing.T) {
	text := get(t, New(true), "/")
	require.Contains(t, text, `<label for="who" data-t="who">Username or phone number</label>`)
	require.Contains(t, text, `role="tablist" data-label="tabs" aria-label="What to do"`)
	require.Contains(t, text, `<img id="picture" alt="" src="data:image/svg+xml;base64,`)
	require.NotRegexp(t, `\{(base|head|stalled|sample)\}`, text)
}

// The parts without a browser have tests of their own.
func TestScripts(t *testing.T) {
	node := testenv.Needs(t, "node", "Debian package nodejs")
	out, err := exec.Command(node, "--test", "testdata/scripts.test.mjs").CombinedOutput()
	require.NoError(t, err, "%s", out)
}

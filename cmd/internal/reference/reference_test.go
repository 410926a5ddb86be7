package reference

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"html"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/cmd/internal/static"
	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/internal/check/vectors"
)

const base = "https://hi.example.com"

func newConfig(base string) httpapi.Config {
	return httpapi.Config{BaseURL: base, Notice: "As of 2026-11-21, test notice.", ShortLinks: true}
}

func newAPI(t *testing.T, base string) http.Handler {
	t.Helper()
	limiter, err := httpapi.NewMemoryLimiter(httpapi.Limits{JSON: -1, QR: -1})
	require.NoError(t, err)
	cfg := newConfig(base)
	cfg.Limiter = limiter
	api, err := httpapi.New(cfg)
	require.NoError(t, err)
	return api
}

func newPages(t *testing.T, base string) map[string]*static.File {
	t.Helper()
	pages, err := New(newConfig(base), httpapi.Limits{})
	require.NoError(t, err)
	return pages
}

// load returns a page as a client without gzip gets it.
func load(t *testing.T, path string) string {
	t.Helper()
	w := get(newPages(t, base)[path], nil)
	require.Equal(t, http.StatusOK, w.Code)
	return w.Body.String()
}

func get(f *static.File, header map[string]string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	for name, value := range header {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	f.Serve(w, r)
	return w
}

// asset returns the path of an asset that the HTML page uses.
func asset(t *testing.T, name string) string {
	t.Helper()
	m := regexp.MustCompile(`(?:href|src)="(-/[0-9a-f]{16}/` + name + `)"`).FindStringSubmatch(load(t, PathHTML))
	require.NotNil(t, m, name)
	return "/" + m[1]
}

func TestSizes(t *testing.T) {
	for path, most := range map[string]int{PathHTML: 30_000, asset(t, "docs.css"): 3_000, asset(t, "docs.js"): 3_000} {
		n := get(newPages(t, base)[path], map[string]string{"Accept-Encoding": "gzip"}).Body.Len()
		t.Logf("%s: %d bytes with gzip", path, n)
		require.LessOrEqual(t, n, most, path)
	}
}

func TestHeaders(t *testing.T) {
	pages := newPages(t, base)
	require.Len(t, pages, 5)
	for path, contentType := range map[string]string{
		PathHTML: "text/html", PathMarkdown: "text/markdown", PathSummary: "text/plain", asset(t, "docs.css"): "text/css", asset(t, "docs.js"): "text/javascript",
	} {
		header := get(pages[path], nil).Header()
		require.Equal(t, contentType+"; charset=utf-8", header.Get("Content-Type"))
		require.Equal(t, contentSecurityPolicy, header.Get("Content-Security-Policy"))
		require.Equal(t, "nosniff", header.Get("X-Content-Type-Options"))
		require.Equal(t, "*", header.Get("Access-Control-Allow-Origin"))
		if strings.HasPrefix(path, "/-/") {
			require.Equal(t, "public, max-age=31536000, immutable", header.Get("Cache-Control"))
		} else {
			require.Contains(t, header.Get("Cache-Control"), "public, max-age=60")
		}
	}
}

// The pages name the limits of the running server.
func TestLimits(t *testing.T) {
	for limits, want := range map[[2]int][2]string{
		{60, 20}:        {"60 requests", "20 requests"},
		{1, 500}:        {"1 request", "500 requests"},
		{-1, 7}:         {"any number of requests", "7 requests"},
		{30, -1}:        {"30 requests", "any number of requests"},
		{-1, -1}:        {"any number of requests", "any number of requests"},
		{1<<24 - 1, 20}: {strconv.Itoa(1<<24-1) + " requests", "20 requests"},
	} {
		pages, err := New(newConfig(base), httpapi.Limits{JSON: limits[0], QR: limits[1]})
		require.NoError(t, err)
		for _, path := range []string{PathHTML, PathMarkdown} {
			require.Contains(t, get(pages[path], nil).Body.String(), "A client may send "+want[0]+" per minute to this server, and, in addition, "+want[1]+" for QR codes.")
		}
		require.Contains(t, get(pages[PathSummary], nil).Body.String(), "; "+want[0]+" per minute, "+want[1]+" for QR codes;")
	}
}

// The page contains the API's image, because requests would be counted.
func TestImage(t *testing.T) {
	api := newAPI(t, base)
	p, err := newPage(api)
	require.NoError(t, err)
	var pictures []string
	for _, g := range p.Groups {
		for _, e := range g.Endpoints {
			if e.IsImage {
				picture, err := call(api, e.Method, "/"+e.ExampleURL, "")
				require.NoError(t, err)
				pictures = append(pictures, "data:image/png;base64,"+base64.StdEncoding.EncodeToString(picture.body.Bytes()))
			}
		}
	}
	require.Len(t, pictures, 1)
	sources := regexp.MustCompile(`<img src="([^"]*)"`).FindAllStringSubmatch(load(t, PathHTML), -1)
	require.Len(t, sources, 1)
	require.Equal(t, pictures[0], html.UnescapeString(sources[0][1]))
}

// Replicas must agree on the pages, so that a conditional request finds the same ETag.
func TestPagesAreDeterministic(t *testing.T) {
	for path := range newPages(t, base) {
		require.Equal(t, load(t, path), load(t, path))
	}
}

// Every code of the project that HTTP can return is on the pages, with advice.
func TestCodes(t *testing.T) {
	var d document
	described, err := call(newAPI(t, base), http.MethodGet, "/api/v1/openapi.json", "")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(described.body.Bytes(), &d))
	returned := slices.Concat(d.Components.Schemas["ErrorCode"].Enum, d.Components.Schemas["ErrorItemCode"].Enum, d.Components.Schemas["UsernameReason"].Enum)
	slices.Sort(returned)
	returned = slices.Compact(returned)
	require.Equal(t, returned, slices.Sorted(maps.Keys(advice)))

	released, err := vectors.Names("codes")
	require.NoError(t, err)
	require.Subset(t, released, returned)
	page, markdown := load(t, PathHTML), load(t, PathMarkdown)
	for _, code := range returned {
		require.Contains(t, page, `<dt id="`+code+`">`)
		require.Contains(t, markdown, "| `"+code+"` |")
	}
}

func TestEveryEndpoint(t *testing.T) {
	var d document
	described, err := call(newAPI(t, base), http.MethodGet, "/api/v1/openapi.json", "")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(described.body.Bytes(), &d))
	require.Len(t, d.Paths, 13)
	page, markdown, summary := load(t, PathHTML), load(t, PathMarkdown), load(t, PathSummary)
	for path, methods := range d.Paths {
		for method, op := range methods {
			method = strings.ToUpper(method)
			require.Contains(t, page, `<h3 id="`+op.OperationID+`"><a href="#`+op.OperationID+`"><span class="method">`+method+`</span> `+strings.ReplaceAll(path, "/", "/<wbr>")+`</a></h3>`)
			require.Contains(t, markdown, "\n### "+method+" "+path+"\n")
			require.Contains(t, summary, "\n- `"+method+" "+base+path+"`")
			for _, parameter := range op.Parameters {
				require.Contains(t, page, `id="`+op.OperationID+`-`+parameter.Name+`" name="`+parameter.Name+`"`)
			}
		}
	}
}

// The page is complete without its script, refers to nothing that is missing, and loads
// nothing from other servers.
func TestHTML(t *testing.T) {
	page := load(t, PathHTML)
	ids := map[string]bool{}
	for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		require.False(t, ids[m[1]], "the id %s occurs twice", m[1])
		ids[m[1]] = true
	}
	for _, m := range regexp.MustCompile(` (?:for|aria-labelledby|href)="(#?)([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if m[1] == "#" || !strings.Contains(m[0], "href") {
			require.True(t, ids[m[2]], m[0])
		}
	}
	require.Equal(t, strings.Count(page, "<form "), strings.Count(page, "</form>"))
	require.Equal(t, 13, strings.Count(page, "<form "))
	require.Equal(t, 6, strings.Count(page, `method="post" hidden>`))
	require.NotRegexp(t, ` (style|on[a-z]+)="`, page)
	require.NotContains(t, page, "<style")
	require.Equal(t, 1, strings.Count(page, "<script"))
	require.NotRegexp(t, ` (src|action)="(https?:)?//`, page)
	require.NotRegexp(t, `<link [^>]*href="(https?:)?//`, page)
	require.NotContains(t, page, "ZgotmplZ", "a value that html/template refuses")
	require.NotContains(t, page, "<no value>")
}

func TestBaseURL(t *testing.T) {
	for path, page := range newPages(t, "https://example.com/wa") {
		body := get(page, nil).Body.String()
		require.NotContains(t, body, "hi.example.com")
		if path == PathHTML || path == PathMarkdown || path == PathSummary {
			require.Contains(t, body, "https://example.com/wa/api/v1/username-link")
		}
	}
}

// llms.txt has the form that llmstxt.org describes: a title, a summary, text without
// headings, and sections of links.
func TestSummary(t *testing.T) {
	summary := load(t, PathSummary)
	require.Regexp(t, `^# Hailmark\n\n> [^\n]+\n\n`, summary)
	require.Len(t, pitfalls, 10)
	first := strings.Index(summary, "\n## ")
	require.Equal(t, 2, strings.Count(summary, "\n## "))
	for line := range strings.Lines(summary[first:]) {
		if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "## ") {
			require.Regexp(t, `^- \[[^\]]+\]\(https://[^)]+\): .+\n$`, line)
		}
	}
	require.Contains(t, summary[first:], "\n## Optional\n")
}

func TestMarkup(t *testing.T) {
	require.Equal(t, "a <code>&lt;b&gt;</code> &amp; c", string(markup("a `<b>` & c")))
}

// New returns the API's errors.
func TestNewReportsErrors(t *testing.T) {
	_, err := New(httpapi.Config{}, httpapi.Limits{})
	require.ErrorContains(t, err, "BaseURL")
	_, err = newPage(http.NotFoundHandler())
	require.ErrorContains(t, err, "OpenAPI document")
	api := newAPI(t, base)
	_, err = newPage(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/qr") {
			r.URL.RawQuery = ""
		}
		api.ServeHTTP(w, r)
	}))
	require.ErrorContains(t, err, "/api/v1/qr: the example request has status 400")
}

func TestResponsesMatchTheAPI(t *testing.T) {
	described, err := call(newAPI(t, base), http.MethodGet, "/api/v1/validate/username?username=jane.doe", "")
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, json.Indent(&b, bytes.TrimSpace(described.body.Bytes()), "", "  "))
	require.Contains(t, load(t, PathMarkdown), "```json\n"+b.String()+"\n```")
}

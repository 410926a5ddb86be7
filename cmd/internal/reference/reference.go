// Package reference renders a server's API documentation as HTML, Markdown and llms.txt.
//
//	pages, err := reference.New(cfg)
//	…
//	pages["/docs"].Serve(w, r)
//
// The pages describe the server's OpenAPI document and contain its responses to the example
// requests, so readers should never find a difference.
package reference

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"fmt"
	html "html/template"
	"maps"
	"slices"
	"strconv"
	"strings"
	text "text/template"

	"github.com/hailmark/hailmark/cmd/internal/static"
	"github.com/hailmark/hailmark/httpapi"
)

// Paths of the pages. Short links don't support these usernames.
const (
	PathHTML     = "/docs"
	PathMarkdown = "/docs.md"
	PathSummary  = "/llms.txt"
)

var (
	//go:embed content/*.tmpl
	content embed.FS
	//go:embed content/docs.css
	style []byte
	//go:embed content/docs.js
	script []byte
)

// contentSecurityPolicy allows the page's own style and script, API requests and their images.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data: blob:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// commonHeader is included in all responses.
var commonHeader = map[string]string{
	"Cache-Control":                "public, max-age=60, s-maxage=3600, stale-while-revalidate=86400",
	"Access-Control-Allow-Origin":  "*",
	"Content-Security-Policy":      contentSecurityPolicy,
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "cross-origin",
	"Referrer-Policy":              "no-referrer",
	"X-Content-Type-Options":       "nosniff",
}

// New returns the pages by path. They describe the limits per minute, which the example requests
// ignore.
func New(cfg httpapi.Config, limits httpapi.Limits) (map[string]*static.File, error) {
	var err error
	cfg.Observe, cfg.ShortLinks = nil, true
	if cfg.Limiter, err = httpapi.NewMemoryLimiter(httpapi.Limits{JSON: -1, QR: -1}); err != nil {
		return nil, err
	}
	api, err := httpapi.New(cfg)
	if err != nil {
		return nil, err
	}
	p, err := newPage(api)
	if err != nil {
		return nil, fmt.Errorf("reference: %w", err)
	}
	style := slices.Concat(static.Style, style)
	p.MayRequest, p.MayRequestQR = requests(limits, "/api/v1/username-link"), requests(limits, "/api/v1/qr")
	pathStyle, pathScript := hashedPath("docs.css", style), hashedPath("docs.js", script)
	p.Style, p.Script = strings.TrimPrefix(pathStyle, "/"), strings.TrimPrefix(pathScript, "/")

	var page, markdown, summary bytes.Buffer
	if err := htmlPage.Execute(&page, p); err != nil {
		return nil, err
	}
	for name, to := range map[string]*bytes.Buffer{"docs.md.tmpl": &markdown, "llms.txt.tmpl": &summary} {
		if err := textPages.ExecuteTemplate(to, name, p); err != nil {
			return nil, err
		}
	}
	pages := map[string]*static.File{}
	for path, f := range map[string]struct {
		contentType string
		body        []byte
	}{
		PathHTML:     {"text/html; charset=utf-8", page.Bytes()},
		PathMarkdown: {"text/markdown; charset=utf-8", markdown.Bytes()},
		PathSummary:  {"text/plain; charset=utf-8", summary.Bytes()},
		pathStyle:    {"text/css; charset=utf-8", style},
		pathScript:   {"text/javascript; charset=utf-8", script},
	} {
		header := maps.Clone(commonHeader)
		header["Content-Type"] = f.contentType
		if strings.HasPrefix(path, "/-/") {
			header["Cache-Control"] = "public, max-age=31536000, immutable"
		}
		pages[path] = static.New(header, func() []byte { return f.body })
	}
	return pages, nil
}

// requests describes a limit.
func requests(limits httpapi.Limits, route string) string {
	_, n := limits.For(route)
	switch {
	case n < 0:
		return "any number of requests"
	case n == 1:
		return "1 request"
	default:
		return strconv.Itoa(n) + " requests"
	}
}

// hashedPath returns a path for immutable content, so that caches don't combine versions.
func hashedPath(name string, body []byte) string {
	sum := sha256.Sum256(body)
	return fmt.Sprintf("/-/%x/%s", sum[:8], name)
}

// An input is a field's form control.
type input struct {
	field
	ID string
}

var functions = map[string]any{
	"relative": func(path string) string { return strings.TrimPrefix(path, "/") },
	"short":    func(path string) string { return strings.TrimPrefix(path, "/api/v1/") },
	"rows":     func(s string) int { return min(strings.Count(s, "\n")+2, 20) },
	"next":     func(i int) int { return i + 1 },
	"inputOf":  func(id string, f field) input { return input{f, id + "-" + f.Name} },
	"quote":    quote,
	"shell":    shellQuote,
}

var (
	htmlPage = html.Must(html.New("docs.html.tmpl").Funcs(functions).Funcs(html.FuncMap{"code": markup, "breakable": breakable}).ParseFS(content, "content/docs.html.tmpl"))

	textPages = text.Must(text.New("").Funcs(functions).ParseFS(content, "content/docs.md.tmpl", "content/llms.txt.tmpl", "content/parts.txt.tmpl"))
)

// markup converts text containing `code` to HTML.
func markup(s string) html.HTML {
	var b strings.Builder
	for i, part := range strings.Split(s, "`") {
		part = html.HTMLEscapeString(part)
		if i%2 == 1 {
			part = "<code>" + part + "</code>"
		}
		b.WriteString(part)
	}
	return html.HTML(b.String()) //nolint:gosec // every part is escaped
}

// breakable allows line breaks after a path's slashes.
func breakable(path string) html.HTML {
	return html.HTML(strings.ReplaceAll(html.HTMLEscapeString(path), "/", "/<wbr>")) //nolint:gosec // it is escaped
}

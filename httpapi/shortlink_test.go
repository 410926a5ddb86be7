package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/problem"
)

func withShortLinks(cfg *httpapi.Config) { cfg.ShortLinks = true }

func TestShortLinks(t *testing.T) {
	h := newHandler(t, withShortLinks)
	for target, location := range map[string]string{
		"/jane.doe": "https://wa.me/jane.doe", "/@jane.doe": "https://wa.me/jane.doe", "/%40jane": "https://wa.me/jane",
		"/@favicon.ico": "https://wa.me/favicon.ico", "/@docs": "https://wa.me/docs", "/@docs.md": "https://wa.me/docs.md",
		"/jane?text=Hi+there%21": "https://wa.me/jane?text=Hi%20there!", "/jane?text=": "https://wa.me/jane", "/jane?utm=1": "https://wa.me/jane",
	} {
		w := get(h, target)
		require.Equal(t, http.StatusFound, w.Code, target)
		require.Equal(t, location, w.Header().Get("Location"))
		require.Contains(t, w.Header().Get("Cache-Control"), "public, max-age=60")
		require.Equal(t, "*", w.Header().Get("Access-Control-Allow-Origin"))
		require.Empty(t, w.Header().Get("X-RateLimit-Limit"), "not counted")
	}
	for target, want := range map[string]problem.Code{
		"/jane?text=%07": "text_invalid", "/jane?text=a&text=b": "duplicate_parameter", "/jane?text=%": "invalid_query",
	} {
		w := get(h, target)
		require.Equal(t, http.StatusBadRequest, w.Code, target)
		code, _ := errorOf(t, w.Body.Bytes())
		require.Equal(t, want, code)
	}
	for method, status := range map[string]int{http.MethodHead: 302, http.MethodPost: 405, http.MethodDelete: 405, http.MethodOptions: 204} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, "/jane", nil))
		require.Equal(t, status, w.Code, method)
		require.Equal(t, "*", w.Header().Get("Access-Control-Allow-Origin"))
		if status != http.StatusFound {
			require.Equal(t, "GET, HEAD, OPTIONS", w.Header().Get("Allow"))
		}
	}
	other := newHandler(t, withShortLinks, func(cfg *httpapi.Config) { cfg.ChatHost = "chat.example.com" })
	require.Equal(t, "https://chat.example.com/jane", get(other, "/jane").Header().Get("Location"))
	require.Equal(t, http.StatusNotFound, get(newHandler(t), "/jane").Code, "off unless asked for")
}

// A path that the server may need itself is never redirected: a browser that shows a
// response of the API in a tab asks for /favicon.ico, and must not call another host.
func TestShortLinksNeverRedirectReservedPaths(t *testing.T) {
	h := newHandler(t, withShortLinks)
	for _, target := range []string{
		"/favicon.ico", "/robots.txt", "/openapi.json", "/docs", "/docs.md", "/docs.css", "/docs.js", "/healthz", "/readyz", "/metrics", "/api", "/llms.txt", "/sw.js", "/index.html", "/app.css",
		"/Jane", "/@Jane", "/@@jane", "/@", "/ab", "/16505551234", "/jane%2Fdoe", "/jane%0d%0a", "/%2F%2Fevil.example", "/", "/jane/", "//jane", "/a/jane",
	} {
		w := get(h, target)
		require.Equal(t, http.StatusNotFound, w.Code, target)
		code, _ := errorOf(t, w.Body.Bytes())
		require.Equal(t, problem.Code("not_found"), code)
		require.Empty(t, w.Header().Get("Location"))
	}
}

// A person who mistypes a short link reads what to change.
func TestMistypedShortLinks(t *testing.T) {
	h := newHandler(t, withShortLinks)
	for target, want := range map[string]string{"/Jane.Doe": "jane.doe", "/@Jane": "jane", "/ab": "3-35", "/docs": "reserved"} {
		_, message := errorOf(t, get(h, target).Body.Bytes())
		require.Contains(t, message, want)
	}
}

// The short link that the API returns leads to the chat, for every kind of username.
func TestShortLinkOfTheAPIRedirects(t *testing.T) {
	h := newHandler(t, withShortLinks, unlimited, func(cfg *httpapi.Config) { cfg.BaseURL = "http://example.com" })
	for _, name := range []string{"jane.doe", "favicon.ico", "docs", "api", "jane.js", "metrics"} {
		w := get(h, "/api/v1/username-link?username="+name)
		var link struct{ Link, ShortLink string }
		decode(t, w, &link)
		require.Equal(t, link.Link, get(h, link.ShortLink).Header().Get("Location"))
	}
}

package serve

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestReferencePages(t *testing.T) {
	t.Parallel()
	p := start(t, nil, "-admin-addr", "127.0.0.1:0", "-access-log", "-base-url", "https://hi.example.com/wa", "-json-limit", "1")
	for path, contentType := range map[string]string{
		"/docs": "text/html; charset=utf-8", "/docs.md": "text/markdown; charset=utf-8", "/llms.txt": "text/plain; charset=utf-8",
		"/docs.css": "text/css; charset=utf-8", "/docs.js": "text/javascript; charset=utf-8",
	} {
		res, body := get(t, p.base+path)
		require.Equal(t, http.StatusOK, res.StatusCode, path)
		require.Equal(t, contentType, res.Header.Get("Content-Type"))
		require.Empty(t, res.Header.Get("X-RateLimit-Limit"), "not counted")
		require.Regexp(t, "^[0-9a-f]{16}$", res.Header.Get("X-Request-Id"))
		if strings.HasPrefix(contentType, "text/html") || strings.HasPrefix(contentType, "text/markdown") {
			require.Contains(t, body, "https://hi.example.com/wa/api/v1/phone-link")
			require.Contains(t, body, "A client may send 1 request per minute to this server")
		}
	}
	require.Eventually(t, func() bool { // a request is observed after its response
		_, metrics := get(t, p.admin(t)+"/metrics")
		return strings.Contains(metrics, `hailmark_requests_total{code="",route="/docs",status="200"} 1`) &&
			strings.Contains(p.logged(), "method=GET route=/llms.txt status=200 bytes=")
	}, time.Minute, time.Millisecond)

	// The handler of the API serves what is beside the pages, as without them.
	for path, location := range map[string]string{"/@docs": "https://wa.me/docs", "/@docs.md": "https://wa.me/docs.md", "/docsy": "https://wa.me/docsy"} {
		res, _ := get(t, p.base+path)
		require.Equal(t, http.StatusFound, res.StatusCode, path)
		require.Equal(t, location, res.Header.Get("Location"))
	}
	for _, path := range []string{"/docs/", "/docs/index.html", "/llms-full.txt", "/@llms.txt"} {
		res, body := get(t, p.base+path)
		require.Contains(t, []int{http.StatusNotFound, http.StatusTooManyRequests}, res.StatusCode, path)
		require.Contains(t, body, `{"error":{"code":`)
	}
	for method, status := range map[string]int{http.MethodPost: http.StatusMethodNotAllowed, http.MethodOptions: http.StatusNoContent} {
		req, err := http.NewRequestWithContext(t.Context(), method, p.base+"/docs", nil)
		require.NoError(t, err)
		res, err := http.DefaultTransport.RoundTrip(req)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, status, res.StatusCode)
		require.Equal(t, "GET, HEAD, OPTIONS", res.Header.Get("Allow"))
		require.Equal(t, "*", res.Header.Get("Access-Control-Allow-Origin"))
	}
}

func TestPagesWithoutLogAndMetrics(t *testing.T) {
	t.Parallel()
	p := start(t, nil)
	for _, path := range []string{"/", "/docs", "/docs.css", "/-/worker.js", "/llms.txt"} {
		res, body := get(t, p.base+path)
		require.Equal(t, http.StatusOK, res.StatusCode, path)
		require.NotEmpty(t, body)
	}
	require.NotContains(t, p.logged(), "panic")
}

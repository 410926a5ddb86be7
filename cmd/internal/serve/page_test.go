package serve

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/cmd/internal/page"
)

func TestPage(t *testing.T) {
	t.Parallel()
	p := start(t, nil, "-admin-addr", "127.0.0.1:0", "-access-log", "-json-limit", "2")
	require.NotEqual(t, page.HasModule(), strings.Contains(p.logged(), "run cmd/wasm/build"))

	res, body := get(t, p.base+"/?text=secret")
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.Contains(t, res.Header.Get("Content-Security-Policy"), "default-src 'none'")
	require.Regexp(t, "^[0-9a-f]{16}$", res.Header.Get("X-Request-Id"))
	require.Empty(t, res.Header.Get("X-RateLimit-Limit"), "not counted")
	script := regexp.MustCompile(`src="(/-/[^"]+/app\.js)"`).FindStringSubmatch(body)
	require.NotNil(t, script)
	for range 5 {
		res, _ = get(t, p.base+script[1])
		require.Equal(t, http.StatusOK, res.StatusCode)
	}
	require.Eventually(t, func() bool { // a request is observed after its response
		_, metrics := get(t, p.admin(t)+"/metrics")
		return strings.Contains(metrics, `hailmark_requests_total{code="",route="/",status="200"} 1`) &&
			strings.Contains(metrics, `hailmark_requests_total{code="",route="/-/{asset}",status="200"} 5`) &&
			strings.Contains(p.logged(), "method=GET route=/ status=200 bytes=")
	}, time.Minute, time.Millisecond)
	require.NotContains(t, p.logged(), "secret")

	// Short links, other methods and all other paths belong to the API.
	for path, location := range map[string]string{"/jane.doe": "https://wa.me/jane.doe", "/@page": "https://wa.me/page", "/page": "https://wa.me/page"} {
		res, _ = get(t, p.base+path)
		require.Equal(t, http.StatusFound, res.StatusCode, path)
		require.Equal(t, location, res.Header.Get("Location"))
	}
	for _, path := range []string{"/-/", "/-/app.js", "/-", "//", "/index.html/", strings.TrimSuffix(script[1], "app.js")} {
		res, body = get(t, p.base+path)
		require.Contains(t, []int{http.StatusNotFound, http.StatusTooManyRequests}, res.StatusCode, path)
		require.Contains(t, body, `{"error":{"code":`)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodOptions, p.base+"/", http.NoBody)
	require.NoError(t, err)
	res, err = http.DefaultTransport.RoundTrip(req)
	require.NoError(t, err)
	_, _ = io.Copy(io.Discard, res.Body)
	require.Equal(t, http.StatusNoContent, res.StatusCode)
}

func TestWithoutPage(t *testing.T) {
	t.Parallel()
	p := start(t, []string{"HAILMARK_PAGE=no"})
	require.NotContains(t, p.logged(), "cmd/wasm/build")
	for _, path := range []string{"/", "/-/worker.js", "/-/hailmark.html"} {
		res, body := get(t, p.base+path)
		require.Equal(t, http.StatusNotFound, res.StatusCode, path)
		require.Contains(t, body, `{"error":{"code":"not_found"`)
	}
}

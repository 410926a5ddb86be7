package httpapi_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/problem"
)

// Two handlers live in one foreign mux, below prefixes and behind middleware that
// wraps the ResponseWriter: they differ in all that their Configs say, and share
// nothing.
func TestMountedTwiceInAForeignMux(t *testing.T) {
	t.Run("stripped", func(t *testing.T) { testMounted(t, http.StripPrefix) })
	t.Run("whole", func(t *testing.T) { testMounted(t, func(_ string, h http.Handler) http.Handler { return h }) })
}

func testMounted(t *testing.T, wrap func(string, http.Handler) http.Handler) {
	mount := func(mux *http.ServeMux, prefix string, limit int) {
		api := newHandler(t, limits(httpapi.Limits{JSON: limit}), withShortLinks, func(cfg *httpapi.Config) { cfg.BaseURL = "https://example.com" + prefix })
		mux.Handle(prefix+"/", wrap(prefix, api))
	}
	mux := http.NewServeMux()
	mount(mux, "/wa", 3)
	mount(mux, "/team/wa", 60)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "the host's own") })
	seen := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Foreign", "yes")
		recorder := httptest.NewRecorder() // knows nothing of the real connection
		mux.ServeHTTP(recorder, r.WithContext(context.WithValue(r.Context(), t, "foreign")))
		seen++
		for name, values := range recorder.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(recorder.Code)
		_, _ = recorder.Body.WriteTo(w)
	}))
	defer server.Close()
	send := func(method, path, body string) (*http.Response, string) {
		res, text := request{Method: method, Path: path, Body: body}.send(t, server.URL)
		require.Equal(t, "yes", res.Header.Get("X-Foreign"))
		return res, string(text)
	}

	for _, prefix := range []string{"/wa", "/team/wa"} {
		_, body := send(http.MethodGet, prefix+"/api/v1/username-link?username=jane", "")
		require.Contains(t, body, `"shortLink":"https://example.com`+prefix+`/jane"`)
		res, _ := send(http.MethodGet, prefix+"/jane", "")
		require.Equal(t, "https://wa.me/jane", res.Header.Get("Location"))
		_, body = send(http.MethodGet, prefix+"/api/v1/openapi.json", "")
		require.Contains(t, body, `"url": "https://example.com`+prefix+`"`)
		res, body = send(http.MethodPost, prefix+"/api/v1/business/bsuid/parse", `{"bsuid":"US.1"}`)
		require.Equal(t, http.StatusOK, res.StatusCode, body)
		res, _ = send(http.MethodGet, prefix+"/api/v1/qr?username=jane", "")
		require.Equal(t, "image/png", res.Header.Get("Content-Type"))
		res, _ = send(http.MethodOptions, prefix+"/api/v1/qr", "")
		require.Equal(t, http.StatusNoContent, res.StatusCode)
		res, body = send(http.MethodGet, prefix+"/api/v1/nothing", "")
		require.Equal(t, "*", res.Header.Get("Access-Control-Allow-Origin"))
		require.Contains(t, body, `"error"`)
		require.Equal(t, map[string]int{"/wa": http.StatusTooManyRequests, "/team/wa": http.StatusNotFound}[prefix], res.StatusCode, "limits of their own")
	}
	_, body := send(http.MethodGet, "/", "")
	require.Equal(t, "the host's own", body)
	require.Positive(t, seen)
}

func TestObserve(t *testing.T) {
	type key struct{}
	var mu sync.Mutex
	var seen []httpapi.Observation
	var contexts []any
	cfg := config()
	limits(httpapi.Limits{QR: 1})(&cfg)
	cfg.Observe = func(ctx context.Context, o httpapi.Observation) {
		mu.Lock()
		defer mu.Unlock()
		require.GreaterOrEqual(t, o.Duration, time.Duration(0))
		o.Duration = 0
		seen = append(seen, o)
		contexts = append(contexts, ctx.Value(key{}))
	}
	api, err := httpapi.New(cfg)
	require.NoError(t, err)
	cfg.ShortLinks = true
	links, err := httpapi.New(cfg)
	require.NoError(t, err)

	const canary = "canary4711"
	for _, tt := range []struct {
		handler                           http.Handler
		method, target, body, ifNoneMatch string
		want                              httpapi.Observation
	}{
		{api, "GET", "/api/v1/validate/key?key=aB3d", "", "", httpapi.Observation{Route: "/api/v1/validate/key", Method: "GET", Status: 200}},
		{api, "HEAD", "/api/v1/validate/key?key=aB3d", "", "", httpapi.Observation{Route: "/api/v1/validate/key", Method: "HEAD", Status: 200}},
		{api, "GET", "/api/v1/validate/key?key=aB3d", "", "*", httpapi.Observation{Route: "/api/v1/validate/key", Method: "GET", Status: 304}},
		{api, "OPTIONS", "/api/v1/qr", "", "", httpapi.Observation{Route: "/api/v1/qr", Method: "OPTIONS", Status: 204}},
		{api, "GET", "/api/v1/qr?" + canary, "", "", httpapi.Observation{Route: "/api/v1/qr", Method: "GET", Status: 400, Code: "missing_target"}},
		{api, "GET", "/api/v1/qr?" + canary, "", "", httpapi.Observation{Route: "/api/v1/qr", Method: "GET", Status: 429, Code: "rate_limited"}},
		{api, "GET", "/" + canary, "", "", httpapi.Observation{Method: "GET", Status: 404, Code: "not_found"}},
		{api, canary, "/api/v1/qr", "", "", httpapi.Observation{Route: "/api/v1/qr", Method: "other", Status: 405, Code: "method_not_allowed"}},
		{api, "POST", "/api/v1/business/webhook/normalize", "[]", "", httpapi.Observation{
			Route: "/api/v1/business/webhook/normalize", Method: "POST", Status: 422, Code: "webhook_unrecognized_shape",
		}},
		{links, "GET", "/" + canary, "", "", httpapi.Observation{Route: "/{username}", Method: "GET", Status: 302}},
		{links, "GET", "/-" + canary, "", "", httpapi.Observation{Route: "/{username}", Method: "GET", Status: 404, Code: "not_found"}},
	} {
		r := httptest.NewRequest(tt.method, tt.target, strings.NewReader(tt.body))
		if tt.ifNoneMatch != "" {
			r.Header.Set("If-None-Match", tt.ifNoneMatch)
		}
		w := httptest.NewRecorder()
		tt.handler.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), key{}, "mine")))
		tt.want.Bytes = w.Body.Len()
		require.Equal(t, tt.want, seen[len(seen)-1], "%s %s", tt.method, tt.target)
		require.Equal(t, "mine", contexts[len(contexts)-1])
	}
	require.Len(t, seen, 11, "each request once")
}

// An observation reports a panic.
func TestObservePanic(t *testing.T) {
	var seen httpapi.Observation
	h := newHandler(t, func(cfg *httpapi.Config) {
		cfg.Observe = func(_ context.Context, o httpapi.Observation) { seen = o }
	})
	httpapi.SetClock(h, func() time.Time { panic("clock") })
	get(h, "/nothing")
	require.Equal(t, http.StatusInternalServerError, seen.Status)
	require.Equal(t, problem.Code("internal_error"), seen.Code)
}

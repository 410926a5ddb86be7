package httpapi_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/httpapi"
)

// Two handlers below prefixes of a foreign mux share nothing, whether it strips the prefixes or not,
// and whatever ResponseWriter it passes.
func TestMountedTwiceInAForeignMux(t *testing.T) {
	for _, strip := range []func(string, http.Handler) http.Handler{http.StripPrefix, func(_ string, h http.Handler) http.Handler { return h }} {
		mux := http.NewServeMux()
		for prefix, limit := range map[string]int{"/wa": 4, "/team/wa": 60} {
			api := newHandler(t, limits(limit, 0), withShortLinks, func(cfg *httpapi.Config) { cfg.BaseURL = "https://example.com" + prefix })
			mux.Handle(prefix+"/", strip(prefix, api))
		}
		send := func(method, path, body string) *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			mux.ServeHTTP(struct{ http.ResponseWriter }{w}, httptest.NewRequest(method, path, strings.NewReader(body)))
			return w
		}
		for prefix, status := range map[string]int{"/wa": http.StatusTooManyRequests, "/team/wa": http.StatusNotFound} {
			require.Contains(t, send(http.MethodGet, prefix+"/api/v1/username-link?username=jane", "").Body.String(), `"shortLink":"https://example.com`+prefix+`/jane"`)
			require.Equal(t, "https://wa.me/jane", send(http.MethodGet, prefix+"/jane", "").Header().Get("Location"))
			require.Contains(t, send(http.MethodGet, prefix+"/api/v1/openapi.json", "").Body.String(), `"url": "https://example.com`+prefix+`"`)
			require.Equal(t, http.StatusOK, send(http.MethodPost, prefix+"/api/v1/business/bsuid/parse", `{"bsuid":"US.1"}`).Code)
			require.Equal(t, "image/png", send(http.MethodGet, prefix+"/api/v1/qr?username=jane", "").Header().Get("Content-Type"))
			require.Equal(t, http.StatusNoContent, send(http.MethodOptions, prefix+"/api/v1/qr", "").Code)
			require.Contains(t, send(http.MethodGet, prefix+"/api/v1/nothing", "").Body.String(), "https://example.com"+prefix+"/api/v1/openapi.json describes")
			require.Equal(t, status, send(http.MethodGet, prefix+"/api/v1/nothing", "").Code, "each has limits of its own")
		}
	}
}

// A request with a Content-Length and a Transfer-Encoding gets one response, whatever follows it in the
// connection, because a proxy may have taken that for a part of the body.
func TestTwoLengths(t *testing.T) {
	server := httptest.NewServer(newHandler(t, unlimited, withShortLinks))
	defer server.Close()
	for _, path := range append(httpapi.Routes(), "/jane", "/api/v1/nothing") {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodOptions} {
			for _, body := range []string{"{}", `{"bsuid":"US.1"}`, strings.Repeat(" ", 100)} {
				conn, err := net.Dial("tcp", server.Listener.Addr().String())
				require.NoError(t, err)
				_, err = fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\nGET /jane HTTP/1.1\r\nHost: x\r\n\r\n",
					method, path, len(body), len(body), body)
				require.NoError(t, err)
				text, _ := io.ReadAll(conn) // fails if the server closes the connection before it has read all
				require.NoError(t, conn.Close())
				require.Equal(t, 1, strings.Count(string(text), "HTTP/1.1 "), "%s %s: %s", method, path, text)
				require.Contains(t, string(text), "\r\nConnection: close\r\n", "%s %s", method, path)
			}
		}
	}
}

func TestObserve(t *testing.T) {
	type key struct{}
	var mu sync.Mutex
	var seen []httpapi.Observation
	var contexts []any
	cfg := config()
	limits(0, 1)(&cfg)
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

// A 429 tells whether the client or its network has used up a limit, to the client and to the operator.
func TestObserveNetworkLimit(t *testing.T) {
	limiter, err := httpapi.NewMemoryLimiter(httpapi.Limits{JSON: 1, QR: 1})
	require.NoError(t, err)
	var seen httpapi.Observation
	api, err := httpapi.New(httpapi.Config{
		BaseURL: "https://example.com", Limiter: limiter,
		Observe: func(_ context.Context, o httpapi.Observation) { seen = o },
	})
	require.NoError(t, err)
	request := func(client string) (message string) {
		r := httptest.NewRequest("GET", "/api/v1/validate/key?key=aB3d", http.NoBody)
		r.RemoteAddr = "[" + client + "]:1"
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		return w.Body.String()
	}
	for n := range 16 {
		client := fmt.Sprintf("2001:db8:0:%x::1", n)
		request(client)
		require.Equal(t, 200, seen.Status)
		require.Contains(t, request(client), `"too many requests; try again in 60 s"`)
		require.Equal(t, httpapi.Observation{
			Route: "/api/v1/validate/key", Method: "GET", Status: 429, Code: "rate_limited", Bytes: seen.Bytes, Duration: seen.Duration,
		}, seen)
	}
	require.Contains(t, request("2001:db8:0:ff::1"), `"too many requests from your network; try again in 60 s"`)
	require.True(t, seen.Network)
	require.Equal(t, httpapi.CodeRateLimited, seen.Code)
	request("2001:db8:0:100::1")
	require.Equal(t, 200, seen.Status, "another network")
}

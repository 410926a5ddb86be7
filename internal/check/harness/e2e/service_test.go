package e2e_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/httpapi"
)

// serve starts the service on a port of its own, as the vectors want it.
func serve(t *testing.T, change ...func(*httpapi.Config)) *httptest.Server {
	t.Helper()
	cfg := httpapi.Config{
		BaseURL: "https://hi.example.com",
		Notice:  "As of 2026-11-21, test notice.",
	}
	for _, f := range change {
		f(&cfg)
	}
	h, err := httpapi.New(cfg)
	require.NoError(t, err)
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server
}

func unlimited(cfg *httpapi.Config) {
	cfg.Limiter, _ = httpapi.NewMemoryLimiter(httpapi.Limits{JSON: 1 << 20, QR: 1 << 20})
}

// A request is the input of vectors/http.json.
type request struct {
	Method     string            `json:"method"`
	Path       string            `json:"path"`
	Headers    map[string]string `json:"headers"`
	Body       string            `json:"body"`
	BodyBase64 []byte            `json:"bodyBase64"`
	Padding    int               `json:"padding"`
	Repeat     int               `json:"repeat"`
	BodyEquals string            `json:"bodyEquals"` // of the response
}

// send makes the request as often as it says and returns the last response.
func (r request) send(t *testing.T, base string) (*http.Response, []byte) {
	t.Helper()
	content := string(r.BodyBase64)
	if r.BodyBase64 == nil {
		content = r.Body + strings.Repeat(" ", r.Padding)
	}
	var res *http.Response
	var body []byte
	for range max(1, r.Repeat) {
		req, err := http.NewRequestWithContext(t.Context(), r.Method, base+r.Path, strings.NewReader(content))
		require.NoError(t, err)
		for name, value := range r.Headers {
			req.Header.Set(name, value)
		}
		res, err = http.DefaultTransport.RoundTrip(req)
		require.NoError(t, err)
		body, err = io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
	}
	return res, body
}

// document returns the OpenAPI document as it is served.
func document(t *testing.T, base string) []byte {
	t.Helper()
	res, body := request{Method: http.MethodGet, Path: "/api/v1/openapi.json"}.send(t, base)
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.True(t, json.Valid(body))
	return body
}

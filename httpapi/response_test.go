package httpapi

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

// The observation of a response that is written in parts has its status and its length.
func TestObserveLongResponse(t *testing.T) {
	a := newTestAPI(t)
	var seen Observation
	a.observe = func(_ context.Context, o Observation) { seen = o }
	w := post(a, webhookOf(20_000))
	require.Greater(t, w.Body.Len(), maxBuffered)
	require.Equal(t, http.StatusOK, seen.Status)
	require.Equal(t, w.Body.Len(), seen.Bytes)
}

// The log entries of internal errors and of panics name the route and the cause.
func TestLogEntries(t *testing.T) {
	a := newTestAPI(t)
	var log bytes.Buffer
	a.logger = slog.New(slog.NewTextHandler(&log, nil))
	newResponder := func() *responder {
		out := a.newResponder(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
		out.route = "/api/v1/qr"
		return out
	}
	newResponder().writeProblem(errors.New("secret"))
	require.Contains(t, log.String(), `level=ERROR msg="internal error" method=GET route=/api/v1/qr cause=*errors.errorString`)

	log.Reset()
	func() {
		defer a.recoverPanic(newResponder())
		panic("secret")
	}()
	require.Contains(t, log.String(), `level=ERROR msg=panic method=GET route=/api/v1/qr cause=string stack=`)
	require.NotContains(t, log.String(), "secret")
}

// With RequestIDs, the response, the observation and the log have the same random id.
func TestRequestIDs(t *testing.T) {
	var log bytes.Buffer
	var seen Observation
	h, err := New(Config{
		BaseURL: "https://hi.example.com", RequestIDs: true, Logger: slog.New(slog.NewTextHandler(&log, nil)),
		Observe: func(_ context.Context, o Observation) { seen = o },
	})
	require.NoError(t, err)
	ids := map[string]bool{}
	for range 10 {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, prefix+"/openapi.json", nil)
		r.Header.Set("X-Request-Id", "secret")
		h.ServeHTTP(w, r)
		id := w.Header().Get("X-Request-Id")
		require.Regexp(t, `^[0-9a-f]{16}$`, id)
		require.Equal(t, id, seen.RequestID)
		ids[id] = true
	}
	require.Len(t, ids, 10)

	a := h.(*api)
	out := a.newResponder(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
	out.writeProblem(errors.New("secret"))
	require.Contains(t, log.String(), "request_id="+out.requestID)
	require.NotContains(t, log.String(), "secret")

	w := httptest.NewRecorder()
	newTestAPI(t).ServeHTTP(w, httptest.NewRequest(http.MethodGet, prefix+"/openapi.json", nil))
	require.NotContains(t, w.Header(), "X-Request-Id")
}

// A Forwarded line with trusted proxies alone continues in the line before it.
func TestForwardedLines(t *testing.T) {
	proxies, err := newTrustedProxies([]netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, true)
	require.NoError(t, err)
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.RemoteAddr = "10.0.0.1:80"
	r.Header["Forwarded"] = []string{"for=192.0.2.1", "for=10.0.0.3, for=10.0.0.2"}
	require.Equal(t, "192.0.2.1", proxies.client(r).String())
}

// The pools share the budget and do not exceed it.
func TestMemoryBudgetIsDivided(t *testing.T) {
	for _, bytes := range []int64{MinMemoryBudget, DefaultMemoryBudget} {
		total := int64(0)
		for _, pool := range newMemoryBudget(bytes).pools() {
			total += pool.size
		}
		require.Equal(t, bytes, total)
	}
}

// An SVG has the link as its title.
func TestQRTitle(t *testing.T) {
	w := httptest.NewRecorder()
	newTestAPI(t).ServeHTTP(w, httptest.NewRequest(http.MethodGet, prefix+"/qr?phone=16505551234&format=svg", nil))
	require.Contains(t, w.Body.String(), "<title>https://wa.me/16505551234</title>")
}

package httpapi

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// The log entry of an internal error has the route and the type of the error.
func TestLogOfInternalError(t *testing.T) {
	h := newTestHandler(t)
	var log bytes.Buffer
	h.logger = slog.New(slog.NewTextHandler(&log, nil))
	out := h.newResponder(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
	out.route = "/api/v1/qr"
	out.writeProblem(errors.New("secret"))
	require.Contains(t, log.String(), `level=ERROR msg="internal error" method=GET route=/api/v1/qr cause=*errors.errorString`)
}

// An SVG has the link as its title, and may not load or run anything.
func TestQRTitle(t *testing.T) {
	w := httptest.NewRecorder()
	newTestHandler(t).ServeHTTP(w, httptest.NewRequest(http.MethodGet, prefix+"/qr?phone=16505551234&format=svg", nil))
	require.Contains(t, w.Body.String(), "<title>https://wa.me/16505551234</title>")
	require.Equal(t, "default-src 'none'; style-src 'unsafe-inline'; sandbox", w.Header().Get("Content-Security-Policy"))
}

func newTestHandler(t testing.TB) *Handler {
	t.Helper()
	limiter, err := NewMemoryLimiter(Limits{JSON: Unlimited, QR: Unlimited}, 1)
	require.NoError(t, err)
	h, err := New(Config{BaseURL: "https://hi.example.com", Limiter: limiter})
	require.NoError(t, err)
	return h
}

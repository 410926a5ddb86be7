package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/internal/testenv"
)

// A sink is a ResponseWriter that costs nothing.
type sink struct{ header http.Header }

func (s sink) Header() http.Header         { return s.header }
func (s sink) Write(p []byte) (int, error) { return len(p), nil }
func (s sink) WriteHeader(int)             {}

func benchmark(b *testing.B, target string) {
	h := newHandler(b, unlimited)
	r := httptest.NewRequest(http.MethodGet, target, nil)
	w := sink{http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		h.ServeHTTP(w, r)
	}
}

func BenchmarkUsernameLink(b *testing.B) {
	benchmark(b, "/api/v1/username-link?username=jane.doe&text=Hi%20there")
}

func BenchmarkValidateUsername(b *testing.B) {
	benchmark(b, "/api/v1/validate/username?username=jane.doe")
}
func BenchmarkQR(b *testing.B) { benchmark(b, "/api/v1/qr?username=jane.doe") }

// The most common response takes eight allocations: the responder with the values of
// its header, the reset of the limit (small numbers take none), the decoded text, the
// link, the short link, the result as an interface for the encoder, the body and the
// ETag. With Go 1.27 encoding/json takes one more. Those of net/http come on top.
func TestUsernameLinkAllocations(t *testing.T) {
	if testenv.RaceEnabled {
		t.Skip("the race detector allocates")
	}
	now := time.Unix(1795244400, 0)
	h := newHandler(t, func(cfg *httpapi.Config) { cfg.Now = func() time.Time { now = now.Add(time.Minute); return now } })
	r := httptest.NewRequest(http.MethodGet, "/api/v1/username-link?username=jane.doe&text=Hi%20there", nil)
	w := sink{http.Header{}}
	require.LessOrEqual(t, testing.AllocsPerRun(1000, func() { h.ServeHTTP(w, r) }), 9.0)
}

// No route declares more than an input has room for.
func TestRoomForFields(t *testing.T) {
	for _, fields := range httpapi.FieldCounts() {
		require.LessOrEqual(t, fields, httpapi.MaxFields)
	}
}

package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
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

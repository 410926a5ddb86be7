package serve

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/hailmark/hailmark/cmd/internal/reference"
	"github.com/hailmark/hailmark/httpapi"
)

// newReference returns the pages that describe an API with this configuration, by path.
func newReference(cfg httpapi.Config) (map[string]http.Handler, error) {
	unlimited := cfg
	unlimited.JSONLimit, unlimited.QRLimit, unlimited.Observe = httpapi.Unlimited, httpapi.Unlimited, nil
	api, err := httpapi.New(unlimited)
	if err != nil {
		return nil, err
	}
	return reference.New(api, cfg.JSONLimit, cfg.QRLimit)
}

// withPages returns a handler of GET and HEAD for pages, by path, and of everything else
// with api. Requests for pages are observed and not counted.
func withPages(api http.Handler, pages map[string]http.Handler, cfg httpapi.Config) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, found := pages[r.URL.Path]
		if !found || r.Method != http.MethodGet && r.Method != http.MethodHead {
			api.ServeHTTP(w, r)
			return
		}
		began, out := time.Now(), &countingWriter{ResponseWriter: w, status: http.StatusOK}
		seen := httpapi.Observation{Route: routeOf(r.URL.Path), Method: r.Method}
		if cfg.RequestIDs {
			seen.RequestID = fmt.Sprintf("%016x", rand.Uint64())
			w.Header().Set("X-Request-Id", seen.RequestID)
		}
		page.ServeHTTP(out, r)
		seen.Status, seen.Bytes, seen.Duration = out.status, out.bytes, time.Since(began)
		if cfg.Observe != nil {
			cfg.Observe(r.Context(), seen)
		}
	})
}

// routeOf returns the route of a page. The paths of assets change with each version, so
// they have one route.
func routeOf(path string) string {
	if strings.HasPrefix(path, "/-/") {
		return "/-/{asset}"
	}
	return path
}

// A countingWriter records the status and the length of a response.
type countingWriter struct {
	http.ResponseWriter

	status, bytes int
}

func (w *countingWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *countingWriter) Write(b []byte) (int, error) {
	n, err := w.ResponseWriter.Write(b)
	w.bytes += n
	return n, err
}

package serve

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/hailmark/hailmark/cmd/internal/static"
	"github.com/hailmark/hailmark/httpapi"
)

// A site serves files by path and everything else with the API. Requests for files are observed
// but not counted.
type site struct {
	api        http.Handler
	files      map[string]*static.File
	requestIDs bool
	observe    func(context.Context, httpapi.Observation)
}

type requestID struct{} // a key of contexts

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.requestIDs {
		id := fmt.Sprintf("%016x", rand.Uint64())
		w.Header().Set("X-Request-Id", id)
		r = r.WithContext(context.WithValue(r.Context(), requestID{}, id))
	}
	file, found := s.files[r.URL.Path]
	if !found {
		s.api.ServeHTTP(w, r)
		return
	}
	began, o := time.Now(), httpapi.Observation{Route: r.URL.Path, Method: r.Method}
	if strings.HasPrefix(o.Route, "/-/") {
		o.Route = "/-/{asset}" // the paths of assets change with each version
	}
	if o.Status, o.Bytes = file.Serve(w, r); o.Status == http.StatusMethodNotAllowed {
		o.Method, o.Code = "other", "method_not_allowed" // a client may invent methods
	}
	if o.Duration = time.Since(began); s.observe != nil {
		s.observe(r.Context(), o)
	}
}

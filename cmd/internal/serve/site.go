package serve

import (
	"net/http"
	"strings"
	"time"

	"github.com/hailmark/hailmark/cmd/internal/static"
	"github.com/hailmark/hailmark/httpapi"
)

// A site serves files by path, and everything else with the API. Requests for files are
// observed and not counted.
type site struct {
	api   http.Handler
	files map[string]*static.File
	cfg   httpapi.Config
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	file, found := s.files[r.URL.Path]
	if !found {
		s.api.ServeHTTP(w, r)
		return
	}
	began, o := time.Now(), httpapi.Observation{Route: r.URL.Path, Method: r.Method}
	if strings.HasPrefix(o.Route, "/-/") {
		o.Route = "/-/{asset}" // the paths of assets change with each version
	}
	if s.cfg.RequestID != nil {
		o.RequestID = s.cfg.RequestID(r)
		w.Header().Set("X-Request-Id", o.RequestID)
	}
	if o.Status, o.Bytes = file.Serve(w, r); o.Status == http.StatusMethodNotAllowed {
		o.Method, o.Code = "other", httpapi.CodeMethodNotAllowed // a client may invent methods
	}
	if o.Duration = time.Since(began); s.cfg.Observe != nil {
		s.cfg.Observe(r.Context(), o)
	}
}

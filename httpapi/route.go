package httpapi

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/hailmark/hailmark/problem"
)

// A route is its path's only operation. Its handler can read only declared parameters.
type route struct {
	method, path string
	params       []declared // nil for a POST
	body         *body      // nil for a GET
	nulAllowed   bool       // the handler checks values for NUL
	handle       func(*Handler, input) (response, error)
}

// A param is a query parameter or a string field in a body.
type param struct {
	name    string
	missing problem.Code // reported if it's required but absent or empty
}

// A declared is a route's use of a param.
type declared struct {
	*param
	required bool
}

func required(p *param) declared { return declared{p, true} }
func optional(p *param) declared { return declared{p, false} }

// A body describes a POST's body.
type body struct {
	limit   int64 // in bytes
	invalid problem.Code
	fields  []declared // nil leaves the raw body to the handler
}

// declared returns the route's parameters or fields.
func (rt *route) declared() []declared {
	if rt.body != nil {
		return rt.body.fields
	}
	return rt.params
}

// jsonResult adapts a handler that returns a T to be encoded as JSON.
func jsonResult[T any](handle func(*Handler, input) (T, error)) func(*Handler, input) (response, error) {
	return func(h *Handler, in input) (response, error) {
		v, err := handle(h, in)
		if err != nil {
			return response{}, err
		}
		return jsonResponse(v)
	}
}

// allow returns the Allow header's value.
func (rt *route) allow() string {
	if rt.method == http.MethodGet {
		return "GET, HEAD, OPTIONS"
	}
	return "OPTIONS, POST"
}

func (rt *route) accepts(method string) bool {
	return method == rt.method || method == http.MethodHead && rt.method == http.MethodGet
}

// find returns a path below the base URL and its route, or nil. An extra slash isn't redirected,
// because a redirect would lose the body of a POST. An encoded slash isn't equal to a slash.
func (h *Handler) find(u *url.URL) (path string, rt *route) {
	path = u.Path
	if rt = h.routes[path]; rt == nil && h.basePath != "" {
		if rest, ok := strings.CutPrefix(path, h.basePath); ok && strings.HasPrefix(rest, "/") {
			path, rt = rest, h.routes[rest]
		}
	}
	if strings.Contains(strings.ToUpper(u.RawPath), "%2F") {
		rt = nil
	}
	return path, rt
}

func (rt *route) run(h *Handler, in input) (response, error) {
	if rt.body != nil && rt.body.fields != nil {
		if err := in.readFields(); err != nil {
			return response{}, err
		}
	}
	return rt.handle(h, in)
}

// indexRoutes returns, by path, the routes that begin with one of these, and the OpenAPI document's.
func indexRoutes(beginnings []string) (map[string]*route, error) {
	if len(beginnings) == 0 {
		beginnings = []string{""}
	}
	index := map[string]*route{}
	for _, beginning := range append([]string{openapiPath}, beginnings...) {
		found := false
		for i := range routes {
			if rt := &routes[i]; strings.HasPrefix(rt.path, beginning) {
				index[rt.path], found = rt, true
			}
		}
		if !found {
			return nil, fmt.Errorf("no route begins with %q; one must, as in %q", beginning, prefix+"/validate/")
		}
	}
	return index, nil
}

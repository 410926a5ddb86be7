package httpapi

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/hailmark/hailmark/problem"
)

// A route is one operation. A handler can't read a parameter or field that its route
// doesn't declare.
type route struct {
	method, path string
	group        Routes // 0 is always there
	class        Class
	params       []declared // nil for a POST
	body         *body      // nil for a GET
	nulAllowed   bool       // the handler checks values for NUL
	handle       func(*Handler, input) (response, error)
}

// A param is a parameter of the query or a string field of a body.
type param struct {
	name    string
	missing problem.Code // reported if it's required but absent or empty
}

// A declared is a param as a route uses it.
type declared struct {
	*param
	required bool
}

func required(p *param) declared { return declared{p, true} }
func optional(p *param) declared { return declared{p, false} }

// A body is the body of a POST.
type body struct {
	limit   int64 // in bytes
	invalid problem.Code
	fields  []declared // read from the object; none: the handler reads the raw body
}

// declared returns the parameters or fields of the route.
func (rt *route) declared() []declared {
	if rt.body != nil {
		return rt.body.fields
	}
	return rt.params
}

// jsonResult returns a handler whose response is the JSON of a T.
func jsonResult[T any](handle func(*Handler, input) (T, error)) func(*Handler, input) (response, error) {
	return func(h *Handler, in input) (response, error) {
		v, err := handle(h, in)
		if err != nil {
			return response{}, err
		}
		return jsonResponse(v)
	}
}

// methodRoutes are the routes of one path.
type methodRoutes struct {
	byMethod map[string]*route
	allow    string // the methods as Allow lists them
}

func (m methodRoutes) forMethod(method string) *route {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	return m.byMethod[method]
}

// find returns the routes of a path, or those of an unknown path. The path may begin with
// that of the base URL. Paths are matched as a whole, so that an extra slash is never
// redirected, which would lose the body of a POST. A path with an encoded slash is unknown:
// "/api%2Fv1/qr" names another resource than "/api/v1/qr".
func (h *Handler) find(u *url.URL) (path string, m methodRoutes, known bool) {
	path = u.Path
	if m, known = h.routes[path]; !known && h.basePath != "" {
		if rest, ok := strings.CutPrefix(path, h.basePath); ok && strings.HasPrefix(rest, "/") {
			path = rest
			m, known = h.routes[path]
		}
	}
	if !known || strings.Contains(strings.ToUpper(u.RawPath), "%2F") {
		return path, methodRoutes{allow: "GET, POST"}, false
	}
	return path, m, true
}

// run returns the result of a request.
func (rt *route) run(h *Handler, in input) (response, error) {
	if rt.body != nil && rt.body.fields != nil {
		if err := in.readFields(); err != nil {
			return response{}, err
		}
	}
	return rt.handle(h, in)
}

// indexRoutes returns the routes of the groups by path.
func indexRoutes(groups Routes) map[string]methodRoutes {
	index := map[string]methodRoutes{}
	for i := range routes {
		rt := &routes[i]
		if rt.group != 0 && rt.group&groups == 0 {
			continue
		}
		m, ok := index[rt.path]
		if !ok {
			m.byMethod = map[string]*route{}
		}
		m.byMethod[rt.method] = rt
		methods := []string{http.MethodOptions}
		for method := range m.byMethod {
			methods = append(methods, method)
			if method == http.MethodGet {
				methods = append(methods, http.MethodHead)
			}
		}
		slices.Sort(methods)
		m.allow = strings.Join(methods, ", ")
		index[rt.path] = m
	}
	return index
}

package httpapi

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/hailmark/hailmark/problem"
)

// A route is one operation, for the handler and for the OpenAPI document alike. A
// handler cannot read a parameter or field that its route does not declare, and cannot
// return another type than the document shows.
type route struct {
	method, path string
	operationID  string
	group        Routes // 0 is always there
	summary      string
	description  string
	class        Class
	params       []declared // nil for a POST
	body         *body      // nil for a GET
	result       result
	codes        []problem.Code // problems with values; allCodes adds problems with requests
	nulAllowed   bool           // the handler checks values for NUL
}

// A param is a parameter of the query or a string field of a body.
type param struct {
	name        string
	description string
	missing     problem.Code // reported if it is required but absent or empty
	schema      schema
	example     any
}

// A declared is a param as a route uses it.
type declared struct {
	*param
	required bool
	example  any // nil if the example request leaves it out
}

func required(p *param) declared { return declared{p, true, p.example} }
func optional(p *param) declared { return declared{p, false, p.example} }

// withoutExample leaves the parameter out of the example request.
func (d declared) withoutExample() declared {
	d.example = nil
	return d
}

// A body is the body of a POST.
type body struct {
	schema  string // its name in the document
	limit   int64  // in bytes
	invalid problem.Code
	fields  []declared // read from the object; none: the handler reads the raw body
	example any
}

// declared returns the parameters or fields of the route.
func (rt *route) declared() []declared {
	if rt.body != nil {
		return rt.body.fields
	}
	return rt.params
}

// A result is the response of a route with status 200.
type result struct {
	media  []media
	handle func(*Handler, input) (response, error)
}

// A media is one media type of a response.
type media struct {
	contentType string
	schema      schema
}

// jsonResult returns the result of a handler that returns T. The schema follows from T.
func jsonResult[T any](handle func(*Handler, input) (T, error)) result {
	return result{
		media: jsonOf[T](),
		handle: func(h *Handler, in input) (response, error) {
			v, err := handle(h, in)
			if err != nil {
				return response{}, err
			}
			return jsonResponse(v)
		},
	}
}

func jsonOf[T any]() []media { return []media{{mediaJSON, schemaOf[T]()}} }

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

// handle returns the result of a request.
func (rt *route) handle(h *Handler, in input) (response, error) {
	if rt.body != nil && rt.body.fields != nil {
		if err := in.readFields(); err != nil {
			return response{}, err
		}
	}
	return rt.result.handle(h, in)
}

// selected returns the routes of the groups.
func selected(groups Routes) (all []*route) {
	for i := range routes {
		if rt := &routes[i]; rt.group == 0 || rt.group&groups != 0 {
			all = append(all, rt)
		}
	}
	return all
}

// indexRoutes returns the routes of the groups by path.
func indexRoutes(groups Routes) map[string]methodRoutes {
	index := map[string]methodRoutes{}
	for _, rt := range selected(groups) {
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

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
	tag          string
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
	handle func(*api, input) (response, error)
}

// A media is one media type of a response.
type media struct {
	contentType string
	schema      schema
}

// jsonResult returns the result of a handler that returns T. The schema follows from T.
func jsonResult[T any](handle func(*api, input) (T, error)) result {
	return result{
		media: jsonOf[T](),
		handle: func(a *api, in input) (response, error) {
			v, err := handle(a, in)
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

// routesByPath is the mux. Paths are matched as a whole, so that an extra slash is never
// redirected, which would lose the body of a POST.
var routesByPath = indexRoutes()

// routesOf returns the routes of a path, or those of an unknown path. A path with an
// encoded slash is unknown: "/api%2Fv1/qr" names another resource than "/api/v1/qr".
func routesOf(u *url.URL) (m methodRoutes, known bool) {
	if m, known = routesByPath[u.Path]; known && (u.RawPath == "" || !strings.Contains(strings.ToUpper(u.RawPath), "%2F")) {
		return m, true
	}
	return methodRoutes{allow: "GET, POST"}, false
}

func indexRoutes() map[string]methodRoutes {
	index := map[string]methodRoutes{}
	for i := range routes {
		rt := &routes[i]
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

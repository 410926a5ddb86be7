package httpapi

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/hailmark/hailmark/problem"
)

// A route is one operation: all there is to know about it, for the handler and for
// the OpenAPI document alike. What is not in here, a handler cannot read.
type route struct {
	method, path string
	operationID  string
	tag          string
	summary      string
	description  string
	class        Class
	params       []param // of the query
	body         *body   // of a POST
	answers      []media // of status 200
	codes        []problem.Code
	handle       func(*api, input) (answer, error)
}

// A param is a parameter of the query.
type param struct {
	name        string
	description string
	required    bool
	missing     problem.Code // reported where a required one is absent or empty
	schema      schema
	example     any
}

// A body is what a POST takes.
type body struct {
	schema  string // its name in the document
	limit   int64  // in bytes
	invalid problem.Code
	fields  []string // the strings that are read from the object; none: the handler reads the raw body
	missing problem.Code
	example any
}

// A media is one media type of an answer.
type media struct {
	contentType string
	schema      schema
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

// routesByPath is the mux: paths are matched as a whole, so that no slash too many
// is ever answered with a redirect, which would lose the body of a POST.
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

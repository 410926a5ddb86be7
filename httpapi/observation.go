package httpapi

import (
	"slices"
	"time"

	"github.com/hailmark/hailmark/problem"
)

// An Observation describes a request for metrics and logs. It contains no data from the request,
// so its strings are suitable labels of metrics.
type Observation struct {
	Route    string        // such as "/api/v1/qr" or "/{username}"; "" for an unknown path
	Method   string        // a standard method or "other"
	Status   int           // 0 if the request or the response was cut off
	Code     problem.Code  // the error code; "" if the request succeeded
	Network  bool          // the limit that a 429 reached is that of the client's IPv6 network
	Bytes    int           // sent bytes of the response body
	Duration time.Duration // without the time for which the client, or a place for a large request, was awaited
}

// Routes returns each [Observation.Route] of a handler with all routes and short links, except "".
// With them, a program can create its metrics before the first request.
func Routes() []string {
	all := []string{shortLinkRoute}
	for i := range routes {
		all = append(all, routes[i].path)
	}
	return all
}

func (out *responder) observe(began time.Time) {
	if out.gone {
		out.status = 0
	}
	took := time.Since(began)
	if out.request != nil {
		took -= out.request.Awaited()
	}
	out.handler.observe(out.r.Context(), Observation{
		Route:    out.route,
		Method:   methodName(out.r.Method),
		Status:   out.status,
		Code:     out.code,
		Network:  out.byNetwork,
		Bytes:    out.bytes,
		Duration: took,
	})
}

// methodName returns a standard method or "other", because a client may invent any.
func methodName(method string) string {
	if slices.Contains([]string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE"}, method) {
		return method
	}
	return "other"
}

package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/hailmark/hailmark/problem"
)

// An Observation is what metrics and logs may know of a request. It holds no part
// of the request, only words of this package, few enough to be labels of metrics:
// no address, no path that is not a route, no method that HTTP does not define.
type Observation struct {
	Route    string       // as in "/api/v1/qr", "/{username}", or "" where there is none
	Method   string       // or "other"
	Status   int          // 0 if the request was aborted
	Code     problem.Code // of an error; "" for an answer
	Bytes    int          // of the body, as sent
	Duration time.Duration
	Fallback bool // the limiter's counters were out of reach
}

func (out *responder) observe(tell func(context.Context, Observation), began time.Time) {
	tell(out.r.Context(), Observation{
		Route:    out.route,
		Method:   methodName(out.r.Method),
		Status:   out.status,
		Code:     out.code,
		Bytes:    out.bytes,
		Duration: time.Since(began),
		Fallback: out.fallback,
	})
}

// methodName returns a method in a word of ours: a client may invent any.
func methodName(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
		http.MethodConnect, http.MethodTrace:
		return method
	default:
		return "other"
	}
}

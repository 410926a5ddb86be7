package httpapi

import (
	"slices"
	"time"

	"github.com/hailmark/hailmark/problem"
)

// An Observation describes a request for metrics and logs. It contains no data from the
// request: no client address, only registered routes as paths, and only standard HTTP
// methods. Its strings except RequestID have few enough values to be labels of metrics.
type Observation struct {
	Route        string       // such as "/api/v1/qr" or "/{username}"; "" for an unknown path
	Method       string       // a standard method, or "other"
	Status       int          // 0 if the request or the response was cut off
	Code         problem.Code // the error code; "" if the request succeeded
	Bytes        int          // bytes of the response body that were sent
	Duration     time.Duration
	UsedFallback bool   // the limiter used its fallback
	RequestID    string // of [Config.RequestID]
}

func (out *responder) observe(began time.Time) {
	if out.gone {
		out.status = 0
	}
	out.handler.observe(out.r.Context(), Observation{
		Route:        out.route,
		Method:       methodName(out.r.Method),
		Status:       out.status,
		Code:         out.code,
		Bytes:        out.bytes,
		Duration:     time.Since(began),
		UsedFallback: out.usedFallback,
		RequestID:    out.requestID,
	})
}

// methodName returns a method in a word of ours: a client may invent any.
func methodName(method string) string {
	if slices.Contains([]string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE"}, method) {
		return method
	}
	return "other"
}

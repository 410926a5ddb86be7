package httpapi

import (
	"context"
	"net/netip"
	"time"
)

// A Limiter limits each client's requests. [NewMemoryLimiter] returns one that counts in this
// process, and package redislimit provides one for several. Its methods are called concurrently.
type Limiter interface {
	// Take counts a request unless its client has used up its limit. The client is an IPv4
	// address, an IPv6 /64's first address, or the zero Addr for connections without an
	// address. The route is as in [Observation], or "" if it doesn't support the method.
	// ctx is the request's context. Take returns no error, because requests must not fail when
	// they can't be counted.
	Take(ctx context.Context, client netip.Addr, route string) Decision
}

// A Decision reports whether a request is allowed. It provides the values for the rate limit
// headers, which a response doesn't contain if Limit is 0.
type Decision struct {
	Allowed   bool
	Limit     int           // requests per minute
	Remaining int           // requests left in this window
	ResetIn   time.Duration // time until the full limit is back
}

const (
	limitWindow = time.Minute
	maxLimit    = 1<<limitCountBits - 1
)

// qrPath is the route with a limit of its own.
const qrPath = prefix + "/qr"

// resetUnix returns when the full limit is back, as a Unix time in seconds, rounded up.
func (d Decision) resetUnix(now time.Time) int64 {
	return now.Add(d.ResetIn + time.Second - 1).Unix()
}

// retryAfter returns the seconds until then, at least 1.
func (d Decision) retryAfter() int64 {
	return max(1, int64((d.ResetIn+time.Second-1)/time.Second))
}

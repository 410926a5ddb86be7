package httpapi

import (
	"cmp"
	"context"
	"fmt"
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

// Limits are how many requests a client may make per minute. The zero value contains the defaults.
type Limits struct {
	// JSON limits all requests except those for QR codes, and QR limits these. 0 means the default,
	// which is 60 for JSON and 20 for QR, and a negative number means no limit. The maximum is
	// 16,777,215.
	JSON, QR int
}

// Check returns an error if a limit is above the maximum.
func (l Limits) Check() error {
	if limit := max(l.JSON, l.QR); limit > maxLimit {
		return fmt.Errorf("httpapi: limit is %d requests per minute; at most %d are supported, and a negative number means no limit", limit, maxLimit)
	}
	return nil
}

// The classes of routes. A client has a window for each.
const (
	classJSON = "json"
	classQR   = "qr"
)

// For returns the class of a route, "json" or "qr", and that class's limit, which is -1 without a
// limit. Routes of a class share a client's window.
func (l Limits) For(route string) (class string, perMinute int) {
	if route == qrPath {
		return classQR, max(-1, cmp.Or(l.QR, defaultQRLimit))
	}
	return classJSON, max(-1, cmp.Or(l.JSON, defaultJSONLimit))
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
	defaultJSONLimit = 60
	defaultQRLimit   = 20

	limitWindow = time.Minute
	maxLimit    = 1<<limitCountBits - 1
)

// qrPath is the route of QR codes.
const qrPath = prefix + "/qr"

// resetUnix returns when the full limit is back, as a Unix time in seconds, rounded up.
func (d Decision) resetUnix(now time.Time) int64 {
	return now.Add(d.ResetIn + time.Second - 1).Unix()
}

// retryAfter returns the seconds until then, at least 1.
func (d Decision) retryAfter() int64 {
	return max(1, int64((d.ResetIn+time.Second-1)/time.Second))
}

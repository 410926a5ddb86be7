package httpapi

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/hailmark/hailmark/internal/service"
)

// A Limiter limits each client's requests. [NewMemoryLimiter] returns one that counts in this
// process, and package redislimit provides one for several. Its methods are called concurrently.
type Limiter interface {
	// Take counts a request unless its client has used up the class's limit. The client is
	// an IPv4 address, an IPv6 /64's first address, or the zero Addr for connections
	// without an address. ctx is the request's context. Take returns no error, because
	// requests must not fail when they can't be counted.
	Take(ctx context.Context, client netip.Addr, class Class) Decision
}

// A Class is a kind of request with its own limit.
type Class uint8

// ClassQR contains requests for QR codes, and ClassJSON all others.
const (
	ClassJSON Class = iota
	ClassQR
)

// A Decision reports whether a request is allowed. It provides the values for the rate limit
// headers, which a response doesn't contain if Limit is 0.
type Decision struct {
	Allowed   bool
	Limit     int           // requests per minute
	Remaining int           // requests left in this window
	ResetIn   time.Duration // time until the full limit is back
}

// Unlimited turns a limit off.
const Unlimited = -1

const (
	limitWindow = time.Minute
	maxLimit    = 1<<limitCountBits - 1
)

// Limits contains the requests that a client may make in a window of 60 seconds: QR for
// GET /api/v1/qr, and JSON for all other routes. 0 means the default, which is 60 for JSON and 20
// for QR, and [Unlimited] turns a limit off. The maximum is 16,777,215.
type Limits struct{ JSON, QR int }

// of returns a class's limit or [Unlimited].
func (l Limits) of(class Class) int {
	if class == ClassQR {
		return cmp.Or(l.QR, service.QRLimit)
	}
	return cmp.Or(l.JSON, service.JSONLimit)
}

func (l Limits) check() error {
	for i, limit := range [...]int{l.JSON, l.QR} {
		if limit < Unlimited || limit > maxLimit {
			return fmt.Errorf("httpapi: Limits.%s is %d; it must be from 1 to %d, 0 for the default, or Unlimited", [...]string{"JSON", "QR"}[i], limit, maxLimit)
		}
	}
	return nil
}

// resetUnix returns when the full limit is back, as a Unix time in seconds, rounded up.
func (d Decision) resetUnix(now time.Time) int64 {
	return now.Add(d.ResetIn + time.Second - 1).Unix()
}

// retryAfter returns the seconds until then, at least 1.
func (d Decision) retryAfter() int64 {
	return max(1, int64((d.ResetIn+time.Second-1)/time.Second))
}

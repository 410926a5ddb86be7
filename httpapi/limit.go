package httpapi

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"time"
)

// A Limiter counts requests and has the limits. [MemoryLimiter] counts in this process,
// and the module httpapi/redislimit in a Redis that several processes share.
type Limiter interface {
	// Take counts a request, unless its client has used up the limit of the class. The
	// client is an IPv4 address, the first address of an IPv6 /64, or the zero Addr for
	// connections without an address. The context is that of the request.
	//
	// Take returns no error, because a request must not fail when it can't be counted.
	Take(ctx context.Context, client netip.Addr, class Class) Decision
}

// A Class is a kind of request with a limit of its own.
type Class uint8

// The classes are the requests for QR codes, and all others.
const (
	ClassJSON Class = iota
	ClassQR
	classCount
)

// String returns json or qr.
func (c Class) String() string {
	if c == ClassQR {
		return "qr"
	}
	return "json"
}

// A Decision says whether a request is allowed, and has the values of its rate limit
// headers. If Limit is 0, the request isn't counted, and its response has no such headers.
type Decision struct {
	Allowed      bool
	Limit        int           // requests per window
	Remaining    int           // how many more are allowed in this window
	ResetIn      time.Duration // time until the full limit is back
	UsedFallback bool          // the counters were unavailable, so the fallback counted
}

const (
	// LimitWindow is how long a client's window stays open after its first request.
	LimitWindow = time.Minute

	// MaxLimit is the largest number of requests that a window can count.
	MaxLimit = 1<<limitCountBits - 1

	// Unlimited switches a limit off.
	Unlimited = -1
)

// Limits are the requests that a client may make in a window of 60 seconds: QR for
// GET /api/v1/qr, and JSON for all other routes. 0 is the default, 60 and 20.
type Limits struct{ JSON, QR int }

// Of returns the limit of a class, or [Unlimited].
func (l Limits) Of(class Class) int {
	if class == ClassQR {
		return cmp.Or(l.QR, 20)
	}
	return cmp.Or(l.JSON, 60)
}

func (l Limits) check() error {
	for class := range classCount {
		if limit := l.Of(class); limit != Unlimited && (limit < 0 || limit > MaxLimit) {
			return fmt.Errorf("httpapi: the %v limit must be 1-%d requests a minute, 0 for the default or Unlimited; got %d", class, MaxLimit, limit)
		}
	}
	return nil
}

// resetUnix returns the Unix time in seconds, rounded up, at which the full limit is back.
func (d Decision) resetUnix(now time.Time) int64 {
	return now.Add(d.ResetIn + time.Second - 1).Unix()
}

// retryAfter returns the whole seconds until then, at least 1.
func (d Decision) retryAfter() int64 {
	return max(1, int64((d.ResetIn+time.Second-1)/time.Second))
}

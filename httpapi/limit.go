package httpapi

import (
	"context"
	"net/netip"
	"time"
)

// A Limiter counts requests in windows: a client's first counted request opens one,
// 60 seconds later it is over, and in between never more than the limit pass. A
// refused request changes nothing.
//
// [NewMemoryLimiter] counts in this process. The module httpapi/redislimit counts in
// a Redis that several processes share.
type Limiter interface {
	// Take counts a request, if fewer than limit have passed in the window of its
	// client and class. The client is an IPv4 address, the first of an IPv6 /64, or
	// the zero Addr for connections that have no address. It is made at the time now;
	// a limiter that counts for several machines goes by a clock of its own.
	//
	// Take returns no error because a request must not fail when it cannot be counted.
	Take(ctx context.Context, client netip.Addr, class Class, limit int, now time.Time) Decision
}

// A Class is a kind of request with a limit of its own.
type Class uint8

// The classes are the requests for QR codes, and all others.
const (
	ClassDefault Class = iota
	ClassQR
	classCount
)

// String returns the name of the class, json or qr.
func (c Class) String() string {
	if c == ClassQR {
		return "qr"
	}
	return "json"
}

// A Decision says whether a request is allowed, and has the values of its rate limit
// headers.
type Decision struct {
	Allowed      bool
	Limit        int
	Remaining    int           // how many more requests are allowed before ResetAt
	ResetAt      time.Time     // when the window ends
	ResetIn      time.Duration // time until ResetAt, by the limiter's own clock
	UsedFallback bool          // the counters were unavailable, so the fallback counted
}

const (
	// LimitWindow is how long a client's window stays open after the first request
	// that is counted in it.
	LimitWindow = time.Minute

	// MaxLimit is the largest number of requests that a window can count.
	MaxLimit = 1<<limitCountBits - 1
)

// resetUnix returns ResetAt in Unix seconds, rounded up: at that second the full
// limit is back.
func (d Decision) resetUnix() int64 {
	return d.ResetAt.Add(time.Second - 1).Unix()
}

// retryAfter returns for how many whole seconds to wait until ResetAt has come, at
// least 1.
func (d Decision) retryAfter() int64 {
	return max(1, int64((d.ResetIn+time.Second-1)/time.Second))
}

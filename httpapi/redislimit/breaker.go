package redislimit

import (
	"math"
	"sync/atomic"
	"time"
)

// retryEvery is how long an outage lasts before a request tries Redis again.
const retryEvery = 500 * time.Millisecond

// A breaker keeps requests away from Redis during an outage, except for one probe at a
// time. Only a probe ends the outage: a reply that was under way when it began does not.
type breaker struct {
	born    time.Time
	retryAt atomic.Int64 // when the next probe may start, in ns since born; 0 without an outage
}

// try reports whether a request may try Redis, and whether it's a probe.
func (b *breaker) try() (ok, isProbe bool) {
	at := b.retryAt.Load()
	if at == 0 {
		return true, false
	}
	now := int64(time.Since(b.born))
	isProbe = now >= at && b.retryAt.CompareAndSwap(at, now+int64(retryEvery))
	return isProbe, isProbe
}

// record notes the result of a try, and reports whether an outage began or ended.
func (b *breaker) record(isProbe, ok bool) (changed bool) {
	at := b.retryAt.Load()
	if !ok {
		return b.retryAt.CompareAndSwap(0, int64(time.Since(b.born)+retryEvery))
	}
	return isProbe && at != 0 && at != math.MaxInt64 && b.retryAt.CompareAndSwap(at, 0)
}

// close begins an outage without an end.
func (b *breaker) close() { b.retryAt.Store(math.MaxInt64) }

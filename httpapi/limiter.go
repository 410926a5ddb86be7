package httpapi

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"math/bits"
	"net/netip"
	"sync"
	"time"
)

const (
	defaultLimiterEntries = 1 << 17 // 2 MiB
	maxLimiterEntries     = 1 << 30
	limitCountBits        = 24
	limiterWays           = 8
	limiterStripes        = 64
)

// A MemoryLimiter counts requests by client and class in fixed windows. A client's first request
// opens a window, which ends 60 seconds later, so twice the limit can pass around the end of a
// window. Rejected requests aren't counted.
//
// Because subscribers often control many IPv6 /64s, a /56 is limited to 4 times a client's limit,
// and a /48 to 16 times.
//
// The table never grows. A client's secretly seeded hash selects a set of 8 entries. A new
// client replaces an expired entry, otherwise the oldest of those with the lowest count, so a
// flood of addresses with one request each can't replace a client that has used up a limit of 2 or
// more. A replaced client starts over, so a full table may allow too many requests but never
// rejects one by mistake. One new client in 10^11 shares its 40-bit tag, and so its window, with
// another.
//
// If the wall clock is set back by up to a minute, windows end that much later. If it's set back
// further, they end at once.
type MemoryLimiter struct {
	limits Limits
	now    func() time.Time
	seed   maphash.Seed
	sets   []limiterSet
	locks  [limiterStripes]sync.Mutex // indexed by the set's index modulo limiterStripes
}

// A limiterSet fills two cache lines.
type limiterSet [limiterWays]limiterEntry

// A limiterEntry is a window for a client and class.
type limiterEntry struct {
	start int64  // Unix time in nanoseconds
	word  uint64 // 40 bits of the client's hash, then the count, which is 0 in an empty entry
}

// NewMemoryLimiter returns a limiter with the given number of 16-byte counters; 0 is 131,072.
// Handlers may share a limiter.
func NewMemoryLimiter(limits Limits, counters int) (*MemoryLimiter, error) {
	if err := limits.check(); err != nil {
		return nil, err
	}
	if counters < 0 || counters > maxLimiterEntries {
		return nil, fmt.Errorf("httpapi: a limiter must have 1-%d counters, or 0 for the default; got %d", maxLimiterEntries, counters)
	}
	return &MemoryLimiter{
		limits: limits,
		now:    time.Now,
		seed:   maphash.MakeSeed(),
		sets:   make([]limiterSet, (cmp.Or(counters, defaultLimiterEntries)-1)/limiterWays+1),
	}, nil
}

// Take counts a request. It ignores the context.
func (l *MemoryLimiter) Take(_ context.Context, client netip.Addr, class Class) Decision {
	limit := l.limits.Of(class)
	if limit == Unlimited {
		return Decision{Allowed: true}
	}
	d := l.take(client, client.BitLen(), class, limit)
	if !d.Allowed {
		return d
	}
	return l.TakeNetworks(client, class, d)
}

// networkLimits contains limits for the networks around a client, as multiples of its own.
var networkLimits = [...]struct{ bits, times int }{{56, 4}, {48, 16}}

// TakeNetworks supports limiters that count clients elsewhere. It counts a request for the /56 and
// the /48 around an IPv6 client whose own decision is d, and returns their common decision.
func (l *MemoryLimiter) TakeNetworks(client netip.Addr, class Class, d Decision) Decision {
	if !client.Is6() {
		return d
	}
	for _, n := range networkLimits {
		all := l.take(network(client, n.bits), n.bits, class, min(n.times*d.Limit, maxLimit))
		if d.Remaining = min(d.Remaining, all.Remaining); !all.Allowed {
			d.Allowed, d.ResetIn = false, all.ResetIn
			return d
		}
	}
	return d
}

// take counts a request from a network or a client.
func (l *MemoryLimiter) take(network netip.Addr, bitLen int, class Class, limit int) Decision {
	hash := l.hash(network, bitLen, class)
	index, _ := bits.Mul64(hash, uint64(len(l.sets))) // uses the high bits
	tag := hash << limitCountBits                     // the low bits

	lock := &l.locks[index%limiterStripes]
	lock.Lock()
	defer lock.Unlock()

	now := l.now()
	e := l.sets[index].entry(tag, now.UnixNano())
	d := Decision{Limit: limit, ResetIn: time.Unix(0, e.start).Add(limitWindow).Sub(now)}
	if used := e.count(); used < limit {
		e.word++
		d.Allowed, d.Remaining = true, limit-used-1
	}
	return d
}

func (l *MemoryLimiter) hash(network netip.Addr, bitLen int, class Class) uint64 {
	var key [18]byte
	addr := network.As16()
	copy(key[:], addr[:])
	key[16] = uint8(bitLen) // distinguishes a client, its networks and the zero Addr
	key[17] = uint8(class)
	return maphash.Bytes(l.seed, key[:])
}

// entry returns the live entry with a tag, or makes room for one.
func (s *limiterSet) entry(tag uint64, now int64) *limiterEntry {
	found, lowest := &s[0], maxLimit
	for i := range s {
		e := &s[i]
		count := e.count()
		if !e.live(now) {
			count = 0
		}
		if e.tag() == tag {
			found, lowest = e, count
			break
		}
		if count < lowest || count == lowest && e.start < found.start {
			found, lowest = e, count
		}
	}
	if found.tag() != tag || lowest == 0 {
		*found = limiterEntry{start: now, word: tag}
	}
	return found
}

func (e *limiterEntry) count() int  { return int(e.word & maxLimit) }
func (e *limiterEntry) tag() uint64 { return e.word &^ maxLimit }

func (e *limiterEntry) live(now int64) bool {
	age := time.Duration(now - e.start)
	return -limitWindow <= age && age < limitWindow
}

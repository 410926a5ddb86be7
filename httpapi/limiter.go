package httpapi

import (
	"context"
	"hash/maphash"
	"math/bits"
	"net/netip"
	"sync"
	"time"
)

const (
	limiterEntries = 1 << 17 // 2 MiB
	limitCountBits = 24
	limiterWays    = 8
	limiterStripes = 64
)

// A memoryLimiter is a table that never grows. A client's secretly seeded hash selects a set of 8
// entries. A new client replaces an expired entry, otherwise the oldest of those with the lowest
// count, so a flood of addresses with one request each can't replace a client that has used up a
// limit of 2 or more. One new client in 10^11 shares its 40-bit tag, and so its window, with another.
type memoryLimiter struct {
	limits Limits
	now    func() time.Time
	seed   maphash.Seed
	sets   []limiterSet
	locks  [limiterStripes]sync.Mutex // indexed by the set's index modulo limiterStripes
}

// A limiterSet fills two cache lines.
type limiterSet [limiterWays]limiterEntry

// A limiterEntry is a window for a client and a limit.
type limiterEntry struct {
	start int64  // Unix time in nanoseconds
	word  uint64 // 40 bits of the client's hash, then the count, which is 0 in an empty entry
}

// NewMemoryLimiter returns a [Limiter] that counts in 2 MiB of this process's memory. Handlers may
// share it. A window is 60 seconds long.
//
// A client's first request opens a window, which ends 60 seconds later, so twice the limit can pass
// around the end of a window. Rejected requests aren't counted. If more than 131,072 clients make
// requests within a minute, some start over, so the limiter may allow too many requests but never
// rejects one by mistake.
//
// If the wall clock is set back by up to a minute, windows end that much later. If it's set back
// further, they end at once. The error is that of [Limits.Check].
func NewMemoryLimiter(limits Limits) (Limiter, error) {
	if err := limits.Check(); err != nil {
		return nil, err
	}
	return newMemoryLimiter(limits, limiterEntries), nil
}

func newMemoryLimiter(limits Limits, entries int) *memoryLimiter {
	return &memoryLimiter{
		limits: limits,
		now:    time.Now,
		seed:   maphash.MakeSeed(),
		sets:   make([]limiterSet, entries/limiterWays),
	}
}

func (l *memoryLimiter) Take(_ context.Context, client netip.Addr, route string) Decision {
	class, limit := l.limits.For(route)
	if limit < 0 {
		return Decision{Allowed: true}
	}
	return l.take(client, client.BitLen(), class, limit)
}

// networkLimits contains limits for the networks around a client, as multiples of its own. A
// subscriber with a line often controls a /56 or a /48, so without them it could use 256 or 65,536
// times its limit. A mobile carrier gives each phone a /64 of one /56, so phones share these limits:
// 16 of the 256 phones have to use up theirs before others notice.
var networkLimits = [...]struct{ bits, times int }{{56, 16}, {48, 256}}

// takeNetworks counts an allowed request for the /56 and the /48 around an IPv6 client. It returns
// the common decision, and whether a network's limit decided it.
func (l *memoryLimiter) takeNetworks(client netip.Addr, route string, d Decision) (_ Decision, byNetwork bool) {
	if !client.Is6() || !d.Allowed || d.Limit <= 0 {
		return d, false
	}
	class, _ := l.limits.For(route)
	for _, n := range networkLimits {
		all := l.take(network(client, n.bits), n.bits, class, min(n.times*min(d.Limit, maxLimit), maxLimit))
		if d.Remaining = min(d.Remaining, all.Remaining); !all.Allowed {
			d.Allowed, d.ResetIn = false, all.ResetIn
			return d, true
		}
	}
	return d, false
}

// take counts a request from a network or a client.
func (l *memoryLimiter) take(network netip.Addr, bitLen int, class string, limit int) Decision {
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

func (l *memoryLimiter) hash(network netip.Addr, bitLen int, class string) uint64 {
	var key [18]byte
	addr := network.As16()
	copy(key[:], addr[:])
	key[16] = uint8(bitLen) // distinguishes a client, its networks and the zero Addr
	key[17] = class[0]      // classes begin differently
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

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
	// defaultLimiterEntries makes a table of 2 MiB.
	defaultLimiterEntries = 1 << 17

	// maxLimiterEntries turns a slip of the keyboard into an error instead of a panic.
	maxLimiterEntries = 1 << 30

	limitCountBits = 24
	limiterWays    = 8
	limiterStripes = 64
)

// A MemoryLimiter counts the requests of each client and class in fixed windows: the first
// request opens a window, and 60 seconds later it's over; in between never more than the
// limit pass. A rejected request changes nothing, so what a decision says is exact. Up to
// twice the limit can pass in a short time, at the end of a window and the start of the next.
//
// Because a subscriber often has many IPv6 /64s, the networks around one have limits too: a
// /56 has 4 times the limit of a client, and a /48 has 16 times.
//
// The table never grows. A client's hash selects a set of 8 entries, and if none of them is
// the client's, one is replaced: an expired one, otherwise the oldest of those with the
// lowest count. So a flood of addresses with one request each can't replace a client that
// has used up a limit of 2 or more. A client that loses its entry starts over: a full table
// may allow too many requests, but never rejects one wrongly. The seed of the hash is
// secret, so an attacker can't choose addresses that share a set.
//
// An entry identifies its client by 40 bits of the hash, and other bits select the set: one
// new client in 10^11 is mistaken for another and shares its window.
//
// Windows use the wall clock. If it's set back by up to a minute, windows end that much
// later. A window that begins more than a minute in the future counts as over, so that a
// clock that was set back further doesn't lock clients out.
type MemoryLimiter struct {
	limits Limits
	now    func() time.Time
	seed   maphash.Seed
	sets   []limiterSet
	locks  [limiterStripes]sync.Mutex // a set belongs to the lock of its index modulo limiterStripes
}

// A limiterSet fills two cache lines.
type limiterSet [limiterWays]limiterEntry

// A limiterEntry is the window of one client and class.
type limiterEntry struct {
	start int64  // Unix time in nanoseconds
	word  uint64 // 40 bits of the client's hash, then the count; an empty entry has count 0
}

// NewMemoryLimiter returns a limiter with the given number of counters, at 16 bytes each; 0
// is 131,072. Handlers with the same limiter share the counters of their clients.
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

// Take counts a request. It doesn't use the context.
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

// networkLimits are how many times the limit of a client the networks around it have.
var networkLimits = [...]struct{ bits, times int }{{56, 4}, {48, 16}}

// TakeNetworks counts a request that another limiter has allowed for the /56 and the /48 of
// an IPv6 client, and returns the decision about all of them. Limiters that count clients
// elsewhere use it. For an IPv4 client it returns d.
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

// take counts a request of a network, or of a client, whose bits are all.
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

// entry returns the live entry with the given tag. If there is none, it makes room
// for one.
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

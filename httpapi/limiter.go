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

	// maxLimiterEntries bounds the table at 16 GiB, beyond any need, so that a slip
	// of the keyboard gets an error instead of a panic.
	maxLimiterEntries = 1 << 30

	limitCountBits = 24
	limiterWays    = 8
	limiterStripes = 64
)

// A MemoryLimiter counts the requests of each client and class in fixed windows. The
// first counted request opens a window, and 60 seconds later it is over; in between never
// more than the limit pass. A refused request changes nothing. So what a decision says is
// exact: nothing more passes before ResetAt, and from then on the full limit does. The
// disadvantage of fixed windows: a client that uses its limit at the end of one window
// and again at the start of the next makes twice the limit of requests in a short time.
//
// The table never grows. A client's hash picks a set of 8 entries, and if none of them is
// the client's, one of them is replaced: an expired entry if there is one, otherwise the
// oldest of those with the lowest count. So the entries of clients with one request
// replace only each other, and a flood of addresses cannot replace a client that has used
// up a limit of 2 or more. A client that loses its entry starts over: a full table may
// allow too many requests but never refuses one wrongly. If all 8 have used up the same
// limit, the oldest is replaced, which would expire first anyway. An attacker who wants
// to replace a certain client needs 7 others in its set with counts as high. The seed of
// the hash is secret, so the attack takes about 100,000 addresses that all use up their
// limits within one minute.
//
// An entry knows its client by 40 bits of the hash, and other bits pick the set. A
// new client is compared with up to 8 entries, so the odds that it is mistaken for
// another and shares its window are 8 in 2^40: one new client in 10^11.
//
// Windows use the wall clock, because X-RateLimit-Reset is a wall-clock time. If the
// clock is set back by up to a minute, windows end that much later. A window that begins
// more than a minute in the future counts as over, so that a clock that was set back
// further does not lock clients out.
type MemoryLimiter struct {
	seed  maphash.Seed
	sets  []limiterSet
	locks [limiterStripes]limiterLock // a set belongs to the lock of its index modulo limiterStripes
}

// A limiterSet fills two cache lines.
type limiterSet [limiterWays]limiterEntry

// A limiterEntry is the window of one client and class.
type limiterEntry struct {
	start int64  // Unix time in nanoseconds
	word  uint64 // 40 bits of the client's hash, then the count; an empty entry has count 0
}

// A limiterLock fills a cache line, so that two cores do not contend for it when
// they hold different locks.
type limiterLock struct {
	sync.Mutex
	_ [56]byte
}

// NewMemoryLimiter returns a limiter that keeps the given number of counters, at 16 bytes
// each, for ever; 0 is 131,072. Handlers with the same limiter share the limits of their
// clients.
func NewMemoryLimiter(entries int) (*MemoryLimiter, error) {
	if entries < 0 || entries > maxLimiterEntries {
		return nil, fmt.Errorf("httpapi: a limiter must have 1-%d entries, or 0 for the default; got %d", maxLimiterEntries, entries)
	}
	return newMemoryLimiter(cmp.Or(entries, defaultLimiterEntries)), nil
}

// newMemoryLimiter rounds the entries, at least 1, up to whole sets.
func newMemoryLimiter(entries int) *MemoryLimiter {
	return &MemoryLimiter{
		seed: maphash.MakeSeed(),
		sets: make([]limiterSet, (entries-1)/limiterWays+1),
	}
}

// Take counts a request. It does not use the context. A limit above [MaxLimit] is
// treated as MaxLimit.
func (l *MemoryLimiter) Take(_ context.Context, client netip.Addr, class Class, limit int, now time.Time) Decision {
	limit = min(limit, MaxLimit) // the count must not run over into the hash
	hash := l.hash(client, class)
	index, _ := bits.Mul64(hash, uint64(len(l.sets))) // uses the high bits
	tag := hash << limitCountBits                     // the low bits

	lock := &l.locks[index%limiterStripes]
	lock.Lock()
	defer lock.Unlock()

	e := l.sets[index].entry(tag, now.UnixNano())
	resetAt := time.Unix(0, e.start).Add(LimitWindow)
	d := Decision{Limit: limit, ResetAt: resetAt, ResetIn: resetAt.Sub(now)}
	if used := e.count(); used < limit {
		e.word++
		d.Allowed, d.Remaining = true, limit-used-1
	}
	return d
}

func (l *MemoryLimiter) hash(client netip.Addr, class Class) uint64 {
	var key [18]byte
	addr := client.As16()
	copy(key[:], addr[:])
	key[16] = uint8(client.BitLen()) // distinguishes ::/64 from the zero Addr
	key[17] = uint8(class)
	return maphash.Bytes(l.seed, key[:])
}

// entry returns the live entry with the given tag. If there is none, it makes room
// for one.
func (s *limiterSet) entry(tag uint64, now int64) *limiterEntry {
	found, lowest := &s[0], MaxLimit
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

func (e *limiterEntry) count() int  { return int(e.word & MaxLimit) }
func (e *limiterEntry) tag() uint64 { return e.word &^ MaxLimit }

func (e *limiterEntry) live(now int64) bool {
	age := time.Duration(now - e.start)
	return -LimitWindow <= age && age < LimitWindow
}

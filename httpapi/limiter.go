package httpapi

import (
	"hash/maphash"
	"math/bits"
	"net/netip"
	"sync"
	"time"
)

const (
	// limitWindow is how long a client's window stays open after the first
	// request that is counted in it.
	limitWindow = time.Minute

	// maxLimit is the largest number of requests that a window can count.
	maxLimit = 1<<limitCountBits - 1

	// defaultLimiterEntries makes a table of 2 MiB.
	defaultLimiterEntries = 1 << 17

	limitCountBits = 24
	limiterWays    = 8
	limiterStripes = 64
)

// A limiter counts the requests of each client and class in fixed windows. The
// first counted request opens a window, and 60 seconds later it is over; in
// between never more than the limit pass. A refused request changes nothing. So
// what a decision says is exact: nothing more passes before resetAt, and from then
// on the full limit does. The known price: a client that spends its limit at the
// end of one window and again at the start of the next gets twice the limit
// through in little time.
//
// The table never grows. A client's hash picks a set of 8 entries, and if none of
// them is the client's, it takes the place of one: an expired entry if there is
// one, else of those with the lowest count the oldest. So the entries of clients
// that come once push out only each other, and a flood of addresses cannot wipe
// out a client that has spent a limit of 2 or more. Who loses an entry starts
// afresh: when the table is full of live entries, requests pass that should not,
// never the other way round. If all 8 have spent the same limit, the oldest goes,
// which would be free first anyway. To force that on a client takes 7 others in
// its set that count as much, and since the seed of the hash is secret, about
// 100,000 addresses that all spend their limits in one minute.
//
// An entry knows its client by 40 bits of the hash, and other bits pick the set. A
// new client is compared with up to 8 entries, so the odds that it is taken for
// another and shares that one's window are 8 in 2^40: one new client in 10^11.
//
// Windows follow the wall clock, because the time of reset is a promise about it.
// When the clock is set back by up to a minute, they end that much later. Set back
// further it would keep clients out for as long, so a window that begins more than
// a minute ahead counts as over.
type limiter struct {
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

// A decision says whether a request passes and what its rate limit headers hold.
type decision struct {
	allowed   bool
	limit     int
	remaining int       // how many more pass before resetAt
	resetAt   time.Time // when the full limit is back
}

// newLimiter returns a limiter with a table of the given number of entries, at
// least 1, rounded up to whole sets. An entry takes 16 bytes.
func newLimiter(entries int) *limiter {
	return &limiter{
		seed: maphash.MakeSeed(),
		sets: make([]limiterSet, (entries-1)/limiterWays+1),
	}
}

// take counts a request of client, a value of [clientKey], if fewer than limit
// have passed in the client's window for the class. A limit is from 1 to maxLimit.
func (l *limiter) take(client netip.Addr, class uint8, limit int, now time.Time) decision {
	limit = min(limit, maxLimit) // the count must not run over into the hash
	hash := l.hash(client, class)
	index, _ := bits.Mul64(hash, uint64(len(l.sets))) // depends on the high bits
	tag := hash << limitCountBits                     // and this is the low ones

	lock := &l.locks[index%limiterStripes]
	lock.Lock()
	defer lock.Unlock()

	e := l.sets[index].entry(tag, now.UnixNano())
	d := decision{limit: limit, resetAt: time.Unix(0, e.start).Add(limitWindow)}
	if used := e.count(); used < limit {
		e.word++
		d.allowed, d.remaining = true, limit-used-1
	}
	return d
}

func (l *limiter) hash(client netip.Addr, class uint8) uint64 {
	var key [18]byte
	addr := client.As16()
	copy(key[:], addr[:])
	key[16] = uint8(client.BitLen()) // tells ::/64 from no address at all
	key[17] = class
	return maphash.Bytes(l.seed, key[:])
}

// entry returns the live entry with the given tag. If there is none, it makes room
// for one.
func (s *limiterSet) entry(tag uint64, now int64) *limiterEntry {
	found, lowest := &s[0], maxLimit+1
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

// resetUnix returns resetAt in Unix seconds, rounded up: at that second the full
// limit is back.
func (d decision) resetUnix() int64 {
	return d.resetAt.Add(time.Second - 1).Unix()
}

// retryAfter returns for how many whole seconds to wait until resetAt has come, at
// least 1.
func (d decision) retryAfter(now time.Time) int64 {
	wait := d.resetAt.Sub(now)
	return max(1, int64((wait+time.Second-1)/time.Second))
}

package httpapi

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var noon = time.Date(2026, 11, 5, 12, 0, 0, 0, time.UTC)

// address returns the n-th of many IPv4 addresses.
func address(n uint32) netip.Addr {
	var ip [4]byte
	binary.BigEndian.PutUint32(ip[:], n)
	return netip.AddrFrom4(ip)
}

func allow(limit, remaining int, resetAt time.Time) Decision {
	return Decision{Allowed: true, Limit: limit, Remaining: remaining, ResetAt: resetAt}
}

func refuse(limit int, resetAt time.Time) Decision {
	return Decision{Limit: limit, ResetAt: resetAt}
}

func take(l *MemoryLimiter, client netip.Addr, class Class, limit int, now time.Time) Decision {
	return l.Take(context.Background(), client, class, limit, now)
}

// requireSame compares decisions without regard to the zone in which a time is kept,
// and to how long it is until then.
func requireSame(t *testing.T, want, got Decision, msg ...any) {
	t.Helper()
	got.ResetAt, got.ResetIn = got.ResetAt.UTC(), 0
	require.Equal(t, want, got, msg...)
}

func TestWindow(t *testing.T) {
	l := newMemoryLimiter(defaultLimiterEntries)
	first := noon.Add(123456789 * time.Nanosecond)
	reset := first.Add(time.Minute)

	requireSame(t, allow(3, 2, reset), take(l, address(1), 0, 3, first))
	requireSame(t, allow(3, 1, reset), take(l, address(1), 0, 3, first.Add(time.Second)))
	requireSame(t, allow(3, 0, reset), take(l, address(1), 0, 3, first.Add(50*time.Second)))
	requireSame(t, refuse(3, reset), take(l, address(1), 0, 3, first.Add(50*time.Second)))
	requireSame(t, refuse(3, reset), take(l, address(1), 0, 3, reset.Add(-1)), "a refused request does not lengthen the window")
	requireSame(t, allow(3, 2, reset.Add(time.Minute)), take(l, address(1), 0, 3, reset), "the full limit is back")

	later := reset.Add(90 * time.Second)
	requireSame(t, allow(3, 2, later.Add(time.Minute)), take(l, address(1), 0, 3, later), "the next request, not the clock, opens a window")
}

func TestClientsAndClassesAreCountedApart(t *testing.T) {
	l := newMemoryLimiter(defaultLimiterEntries)
	for _, client := range []netip.Addr{
		{}, // no address
		netip.MustParseAddr("::"),
		netip.MustParseAddr("0.0.0.0"),
		netip.MustParseAddr("192.0.2.1"),
		netip.MustParseAddr("2001:db8::"),
		netip.MustParseAddr("2001:db8:0:1::"),
	} {
		for class := range Class(3) {
			require.True(t, take(l, client, class, 1, noon).Allowed, "%v %d", client, class)
			require.False(t, take(l, client, class, 1, noon).Allowed, "%v %d", client, class)
		}
	}
}

func TestHeaderValues(t *testing.T) {
	for _, c := range []struct {
		name           string
		reset          time.Duration // after noon
		unix, retryNow int64
	}{
		{"whole seconds stay", 60 * time.Second, 60, 60},
		{"a part of a second counts as one", 59*time.Second + 1, 60, 60},
		{"nearly over", 1, 1, 1},
		{"over: still 1", 0, 0, 1},
		{"long over: still 1", -time.Hour, -3600, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := Decision{ResetAt: noon.Add(c.reset), ResetIn: c.reset}
			require.Equal(t, noon.Unix()+c.unix, d.resetUnix())
			require.Equal(t, c.retryNow, d.retryAfter())
		})
	}
}

// A client that waits as long as it is told passes, and never one nanosecond before.
func TestRetryAfterIsEnough(t *testing.T) {
	for range 1000 {
		l := newMemoryLimiter(1)
		first := noon.Add(rand.N(time.Second))
		take(l, address(1), 0, 1, first)
		now := first.Add(rand.N(time.Minute))
		d := take(l, address(1), 0, 1, now)
		require.False(t, d.Allowed)

		wait := d.retryAfter()
		require.LessOrEqual(t, wait, int64(60))
		require.False(t, take(l, address(1), 0, 1, d.ResetAt.Add(-1)).Allowed)
		require.Less(t, time.Unix(d.resetUnix(), 0).Sub(d.ResetAt), time.Second)

		if rand.N(2) == 0 {
			now = now.Add(time.Duration(wait) * time.Second)
		} else {
			now = time.Unix(d.resetUnix(), 0)
		}
		require.True(t, take(l, address(1), 0, 1, now).Allowed)
	}
}

func TestLargeLimits(t *testing.T) {
	l := newMemoryLimiter(1)
	for _, limit := range []int{MaxLimit, MaxLimit + 1, 1 << 30} {
		client := address(uint32(limit))
		e := l.sets[0].entry(l.hash(client, 0)<<limitCountBits, noon.UnixNano())
		e.word |= MaxLimit - 1

		requireSame(t, allow(MaxLimit, 0, noon.Add(time.Minute)), take(l, client, 0, limit, noon))
		tag := e.tag()
		requireSame(t, refuse(MaxLimit, noon.Add(time.Minute)), take(l, client, 0, limit, noon))
		require.Equal(t, tag, e.tag(), "the count does not run over into the hash")
	}
}

func TestClockSetBack(t *testing.T) {
	for _, c := range []struct {
		name    string
		back    time.Duration
		allowed bool
	}{
		{"not at all", 0, false},
		{"by a nanosecond", 1, false},
		{"by a minute", time.Minute, false},
		{"by more", time.Minute + 1, true},
		{"by a year", 365 * 24 * time.Hour, true},
		{"to before 1970", noon.Sub(time.Unix(-1000, 0)), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newMemoryLimiter(1)
			take(l, address(1), 0, 1, noon)
			d := take(l, address(1), 0, 1, noon.Add(-c.back))
			require.Equal(t, c.allowed, d.Allowed)
			if c.allowed {
				require.True(t, d.ResetAt.Equal(noon.Add(-c.back+time.Minute)), "a window of its own")
			} else {
				require.True(t, d.ResetAt.Equal(noon.Add(time.Minute)), "the window stays")
			}
		})
	}

	l := newMemoryLimiter(1)
	for _, far := range []time.Time{{}, time.Unix(1<<60, 0), time.Unix(-1<<60, 999), time.Unix(0, 0)} {
		require.NotPanics(t, func() {
			d := take(l, address(1), 0, 2, far)
			require.Positive(t, d.retryAfter())
			_ = d.resetUnix()
		})
	}
}

func TestTableSize(t *testing.T) {
	for entries, sets := range map[int]int{1: 1, 8: 1, 9: 2, 1000: 125, defaultLimiterEntries: 16384} {
		require.Len(t, newMemoryLimiter(entries).sets, sets)
	}
}

// A set is filled by clients 0 to 7, one a second, and then client 8 comes.
func TestWhoGivesWay(t *testing.T) {
	const limit = 9
	for _, c := range []struct {
		name   string
		counts [limiterWays]int
		at     time.Duration // when client 8 comes
		loser  int
	}{
		{"the lowest count", [...]int{5, 4, 3, 2, 3, 4, 5, 6}, 10 * time.Second, 3},
		{"the oldest of the lowest counts", [...]int{9, 9, 1, 9, 9, 1, 1, 9}, 10 * time.Second, 2},
		{"an expired window, whatever its count", [...]int{9, 1, 1, 1, 1, 1, 1, 1}, time.Minute, 0},
		{"the oldest of those that have spent their limit", [...]int{9, 9, 9, 9, 9, 9, 9, 9}, 10 * time.Second, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newMemoryLimiter(limiterWays)
			for client, count := range c.counts {
				for range count {
					take(l, address(uint32(client)), 0, limit, noon.Add(time.Duration(client)*time.Second))
				}
			}
			require.True(t, take(l, address(8), 0, limit, noon.Add(c.at)).Allowed)

			held := map[uint64]bool{}
			for _, e := range l.sets[0] {
				held[e.tag()] = true
			}
			for client := range c.counts {
				tag := l.hash(address(uint32(client)), 0) << limitCountBits
				require.Equal(t, client != c.loser, held[tag], "client %d", client)
			}
		})
	}
}

// A naiveLimiter is the limiter as one would explain it: a map of windows, and when
// it is full, the one with the lowest count goes, or the oldest of those. Its clock
// must not go back.
type naiveLimiter struct {
	capacity int
	windows  map[naiveKey]*naiveWindow
}

type naiveKey struct {
	client netip.Addr
	class  Class
}

type naiveWindow struct {
	opened time.Time
	count  int
}

func (n *naiveLimiter) take(client netip.Addr, class Class, limit int, now time.Time) Decision {
	for key, w := range n.windows {
		if !now.Before(w.opened.Add(time.Minute)) {
			delete(n.windows, key)
		}
	}
	key := naiveKey{client, class}
	w := n.windows[key]
	if w == nil {
		if len(n.windows) == n.capacity {
			delete(n.windows, n.weakest())
		}
		w = &naiveWindow{opened: now}
		n.windows[key] = w
	}
	if w.count == limit {
		return refuse(limit, w.opened.Add(time.Minute))
	}
	w.count++
	return allow(limit, limit-w.count, w.opened.Add(time.Minute))
}

func (n *naiveLimiter) weakest() (weakest naiveKey) {
	var least *naiveWindow
	for key, w := range n.windows {
		if least == nil || w.count < least.count || w.count == least.count && w.opened.Before(least.opened) {
			weakest, least = key, w
		}
	}
	return weakest
}

// A limiterDuel compares a limiter with its naive model, request by request.
type limiterDuel struct {
	limiter *MemoryLimiter
	model   naiveLimiter
	now     time.Time
	reset   time.Time // of the last decision
}

// newLimiterDuel returns a duel over a table that is large enough for no entry to
// be replaced, or over a single set in which they are replaced all the time.
func newLimiterDuel(singleSet bool) *limiterDuel {
	entries, capacity := 4096, -1
	if singleSet {
		entries, capacity = limiterWays, limiterWays
	}
	return &limiterDuel{
		limiter: newMemoryLimiter(entries),
		model:   naiveLimiter{capacity: capacity, windows: map[naiveKey]*naiveWindow{}},
		now:     noon,
		reset:   noon,
	}
}

// duelSteps are what the clock advances by between two requests, never 0 so that
// of two windows one is always older. Negative steps lead to that long before the
// end of the last request's window.
var duelSteps = [8]time.Duration{1, 1, time.Millisecond, 900 * time.Millisecond, 7 * time.Second, time.Minute, -1, -2}

var duelLimits = [4]int{1, 2, 5, 60} // of each class

// step advances the clock, sends one request to both limiters and compares.
func (d *limiterDuel) step(t *testing.T, client uint8, class Class, step uint8) {
	t.Helper()
	next := d.now.Add(duelSteps[step])
	if duelSteps[step] < 0 {
		next = d.reset.Add(duelSteps[step] + 1) // the end itself, or the moment before
	}
	if !next.After(d.now) {
		next = d.now.Add(1)
	}
	d.now = next

	addr, limit := address(uint32(client)), duelLimits[class]
	want := d.model.take(addr, class, limit, d.now)
	requireSame(t, want, take(d.limiter, addr, class, limit, d.now), "client %d, class %d at %v", client, class, d.now)
	d.reset = want.ResetAt
}

func TestLimiterAgainstNaiveModel(t *testing.T) {
	for _, singleSet := range []bool{false, true} {
		for range 20 {
			d := newLimiterDuel(singleSet)
			steps := 1 + rand.N(uint8(len(duelSteps))) // also runs in which time hardly passes
			clients := 1 + rand.N(uint8(20))
			for range 3000 {
				d.step(t, rand.N(clients), rand.N(Class(len(duelLimits))), rand.N(steps))
			}
		}
	}
}

// Each two bytes are a request: the client, then its class and the clock's advance.
func FuzzLimiter(f *testing.F) {
	f.Add(true, []byte("0-0-0-0-1-2-3-4-5-6-7-8-9-"))
	f.Add(false, []byte{1, 0, 1, 0, 1, 6, 1, 7, 2, 0o11, 2, 0o27, 2, 0o26, 3, 0o35, 3, 0o34})
	f.Fuzz(func(t *testing.T, singleSet bool, requests []byte) {
		d := newLimiterDuel(singleSet)
		for len(requests) >= 2 && len(requests) < 4096 {
			client, op := requests[0]%32, requests[1]
			d.step(t, client, Class(op>>3)%Class(len(duelLimits)), op%uint8(len(duelSteps)))
			requests = requests[2:]
		}
	})
}

// For a single client the clock may do as it likes.
func TestLimiterUnderAWildClock(t *testing.T) {
	l := newMemoryLimiter(defaultLimiterEntries)
	now, opened, count := noon, time.Time{}, 0
	for range 100_000 {
		now = now.Add(rand.N(80*time.Second) - 40*time.Second)
		if distance := now.Sub(opened); distance < -time.Minute || distance >= time.Minute {
			opened, count = now, 0
		}
		want := refuse(3, opened.Add(time.Minute))
		if count < 3 {
			count++
			want = allow(3, 3-count, opened.Add(time.Minute))
		}
		requireSame(t, want, take(l, address(1), 0, 3, now))
	}
}

func TestFloodOfAddresses(t *testing.T) {
	const spenders, flood = 500, 2_000_000
	l := newMemoryLimiter(defaultLimiterEntries)
	limits := []int{60, 20}
	now := noon
	for client := range uint32(spenders) {
		for class, limit := range limits {
			for range limit {
				require.True(t, take(l, address(client), Class(class), limit, now).Allowed)
			}
		}
	}
	for n := range uint32(flood) {
		take(l, address(spenders+n), Class(n%2), limits[n%2], now)
		now = now.Add(59 * time.Second / flood)
	}
	for client := range uint32(spenders) {
		for class, limit := range limits {
			requireSame(t, refuse(limit, noon.Add(time.Minute)), take(l, address(client), Class(class), limit, now))
		}
	}
	require.Len(t, l.sets, defaultLimiterEntries/limiterWays)
}

func TestLimiterDoesNotAllocate(t *testing.T) {
	l := newMemoryLimiter(1024)
	n := uint32(0)
	require.Zero(t, testing.AllocsPerRun(10_000, func() {
		n++
		d := take(l, address(n), 0, 60, noon)
		if d.resetUnix() == 0 || d.retryAfter() != 60 {
			t.Fail()
		}
		take(l, address(1), 1, 20, noon)
	}))
}

func TestLimiterInParallel(t *testing.T) {
	const clients, limit, workers = 100, 60, 16
	l := newMemoryLimiter(defaultLimiterEntries)
	for window := range 3 {
		now := noon.Add(time.Duration(window) * 2 * time.Minute)
		var passed [clients]atomic.Int64
		var wg sync.WaitGroup
		for range workers {
			wg.Go(func() {
				for n := range clients * limit { // every worker alone would spend every limit
					client := n % clients
					// Clocks read at the same time arrive in any order.
					if take(l, address(uint32(client)), 0, limit, now.Add(rand.N(time.Second))).Allowed {
						passed[client].Add(1)
					}
				}
			})
		}
		wg.Wait()
		for client := range passed {
			require.EqualValues(t, limit, passed[client].Load(), "client %d in window %d", client, window)
		}
	}
}

func BenchmarkLimiter(b *testing.B) {
	for _, c := range []struct {
		name    string
		clients uint32
	}{
		{"one client", 1},
		{"10 thousand clients", 10_000},
		{"10 million clients", 10_000_000},
	} {
		b.Run(c.name, func(b *testing.B) {
			l := newMemoryLimiter(defaultLimiterEntries)
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for n := rand.Uint32(); pb.Next(); n++ {
					take(l, address(n%c.clients), 0, 60, noon)
				}
			})
		})
	}
}

package httpapi

import (
	"context"
	"encoding/binary"
	"math"
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

// take counts a request with a limit at a time.
func take(l *memoryLimiter, client netip.Addr, kind int, limit int, now time.Time) Decision {
	l.now = func() time.Time { return now }
	return l.take(client, client.BitLen(), string(rune('a'+kind)), limit)
}

func allow(limit, remaining int, resetIn time.Duration) Decision {
	return Decision{Allowed: true, Limit: limit, Remaining: remaining, ResetIn: resetIn}
}

func reject(limit int, resetIn time.Duration) Decision {
	return Decision{Limit: limit, ResetIn: resetIn}
}

func TestWindow(t *testing.T) {
	l := newMemoryLimiter(Limits{}, limiterEntries)
	first := noon.Add(123456789 * time.Nanosecond)
	reset := first.Add(time.Minute)
	require.Equal(t, allow(3, 2, time.Minute), take(l, address(1), 0, 3, first))
	require.Equal(t, allow(3, 1, 59*time.Second), take(l, address(1), 0, 3, first.Add(time.Second)))
	require.Equal(t, allow(3, 0, 10*time.Second), take(l, address(1), 0, 3, first.Add(50*time.Second)))
	require.Equal(t, reject(3, 10*time.Second), take(l, address(1), 0, 3, first.Add(50*time.Second)))
	require.Equal(t, reject(3, 1), take(l, address(1), 0, 3, reset.Add(-1)), "a rejected request doesn't lengthen the window")
	require.Equal(t, allow(3, 2, time.Minute), take(l, address(1), 0, 3, reset), "the full limit is back")
	require.Equal(t, allow(3, 2, time.Minute), take(l, address(1), 0, 3, reset.Add(90*time.Second)), "the next request, not the clock, opens a window")
}

func TestClientsAndKindsAreCountedApart(t *testing.T) {
	l := newMemoryLimiter(Limits{}, limiterEntries)
	for _, client := range []string{"", "::", "0.0.0.0", "192.0.2.1", "2001:db8::", "2001:db8:0:1::"} {
		addr, _ := netip.ParseAddr(client)
		for kind := range 2 {
			require.True(t, take(l, addr, kind, 1, noon).Allowed, "%v %d", client, kind)
			require.False(t, take(l, addr, kind, 1, noon).Allowed, "%v %d", client, kind)
		}
	}
}

// A /56 has 16 times the limit of a client, and a /48 256 times. What a client is rejected doesn't
// count for its networks.
func TestNetworks(t *testing.T) {
	for _, tt := range []struct {
		at     int // the byte in which the clients differ
		passed int
	}{{7, 16 * 2}, {6, 200 * 2}, {5, 200 * 2}} {
		l := newMemoryLimiter(Limits{JSON: 2}, limiterEntries)
		l.now = func() time.Time { return noon }
		passed := 0
		for n := range byte(200) {
			ip := [16]byte{0x20}
			ip[tt.at] = n
			addr := netip.AddrFrom16(ip)
			for range 5 {
				own := l.Take(t.Context(), addr, "")
				d, byNetwork := l.takeNetworks(addr, "", own)
				require.Equal(t, 2, d.Limit)
				require.Equal(t, time.Minute, d.ResetIn)
				require.Equal(t, own.Allowed && !d.Allowed, byNetwork)
				if d.Allowed {
					passed++
				}
			}
		}
		require.Equal(t, tt.passed, passed, "byte %d", tt.at)
	}
	l, v6 := newMemoryLimiter(Limits{}, limiterWays), netip.MustParseAddr("2001:db8::")
	common := func(client netip.Addr, own Decision) Decision {
		d, byNetwork := l.takeNetworks(client, "", own)
		require.False(t, byNetwork)
		return d
	}
	require.Equal(t, allow(2, 7, 7), common(address(1), allow(2, 7, 7)), "IPv4 addresses have none")
	require.Equal(t, reject(2, 7), common(v6, reject(2, 7)))
	require.Equal(t, Decision{Allowed: true}, common(v6, Decision{Allowed: true}), "without a limit")
	require.True(t, common(v6, Decision{Allowed: true, Limit: -1}).Allowed)
	require.Equal(t, make([]limiterSet, 1), l.sets)
	require.True(t, common(v6, Decision{Allowed: true, Limit: math.MaxInt}).Allowed)
}

// Each of the 256 phones to which a carrier gives a /64 of one /56 has its own limit, as long as
// fewer than 16 of them use it up.
func TestNeighborsInANetwork(t *testing.T) {
	l := newMemoryLimiter(Limits{}, limiterEntries)
	phone := func(n byte) netip.Addr { return netip.AddrFrom16([16]byte{0x20, 7: n}) }
	for n := range byte(15) {
		for range defaultJSONLimit {
			d, _ := l.takeNetworks(phone(n), "", l.Take(t.Context(), phone(n), ""))
			require.True(t, d.Allowed, "phone %d", n)
		}
	}
	d, byNetwork := l.takeNetworks(phone(200), "", l.Take(t.Context(), phone(200), ""))
	require.True(t, d.Allowed)
	require.False(t, byNetwork)
	require.Equal(t, defaultJSONLimit-1, d.Remaining)
}

func TestLargeLimits(t *testing.T) {
	l := newMemoryLimiter(Limits{}, limiterWays)
	client := address(1)
	e := l.sets[0].entry(l.hash(client, 32, "a")<<limitCountBits, noon.UnixNano())
	e.word |= maxLimit - 1
	require.Equal(t, allow(maxLimit, 0, time.Minute), take(l, client, 0, maxLimit, noon))
	tag := e.tag()
	require.Equal(t, reject(maxLimit, time.Minute), take(l, client, 0, maxLimit, noon))
	require.Equal(t, tag, e.tag(), "the count doesn't run over into the hash")
}

func TestClockSetBack(t *testing.T) {
	for back, allowed := range map[time.Duration]bool{0: false, 1: false, time.Minute: false, time.Minute + 1: true, 365 * 24 * time.Hour: true, noon.Sub(time.Unix(-1000, 0)): true} {
		l := newMemoryLimiter(Limits{}, limiterWays)
		take(l, address(1), 0, 1, noon)
		d := take(l, address(1), 0, 1, noon.Add(-back))
		require.Equal(t, allowed, d.Allowed, back)
		if allowed {
			require.Equal(t, time.Minute, d.ResetIn, "a window of its own")
		} else {
			require.Equal(t, time.Minute+back, d.ResetIn, "the window stays")
		}
	}
	l := newMemoryLimiter(Limits{}, limiterWays)
	for _, far := range []time.Time{{}, time.Unix(1<<60, 0), time.Unix(-1<<60, 999), time.Unix(0, 0)} {
		require.Positive(t, take(l, address(1), 0, 2, far).retryAfter())
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
	kind   int
}

type naiveWindow struct {
	opened time.Time
	count  int
}

func (n *naiveLimiter) take(client netip.Addr, kind int, limit int, now time.Time) Decision {
	var weakest naiveKey
	var least *naiveWindow
	for key, w := range n.windows {
		if !now.Before(w.opened.Add(time.Minute)) {
			delete(n.windows, key)
		} else if least == nil || w.count < least.count || w.count == least.count && w.opened.Before(least.opened) {
			weakest, least = key, w
		}
	}
	key := naiveKey{client, kind}
	w := n.windows[key]
	if w == nil {
		if len(n.windows) == n.capacity {
			delete(n.windows, weakest)
		}
		w = &naiveWindow{opened: now}
		n.windows[key] = w
	}
	resetIn := w.opened.Add(time.Minute).Sub(now)
	if w.count == limit {
		return reject(limit, resetIn)
	}
	w.count++
	return allow(limit, limit-w.count, resetIn)
}

// FuzzLimiter compares the limiter with its naive model, request by request: over a table
// that is large enough for no entry to be replaced, or over a single set in which they are
// replaced all the time. Each two bytes are a request: the client, then its kind and how
// far the clock advances. The clock always advances, so that of two windows one is older.
func FuzzLimiter(f *testing.F) {
	steps := [8]time.Duration{1, 1, time.Millisecond, 900 * time.Millisecond, 7 * time.Second, time.Minute, -1, -2}
	limits := [4]int{1, 2, 5, 60} // of each kind
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 40 {
		requests := make([]byte, 6000)
		for i := range requests {
			requests[i] = byte(random.Uint32N(1 + random.Uint32N(256)))
		}
		f.Add(n%2 == 0, requests)
	}
	f.Fuzz(func(t *testing.T, singleSet bool, requests []byte) {
		counters, capacity := 4096, -1
		if singleSet {
			counters, capacity = limiterWays, limiterWays
		}
		l, model := newMemoryLimiter(Limits{}, counters), naiveLimiter{capacity, map[naiveKey]*naiveWindow{}}
		now, reset := noon, noon
		for ; len(requests) >= 2; requests = requests[2:] {
			client, kind, step := address(uint32(requests[0]%32)), int(requests[1]>>3)%4, steps[requests[1]%8]
			next := now.Add(step)
			if step < 0 {
				next = reset.Add(step + 1) // the end of the last window itself, or the moment before
			}
			if now = now.Add(1); next.After(now) {
				now = next
			}
			want := model.take(client, kind, limits[kind], now)
			require.Equal(t, want, take(l, client, kind, limits[kind], now), "client %v, kind %d at %v", client, kind, now)
			reset = now.Add(want.ResetIn)
		}
	})
}

// A client that has used up its limit isn't replaced by a flood of others.
func TestFloodOfAddresses(t *testing.T) {
	const spenders, flood = 50, 200_000
	l := newMemoryLimiter(Limits{}, limiterEntries/10)
	for client := range uint32(spenders) {
		for range 20 {
			require.True(t, take(l, address(client), 1, 20, noon).Allowed)
		}
	}
	for n := range uint32(flood) {
		take(l, address(spenders+n), 1, 20, noon.Add(time.Duration(n)*59*time.Second/flood))
	}
	for client := range uint32(spenders) {
		require.Equal(t, reject(20, time.Second), take(l, address(client), 1, 20, noon.Add(59*time.Second)))
	}
}

func TestLimiterInParallel(t *testing.T) {
	const clients, limit, workers = 100, 60, 16
	l := newMemoryLimiter(Limits{}, limiterEntries)
	// Clocks that are read at the same time arrive in any order.
	l.now = func() time.Time { return noon.Add(rand.N(time.Second)) }
	var passed [clients]atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for n := range clients * limit { // every worker alone would spend every limit
				if l.Take(context.Background(), address(uint32(n%clients)), "").Allowed {
					passed[n%clients].Add(1)
				}
			}
		})
	}
	wg.Wait()
	for client := range passed {
		require.EqualValues(t, limit, passed[client].Load(), "client %d", client)
	}
}

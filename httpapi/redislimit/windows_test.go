package redislimit

import (
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/httpapi"
)

// A replica lets the requests pass that Redis has counted for it, then asks again, and knows until the
// window ends that a limit is used up.
func TestWindowTable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := &windowTable{windows: map[windowKey]*knownWindow{}}
		key := windowKey{netip.MustParseAddr("192.0.2.1"), "json"}
		decide := func() (httpapi.Decision, bool, bool) { return table.decide(key) }

		_, decided, known := decide()
		require.False(t, decided)
		require.False(t, known)
		table.add(key, time.Now(), 10, grant{requests: 1, shared: 9, resetIn: time.Minute})
		_, decided, known = decide()
		require.False(t, decided)
		require.True(t, known)
		table.add(key, time.Now(), 10, grant{requests: 3, shared: 6, resetIn: time.Minute})
		time.Sleep(10 * time.Second)
		for own := 1; own >= 0; own-- {
			d, decided, _ := decide()
			require.True(t, decided)
			require.Equal(t, httpapi.Decision{Allowed: true, Limit: 10, Remaining: 6 + own, ResetIn: 50 * time.Second}, d)
		}
		_, decided, known = decide()
		require.False(t, decided)
		require.True(t, known)
		table.add(key, time.Now(), 10, grant{requests: 0, shared: 0, resetIn: 50 * time.Second})
		d, decided, _ := decide()
		require.True(t, decided)
		require.Equal(t, httpapi.Decision{Limit: 10, ResetIn: 50 * time.Second}, d)
		table.add(key, time.Now().Add(-time.Second), 10, grant{requests: 2, shared: 1, resetIn: 51 * time.Second}) // a reply that comes late
		d, _, _ = decide()
		require.Equal(t, httpapi.Decision{Allowed: true, Limit: 10, Remaining: 0, ResetIn: 50 * time.Second}, d, "what's counted isn't lost")

		time.Sleep(50 * time.Second)
		_, decided, known = decide()
		require.False(t, decided)
		require.False(t, known)
	})
}

// A full table forgets only windows without requests that Redis has counted for this replica.
func TestFullWindowTable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := &windowTable{windows: map[windowKey]*knownWindow{}}
		key := func(n int) windowKey {
			return windowKey{netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)}), "json"}
		}
		const others = 3 * maxWindows
		for n := range others {
			g := grant{requests: 1, shared: 59, resetIn: time.Minute}
			if n%4 == 0 {
				g.requests = 2
			}
			table.add(key(n), time.Now(), 60, g)
		}
		require.LessOrEqual(t, len(table.windows), maxWindows)
		for n := 0; n < others; n += 4 {
			d, decided, _ := table.decide(key(n))
			require.True(t, decided, n)
			require.True(t, d.Allowed)
		}
		for n := range maxWindows {
			table.add(key(others+n), time.Now(), 60, grant{requests: 1, shared: 59, resetIn: time.Minute})
		}
		require.LessOrEqual(t, len(table.windows), maxWindows)
	})
}

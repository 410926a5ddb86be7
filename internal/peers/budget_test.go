package peers

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func addr(n byte) netip.Addr { return netip.AddrFrom4([4]byte{192, 0, 2, n}) }

// A holding is a transfer that waits for its peer, with an event for its end.
type holding struct {
	*Transfer
	hasEnded bool
}

func hold(b *Budget, client byte, bytes int64) *holding {
	h := &holding{Transfer: b.begin(addr(client), time.Now())}
	h.wait(func() { h.hasEnded = true })
	h.Hold(bytes)
	return h
}

// Above the budget, the transfer ends whose client's bytes times its age are the most.
func TestCostliestTransferEnds(t *testing.T) {
	type one struct {
		client byte
		bytes  int64
		age    time.Duration
	}
	for name, tt := range map[string]struct {
		held []one
		want int // the index of the transfer that ends
	}{
		"the oldest of equals":            {[]one{{1, 10, 1}, {2, 10, 3}, {3, 10, 2}}, 1},
		"the largest of equals":           {[]one{{1, 10, 1}, {2, 10, 1}, {3, 30, 1}}, 2},
		"one of the client with the most": {[]one{{1, 20, 1}, {2, 15, 1}, {2, 15, 2}}, 2},
		"large and new against stalled":   {[]one{{1, 90, 1}, {2, 10, 10}}, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := New(100)
			var held []*holding
			for i, o := range tt.held {
				held = append(held, hold(b, o.client, o.bytes))
				held[i].since = time.Now().Add(-o.age * time.Second)
			}
			newcomer := hold(b, 9, 100-b.held+1)
			require.False(t, newcomer.hasEnded)
			for i, h := range held {
				require.Equal(t, i == tt.want, h.hasEnded, "%s: %d", name, i)
				require.Equal(t, !h.hasEnded, h.Hold(0))
			}
			newcomer.Done()
			for _, h := range held {
				h.Done()
			}
			require.Zero(t, b.held)
			require.Empty(t, b.all)
			require.Empty(t, b.clients)
			require.EqualValues(t, 1, b.Stats().Ended)
		})
	}
}

// A client whose own transfer costs most gets no room for another, and nobody loses a transfer that
// can't be ended.
func TestNoRoom(t *testing.T) {
	b := New(100)
	first := hold(b, 1, 80)
	require.False(t, hold(b, 1, 30).Hold(30))
	require.False(t, first.hasEnded)
	first.Keep()
	require.False(t, hold(b, 2, 30).Hold(30))
	require.True(t, hold(b, 2, 20).Hold(20))
	require.EqualValues(t, 100, b.held)
}

// A transfer that queues or works hasn't kept anybody waiting.
func TestQueueDoesNotCost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(100)
		b.turns.free = 0
		queued, stalled := hold(b, 1, 50), (*holding)(nil)
		var all sync.WaitGroup
		ran := false
		all.Go(func() { queued.Work(t.Context(), func() { ran = true }) })
		synctest.Wait()
		time.Sleep(time.Minute)
		stalled = hold(b, 2, 30)
		time.Sleep(time.Second)
		hold(b, 3, 30)
		require.True(t, stalled.hasEnded)
		b.mu.Lock()
		b.nextTurn()
		b.mu.Unlock()
		all.Wait()
		require.True(t, ran)
		require.Less(t, time.Since(queued.since), time.Minute)
	})
}

// Clients take turns, however many requests one makes, and a wait ends with the request.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(1 << 20)
		b.turns.free = 1
		var mu sync.Mutex
		var order []byte
		var all sync.WaitGroup
		work := func(client byte, last time.Duration) {
			all.Go(func() {
				h := hold(b, client, 1)
				defer h.Done()
				require.True(t, h.Work(t.Context(), func() {
					mu.Lock()
					order = append(order, client)
					mu.Unlock()
					time.Sleep(last)
				}))
			})
			synctest.Wait()
		}
		for range 10 {
			work(1, time.Second)
		}
		work(2, time.Second)
		time.Sleep(500 * time.Millisecond)
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		require.False(t, hold(b, 4, 1).Work(ctx, func() { t.Error("worked") }))
		work(3, time.Second)
		all.Wait()
		require.Equal(t, []byte{1, 2, 3}, order[:3])
		require.Equal(t, 1, b.turns.free)
		require.Empty(t, b.turns.waiting)
	})
}

// A panic in the work passes the turn on.
func TestPanicInWork(t *testing.T) {
	b := New(1 << 20)
	free := b.turns.free
	h := hold(b, 1, 1)
	require.Panics(t, func() { h.Work(t.Context(), func() { panic("x") }) })
	require.Equal(t, free, b.turns.free)
	require.NotNil(t, h.end)
}

// A fakeListener accepts connections in memory from these addresses.
type fakeListener struct {
	net.Listener
	conns chan *fakeConn
}

func (l fakeListener) Accept() (net.Conn, error) {
	if c, ok := <-l.conns; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

type fakeConn struct {
	net.Conn
	addr     string
	isClosed bool
}

func (c *fakeConn) RemoteAddr() net.Addr       { return c }
func (c *fakeConn) Network() string            { return "tcp" }
func (c *fakeConn) String() string             { return c.addr }
func (c *fakeConn) Close() error               { c.isClosed = true; return nil }
func (c *fakeConn) Read(p []byte) (int, error) { return len(p), nil }

// guarded returns a server's connections from these addresses, and those that were accepted.
func guarded(b *Budget, s *http.Server, maxConns int, addrs ...string) (all []*fakeConn, accepted []net.Conn) {
	l := fakeListener{conns: make(chan *fakeConn, len(addrs))}
	for _, addr := range addrs {
		all = append(all, &fakeConn{addr: addr})
		l.conns <- all[len(all)-1]
	}
	close(l.conns)
	g := b.Guard(s, l, maxConns)
	for {
		c, err := g.Accept()
		if err != nil {
			return all, accepted
		}
		accepted = append(accepted, c)
	}
}

// Above the number of connections, the one that has been idle longest gives way, and one with a
// request in progress of the same client doesn't.
func TestMaxConns(t *testing.T) {
	b, s := New(1<<30), new(http.Server)
	all, accepted := guarded(b, s, 3, "192.0.2.1:1", "192.0.2.1:2", "192.0.2.1:3", "192.0.2.2:1")
	require.Len(t, accepted, 4)
	require.Equal(t, []bool{true, false, false, false}, []bool{all[0].isClosed, all[1].isClosed, all[2].isClosed, all[3].isClosed})
	require.Equal(t, ConnStats{Open: 3, Accepted: 4, Ended: 1}, b.Stats().Conns)
	for _, c := range accepted {
		require.NoError(t, c.Close())
		require.NoError(t, c.Close())
	}
	require.Zero(t, b.Stats().Held)
	require.Zero(t, b.Stats().Conns.Open)

	all, accepted = guarded(b, s, 1, "[2001:db8:0:1::1]:1", "[2001:db8:0:2::1]:1")
	require.Len(t, accepted, 2)
	require.True(t, all[0].isClosed)
	b = New(1 << 30)
	_, accepted = guarded(b, s, 1, "192.0.2.1:1")
	_, err := accepted[0].Read(make([]byte, 10))
	require.NoError(t, err)
	l := fakeListener{conns: make(chan *fakeConn, 1)}
	l.conns <- &fakeConn{addr: "192.0.2.1:2"}
	close(l.conns)
	_, err = b.Guard(s, l, 1).Accept()
	require.ErrorIs(t, err, net.ErrClosed)
	require.EqualValues(t, 1, b.Stats().Conns.Refused)
}

// A header counts until its request ends, and so does what was read with it of the next.
func TestHeadersCount(t *testing.T) {
	b, s := New(1<<30), new(http.Server)
	_, accepted := guarded(b, s, 9, "192.0.2.1:1")
	c := accepted[0]
	read := func(n int) {
		t.Helper()
		_, err := c.Read(make([]byte, n))
		require.NoError(t, err)
	}
	require.EqualValues(t, connBytes, b.Stats().Held)
	read(100)
	read(200)
	require.EqualValues(t, connBytes+300*headerFactor, b.Stats().Held)
	s.ConnState(c, http.StateActive)
	read(50) // of a body, and perhaps of the next request
	require.EqualValues(t, connBytes+300*headerFactor, b.Stats().Held)
	s.ConnState(c, http.StateIdle)
	require.EqualValues(t, connBytes+50*headerFactor, b.Stats().Held)
	read(100)
	require.EqualValues(t, connBytes+150*headerFactor, b.Stats().Held)
	read(readAhead)
	require.EqualValues(t, connBytes+largeHeader*headerFactor, b.Stats().Held)
	s.ConnState(c, http.StateActive)
	require.EqualValues(t, connBytes+(150+readAhead)*headerFactor, b.Stats().Held)
	read(1 << 20) // a body
	s.ConnState(c, http.StateIdle)
	require.EqualValues(t, connBytes, b.Stats().Held)
}

// While connections that were ended hold half as much as the budget, others are refused.
func TestEndingConnections(t *testing.T) {
	b, s := New(5*connBytes), new(http.Server)
	var addrs []string
	for n := range 10 {
		addrs = append(addrs, fmt.Sprintf("192.0.2.%d:1", n))
	}
	all, accepted := guarded(b, s, 9, addrs...)
	require.Len(t, accepted, 5+3)
	require.Equal(t, ConnStats{Open: 5, Accepted: 8, Ended: 3, Refused: 2}, b.Stats().Conns)
	require.EqualValues(t, 3*connBytes, b.ending)
	ended := slices.IndexFunc(all, func(c *fakeConn) bool { return c.isClosed })
	require.NoError(t, accepted[ended].Close())
	require.NoError(t, accepted[ended].Close())
	require.EqualValues(t, 2*connBytes, b.ending)
	_, more := guarded(b, s, 9, "192.0.2.10:1", "192.0.2.11:1")
	require.Len(t, more, 1)
	for _, c := range append(accepted, more...) {
		require.NoError(t, c.Close())
	}
	require.Zero(t, b.ending)
	require.Zero(t, b.held)
}

// A request on a guarded connection counts with it, under the address that the handler knows.
func TestRequestOfConnection(t *testing.T) {
	b, s := New(1<<30), new(http.Server)
	_, accepted := guarded(b, s, 9, "192.0.2.1:1")
	c := accepted[0]
	s.ConnState(c, http.StateActive)
	r, err := http.NewRequestWithContext(s.ConnContext(t.Context(), c), http.MethodPost, "/", nil)
	require.NoError(t, err)
	request := b.Begin(r, addr(7))
	require.True(t, request.Hold(1000))
	require.EqualValues(t, connBytes+1000, b.clients[addr(7)].held)
	require.NotContains(t, b.clients, addr(1))
	request.Done()
	require.EqualValues(t, connBytes, b.clients[addr(1)].held)
	require.NoError(t, c.Close())
	require.False(t, b.Begin(r, addr(7)).Hold(1), "the connection is closed")
	require.Zero(t, b.held)

	other := New(1000)
	alone := other.Begin(r, addr(7))
	require.True(t, alone.Hold(100))
	alone.Done()
	require.Zero(t, other.held)
	require.Empty(t, other.all)
}

func TestNetwork(t *testing.T) {
	for from, to := range map[string]string{"192.0.2.1": "192.0.2.1", "::ffff:192.0.2.1": "192.0.2.1", "2001:db8:1:2::3": "2001:db8:1::", "fe80::1%eth0": "fe80::"} {
		require.Equal(t, netip.MustParseAddr(to), Network(netip.MustParseAddr(from)))
	}
	require.Equal(t, netip.Addr{}, Network(netip.Addr{}))
}

//go:build unix

package redislimit_test

import (
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/httpapi/redislimit"
)

// A farServer is a way to a server with a round trip as long as the test wants.
type farServer struct {
	listener  net.Listener
	target    string
	roundTrip atomic.Int64 // in ns
	accepted  atomic.Int64 // connections
}

func startFar(t *testing.T, s *server, roundTrip time.Duration) *farServer {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	f := &farServer{listener: listener, target: fmt.Sprintf("127.0.0.1:%d", s.port)}
	f.roundTrip.Store(int64(roundTrip))
	var running sync.WaitGroup
	t.Cleanup(func() {
		_ = listener.Close()
		running.Wait()
	})
	running.Go(func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			f.accepted.Add(1)
			running.Go(func() { f.connect(near) })
		}
	})
	return f
}

func (f *farServer) url() string { return "redis://" + f.listener.Addr().String() }

// connect passes data on until one end closes the connection. TCP needs a round trip before the
// client may send, but the client's kernel has connected at once. So its first data wait for another
// round trip here.
func (f *farServer) connect(near net.Conn) {
	ready := time.Now().Add(time.Duration(f.roundTrip.Load()))
	far, err := net.Dial("tcp", f.target)
	if err != nil {
		_ = near.Close()
		return
	}
	var both sync.WaitGroup
	both.Go(func() { f.pass(near, far, ready) })
	both.Go(func() { f.pass(far, near, ready) })
	both.Wait()
}

func (f *farServer) pass(from, to net.Conn, notBefore time.Time) {
	type packet struct {
		data []byte // nil at the end
		due  time.Time
	}
	packets := make(chan packet, 1<<10)
	go func() {
		defer close(packets)
		for {
			data := make([]byte, 4<<10)
			n, err := from.Read(data)
			due := time.Now()
			if due.Before(notBefore) {
				due = notBefore
			}
			due = due.Add(time.Duration(f.roundTrip.Load()) / 2)
			packets <- packet{data[:n], due}
			if err != nil {
				return
			}
		}
	}()
	for p := range packets {
		time.Sleep(time.Until(p.due))
		_, _ = to.Write(p.data)
	}
	_ = to.Close()
	_ = from.Close()
}

// Two replicas with the default settings let exactly 30 requests pass, however far Redis is within
// the documented limit. Each request goes to the other replica than the one before.
func TestRoundTrips(t *testing.T) {
	const limit = 30
	for _, roundTrip := range []time.Duration{20 * time.Millisecond, 60 * time.Millisecond, 90 * time.Millisecond} {
		t.Run(roundTrip.String(), func(t *testing.T) { // not in parallel, which would lengthen the round trips
			s := startServer(t)
			var replicas []*redislimit.Limiter
			for range 2 {
				log := &logbook{}
				l, err := redislimit.New(startFar(t, s, roundTrip).url(), limit, 0, slog.New(slog.NewTextHandler(log, nil)))
				require.NoError(t, err)
				t.Cleanup(func() {
					require.NoError(t, l.Close())
					require.Empty(t, log.String())
				})
				replicas = append(replicas, l)
			}
			send := func(client byte, requests, parallel int) (passed int64) {
				addr := netip.AddrFrom4([4]byte{192, 0, 2, client})
				var count atomic.Int64
				var group sync.WaitGroup
				for worker := range parallel {
					group.Go(func() {
						for n := range requests / parallel {
							if replicas[(worker+n)%2].Take(t.Context(), addr, "/api/v1/phone-link").Allowed {
								count.Add(1)
							}
						}
					})
				}
				group.Wait()
				return count.Load()
			}
			require.EqualValues(t, limit, send(1, 300, 10), "cold, 10 in parallel")
			require.EqualValues(t, limit, send(2, 45, 1), "one after the other")
			for client := byte(3); client < 6; client++ {
				before := send(client, limit/2, 1)
				require.NoError(t, s.client(t).ClientKillByFilter(t.Context(), "TYPE", "normal").Err())
				require.EqualValues(t, limit, before+send(client, 300, 10), "all connections killed, 10 in parallel")
			}
		})
	}
}

// When Redis replies later than read_timeout, an outage begins, is logged once with the remedy, and
// ends when Redis replies in time again.
func TestTooFar(t *testing.T) {
	far := startFar(t, startServer(t), 0)
	l, log := newLimiter(t, far.url()+"?read_timeout=100ms", 1<<20, 0)
	for range 2 {
		require.Eventually(t, func() bool { return !isAlone(t, l) }, time.Minute, time.Millisecond)
		began := strings.Count(log.String(), "Redis is out of reach")
		far.roundTrip.Store(int64(150 * time.Millisecond))
		require.Eventually(t, func() bool {
			take(t, l)
			return strings.Count(log.String(), "Redis is out of reach") == began+1
		}, time.Minute, time.Millisecond)
		require.Contains(t, log.String(), "set read_timeout to more than the round trip")
		far.roundTrip.Store(0)
	}
	require.Eventually(t, func() bool { return !isAlone(t, l) }, time.Minute, time.Millisecond)
}

// A request that doesn't wait anymore is counted by Redis nevertheless, and doesn't cost a
// connection.
func TestCommandFinishesInBackground(t *testing.T) {
	s := startServer(t)
	far := startFar(t, s, 0)
	l, _ := newLimiter(t, far.url()+"?read_timeout=10ms", 1<<20, 0) // a request waits for 50 ms
	connections := far.accepted.Load()
	far.roundTrip.Store(int64(500 * time.Millisecond))
	const requests = 10
	for range requests {
		require.True(t, isAlone(t, l))
	}
	require.Eventually(t, func() bool {
		return s.client(t).Get(t.Context(), "hailmark:limit:json:192.0.2.1").Val() == fmt.Sprint(requests)
	}, time.Minute, 10*time.Millisecond)
	require.Equal(t, connections, far.accepted.Load())
}

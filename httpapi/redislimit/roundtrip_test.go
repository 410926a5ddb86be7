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

	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/httpapi/redislimit"
)

// A farServer is a way to a server with a round trip as long as the test wants.
type farServer struct {
	listener  net.Listener
	target    string
	roundTrip atomic.Int64 // in ns
	closed    atomic.Int64 // connections that the client has closed
	lag       atomic.Int64 // the longest additional delay by a busy machine, in ns
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
	both.Go(func() { f.pass(closingConn{near, &f.closed}, far, ready) })
	both.Go(func() { f.pass(far, near, ready) })
	both.Wait()
}

// A closingConn counts itself once its peer has closed it.
type closingConn struct {
	net.Conn
	closed *atomic.Int64
}

func (c closingConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err != nil {
		c.closed.Add(1)
	}
	return n, err
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
		if lag := int64(time.Since(p.due)); lag > f.lag.Load() {
			f.lag.Store(lag)
		}
		_, _ = to.Write(p.data)
	}
	_ = to.Close()
	_ = from.Close()
}

// Two replicas with the default settings let exactly 30 requests pass, however far Redis is within
// the documented limit. A worker's requests go to the replicas in turn.
func TestRoundTrips(t *testing.T) {
	const limit = 30
	for _, roundTrip := range []time.Duration{20 * time.Millisecond, 60 * time.Millisecond, 90 * time.Millisecond} {
		t.Run(roundTrip.String(), func(t *testing.T) { // not in parallel, which would lengthen the round trips
			s := startServer(t)
			var ways []*farServer
			var replicas []*redislimit.Limiter
			connect := func() {
				ways, replicas = nil, nil
				for range 2 {
					way := startFar(t, s, roundTrip)
					l, err := redislimit.New(way.url(), httpapi.Limits{JSON: limit}, slog.New(slog.NewTextHandler(t.Output(), nil)))
					require.NoError(t, err)
					t.Cleanup(func() { require.NoError(t, l.Close()) })
					ways, replicas = append(ways, way), append(replicas, l)
				}
			}
			client := netip.MustParseAddr("192.0.2.1")
			send := func(requests, parallel int) (passed int64) {
				var count atomic.Int64
				var group sync.WaitGroup
				for worker := range parallel {
					group.Go(func() {
						for n := range requests / parallel {
							if replicas[(worker+n)%2].Take(t.Context(), client, "/api/v1/phone-link").Allowed {
								count.Add(1)
							}
						}
					})
				}
				group.Wait()
				return count.Load()
			}
			for name, pass := range map[string]func() int64{
				"cold, 10 in parallel": func() int64 { return send(300, 10) },
				"one after the other":  func() int64 { return send(3*limit/2, 1) },
				"all connections killed": func() int64 {
					before := send(limit/2, 1)
					require.NoError(t, s.client(t).ClientKillByFilter(t.Context(), "TYPE", "normal").Err())
					return before + send(300, 10)
				},
			} {
				for attempt := 1; ; attempt++ {
					connect()
					client = client.Next()
					passed := pass()
					if passed == limit {
						break
					}
					// A busy machine lengthens the round trip beyond the documented limit.
					lag := time.Duration(max(ways[0].lag.Load(), ways[1].lag.Load()))
					require.Greater(t, lag, 10*time.Millisecond, "%s: %d requests passed", name, passed)
					require.Less(t, attempt, 20, "%s: %d requests passed on a machine that is too busy", name, passed)
				}
			}
		})
	}
}

// When Redis replies later than read_timeout, an outage begins, is logged with the remedy, and ends
// when Redis replies in time again.
func TestTooFar(t *testing.T) {
	t.Parallel()
	far := startFar(t, startServer(t), 0)
	l, log := newLimiter(t, far.url()+"?read_timeout=500ms", 1<<20, 0)
	far.roundTrip.Store(int64(700 * time.Millisecond))
	require.Eventually(t, func() bool {
		take(t, l)
		return strings.Contains(log.String(), "Redis is out of reach")
	}, time.Minute, time.Millisecond)
	require.Contains(t, log.String(), "set read_timeout to more than the round trip")
	far.roundTrip.Store(0)
	require.Eventually(t, func() bool { return !isAlone(t, l) }, time.Minute, time.Millisecond)
}

// A request that doesn't wait anymore is counted by Redis nevertheless, and doesn't cost a
// connection.
func TestCommandFinishesInBackground(t *testing.T) {
	s := startServer(t)
	far := startFar(t, s, 0)
	l, _ := newLimiter(t, far.url()+"?read_timeout=10ms", 1<<20, 0) // a request waits for 50 ms
	far.roundTrip.Store(int64(500 * time.Millisecond))
	const requests = 10
	var group sync.WaitGroup
	for range requests { // at once, so that no outage begins between them
		group.Go(func() { l.Take(t.Context(), jane, "") })
	}
	group.Wait()
	require.Equal(t, uint64(requests), l.Fallbacks())
	require.Eventually(t, func() bool {
		return s.client(t).Get(t.Context(), "hailmark:limit:json:192.0.2.1").Val() == fmt.Sprint(requests)
	}, time.Minute, 10*time.Millisecond)
	require.Zero(t, far.closed.Load())
}

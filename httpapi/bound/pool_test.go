package bound

import (
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func addr(n byte) netip.Addr { return netip.AddrFrom4([4]byte{192, 0, 2, n}) }

// ask returns a request of a client that waits for a share of n bytes, and the error that it gets.
func ask(ctx context.Context, p *Pool, client byte, n int64) (*Request, chan error) {
	q := p.Begin(httptest.NewRequestWithContext(ctx, http.MethodPost, "/", nil), addr(client))
	got := make(chan error, 1)
	go func() { got <- q.take(n) }()
	synctest.Wait()
	return q, got
}

func requireEmpty(t *testing.T, p *Pool) {
	t.Helper()
	require.Equal(t, p.size, p.free)
	require.Empty(t, p.clients)
	require.Empty(t, p.line)
	require.Empty(t, p.holders)
}

// Clients are served in turns, each client's requests in order, and nobody overtakes the first.
func TestLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(100)
		held, _ := ask(t.Context(), p, 9, 50)
		type one struct {
			*Request
			name   string
			served chan error
		}
		var waiting []one
		for _, name := range []string{"1a", "1b", "1c", "2a", "2b", "3a"} {
			bytes := int64(100)
			if name == "2a" {
				bytes = 1 // would fit at once
			}
			q, served := ask(t.Context(), p, name[0], bytes)
			waiting = append(waiting, one{q, name, served})
		}
		require.Equal(t, Stats{Size: 100, Taken: 50, Waiting: 6}, p.Stats())
		held.End()
		var order []string
		for range waiting {
			synctest.Wait()
			for _, w := range waiting {
				select {
				case err := <-w.served:
					require.NoError(t, err)
					order = append(order, w.name)
					w.End()
				default:
				}
			}
		}
		require.Equal(t, []string{"1a", "2a", "3a", "1b", "2b", "1c"}, order)
		requireEmpty(t, p)
	})
}

// However others behave, a request waits for at most one request of each other client, besides those
// that hold room when it asks. It doesn't matter whether a client's requests overlap, so that the pool
// keeps knowing it, or whether it's forgotten between them.
func TestNobodyStarves(t *testing.T) {
	const clients = 5
	for seed := range uint64(24) {
		p, rnd := NewPool(1), rand.New(rand.NewPCG(seed, 0))
		var waiting, holding []*Request
		enter := func(client byte) *Request {
			q := p.Begin(httptest.NewRequest(http.MethodPost, "/", nil), addr(client))
			q.enter(1)
			p.serve()
			waiting = append(waiting, q)
			return q
		}
		eager := rnd.IntN(8) // how often others ask, compared with requests that end
		honest, overtaken := enter(200), map[netip.Addr]int{}
		turns := 0
		for range 3000 {
			if rnd.IntN(10) < eager {
				enter(byte(rnd.IntN(clients)))
			} else if len(holding) > 0 {
				holding[0].End()
				holding = holding[1:]
			}
			for i, q := range waiting { // at most one has been served, because there's room for one
				if q.share == 0 {
					continue
				}
				if waiting, holding = slices.Delete(waiting, i, i+1), append(holding, q); q == honest {
					clear(overtaken)
					turns++
					honest = nil
				} else if overtaken[q.addr]++; honest != nil {
					require.Equal(t, 1, overtaken[q.addr], "%v overtakes", q.addr)
				}
				break
			}
			if honest == nil {
				clear(overtaken)
				honest = enter(200)
			}
		}
		require.Greater(t, turns, 3000/10/(clients+1)/2)
	}
}

// A request leaves the line after LineTime or with its client, and those behind it move on.
func TestLeavingTheLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(100)
		held, _ := ask(t.Context(), p, 9, 50)
		ctx, leave := context.WithCancel(t.Context())
		_, first := ask(ctx, p, 1, 100)
		_, second := ask(t.Context(), p, 2, 100)
		third, served := ask(t.Context(), p, 3, 50)
		time.Sleep(LineTime / 2)
		leave()
		require.ErrorIs(t, <-first, context.Canceled)
		time.Sleep(LineTime / 2)
		require.ErrorIs(t, <-second, ErrBusy)
		synctest.Wait()
		if err := <-served; err != nil { // asked at the same time as the second, so either may be first
			require.ErrorIs(t, err, ErrBusy)
		}
		third.End()
		held.End()
		requireEmpty(t, p)
	})
}

// A request that holds room never waits for more, and gets it only while nobody waits.
func TestMoreRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(100)
		q, _ := ask(t.Context(), p, 1, 50)
		require.NoError(t, q.take(40))
		require.NoError(t, q.take(60))
		require.ErrorIs(t, q.take(1000), nil, "the whole pool is the most")
		require.EqualValues(t, 100, p.Stats().Taken)
		q.End()
		q, _ = ask(t.Context(), p, 1, 50)
		other, served := ask(t.Context(), p, 2, 60)
		require.ErrorIs(t, q.take(51), ErrBusy)
		q.End()
		require.NoError(t, <-served)
		other.End()
		requireEmpty(t, p)
	})
}

// A peer sends a body at a rate.
type peer struct {
	io.Reader
	rate int // bytes per 10 ms; 0 stops
	*http.Request
	ended chan struct{}
}

func (b *peer) Read(text []byte) (int, error) {
	for b.rate == 0 {
		<-b.ended
		return 0, context.DeadlineExceeded
	}
	select {
	case <-b.ended:
		return 0, context.DeadlineExceeded
	case <-time.After(10 * time.Millisecond):
	}
	return b.Reader.Read(text[:min(len(text), b.rate)])
}

func (b *peer) Close() error { return nil }

// A deadlineWriter ends the body when the deadline is in the past.
type deadlineWriter struct {
	*httptest.ResponseRecorder
	*peer
}

func (w deadlineWriter) Write(text []byte) (int, error) { return w.ResponseRecorder.Write(text) }

func (w deadlineWriter) SetReadDeadline(at time.Time) error {
	if at.Equal(past) {
		close(w.ended)
	}
	return nil
}

// upload reads the body of a client that sends so many bytes per second, and stops after the first
// stop bytes if that isn't 0.
func upload(p *Pool, client byte, size, rate int) error {
	b := &peer{Reader: strings.NewReader(strings.Repeat("x", size)), rate: rate / 100, ended: make(chan struct{})}
	r := httptest.NewRequest(http.MethodPost, "/", b)
	r.ContentLength = int64(size)
	q := p.Begin(r, addr(client))
	defer q.End()
	_, err := q.ReadBody(deadlineWriter{httptest.NewRecorder(), b}, 4<<20)
	return err
}

// While somebody waits, the slowest transfers of the clients that hold most are ended, and no more than
// needed. While nobody waits, none is.
func TestSlowTransfersEnd(t *testing.T) {
	const size = 3_000_000
	for name, tt := range map[string]struct {
		rates []int // bytes per second, of one client each
		kept  int
	}{
		"all are fast":    {[]int{500_000, 500_000, 500_000, 500_000, 500_000, 500_000, 500_000, 500_000, 500_000, 500_000}, 10},
		"one has stopped": {[]int{500_000, 500_000, 500_000, 500_000, 500_000, 500_000, 500_000, 500_000, 500_000, 0}, 9},
		"two are slow":    {[]int{500_000, 500_000, 500_000, 500_000, 500_000, 500_000, 500_000, 500_000, 150_000, 140_000}, 9},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := NewPool(64 << 20)
				errs := make([]error, len(tt.rates))
				var all sync.WaitGroup
				for i, rate := range tt.rates {
					all.Go(func() { errs[i] = upload(p, byte(i), size, rate) })
				}
				time.Sleep(4 * time.Second)
				require.Zero(t, p.Stats().Ended)
				began := time.Now()
				require.NoError(t, upload(p, 100, size, 1<<30))
				if tt.kept < 10 {
					require.Less(t, time.Since(began), time.Second)
				}
				kept := 0
				all.Wait()
				for i, err := range errs {
					if err == nil {
						kept++
					} else {
						require.ErrorIs(t, err, ErrBusy)
						require.Equal(t, len(tt.rates)-1, i, "the slowest is ended")
					}
				}
				require.Equal(t, tt.kept, kept)
				requireEmpty(t, p)
			})
		})
	}
}

// What's ended makes room only when its handler returns.
func TestRoomReturnsWithTheHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(100)
		held, _ := ask(t.Context(), p, 1, 100)
		var isEnded atomic.Bool
		held.begin(&transfer{end: func() { isEnded.Store(true) }, total: 100})
		_, served := ask(t.Context(), p, 2, 100)
		time.Sleep(2 * time.Second)
		require.True(t, isEnded.Load())
		require.EqualValues(t, 1, p.Stats().Ended)
		time.Sleep(time.Second)
		require.EqualValues(t, 100, p.Stats().Taken)
		require.Empty(t, served)
		require.True(t, held.finish(false))
		held.End()
		require.NoError(t, <-served)
	})
}

// At most two work at a time, in the order in which they came, and a panic lets the next one in.
func TestWork(t *testing.T) {
	require.LessOrEqual(t, cap(NewPool(0).decoders), mostDecoders)
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(100)
		p.decoders = make(chan struct{}, 1)
		var order []byte
		var all sync.WaitGroup
		for client := range byte(5) {
			q := p.Begin(httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil), addr(client))
			all.Go(func() {
				require.Panics(t, func() {
					_ = q.Work(func() {
						order = append(order, client)
						time.Sleep(time.Second)
						panic("x")
					})
				})
			})
			synctest.Wait()
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		late := p.Begin(httptest.NewRequestWithContext(ctx, http.MethodPost, "/", nil), addr(9))
		require.ErrorIs(t, late.Work(func() { t.Error("worked") }), context.DeadlineExceeded)
		all.Wait()
		require.Equal(t, []byte{0, 1, 2, 3, 4}, order)
		require.Empty(t, p.decoders)
	})
}

func TestNetwork(t *testing.T) {
	for from, to := range map[string]string{"192.0.2.1": "192.0.2.1", "::ffff:192.0.2.1": "192.0.2.1", "2001:db8:1:2::3": "2001:db8:1::", "fe80::1%eth0": "fe80::"} {
		require.Equal(t, netip.MustParseAddr(to), network(netip.MustParseAddr(from)))
	}
	require.Equal(t, netip.Addr{}, network(netip.Addr{}))
}

package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// reserveLater reserves in a goroutine. The result is ready when the goroutine has ended
// or waits.
func reserveLater(t *testing.T, p *memoryPool, client uint32, bytes int64) func() (*reservation, error) {
	type result struct {
		r   *reservation
		err error
	}
	var got atomic.Pointer[result]
	got.Store(&result{err: errors.New("still waiting")})
	go func() {
		r, err := p.reserve(t.Context(), address(client), bytes)
		got.Store(&result{r, err})
	}()
	synctest.Wait()
	return func() (*reservation, error) {
		synctest.Wait()
		return got.Load().r, got.Load().err
	}
}

// mustReserve reserves for a client without a wait.
func mustReserve(t *testing.T, p *memoryPool, client uint32, bytes int64) *reservation {
	t.Helper()
	r, err := reserveLater(t, p, client, bytes)()
	require.NoError(t, err)
	return r
}

func requireUnused(t *testing.T, p *memoryPool) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	require.Equal(t, p.size, p.free)
	require.Empty(t, p.held)
	require.Empty(t, p.byClient)
	require.Empty(t, p.waiting)
}

func TestMemoryPoolAdmitsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newMemoryPool(100)
		first := mustReserve(t, p, 1, 60)
		second := mustReserve(t, p, 2, 40)
		third := reserveLater(t, p, 3, 50)
		fourth := reserveLater(t, p, 4, 10)
		_, err := third()
		require.EqualError(t, err, "still waiting")

		second.release()
		_, err = fourth()
		require.EqualError(t, err, "still waiting", "10 would fit, but 50 came first")
		first.release()
		r3, err := third()
		require.NoError(t, err)
		r4, err := fourth()
		require.NoError(t, err)
		require.EqualValues(t, 40, p.free)
		r3.release()
		r4.release()
		requireUnused(t, p)
	})
}

func TestMemoryPoolGivesAllItHasToWhatIsLarger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newMemoryPool(100)
		small := mustReserve(t, p, 1, 1)
		large := reserveLater(t, p, 2, 1000)
		_, err := large()
		require.EqualError(t, err, "still waiting")
		small.release()
		r, err := large()
		require.NoError(t, err)
		require.EqualValues(t, 100, r.bytes)
		require.Zero(t, p.free)
		r.release()
		requireUnused(t, p)
	})
}

func TestMemoryPoolWaitEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newMemoryPool(100)
		held := mustReserve(t, p, 1, 60)
		began := time.Now()
		large := reserveLater(t, p, 2, 50)
		time.Sleep(time.Second)
		small := reserveLater(t, p, 3, 40)
		time.Sleep(p.waitLimit - time.Second - time.Nanosecond)
		_, err := large()
		require.EqualError(t, err, "still waiting")
		time.Sleep(time.Nanosecond)
		_, err = large()
		require.ErrorIs(t, err, errNoMemory)
		require.Equal(t, p.waitLimit, time.Since(began))
		r, err := small()
		require.NoError(t, err, "it waited behind the large one")
		r.release()

		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err = p.reserve(ctx, address(2), 50)
		require.ErrorIs(t, err, errClientGone)
		held.release()
		requireUnused(t, p)
	})
}

// A request whose client hangs up when the memory becomes free may get it or not.
func TestMemoryPoolLastMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newMemoryPool(100)
		held := mustReserve(t, p, 1, 60)
		large := reserveLater(t, p, 1, 50)
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		for range 50 { // half of them see first that their client is gone
			small, err := p.reserve(gone, address(3), 10)
			require.NoError(t, err)
			small.release()
		}
		held.release()
		r, err := large()
		require.NoError(t, err)
		r.release()
		requireUnused(t, p)
	})
}

func TestMemoryPoolLineIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newMemoryPool(100)
		held := mustReserve(t, p, 1, 100)
		for client := range uint32(2) {
			for range maxWaiting / 2 {
				_, err := reserveLater(t, p, client, 1)()
				require.EqualError(t, err, "still waiting")
			}
			_, err := reserveLater(t, p, client, 1)()
			require.ErrorIs(t, err, errNoMemory, "half of the line is for others")
		}
		_, err := reserveLater(t, p, 2, 1)()
		require.ErrorIs(t, err, errNoMemory)
		time.Sleep(p.waitLimit)
		synctest.Wait()
		held.release()
		requireUnused(t, p)
	})
}

// The client that holds the least comes first.
func TestMemoryPoolIsFairToClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newMemoryPool(100)
		var held []*reservation
		for _, client := range []uint32{1, 1, 4, 4} {
			held = append(held, mustReserve(t, p, client, 25))
		}
		again := reserveLater(t, p, 1, 25)
		other := reserveLater(t, p, 2, 25)
		third := reserveLater(t, p, 3, 25)
		held[0].release()
		r2, err := other()
		require.NoError(t, err)
		_, err = third()
		require.EqualError(t, err, "still waiting")
		held[1].release()
		r3, err := third()
		require.NoError(t, err)
		_, err = again()
		require.EqualError(t, err, "still waiting")
		for _, r := range append(held[2:], r2, r3) {
			r.release()
		}
		r1, err := again()
		require.NoError(t, err)
		r1.release()
		requireUnused(t, p)
	})
}

// The requests of one client hold half of the pool at most, and those that would exceed it
// do not hold up others.
func TestMemoryPoolShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newMemoryPool(100)
		half := mustReserve(t, p, 1, 49)
		last := mustReserve(t, p, 1, 1)
		third := reserveLater(t, p, 1, 1)
		other := mustReserve(t, p, 2, 30)
		more := reserveLater(t, p, 2, 21)
		small := mustReserve(t, p, 2, 20)
		for _, waiting := range []func() (*reservation, error){third, more} {
			_, err := waiting()
			require.EqualError(t, err, "still waiting")
		}
		last.release()
		r3, err := third()
		require.NoError(t, err)
		small.release()
		_, err = more()
		require.EqualError(t, err, "still waiting", "30 + 21 is more than half")
		other.release()
		r2, err := more()
		require.NoError(t, err)
		for _, r := range []*reservation{half, r3, r2} {
			r.release()
		}
		requireUnused(t, p)
	})
}

// Two clients that need the whole pool for each request take turns.
func TestMemoryPoolTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newMemoryPool(100)
		running := mustReserve(t, p, 1, 100)
		var order []uint32
		for _, client := range []uint32{1, 1, 2, 2} {
			go func() {
				r, err := p.reserve(t.Context(), address(client), 100)
				require.NoError(t, err)
				order = append(order, client)
				time.Sleep(time.Millisecond)
				r.release()
			}()
			synctest.Wait()
		}
		running.release()
		time.Sleep(time.Second)
		synctest.Wait()
		require.Equal(t, []uint32{2, 1, 2, 1}, order)
		requireUnused(t, p)
	})
}

// While a request waits, the transfers that stall end, the longest first and only as
// many as it takes.
func TestMemoryPoolAbortsStalledTransfers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newMemoryPool(200)
		rest := mustReserve(t, p, 3, 100)
		var aborted []string
		transfer := func(name string, bytes int64, err error) *reservation {
			r := mustReserve(t, p, 1, bytes)
			r.startTransfer(func() error {
				aborted = append(aborted, name)
				return err
			})
			r.startWait()
			time.Sleep(time.Millisecond)
			return r
		}
		cannot := transfer("cannot", 10, http.ErrNotSupported)
		moves := transfer("moves", 30, nil)
		trickles := transfer("trickles", 20, nil)
		stalls := transfer("stalls", 20, nil)
		ended := transfer("ended", 20, nil)
		require.False(t, ended.endTransfer())
		time.Sleep(10 * p.stallLimit)
		require.Empty(t, aborted, "no request waits")

		moves.endWait(networkPiece)
		moves.startWait()
		trickles.endWait(networkPiece - 1)
		trickles.startWait()
		next := reserveLater(t, p, 2, 15)
		time.Sleep(p.checkEvery)
		synctest.Wait()
		require.Equal(t, []string{"cannot", "trickles"}, aborted)
		time.Sleep(4 * p.checkEvery)
		synctest.Wait()
		require.NotContains(t, aborted, "stalls", "20 bytes will be free in a moment")
		require.NotContains(t, aborted, "moves")

		require.True(t, trickles.endTransfer())
		trickles.release()
		r, err := next()
		require.NoError(t, err)
		require.False(t, moves.endTransfer())
		require.False(t, stalls.endTransfer())
		for _, r := range []*reservation{rest, cannot, moves, stalls, ended, r} {
			r.release()
		}
		requireUnused(t, p)
	})
}

// A transfer may take the whole stall limit for a piece.
func TestMemoryPoolStallLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newMemoryPool(100)
		p.checkEvery = time.Millisecond
		aborted := time.Time{}
		r := mustReserve(t, p, 1, 100)
		began := time.Now()
		r.startTransfer(func() error {
			aborted = time.Now()
			return nil
		})
		r.startWait()
		_, err := p.reserve(t.Context(), address(2), 1)
		require.ErrorIs(t, err, errNoMemory)
		require.Equal(t, p.stallLimit+p.checkEvery, aborted.Sub(began))
		r.release()
		requireUnused(t, p)
	})
}

// Whatever the requests do, the pool neither loses nor invents memory, and they never
// reserve more than it has.
func TestMemoryPoolBalance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newMemoryPool(1000)
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				for range 20 {
					ctx, cancel := context.WithTimeout(t.Context(), rand.N(10*time.Second))
					r, err := p.reserve(ctx, address(rand.Uint32N(5)), rand.Int64N(300))
					cancel()
					if err != nil {
						continue
					}
					p.mu.Lock()
					free := p.free
					p.mu.Unlock()
					if free < 0 {
						t.Error("more is held than the pool has")
					}
					r.startTransfer(func() error { return nil })
					time.Sleep(rand.N(100 * time.Millisecond))
					r.endTransfer()
					r.release()
				}
			})
		}
		wg.Wait()
		requireUnused(t, p)
	})
}

func TestNilReservation(t *testing.T) {
	var r *reservation
	r.startTransfer(nil)
	r.startWait()
	r.endWait(1 << 20)
	require.False(t, r.endTransfer())
	r.release()
}

func newTestAPI(t *testing.T) *api {
	t.Helper()
	h, err := New(Config{BaseURL: "https://hi.example.com", JSONLimit: MaxLimit, QRLimit: MaxLimit})
	require.NoError(t, err)
	return h.(*api)
}

func (m *memoryBudget) pools() []*memoryPool { return []*memoryPool{m.small, m.bodies, m.work} }

const normalizeTarget = prefix + "/business/webhook/normalize"

// Bodies of every size around those of the buffers arrive whole, with and without an
// announced length.
func TestBodySizes(t *testing.T) {
	a := newTestAPI(t)
	for _, size := range []int{
		0, 1, 40, tinyBody - 1, tinyBody, tinyBody + 1, tinyBody + 2, shortBody - 1, shortBody, shortBody + 1, shortBody + 2,
		4 * shortBody, 4*shortBody + 1, 5 * shortBody, 1 << 20, webhookBody - 1, webhookBody, webhookBody + 1, webhookBody + 100,
	} {
		body := []byte(`{"messages":[{"text":""}]}`)
		if size > len(body) {
			body = bytes.Replace(body, []byte(`""`), []byte(`"`+strings.Repeat("x", size-len(body))+`"`), 1)
		} else {
			body = body[:size]
		}
		for _, announced := range []bool{true, false} {
			r := httptest.NewRequest(http.MethodPost, normalizeTarget, bytes.NewReader(body))
			if !announced {
				r.ContentLength = -1
			}
			w := httptest.NewRecorder()
			a.ServeHTTP(w, r)
			switch {
			case size < 26:
				require.Contains(t, w.Body.String(), "webhook_invalid_json", "%d", size)
			case size > webhookBody:
				require.Contains(t, w.Body.String(), "body_too_large", "%d", size)
			default:
				require.Equal(t, http.StatusOK, w.Code, "%d", size)
				require.Contains(t, w.Body.String(), string(body[13:size-2]))
			}
			for _, pool := range a.memory.pools() {
				requireUnused(t, pool)
			}
		}
	}
}

// A body that is announced to be too large is refused before any of it is read.
func TestAnnouncedTooLarge(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, normalizeTarget, errorReader{t})
	r.ContentLength = webhookBody + 1
	w := httptest.NewRecorder()
	newTestAPI(t).ServeHTTP(w, r)
	require.Contains(t, w.Body.String(), "body_too_large")
}

type errorReader struct{ t *testing.T }

func (r errorReader) Read([]byte) (int, error) {
	r.t.Error("the body is read")
	return 0, io.EOF
}

// post sends a body and returns the response.
func post(a http.Handler, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	a.ServeHTTP(w, httptest.NewRequest(http.MethodPost, normalizeTarget, strings.NewReader(body)))
	return w
}

func webhookOf(messages int) string {
	return `{"messages":[{}` + strings.Repeat(`,{}`, messages-1) + `]}`
}

// Requests that find no memory get 503. Small ones do not need what large ones take.
func TestOverloaded(t *testing.T) {
	const long = 20_000 // of which a body is long
	for name, tt := range map[string]struct {
		full   func(*memoryBudget) *memoryPool
		refuse []string
		serve  []string
	}{
		"small": {
			func(m *memoryBudget) *memoryPool { return m.small },
			[]string{webhookOf(1) + strings.Repeat(" ", tinyBody), webhookOf(1) + strings.Repeat(" ", long)},
			[]string{webhookOf(300)},
		},
		"bodies": {
			func(m *memoryBudget) *memoryPool { return m.bodies },
			[]string{webhookOf(1) + strings.Repeat(" ", long), webhookOf(5000)},
			[]string{webhookOf(1), webhookOf(1) + strings.Repeat(" ", shortBody-100)},
		},
		"work": {
			func(m *memoryBudget) *memoryPool { return m.work },
			[]string{webhookOf(300), webhookOf(10_000)},
			[]string{webhookOf(1), webhookOf(120), webhookOf(1) + strings.Repeat(" ", long)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newTestAPI(t)
				pool := tt.full(a.memory)
				held := mustReserve(t, pool, 1, pool.size)
				for _, body := range tt.serve {
					require.Equal(t, http.StatusOK, post(a, body).Code, "%d bytes", len(body))
				}
				for _, body := range tt.refuse {
					began := time.Now()
					w := post(a, body)
					require.Equal(t, http.StatusServiceUnavailable, w.Code, "%d bytes", len(body))
					require.Contains(t, w.Body.String(), `"code":"overloaded"`)
					require.Contains(t, w.Body.String(), "try again in 5 s")
					require.Equal(t, "5", w.Header().Get("Retry-After"))
					require.Equal(t, "no-store", w.Header().Get("Cache-Control"))
					require.Equal(t, pool.waitLimit, time.Since(began))
				}
				held.release()
				for _, body := range tt.refuse {
					require.Equal(t, http.StatusOK, post(a, body).Code)
				}
				for _, pool := range a.memory.pools() {
					requireUnused(t, pool)
				}
			})
		})
	}
}

// Every event repeats the name of the one contact.
func webhookWithName(name, messages int) string {
	return `{"contacts":[{"wa_id":"16505551234","profile":{"name":"` + strings.Repeat("a", name) + `"}}],"messages":[` +
		strings.Repeat(`{"from":"16505551234"},`, messages-1) + `{"from":"16505551234"}]}`
}

// A long response reserves memory even if its body is short, and is not held as a whole.
func TestLongResponseOfShortBody(t *testing.T) {
	for _, body := range []string{webhookOf(300), webhookWithName(900, 20)} {
		require.False(t, isLarge([]byte(body)))
		require.Less(t, len(body), 2*tinyBody)
		a := newTestAPI(t)
		var held [][]*reservation
		w := writeFunc{httptest.NewRecorder(), func(part []byte) {
			require.LessOrEqual(t, len(part), networkPiece)
			held = append(held, [][]*reservation{a.memory.small.held, a.memory.bodies.held, a.memory.work.held}...)
		}}
		a.ServeHTTP(w, httptest.NewRequest(http.MethodPost, normalizeTarget, strings.NewReader(body)))
		require.Equal(t, http.StatusOK, w.Code)
		require.Greater(t, w.Body.Len(), maxBuffered)
		require.Len(t, held, 3, "one piece")
		require.Empty(t, held[0])
		require.Len(t, held[1], 1)
		require.Len(t, held[2], 1)
		for _, pool := range a.memory.pools() {
			requireUnused(t, pool)
		}
	}
}

// While a response of up to maxBuffered bytes is written, its request holds nothing.
func TestShortResponseHoldsNothing(t *testing.T) {
	for name, body := range map[string]string{
		"of a long body":  webhookOf(1) + strings.Repeat(" ", 1<<20),
		"of many members": `{"messages":[{}]` + manyMembers(5000) + `}`,
		"of a short body": webhookOf(120),
	} {
		a := newTestAPI(t)
		w := writeFunc{httptest.NewRecorder(), func([]byte) {
			for _, pool := range a.memory.pools() {
				requireUnused(t, pool)
			}
		}}
		a.ServeHTTP(w, httptest.NewRequest(http.MethodPost, normalizeTarget, strings.NewReader(body)))
		require.Equal(t, http.StatusOK, w.Code, name)
		require.LessOrEqual(t, w.Body.Len(), maxBuffered, name)
	}
}

func manyMembers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"%d":0`, i)
	}
	return b.String()
}

// A writeFunc is called before each write.
type writeFunc struct {
	*httptest.ResponseRecorder
	before func(part []byte)
}

func (w writeFunc) Write(part []byte) (int, error) {
	w.before(part)
	return w.ResponseRecorder.Write(part)
}

// A body is large by the memory that decoding it takes: for its bytes, its objects and its
// names.
func TestLargeBodies(t *testing.T) {
	require.True(t, isLarge(bytes.Repeat([]byte(" "), smallWork+1)))
	require.False(t, isLarge(bytes.Repeat([]byte(" "), smallWork)))
	require.True(t, isLarge([]byte(webhookOf(smallWork/eventMemory))))
	require.False(t, isLarge([]byte(webhookOf(smallWork/eventMemory-10))))
	require.True(t, isLarge([]byte(`{"x":0`+manyMembers(smallWork/nameMemory)+`}`)))
	require.False(t, isLarge([]byte(`{"x":0`+manyMembers(smallWork/nameMemory-smallWork/nameMemory/10)+`}`)))
	require.EqualValues(t, 3*webhookBody/3+maxEvents*eventMemory, decodingMemory([]byte(strings.Repeat("{},", webhookBody/3)+" ")))
}

// The memory of a request is bounded by its reservations, whatever its body contains. It holds
// no more than that while it streams the response. What it allocates before the response begins
// is at most twice as much; a part of that is garbage, because lists grow and the contacts are
// read up to three times.
func TestMemoryOfHostileWebhooks(t *testing.T) {
	const size = 1 << 20
	many := func(element string) string { // with different numbers
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			b.WriteString(strings.ReplaceAll(element, "#", fmt.Sprint(i)))
			b.WriteByte(',')
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	for _, body := range []string{
		`{"messages":[` + many(`{}`) + `]}`,
		`{"messages":[` + many(`{"id":1}`) + `]}`,
		`{"messages":[` + many(`{"from":"#"}`) + `]}`,
		`{"messages":[` + many(`{"system":{"user_id":"a"}}`) + `]}`,
		`{"entry":[{"changes":[` + many(`{"value":{"messages":[{}]}}`) + `]}]}`,
		`{"contacts":[` + many(`{"wa_id":#}`) + `],"messages":[{"from":"1"}]}`,
		`{"contacts":[` + many(`{"wa_id":1}`) + `],"messages":[{"from":"1"}]}`,
		`{"contacts":[` + many(`{"wa_id":#},{"wa_id":#}`) + `],"messages":[{"from":"1"}]}`,
		`{"contacts":[` + many(`{"wa_id":#}`) + `],"messages":[` + many(`{"from":#}`) + `]}`,
		`{"contacts":[` + many(`{"wa_id":#,"user_id":"#","parent_user_id":"#"}`) + `],"messages":[{"from":"1"}]}`,
		`{"messages":[{}],` + many(`"#":0`) + `}`,
		`{"messages":[{}],"x":[` + many(`{"#":0}`) + `]}`,
		`{"messages":[{}]}` + strings.Repeat(" ", size),
	} {
		reserved := uint64(len(body)) + uint64(decodingMemory([]byte(body))+encodingMemory([]byte(body)))
		a := newTestAPI(t)
		r := httptest.NewRequest(http.MethodPost, normalizeTarget, strings.NewReader(body))
		var before, during runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		writes := 0
		a.ServeHTTP(discard{http.Header{}, func() {
			if writes++; writes == 1 {
				runtime.ReadMemStats(&during)
				require.Less(t, during.TotalAlloc-before.TotalAlloc, 2*reserved, "%.60s", body)
			}
			if writes%100 == 0 {
				runtime.GC()
				runtime.ReadMemStats(&during)
				require.Less(t, during.HeapAlloc, before.HeapAlloc+reserved, "%.60s", body)
			}
		}}, r)
		require.Positive(t, writes)
	}
}

// A discard is a response that nobody keeps. It calls a function before each write.
type discard struct {
	header http.Header
	before func()
}

func (w discard) Header() http.Header { return w.header }

func (w discard) WriteHeader(int) {}

func (w discard) Write(part []byte) (int, error) {
	w.before()
	return len(part), nil
}

// A client that hangs up while its request waits gets no response.
func TestClientHangsUpWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newTestAPI(t)
		held := mustReserve(t, a.memory.bodies, 1, a.memory.bodies.size)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, normalizeTarget, strings.NewReader(strings.Repeat(" ", 20_000)))
		require.PanicsWithValue(t, http.ErrAbortHandler, func() { a.ServeHTTP(w, r) })
		held.release()
		for _, pool := range a.memory.pools() {
			requireUnused(t, pool)
		}
	})
}

// A pipeListener accepts connections in memory. A synctest bubble can wait for them,
// unlike for those of a network.
type pipeListener struct {
	conns chan net.Conn
	close sync.Once
}

func (l *pipeListener) Accept() (net.Conn, error) {
	conn, ok := <-l.conns
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (l *pipeListener) Close() error {
	l.close.Do(func() { close(l.conns) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

// An upload that stalls or trickles gets 503 once another request needs its memory, and a
// response that is not read is cut off.
func TestStalledTransfers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newTestAPI(t)
		var statuses []int
		a.observe = func(_ context.Context, o Observation) { statuses = append(statuses, o.Status) }
		listener := &pipeListener{conns: make(chan net.Conn)}
		server := &http.Server{Handler: a, ReadHeaderTimeout: time.Minute}
		var running sync.WaitGroup
		running.Go(func() { _ = server.Serve(listener) })
		send := func(body string, announced int) net.Conn {
			client, conn := net.Pipe()
			listener.conns <- conn
			running.Go(func() {
				_, _ = fmt.Fprintf(client, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", normalizeTarget, announced, body)
			})
			synctest.Wait()
			return client
		}
		requireHeld := func(bytes int) {
			t.Helper()
			synctest.Wait()
			pool := a.memory.bodies
			pool.mu.Lock()
			defer pool.mu.Unlock()
			require.Len(t, pool.held, 1)
			require.EqualValues(t, bytes, pool.held[0].bytes)
			require.False(t, pool.held[0].since.IsZero(), "the server waits for the client")
		}
		reserveAll := func() *reservation {
			t.Helper()
			began := time.Now()
			r, err := a.memory.bodies.reserve(t.Context(), netip.Addr{}, a.memory.bodies.size)
			require.NoError(t, err)
			require.LessOrEqual(t, time.Since(began), r.pool.stallLimit+2*r.pool.checkEvery)
			return r
		}

		for _, trickles := range []bool{false, true} {
			upload := send(strings.Repeat(" ", 1<<20), 4<<20)
			requireHeld(4 << 20)
			if trickles {
				running.Go(func() {
					for err := error(nil); err == nil; time.Sleep(100 * time.Millisecond) {
						_, err = io.WriteString(upload, " ")
					}
				})
			}
			all := reserveAll()
			response, err := io.ReadAll(upload)
			require.NoError(t, err)
			require.Contains(t, string(response), "503 Service Unavailable")
			require.Contains(t, string(response), `"code":"overloaded"`)
			require.Contains(t, string(response), "Connection: close")
			all.release()
		}

		body := webhookOf(100_000)
		halfRead := send(body, len(body))
		start := make([]byte, 100<<10)
		_, err := io.ReadFull(halfRead, start)
		require.NoError(t, err)
		require.Contains(t, string(start), "200 OK")
		requireHeld(len(body))
		reserveAll().release()
		response, err := io.ReadAll(halfRead)
		require.NoError(t, err)
		require.Empty(t, response, "the connection is closed before the end of the response")

		synctest.Wait()
		require.Equal(t, []int{http.StatusServiceUnavailable, http.StatusServiceUnavailable, 0}, statuses)
		for _, pool := range a.memory.pools() {
			requireUnused(t, pool)
		}
		require.NoError(t, server.Close())
		running.Wait()
	})
}

// An error that is not a problem of the request is logged by its type and becomes 500.
func TestInternalError(t *testing.T) {
	a := newTestAPI(t)
	var log bytes.Buffer
	a.logger = slog.New(slog.NewTextHandler(&log, nil))
	w := httptest.NewRecorder()
	out := a.newResponder(w, httptest.NewRequest(http.MethodGet, "/", nil))
	out.writeProblem(errors.New("canary"))
	require.Equal(t, http.StatusInternalServerError, w.Code)
	require.Contains(t, w.Body.String(), "internal_error")
	require.Contains(t, log.String(), "*errors.errorString")
	require.NotContains(t, log.String()+w.Body.String(), "canary")
}

// A response may have more header fields than share one allocation.
func TestManyHeaderFields(t *testing.T) {
	w := httptest.NewRecorder()
	out := newTestAPI(t).newResponder(w, httptest.NewRequest(http.MethodGet, "/", nil))
	for i := range 2 * maxHeaders {
		out.set(fmt.Sprint("X-", i), fmt.Sprint(i))
	}
	for i := range 2 * maxHeaders {
		require.Equal(t, []string{fmt.Sprint(i)}, w.Header()[fmt.Sprint("X-", i)])
	}
}

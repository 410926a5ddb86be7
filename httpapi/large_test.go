package httpapi

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

const normalizeTarget = prefix + "/business/webhook/normalize"

// webhookOf returns a webhook with so many bytes, at least 26.
func webhookOf(size int) string {
	const empty = `{"messages":[{"text":""}]}`
	return strings.Replace(empty, `""`, `"`+strings.Repeat("x", size-len(empty))+`"`, 1)
}

// longName returns a webhook in which so many messages have a contact with so long a name.
func longName(name, messages int) string {
	return `{"contacts":[{"wa_id":"1","profile":{"name":"` + strings.Repeat("a", name) + `"}}],"messages":[{"from":"1"}` +
		strings.Repeat(`,{"from":"1"}`, messages-1) + `]}`
}

// emptyMessages returns a webhook with so many messages of 3 bytes.
func emptyMessages(n int) string {
	return `{"messages":[{}` + strings.Repeat(`,{}`, n-1) + `]}`
}

func post(h http.Handler, body string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, normalizeTarget, strings.NewReader(body))
	for _, f := range change {
		f(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// Bodies of every size around those of the buffers arrive whole, with an announced length,
// without one, and with one that middleware has left wrong.
func TestBodySizes(t *testing.T) {
	h := newTestHandler(t)
	for _, size := range []int{26, 1023, 1024, 1025, freeBytes - 1, freeBytes, freeBytes + 1, 65536, 65537, webhookBody - 1, webhookBody, webhookBody + 1, webhookBody + 99} {
		body := webhookOf(size)
		for _, length := range []int64{int64(size), -1, 20, 5000} {
			w := post(h, body, func(r *http.Request) { r.ContentLength = length })
			if size > webhookBody {
				require.Equal(t, "close", w.Header().Get("Connection"))
				require.Contains(t, w.Body.String(), `"body_too_large","message":"the body must be at most 4096 KiB"`, "%d", size)
			} else {
				require.Equal(t, http.StatusOK, w.Code, "%d", size)
				require.Contains(t, w.Body.String(), body[13:size-2])
			}
			requireUnused(t, &h.slots)
		}
	}
}

// A body that middleware limits is too long by the limit of the middleware.
func TestMaxBytesHandler(t *testing.T) {
	h := newTestHandler(t)
	for limit, want := range map[int64]string{1 << 20: "1024 KiB", 1000: "1000 bytes"} {
		w := post(http.MaxBytesHandler(h, limit), webhookOf(1600<<10))
		require.Contains(t, w.Body.String(), `"body_too_large","message":"the body must be at most `+want+`"`)
		requireUnused(t, &h.slots)
	}
}

// A response has at most 8 MiB, however small its body is.
func TestResponseTooLarge(t *testing.T) {
	h := newTestHandler(t)
	for _, tt := range []struct {
		body   string
		status int
	}{
		{longName(100, 100), http.StatusOK},
		{longName(8000, 600), http.StatusOK}, // a short body with a long response
		{longName(8000, 600) + strings.Repeat(" ", freeBytes), http.StatusOK},
		{longName(8000, 1200), http.StatusBadRequest},
		{longName(500_000, 10_000), http.StatusBadRequest},
		{emptyMessages(16_384), http.StatusOK},
	} {
		w := post(h, tt.body)
		require.Equal(t, tt.status, w.Code, len(tt.body))
		if tt.status != http.StatusOK {
			require.Contains(t, w.Body.String(), `"code":"response_too_large"`)
		}
		require.LessOrEqual(t, w.Body.Len(), maxResponse)
		requireUnused(t, &h.slots)
	}
	require.Contains(t, post(h, emptyMessages(16_385)).Body.String(), `"code":"webhook_too_many_events"`)
}

// A request gets 503 if no slot is free in time, for a long body and for a long response.
func TestOverloaded(t *testing.T) {
	for _, body := range []string{webhookOf(freeBytes + 1), longName(8000, 600)} {
		synctest.Test(t, func(t *testing.T) {
			h := newTestHandler(t)
			var held []*taker
			for n := range uint32(slotCount) {
				held = append(held, takeLater(t, &h.slots, n))
			}
			began := time.Now()
			w := post(h, body)
			require.Equal(t, waitLimit, time.Since(began))
			require.Equal(t, http.StatusServiceUnavailable, w.Code)
			require.Contains(t, w.Body.String(), `"code":"overloaded"`)
			require.Equal(t, "5", w.Header().Get("Retry-After"))
			require.Equal(t, http.StatusOK, post(h, webhookOf(1000)).Code, "small requests need no slot")
			releaseAll(held)
			requireUnused(t, &h.slots)
		})
	}
}

// The clients of a /48 share their slots.
func TestSlotsOfNetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTestHandler(t)
		for range slotsPerClient {
			h.slots.take(t.Context(), network(subscriber(netip.MustParseAddr("2001:db8:1:2::3")), slotNetwork))
		}
		for peer, status := range map[string]int{"[2001:db8:1:ffff::]:1": http.StatusServiceUnavailable, "[2001:db8:2::]:1": http.StatusOK} {
			w := post(h, webhookOf(1<<20), func(r *http.Request) { r.RemoteAddr = peer })
			require.Equal(t, status, w.Code, peer)
		}
	})
}

// An observation has status 0 for a request or response that was cut off, and the handler
// doesn't panic.
func TestObserveCutOff(t *testing.T) {
	var seen Observation
	h := newTestHandler(t)
	h.observe = func(_ context.Context, o Observation) { seen = o }
	for _, body := range []string{longName(10, 1), longName(8000, 600)} {
		w := &brokenWriter{ResponseRecorder: httptest.NewRecorder(), room: 100}
		h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, normalizeTarget, strings.NewReader(body)))
		require.Zero(t, seen.Status)
		require.Equal(t, 100, seen.Bytes)
		requireUnused(t, &h.slots)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, body := range []io.Reader{io.MultiReader(strings.NewReader(`{`), iotest.ErrReader(io.ErrUnexpectedEOF)), strings.NewReader(webhookOf(1 << 20))} {
		h.working = make(chan struct{}) // nobody takes from it
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodPost, normalizeTarget, body))
		require.Zero(t, seen.Status)
		requireUnused(t, &h.slots)
	}
}

// A brokenWriter fails when it has no room.
type brokenWriter struct {
	*httptest.ResponseRecorder
	room int
}

func (w *brokenWriter) Write(p []byte) (int, error) {
	n := min(w.room, len(p))
	w.room -= n
	if n < len(p) {
		return n, errors.New("gone")
	}
	return n, nil
}

// A world is a server with connections in memory, so that its time is that of a bubble.
type world struct {
	handler *Handler
	conns   chan net.Conn
	seen    chan Observation
}

// newWorld starts a server without timeouts in a bubble.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{newTestHandler(t), make(chan net.Conn), make(chan Observation, 1000)}
	w.handler.observe = func(_ context.Context, o Observation) { w.seen <- o }
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{Handler: w.handler, Protocols: &protocols} //nolint:gosec // it's what is tested
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(w) })
	t.Cleanup(func() {
		_ = server.Close()
		serving.Wait()
		time.Sleep(time.Minute) // the server ends its connections
	})
	return w
}

func (w *world) Accept() (net.Conn, error) {
	if conn, ok := <-w.conns; ok {
		return conn, nil
	}
	return nil, net.ErrClosed
}

func (w *world) Close() error {
	close(w.conns)
	return nil
}

func (w *world) Addr() net.Addr { return &net.TCPAddr{} }

type peerConn struct {
	net.Conn
	peer string
}

func (c peerConn) RemoteAddr() net.Addr { return c }
func (c peerConn) Network() string      { return "tcp" }
func (c peerConn) String() string       { return c.peer }

// dial connects a client.
func (w *world) dial(client int) net.Conn {
	ours, theirs := net.Pipe()
	w.conns <- peerConn{theirs, fmt.Sprintf("192.0.2.%d:1", client)}
	return ours
}

// webhook posts an honest webhook and returns the status.
func webhook(conn net.Conn, size int) (int, error) {
	defer conn.Close()
	body := webhookOf(size)
	go func() {
		_, _ = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", normalizeTarget, len(body), body)
	}()
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(io.Discard, res.Body)
	if err == nil && res.StatusCode == http.StatusOK && n < int64(len(body)) {
		err = io.ErrUnexpectedEOF
	}
	return res.StatusCode, err
}

// An upload that stalls or is too slow gets 408, without any timeout of the server.
func TestSlowUploads(t *testing.T) {
	for _, tt := range []struct {
		sent, drip int // drip bytes every 100 ms
		after      time.Duration
	}{
		{100, 0, freeTime},
		{100, 100, freeTime},
		{20 << 10, 0, 3 * time.Second},
		{16<<10 + 1, 4500, 3*time.Second + 4*67_500*time.Second/65_536}, // of five pieces with 15 drips each, the last arrives after 7.5 s
		{20 << 10, 9000, 30 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			conn := w.dial(1)
			began := time.Now()
			go func() {
				_, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", normalizeTarget, webhookBody, strings.Repeat(" ", tt.sent))
				for err == nil && tt.drip > 0 {
					time.Sleep(100 * time.Millisecond)
					_, err = conn.Write(bytes.Repeat([]byte{' '}, tt.drip))
				}
			}()
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			require.NoError(t, err)
			body, err := io.ReadAll(res.Body)
			require.NoError(t, err)
			require.Equal(t, http.StatusRequestTimeout, res.StatusCode)
			require.Contains(t, string(body), `"code":"request_timeout"`)
			require.Equal(t, tt.after, time.Since(began))
			seen := <-w.seen
			require.Equal(t, http.StatusRequestTimeout, seen.Status)
			require.Equal(t, codeRequestTimeout, seen.Code)
			require.NoError(t, conn.Close())
			requireUnused(t, &w.handler.slots)
		})
	}
}

// A response that isn't read is cut off, and isn't observed as a success.
func TestUnreadResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		conn := w.dial(1)
		body := longName(8000, 1000)
		_, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", normalizeTarget, len(body), body)
		require.NoError(t, err)
		began := time.Now()
		require.Zero(t, (<-w.seen).Status)
		require.Equal(t, leeway, time.Since(began))
		require.NoError(t, conn.Close())
		requireUnused(t, &w.handler.slots)
	})
}

// The deadlines of a large request don't reach into the next one on its connection.
func TestDeadlinesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		conn := w.dial(1)
		answers := bufio.NewReader(conn)
		for range 3 {
			body := longName(8000, 1000) + strings.Repeat(" ", 100_000)
			go func() {
				_, _ = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", normalizeTarget, len(body), body)
			}()
			res, err := http.ReadResponse(answers, nil)
			require.NoError(t, err)
			_, err = io.Copy(io.Discard, res.Body)
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, res.StatusCode)
			require.Equal(t, http.StatusOK, (<-w.seen).Status)
			time.Sleep(time.Minute)
		}
		require.NoError(t, conn.Close())
	})
}

// While HTTP/2 uploads that stop hold all slots, the webhook of another client waits for a second
// and gets the slot of one of them. The others end with 408.
func TestStoppedHTTP2Uploads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		var protocols http.Protocols
		protocols.SetUnencryptedHTTP2(true)
		statuses := make(chan int, slotCount)
		for client := range 2 {
			transport := &http.Transport{Protocols: &protocols, DialContext: func(context.Context, string, string) (net.Conn, error) { return w.dial(client), nil }}
			defer transport.CloseIdleConnections()
			for range slotsPerClient {
				go func() {
					body, stopped := io.Pipe()
					defer func() { _ = stopped.Close() }()
					go func() { _, _ = stopped.Write(make([]byte, 20<<10)) }()
					r, err := http.NewRequest(http.MethodPost, "http://x"+normalizeTarget, body)
					require.NoError(t, err)
					res, err := transport.RoundTrip(r)
					require.NoError(t, err)
					require.NoError(t, res.Body.Close())
					statuses <- res.StatusCode
				}()
			}
		}
		synctest.Wait()
		began := time.Now()
		status, err := webhook(w.dial(2), 3_000_000)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, status)
		require.LessOrEqual(t, time.Since(began), patience+checkEvery)
		require.Equal(t, http.StatusServiceUnavailable, <-statuses)
		for range slotCount - 1 {
			require.Equal(t, http.StatusRequestTimeout, <-statuses)
		}
		require.Equal(t, leeway, time.Since(began))
		requireUnused(t, &w.handler.slots)
	})
}

// A roomReader is a body that records the room for it: the bytes read so far and the buffer.
type roomReader struct {
	reader io.Reader
	read   int
	most   int
}

func (b *roomReader) Read(p []byte) (int, error) {
	b.most = max(b.most, b.read+len(p))
	n, err := b.reader.Read(p)
	b.read += n
	return n, err
}

// A request that waits for a slot, or stalls before, doesn't have memory for more than 16 KiB.
func TestMemoryWithoutSlot(t *testing.T) {
	for _, announced := range []int64{webhookBody, -1} {
		synctest.Test(t, func(t *testing.T) {
			h := newTestHandler(t)
			for range slotsPerClient {
				require.NotNil(t, h.slots.take(t.Context(), network(subscriber(netip.MustParseAddr("192.0.2.1")), slotNetwork)))
			}
			body := &roomReader{reader: strings.NewReader(webhookOf(webhookBody))}
			w := post(h, "", func(r *http.Request) { r.Body, r.ContentLength = io.NopCloser(body), announced })
			require.Equal(t, http.StatusServiceUnavailable, w.Code)
			require.LessOrEqual(t, body.most, freeBytes+1)
		})
	}
}

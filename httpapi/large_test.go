package httpapi

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
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

	"github.com/hailmark/hailmark/httpapi/bound"
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
	for _, size := range []int{26, 1023, 1024, 1025, bound.SmallBody - 1, bound.SmallBody, bound.SmallBody + 1, 65536, 65537, webhookBody - 1, webhookBody, webhookBody + 1, webhookBody + 99} {
		body := webhookOf(size)
		for _, length := range []int64{int64(size), -1, 20, 5000} {
			w := post(h, body, func(r *http.Request) { r.ContentLength = length })
			if size > webhookBody {
				require.Equal(t, "close", w.Header().Get("Connection"))
				require.Contains(t, w.Body.String(), `"body_too_large","message":"the body is too large; at most 4096 KiB are allowed"`, "%d", size)
			} else {
				require.Equal(t, http.StatusOK, w.Code, "%d", size)
				require.Contains(t, w.Body.String(), body[13:size-2])
			}
			requireNothingHeld(t, h)
		}
	}
}

// A body that middleware limits is too long by the limit of the middleware.
func TestMaxBytesHandler(t *testing.T) {
	h := newTestHandler(t)
	for limit, want := range map[int64]string{1 << 20: "1024 KiB", 1000: "1000 bytes"} {
		w := post(http.MaxBytesHandler(h, limit), webhookOf(1600<<10))
		require.Contains(t, w.Body.String(), `"body_too_large","message":"the body is too large; at most `+want+` are allowed"`)
		requireNothingHeld(t, h)
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
		{longName(8000, 600) + strings.Repeat(" ", bound.SmallBody), http.StatusOK},
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
		requireNothingHeld(t, h)
	}
	require.Contains(t, post(h, emptyMessages(16_385)).Body.String(), `"code":"webhook_too_many_events"`)
}

// Reading is limited like normalizing, however many elements of other kinds a webhook has.
func TestReadLimits(t *testing.T) {
	h := newTestHandler(t)
	history := func(n int, message string) string {
		return `{"history":[{"threads":[{"messages":[` + message + strings.Repeat(`,`+message, n-1) + `]}]}]}`
	}
	for _, tt := range []struct {
		body string
		code string
	}{
		{webhookOf(webhookBody), ""},
		{longName(100, 100), ""},
		{longName(8000, 600), ""},
		{longName(8000, 1200), "response_too_large"},
		{history(16_384, `{}`), ""},
		{history(16_385, `{}`), "webhook_too_many_events"},
		{history(16_384, `{"a":"`+strings.Repeat("x", 200)+`"}`), ""},
		{history(2_000, `{"text":{"body":"`+strings.Repeat("x", 2000)+`"}}`), ""},
		{`{"statuses":[{}` + strings.Repeat(`,{}`, 16_383) + `],"x":1}`, "webhook_too_many_events"}, // with the other
		{`{"messages":[{"type":"text","text":{"body":"` + strings.Repeat("\\u0001", 600_000) + `"}}]}`, ""},
		{`{"history":[{"threads":[{"messages":[{"text":{"body":"` + strings.Repeat("x", 2_900_000) + `"}}],"x":1}]}],"y":1}`, "response_too_large"},
	} {
		r := httptest.NewRequest(http.MethodPost, prefix+"/business/webhook/read", strings.NewReader(tt.body))
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if tt.code == "" {
			require.Equal(t, http.StatusOK, w.Code, "%.100s: %.200s", tt.body, w.Body)
			require.True(t, json.Valid(w.Body.Bytes()))
		} else {
			require.Contains(t, w.Body.String(), `"code":"`+tt.code+`"`, "%.100s", tt.body)
		}
		require.LessOrEqual(t, w.Body.Len(), maxResponse)
		requireNothingHeld(t, h)
	}
}

// requireNothingHeld requires that no request has a share of the handler's pool.
func requireNothingHeld(t *testing.T, h *Handler) {
	t.Helper()
	require.Zero(t, h.pool.Stats().Taken)
}

// occupy takes all of a new pool for the handler, until the returned function is called.
func occupy(t *testing.T, h *Handler) (release func()) {
	t.Helper()
	h.pool = bound.NewPool(16 << 20)
	other := h.pool.Begin(httptest.NewRequest(http.MethodPost, normalizeTarget, nil), netip.Addr{})
	require.NoError(t, other.Reserve(httptest.NewRecorder(), 16<<20))
	return other.End
}

// A large body or response that finds no room in time gets 503, and small requests don't wait.
func TestOverloaded(t *testing.T) {
	for _, body := range []string{webhookOf(1 << 20), longName(8000, 600)} {
		synctest.Test(t, func(t *testing.T) {
			h := newTestHandler(t)
			var seen Observation
			h.observe = func(_ context.Context, o Observation) { seen = o }
			release := occupy(t, h)
			began := time.Now()
			w := post(h, body)
			require.Equal(t, bound.LineTime, time.Since(began))
			require.Zero(t, seen.Duration, "the line isn't the handler's time")
			require.Equal(t, http.StatusServiceUnavailable, w.Code)
			require.Contains(t, w.Body.String(), `"code":"overloaded"`)
			require.Equal(t, "5", w.Header().Get("Retry-After"))
			require.Equal(t, "close", w.Header().Get("Connection"))
			began = time.Now()
			require.Equal(t, http.StatusOK, post(h, webhookOf(1000)).Code)
			require.Zero(t, time.Since(began))
			time.AfterFunc(time.Second, release)
			require.Equal(t, http.StatusOK, post(h, body).Code)
			require.Equal(t, time.Second, time.Since(began))
			requireNothingHeld(t, h)
		})
	}
}

// A response that's longer than the share of its body needs room that's free, and doesn't wait for it.
func TestResponseWithoutRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTestHandler(t)
		h.pool = bound.NewPool(5 << 20)
		body := longName(8000, 600) + strings.Repeat(" ", bound.SmallBody)
		other := h.pool.Begin(httptest.NewRequest(http.MethodPost, normalizeTarget, nil), netip.Addr{})
		require.NoError(t, other.Reserve(httptest.NewRecorder(), 1<<20))
		began := time.Now()
		require.Equal(t, http.StatusServiceUnavailable, post(h, body).Code)
		require.Zero(t, time.Since(began))
		other.End()
		require.Equal(t, http.StatusOK, post(h, body).Code)
		requireNothingHeld(t, h)
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
		requireNothingHeld(t, h)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	cut := io.MultiReader(strings.NewReader(`{`), iotest.ErrReader(io.ErrUnexpectedEOF))
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodPost, normalizeTarget, cut))
	require.Zero(t, seen.Status)
	requireNothingHeld(t, h)
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
	return startWorld(t, 0)
}

// startWorld starts one with a WriteTimeout.
func startWorld(t *testing.T, timeout time.Duration) *world {
	t.Helper()
	w := &world{newTestHandler(t), make(chan net.Conn), make(chan Observation, 1000)}
	w.handler.pool = bound.NewPool(64 << 20)
	w.handler.observe = func(_ context.Context, o Observation) { w.seen <- o }
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{Handler: w.handler, Protocols: &protocols, WriteTimeout: timeout} //nolint:gosec // it's what is tested
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

// An upload that stalls or is too slow gets 408, without any timeout of the server, and with one that has passed by then,
// also if the server and the client need seconds for the response.
func TestSlowUploads(t *testing.T) {
	for _, drip := range []int{0, 100, 9000} { // bytes every 100 ms
		testSlowUpload(t, drip, 0)
	}
	testSlowUpload(t, 0, bound.TransferTime)
}

func testSlowUpload(t *testing.T, drip int, timeout time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		w := startWorld(t, timeout)
		conn := w.dial(1)
		began := time.Now()
		go func() {
			_, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n ", normalizeTarget, webhookBody)
			for err == nil && drip > 0 {
				time.Sleep(100 * time.Millisecond)
				_, err = conn.Write(bytes.Repeat([]byte{' '}, drip))
			}
		}()
		seen := <-w.seen
		require.Equal(t, bound.TransferTime, time.Since(began))
		time.Sleep(5 * time.Second)
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		require.NoError(t, err)
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.Equal(t, http.StatusRequestTimeout, res.StatusCode)
		require.Contains(t, string(body), `"code":"request_timeout"`)
		require.Equal(t, http.StatusRequestTimeout, seen.Status)
		require.Equal(t, CodeRequestTimeout, seen.Code)
		require.NoError(t, conn.Close())
		requireNothingHeld(t, w.handler)
	})
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
		require.Equal(t, bound.TransferTime, time.Since(began))
		require.NoError(t, conn.Close())
		requireNothingHeld(t, w.handler)
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

// While uploads that stop fill the pool, the webhook of another client takes the place of one soon.
// The others end with 408.
func TestStoppedUploads(t *testing.T) {
	for _, isHTTP2 := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			const uploads = 8
			w := newWorld(t)
			var protocols http.Protocols
			protocols.SetHTTP1(!isHTTP2)
			protocols.SetUnencryptedHTTP2(isHTTP2)
			statuses := make(chan int, uploads)
			transport := &http.Transport{Protocols: &protocols, DialContext: func(context.Context, string, string) (net.Conn, error) { return w.dial(1), nil }}
			defer transport.CloseIdleConnections()
			for range uploads {
				go func() {
					body, stopped := io.Pipe()
					defer func() { _ = stopped.Close() }()
					go func() { _, _ = stopped.Write(make([]byte, 600<<10)) }()
					r, err := http.NewRequest(http.MethodPost, "http://x"+normalizeTarget, body)
					require.NoError(t, err)
					res, err := transport.RoundTrip(r)
					require.NoError(t, err)
					require.NoError(t, res.Body.Close())
					statuses <- res.StatusCode
				}()
			}
			synctest.Wait()
			time.Sleep(time.Second)
			began := time.Now()
			status, err := webhook(w.dial(2), 3_000_000)
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, status)
			require.Less(t, time.Since(began), time.Second)
			counts := map[int]int{}
			for range uploads {
				counts[<-statuses]++
			}
			require.Equal(t, uploads, counts[http.StatusServiceUnavailable]+counts[http.StatusRequestTimeout])
			require.Positive(t, counts[http.StatusServiceUnavailable])
			require.Positive(t, counts[http.StatusRequestTimeout])
			requireNothingHeld(t, w.handler)
		})
	}
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

// While there's no room for a large body, none of it is read, and no more of one without a length than
// of a small one.
func TestMemoryOfBody(t *testing.T) {
	for announced, most := range map[int64]int{webhookBody: 0, bound.SmallBody + 1: 0, -1: bound.SmallBody + 1} {
		synctest.Test(t, func(t *testing.T) {
			h := newTestHandler(t)
			defer occupy(t, h)()
			body := &roomReader{reader: strings.NewReader(webhookOf(webhookBody))}
			w := post(h, "", func(r *http.Request) { r.Body, r.ContentLength = io.NopCloser(body), announced })
			require.Equal(t, http.StatusServiceUnavailable, w.Code)
			require.Equal(t, most, body.most)
		})
	}
}

// A response that doesn't need the body comes at once, although the body never does.
func TestUnreadBodies(t *testing.T) {
	for _, tt := range []struct {
		head   string
		status int
	}{
		{"GET /api/v1/validate/key?key=aB3d", http.StatusOK},
		{"POST /api/v1/nothing", http.StatusNotFound},
		{"POST /api/v1/validate/key", http.StatusMethodNotAllowed},
		{"OPTIONS " + normalizeTarget, http.StatusNoContent},
		{"TEXT " + normalizeTarget, http.StatusMethodNotAllowed},
		{"POST " + normalizeTarget + " HTTP/1.1\r\nContent-Type: text/plain", http.StatusBadRequest},
		{"POST " + normalizeTarget + " HTTP/1.1\r\nContent-Encoding: gzip", http.StatusBadRequest},
	} {
		for _, length := range []string{"Content-Length: 100", "Content-Length: 10000000", "Transfer-Encoding: chunked"} {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				conn := w.dial(1)
				head := tt.head
				if !strings.Contains(head, " HTTP/1.1") {
					head += " HTTP/1.1"
				}
				began := time.Now()
				go func() { _, _ = fmt.Fprintf(conn, "%s\r\nHost: x\r\n%s\r\n\r\n", head, length) }()
				r := bufio.NewReader(conn)
				res, err := http.ReadResponse(r, nil)
				require.NoError(t, err)
				require.Zero(t, time.Since(began), head)
				require.Equal(t, tt.status, res.StatusCode, head)
				require.True(t, res.Close)
				_, err = io.Copy(io.Discard, res.Body)
				require.NoError(t, err)
				_, err = r.ReadByte()
				require.ErrorIs(t, err, io.EOF)
				require.LessOrEqual(t, time.Since(began), 2*time.Second)
			})
		}
	}
}

func TestContentEncoding(t *testing.T) {
	h := newTestHandler(t)
	for coding, status := range map[string]int{"": http.StatusOK, "identity": http.StatusOK, "Identity": http.StatusOK, "gzip": http.StatusBadRequest, "br": http.StatusBadRequest} {
		w := post(h, webhookOf(100), func(r *http.Request) { r.Header.Set("Content-Encoding", coding) })
		require.Equal(t, status, w.Code, coding)
		if status != http.StatusOK {
			require.Contains(t, w.Body.String(), `"unsupported_content_type","message":"Content-Encoding is \"`)
		}
	}
}

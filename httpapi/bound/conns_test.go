package bound

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type fakeConn struct {
	net.Conn
	isClosed bool
}

func (c *fakeConn) Close() error               { c.isClosed = true; return nil }
func (c *fakeConn) Read(p []byte) (int, error) { return len(p), nil }

// A world is a server that doesn't listen.
type world struct {
	*Listener
	server *http.Server
}

func newWorld(limits Limits) world {
	server := &http.Server{Handler: http.NotFoundHandler()} //nolint:gosec // it doesn't listen
	return world{Listen(server, nil, limits), server}
}

// dial returns a connection from a host, or nil if it's rejected.
func (w world) dial(host int) *conn {
	c := &conn{Conn: &fakeConn{}, listener: w.Listener, addr: addr(byte(host)), since: time.Now()}
	c.inHeader.Store(true)
	if !w.admit(c) {
		return nil
	}
	return c
}

func (c *conn) isClosed() bool { return c.Conn.(*fakeConn).isClosed }

func (c *conn) receive(t *testing.T, n int) {
	t.Helper()
	_, err := c.Read(make([]byte, n))
	require.NoError(t, err)
}

// Without room, the host that holds most loses its oldest connection, unless it holds little more than
// the newcomer's host and the connection is new.
func TestVictims(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(Limits{Connections: 5})
		var conns []*conn
		for _, host := range []int{1, 2, 2, 2, 3} {
			conns = append(conns, w.dial(host))
			time.Sleep(time.Millisecond)
		}
		require.NotNil(t, w.dial(4))
		for i, c := range conns {
			require.Equal(t, i == 1, c.isClosed(), "%d", i)
		}
		require.Nil(t, w.dial(5), "host 2 holds twice as much, and its connections are new")
		time.Sleep(settled)
		require.NotNil(t, w.dial(5))
		require.True(t, conns[2].isClosed())
		for c := range w.conns {
			require.NoError(t, c.Close())
			require.NoError(t, c.Close())
		}
		stats := w.Stats()
		require.Equal(t, ConnStats{Limits: w.limits, Accepted: 7, Ended: 2, Rejected: 1}, stats)
		require.Zero(t, w.open)
		require.Empty(t, w.hosts)
	})
}

// A listener has as many connections as it says.
func TestConnectionsFit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for n := range 50 {
			for _, isSecure := range []bool{false, true} {
				server := &http.Server{Handler: http.NotFoundHandler()} //nolint:gosec // it doesn't listen
				if isSecure {
					server.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12}
				}
				w := world{Listen(server, nil, Limits{Bytes: int64(n+3) * 40_000, Connections: n % 3 * 4}), server}
				most := w.Stats().Limits.Connections
				for host := range most {
					require.NotNil(t, w.dial(host))
				}
				require.Equal(t, ConnStats{Open: most, Held: w.held, Limits: w.limits, Accepted: uint64(most)}, w.Stats())
				require.Nil(t, w.dial(most), "a host with as many connections that are as new")
			}
		}
	})
}

// A client that reads the response only once it has sent its body gets it, although nobody wants the body.
func TestRestOfBody(t *testing.T) {
	for _, isSecure := range []bool{false, true} {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			CloseUnread(w, r)
			http.Error(w, "busy", http.StatusServiceUnavailable)
		}))
		server.EnableHTTP2 = false
		if isSecure {
			server.Config.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12}
		}
		if server.Listener = Listen(server.Config, server.Listener, Limits{}); isSecure {
			server.StartTLS()
		} else {
			server.Start()
		}
		client := server.Client()
		response, err := client.Post(server.URL, "text/plain", bytes.NewReader(make([]byte, 3<<20)))
		require.NoError(t, err)
		require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
		require.NoError(t, response.Body.Close())

		tcp, err := net.Dial("tcp", server.Listener.Addr().String())
		require.NoError(t, err)
		require.NoError(t, tcp.(*net.TCPConn).SetWriteBuffer(16<<10)) // so that it waits for the server
		c := tcp
		if isSecure {
			config := client.Transport.(*http.Transport).TLSClientConfig.Clone()
			config.ServerName = "example.com"
			c = tls.Client(tcp, config)
		}
		_, err = fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: example.com\r\nContent-Length: %d\r\n\r\n", 3<<20)
		require.NoError(t, err)
		_, err = c.Write(make([]byte, 3<<20))
		require.NoError(t, err)
		response, err = http.ReadResponse(bufio.NewReader(c), nil)
		require.NoError(t, err)
		require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
		text, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.Equal(t, "busy\n", string(text))
		require.NoError(t, c.Close())
		server.Close()
	}
}

// A memoryListener accepts connections in memory, so that their time is that of a bubble.
type memoryListener chan net.Conn

func (l memoryListener) Accept() (net.Conn, error) {
	if c, ok := <-l; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}
func (l memoryListener) Close() error { close(l); return nil }
func (memoryListener) Addr() net.Addr { return &net.TCPAddr{} }

// The rest of a body that nobody wants may come as slowly as one that somebody wants.
func TestSlowRestOfBody(t *testing.T) {
	for _, size := range []int{300_000, 3 << 20, 4 << 20} {
		synctest.Test(t, func(t *testing.T) {
			server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { //nolint:gosec // it listens in memory
				CloseUnread(w, r)
				http.Error(w, "busy", http.StatusServiceUnavailable)
			})}
			listener := make(memoryListener)
			go func() { _ = server.Serve(Listen(server, listener, Limits{})) }()
			client, conn := net.Pipe()
			listener <- conn
			statuses := make(chan int, 1)
			go func() {
				response, err := http.ReadResponse(bufio.NewReader(client), nil)
				if assert.NoError(t, err) {
					statuses <- response.StatusCode
				}
			}()
			_, err := fmt.Fprintf(client, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", size)
			require.NoError(t, err)
			part := make([]byte, 15_000)
			for sent := 0; sent < size; sent += len(part) {
				_, err := client.Write(part[:min(len(part), size-sent)])
				require.NoError(t, err, "after %d of %d bytes", sent, size)
				time.Sleep(100 * time.Millisecond)
			}
			require.Equal(t, http.StatusServiceUnavailable, <-statuses)
			require.NoError(t, client.Close())
			require.NoError(t, server.Close())
			synctest.Wait()
		})
	}
}

// A connection whose request has a share of a pool isn't closed for others.
func TestSharesKeepConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(Limits{Connections: 2})
		first, second := w.dial(1), w.dial(1)
		first.join()
		time.Sleep(settled)
		require.NotNil(t, w.dial(2))
		require.False(t, first.isClosed())
		require.True(t, second.isClosed())
		first.leave()
		time.Sleep(settled)
		require.NotNil(t, w.dial(3))
		require.True(t, first.isClosed())
	})
}

// A header counts until the response has been sent, or until a pool counts it. What net/http has read
// with it of a body or of the next header doesn't count as this header.
func TestHeadersCount(t *testing.T) {
	w := newWorld(Limits{})
	c := w.dial(1)
	requireHeld := func(header int64) {
		t.Helper()
		require.Equal(t, connBytes+header, w.Stats().Held)
	}
	requireHeld(0)
	c.receive(t, 100)
	c.receive(t, 200)
	requireHeld(300 * headerFactor)
	w.server.ConnState(c, http.StateActive)
	c.receive(t, 50) // of a body, and perhaps of the next header
	requireHeld(300 * headerFactor)
	w.server.ConnState(c, http.StateIdle)
	requireHeld(50 * headerFactor)
	c.receive(t, 100)
	requireHeld(150 * headerFactor)
	c.receive(t, readAhead)
	requireHeld(largeHeader * headerFactor)
	w.server.ConnState(c, http.StateActive)
	requireHeld((150 + readAhead) * headerFactor)
	r := httptest.NewRequestWithContext(w.server.ConnContext(t.Context(), c), http.MethodPost, "/", strings.NewReader("a body"))
	w.server.Handler.ServeHTTP(httptest.NewRecorder(), r)
	require.Nil(t, r.Header, "net/http keeps the request of a connection that it closes")
	require.Less(t, w.Stats().Held, int64(connBytes+1<<10))
	require.True(t, c.load(1000))
	require.GreaterOrEqual(t, w.Stats().Held, int64(connBytes+1000))
	c.join()
	requireHeld(0)
	c.receive(t, 1<<20)
	w.server.ConnState(c, http.StateIdle)
	requireHeld(0)
}

// A connection that was closed counts until net/http has finished with it. While such connections hold
// more than half of the room, others are rejected.
func TestClosingConnectionsCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(Limits{Bytes: 8 * connBytes})
		var conns []*conn
		for range 8 {
			conns = append(conns, w.dial(1))
		}
		time.Sleep(settled)
		for host := range 5 {
			require.NotNil(t, w.dial(2+host), "%d", host)
		}
		require.EqualValues(t, 5*connBytes, w.ending)
		require.EqualValues(t, 13*connBytes, w.Stats().Held)
		time.Sleep(settled)
		require.Nil(t, w.dial(9))
		for _, c := range conns {
			if c.isClosed() {
				require.NoError(t, c.Close())
			}
		}
		require.Zero(t, w.ending)
		require.NotNil(t, w.dial(9))
	})
}

// A header doesn't grow at the cost of others if its host holds most, and the body of a small request
// that finds no room leaves the connection as it was.
func TestGrowing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(Limits{Bytes: 4 * connBytes})
		small, large := w.dial(1), w.dial(2)
		require.False(t, large.load(4*connBytes))
		require.False(t, large.isClosed())
		require.EqualValues(t, 2*connBytes, w.Stats().Held)
		_, err := large.Read(make([]byte, readAhead+1))
		require.ErrorIs(t, err, errEnded)
		require.True(t, large.isClosed())
		require.False(t, small.isClosed())
		require.NoError(t, large.Close())
		require.EqualValues(t, connBytes, w.Stats().Held)
	})
}

// A server's requests without a handler are counted, and the others aren't.
func TestNoHandler(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := &http.Server{Handler: http.NotFoundHandler(), ReadHeaderTimeout: time.Minute, MaxHeaderBytes: 1 << 10}
	l := Listen(server, listener, Limits{})
	served := make(chan error)
	go func() { served <- server.Serve(l) }()
	for request, status := range map[string]int{
		"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n":                     http.StatusNotFound,
		"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.0\r\n\r\n":                    http.StatusNotFound,
		"GET / HTTP/1.1\r\n\r\n":                                                     http.StatusBadRequest,
		"GET / HTTP/1.1\r\nHost: x\r\nExpect: more\r\n\r\n":                          http.StatusExpectationFailed,
		"GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 8<<10) + "\r\n\r\n": http.StatusRequestHeaderFieldsTooLarge,
		"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n":              http.StatusNotImplemented,
		"GET / HTTP/3.0\r\nHost: x\r\n\r\n":                                          http.StatusHTTPVersionNotSupported,
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5x\r\n\r\nhello":              http.StatusBadRequest,
	} {
		c, err := net.Dial("tcp", listener.Addr().String())
		require.NoError(t, err)
		_, err = io.WriteString(c, request)
		require.NoError(t, err)
		r := bufio.NewReader(c)
		response, err := http.ReadResponse(r, nil)
		require.NoError(t, err)
		require.Equal(t, status, response.StatusCode, request)
		_, _ = io.Copy(io.Discard, r) // until the server has closed it
		require.NoError(t, c.Close())
	}
	require.NoError(t, server.Shutdown(t.Context()))
	require.ErrorIs(t, <-served, http.ErrServerClosed)
	require.EqualValues(t, 6, l.Stats().NoHandler)
	require.Zero(t, l.Stats().Open)
}

package clients

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseProxies(t *testing.T) {
	ranges, err := ParseProxies("10.0.0.7, fd00::/8,192.0.2.0/24")
	require.NoError(t, err)
	require.Equal(t, Proxies{netip.MustParsePrefix("10.0.0.7/32"), netip.MustParsePrefix("fd00::/8"), netip.MustParsePrefix("192.0.2.0/24")}, ranges)
	for _, list := range []string{"", "10.0.0", "10.0.0.7,", "10.0.0.7/8", "::ffff:10.0.0.0/104", "0.0.0.0/0", "::/0", "localhost"} {
		_, err := ParseProxies(list)
		require.Error(t, err, list)
	}
}

func TestAddr(t *testing.T) {
	ranges, err := ParseProxies("10.0.0.0/8,fd00::/8")
	require.NoError(t, err)
	for _, tt := range []struct {
		peer   string
		header []string
		want   string
	}{
		{"192.0.2.1:80", nil, "192.0.2.1"},
		{"192.0.2.1:80", []string{"198.51.100.1"}, "192.0.2.1"}, // not from a proxy
		{"10.0.0.1:80", nil, "10.0.0.1"},
		{"10.0.0.1:80", []string{"198.51.100.1"}, "198.51.100.1"},
		{"10.0.0.1:80", []string{"203.0.113.1, 198.51.100.1"}, "198.51.100.1"}, // the first may be forged
		{"10.0.0.1:80", []string{"203.0.113.1", "198.51.100.1", "10.0.0.2,fd00::1"}, "198.51.100.1"},
		{"10.0.0.1:80", []string{"198.51.100.1, nonsense, 10.0.0.2"}, "10.0.0.1"},
		{"10.0.0.1:80", []string{"198.51.100.1,"}, "10.0.0.1"},
		{"10.0.0.1:80", []string{""}, "10.0.0.1"},
		{"10.0.0.1:80", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.1"},
		{"[fd00::1%eth0]:80", []string{"198.51.100.1:4711"}, "198.51.100.1"},
		{"[::ffff:10.0.0.1]:80", []string{"[2001:db8::1]:80"}, "2001:db8::1"},
		{"10.0.0.1", []string{"[2001:db8::1]"}, "2001:db8::1"},
		{"10.0.0.1:80", []string{"2001:db8::1"}, "2001:db8::1"},
		{"10.0.0.1:80", []string{"::ffff:198.51.100.1"}, "198.51.100.1"},
	} {
		r := &http.Request{RemoteAddr: tt.peer, Header: http.Header{"X-Forwarded-For": tt.header, "Forwarded": {"for=203.0.113.9"}, "X-Real-Ip": {"203.0.113.9"}}}
		require.Equal(t, netip.MustParseAddr(tt.want), ranges.Addr(r), tt)
	}
	require.False(t, ranges.Addr(&http.Request{RemoteAddr: "@"}).IsValid(), "a Unix socket")
	long := &http.Request{RemoteAddr: "10.0.0.1:1", Header: http.Header{"X-Forwarded-For": {strings.Repeat(",", 60_000) + "198.51.100.1"}}}
	require.Equal(t, netip.MustParseAddr("198.51.100.1"), ranges.Addr(long))
}

// A fakeConn is a connection from an address, with something to read.
type fakeConn struct {
	net.Conn
	addr   string
	data   bytes.Buffer
	closed bool
}

func (c *fakeConn) RemoteAddr() net.Addr       { return fakeAddr(c.addr) }
func (c *fakeConn) Read(p []byte) (int, error) { return c.data.Read(p) }
func (c *fakeConn) Close() error               { c.closed = true; return nil }

type fakeAddr string

func (fakeAddr) Network() string  { return "tcp" }
func (a fakeAddr) String() string { return string(a) + ":4711" }

// A fakeListener accepts these connections.
type fakeListener struct{ conns []*fakeConn }

func (l *fakeListener) Accept() (net.Conn, error) {
	if len(l.conns) == 0 {
		return nil, net.ErrClosed
	}
	conn := l.conns[0]
	l.conns = l.conns[1:]
	return conn, nil
}
func (*fakeListener) Close() error   { return nil }
func (*fakeListener) Addr() net.Addr { return nil }

// accept returns the connections from these addresses that the limits allow.
func accept(l *Listener, addrs ...string) (accepted []net.Conn) {
	fake := l.Listener.(*fakeListener)
	for _, addr := range addrs {
		fake.conns = append(fake.conns, &fakeConn{addr: addr})
	}
	for {
		conn, err := l.Accept()
		if err != nil {
			return accepted
		}
		accepted = append(accepted, conn)
	}
}

func repeat(n int, addr func(i int) string) (addrs []string) {
	for i := range n {
		addrs = append(addrs, addr(i))
	}
	return addrs
}

func TestLimitsOfClients(t *testing.T) {
	for name, tt := range map[string]struct {
		addr func(i int) string
		want int
	}{
		"IPv4":           {func(int) string { return "192.0.2.1" }, MaxClientConns},
		"IPv4 addresses": {func(i int) string { return netip.AddrFrom4([4]byte{192, 0, byte(i >> 8), byte(i)}).String() }, 2000},
		"/64":            {func(i int) string { return "[" + netip.AddrFrom16([16]byte{0x20, 1, 15: byte(i)}).String() + "]" }, MaxClientConns},
		"/56":            {func(i int) string { return "[" + netip.AddrFrom16([16]byte{0x20, 1, 7: byte(i)}).String() + "]" }, 2 * MaxClientConns},
		"/48":            {func(i int) string { return "[" + netip.AddrFrom16([16]byte{0x20, 1, 6: byte(i)}).String() + "]" }, 4 * MaxClientConns},
		"proxy":          {func(int) string { return "10.0.0.1" }, 2000},
	} {
		l := Limit(&fakeListener{}, Proxies{netip.MustParsePrefix("10.0.0.0/8")})
		conns := accept(l, repeat(2000, tt.addr)...)
		require.Len(t, conns, tt.want, name)
		for _, conn := range conns {
			require.NoError(t, conn.Close())
			require.NoError(t, conn.Close())
		}
		require.Empty(t, l.conns, name)
		require.Empty(t, l.networks, name)
	}
}

// If there are too many connections, one that waits makes room. Clients behind a proxy don't
// lose a request in progress.
func TestLimitInTotal(t *testing.T) {
	l := Limit(&fakeListener{}, Proxies{netip.MustParsePrefix("10.0.0.0/8")})
	proxy := func(int) string { return "10.0.0.1" }
	conns := accept(l, repeat(MaxConns, proxy)...)
	require.Len(t, conns, MaxConns)
	for _, conn := range conns[1:] {
		l.ConnState(conn, http.StateActive)
	}
	require.Len(t, accept(l, "192.0.2.1"), 1)
	require.True(t, conns[0].(*limitedConn).Conn.(*fakeConn).closed)
	require.Len(t, accept(l, "192.0.2.2"), 1, "in place of the last one, which waits")
	l.ConnState(conns[7], http.StateIdle)
	require.Len(t, accept(l, "192.0.2.3", "192.0.2.4"), 2)
	require.Len(t, l.conns, MaxConns)
	for c := range l.conns {
		l.ConnState(c, http.StateActive)
	}
	require.Empty(t, accept(l, "192.0.2.5"))
}

// Clients that fill all connections with requests in progress, such as stopped uploads, lose
// some to others, and clients with a single one don't.
func TestLimitInTotalIsFair(t *testing.T) {
	l := Limit(&fakeListener{}, nil)
	small := accept(l, "192.0.2.1", "192.0.2.2")
	l.ConnState(small[1], http.StateActive)
	for len(l.conns) < MaxConns {
		for _, conn := range accept(l, fmt.Sprintf("198.51.100.%d", len(l.conns)%16)) {
			l.ConnState(conn, http.StateActive)
		}
	}
	for i := range 1000 {
		require.Len(t, accept(l, fmt.Sprintf("203.0.113.%d", i%250)), 1)
		accept(l, "198.51.100.1")
	}
	require.Len(t, l.conns, MaxConns)
	for _, conn := range small {
		require.False(t, conn.(*limitedConn).Conn.(*fakeConn).closed)
	}
}

func TestLargeHeaders(t *testing.T) {
	l := Limit(&fakeListener{}, nil)
	read := func(conn net.Conn, n int) {
		t.Helper()
		conn.(*limitedConn).Conn.(*fakeConn).data.WriteString(strings.Repeat("a", n))
		_, err := conn.Read(make([]byte, n))
		require.NoError(t, err)
	}
	isClosed := func(conn net.Conn) bool { return conn.(*limitedConn).Conn.(*fakeConn).closed }
	single := accept(l, "192.0.2.1", "192.0.2.2")
	many := accept(l, repeat(maxLargeHeaders, func(int) string { return "198.51.100.1" })...)
	read(single[0], smallHeader+1)
	for _, conn := range many {
		read(conn, smallHeader)
	}
	require.Len(t, l.largeHeaders, 1)
	for _, conn := range many[1:] {
		read(conn, 1)
		read(conn, 50_000)
	}
	require.Len(t, l.largeHeaders, maxLargeHeaders)
	require.False(t, slices.ContainsFunc(many, isClosed))

	l.ConnState(many[1], http.StateActive) // the header is complete, and a body follows
	read(many[1], 50_000)
	require.Len(t, l.largeHeaders, maxLargeHeaders-1)
	read(many[0], 1)
	require.Len(t, l.largeHeaders, maxLargeHeaders)
	require.False(t, slices.ContainsFunc(many, isClosed))

	read(single[1], smallHeader+1) // in place of one of the client with the most
	require.Len(t, l.largeHeaders, maxLargeHeaders)
	require.True(t, slices.ContainsFunc(many, isClosed))
	require.False(t, slices.ContainsFunc(single, isClosed))

	for _, conn := range append(many, single...) {
		require.NoError(t, conn.Close())
	}
	require.Empty(t, l.largeHeaders)
}

// Connections of a real server come and go.
func TestServer(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	l := Limit(server.Listener, nil)
	server.Listener, server.Config.ConnState = l, l.ConnState
	server.StartTLS()
	for range 3 {
		res, err := server.Client().Get(server.URL)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, res.Body) // so that the connection stays open
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
	}
	l.mu.Lock()
	require.NotEmpty(t, l.conns)
	l.mu.Unlock()
	server.Client().CloseIdleConnections()
	server.Close()
	require.Empty(t, l.conns)
	require.Empty(t, l.networks)
}

package peers

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"sync/atomic"
	"time"
)

const (
	// connBytes is what net/http and the runtime need for a connection that waits, and tlsBytes
	// what TLS adds.
	connBytes = 24 << 10
	tlsBytes  = 32 << 10

	// headerFactor is what net/http needs for each byte of a header with the shortest fields.
	headerFactor = 16

	// sendBuffer is how much of its responses a connection may leave unread in the kernel, which
	// allows 4 MiB by default. It's enough for 1.3 MB/s at a round trip of 100 ms.
	sendBuffer = 128 << 10

	// largeHeader is what a header counts, until it has arrived whole, once it's longer than readAhead.
	largeHeader = 64 << 10

	// yieldEvery is how many requests of a connection are served before other connections get the
	// processor. A client that sends requests without a pause would keep it for 10 ms.
	yieldEvery = 16

	// readAhead is net/http's buffer, which may contain the beginning of the next request.
	readAhead = 4 << 10
)

// Guard counts a server's connections and their headers in the budget, and returns the listener for
// its Serve or ServeTLS. At most maxConns connections are open at a time. A handler that uses the
// same budget adds its bodies and responses.
func (b *Budget) Guard(s *http.Server, l net.Listener, maxConns int) net.Listener {
	g := &listener{Listener: l, budget: b, maxConns: maxConns, idleBytes: connBytes, isSecure: s.TLSConfig != nil}
	if g.isSecure {
		g.idleBytes += tlsBytes
	}
	state, connContext := s.ConnState, s.ConnContext
	s.ConnState = func(nc net.Conn, to http.ConnState) {
		if c := connOf(nc); c != nil {
			c.changeState(to)
		}
		if state != nil {
			state(nc, to)
		}
	}
	s.ConnContext = func(ctx context.Context, nc net.Conn) context.Context {
		if connContext != nil {
			ctx = connContext(ctx, nc)
		}
		if c := connOf(nc); c != nil {
			ctx = context.WithValue(ctx, connKey{}, c.transfer)
		}
		return ctx
	}
	return g
}

type connKey struct{} // of a context's *Transfer

// connOf returns the guarded connection below nc, or nil.
func connOf(nc net.Conn) *conn {
	if secure, ok := nc.(*tls.Conn); ok {
		nc = secure.NetConn()
	}
	c, _ := nc.(*conn)
	return c
}

type listener struct {
	net.Listener
	budget    *Budget
	maxConns  int
	idleBytes int64
	isSecure  bool
}

// A conn counts the header that it receives.
type conn struct {
	net.Conn
	transfer  *Transfer
	peer      netip.Addr
	idleBytes int64
	isSecure  bool
	inHeader  atomic.Bool  // or idle
	ahead     atomic.Int64 // bytes of the next header that the last Read may have returned

	// Guarded by the budget.
	hasBegun bool // to receive a header
	header   int64
	requests int  // so far
	isEnding bool // and counts in the budget's ending
}

// Accept returns the next connection that there's room for. It closes others.
func (l *listener) Accept() (net.Conn, error) {
	for {
		nc, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if tcp, ok := nc.(*net.TCPConn); ok {
			_ = tcp.SetWriteBuffer(sendBuffer) // fails if the connection is closed
		}
		c := &conn{Conn: nc, peer: Network(addrOf(nc.RemoteAddr())), isSecure: l.isSecure, idleBytes: l.idleBytes}
		c.inHeader.Store(true)
		if l.budget.admit(c, l.maxConns) {
			return c, nil
		}
		_ = nc.Close()
	}
}

// addrOf returns the zero Addr for addresses that aren't of the internet.
func addrOf(addr net.Addr) netip.Addr {
	parsed, _ := netip.ParseAddrPort(addr.String())
	return parsed.Addr()
}

// Network returns the address under which a client's transfers are counted: an IPv6 /48, because
// anyone can get one, and an IPv4 address unchanged.
func Network(addr netip.Addr) netip.Addr {
	if addr = addr.Unmap(); addr.Is6() {
		p, _ := addr.Prefix(48) // fails only for more than 128 bits; drops the zone
		return p.Addr()
	}
	return addr
}

// admit begins the transfer of a new connection. It reports whether there's room for it. There's none
// while connections that were ended hold half as much as the budget, because net/http may take a second
// to close each, and a flood from thousands of addresses causes more in that time.
func (b *Budget) admit(c *conn, maxConns int) bool {
	now := time.Now()
	c.transfer = b.begin(c.peer, now)
	b.mu.Lock()
	defer b.mu.Unlock()
	t := c.transfer
	hasRoom := b.ending <= b.max/2
	for hasRoom && b.conns.Open >= maxConns {
		hasRoom = b.makeRoom(t, now)
	}
	t.end = c.end
	if !hasRoom || !t.set(c.idleBytes, 0) {
		t.remove()
		b.conns.Refused++
		return false
	}
	t.conn = c
	b.conns.Open++
	b.conns.Accepted++
	return true
}

var errEnded = errors.New("the connection was ended to make room for others")

// Read counts a header's bytes.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	ahead := n
	if !c.isSecure && len(p) > readAhead { // net/http reads a body into the handler's buffer
		ahead = 0
	}
	c.ahead.Store(int64(ahead))
	if n > 0 && c.inHeader.Load() && !c.countHeader(int64(n)) {
		return 0, errEnded
	}
	return n, err
}

func (c *conn) countHeader(n int64) bool {
	t := c.transfer
	t.budget.mu.Lock()
	defer t.budget.mu.Unlock()
	if !c.hasBegun {
		c.hasBegun, t.since = true, time.Now()
	}
	c.header += n
	size := c.header
	if size > readAhead { // otherwise much of it would be parsed before there's no room
		size = max(size, largeHeader)
	}
	return t.set(c.idleBytes+headerFactor*size, 0)
}

// changeState follows an [http.Server]'s states. StateActive comes after the header.
func (c *conn) changeState(to http.ConnState) {
	c.inHeader.Store(to == http.StateNew || to == http.StateIdle)
	if to != http.StateIdle && to != http.StateActive {
		return
	}
	t := c.transfer
	t.budget.mu.Lock()
	defer t.budget.mu.Unlock()
	if to == http.StateIdle {
		if c.requests++; c.requests%yieldEvery == 0 {
			defer runtime.Gosched()
		}
		c.hasBegun, c.header, t.since = false, c.ahead.Load(), time.Now()
	}
	t.set(c.idleBytes+headerFactor*c.header, 0)
}

// end ends the connection's transfer.
func (c *conn) end() { _ = c.Conn.Close() }

// Close closes the connection, which is no longer counted.
func (c *conn) Close() error {
	b := c.transfer.budget
	b.mu.Lock()
	c.transfer.remove()
	if c.isEnding {
		c.isEnding = false
		b.ending -= c.idleBytes
	}
	b.mu.Unlock()
	return c.Conn.Close()
}

package bound

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"sync"
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

	// largeHeader is what a header counts, until it has arrived whole, once it's longer than readAhead,
	// because otherwise much of it would be parsed before there's no room.
	largeHeader = 64 << 10

	// readAhead is net/http's buffer, which may contain the beginning of the next request.
	readAhead = 4 << 10

	// kernelBuffer is how much of a body that isn't read yet, and of a response that the client hasn't
	// read, the kernel keeps for a connection, which allows megabytes by default. It's enough for
	// 1.3 MB/s at a round trip of 100 ms.
	kernelBuffer = 128 << 10

	// yieldEvery is how many requests of a connection are served before other connections get the
	// processor. A client that sends requests without a pause would keep it for 10 ms.
	yieldEvery = 16

	// settled is how long a connection must have waited before it's closed for a host that holds
	// half as much as its own. Otherwise hosts that hold the same would close each other's
	// connections in turns, which is more work than to reject new ones.
	settled = time.Second

	// restBytes is how much is read of a body that nobody wants before its connection is closed: 4 MiB,
	// with what TLS and chunks add.
	restBytes = 5 << 20
)

// Limits bound a server's connections.
type Limits struct {
	Connections int   // at a time; 0 means as many as Bytes allow, which is also the most
	Bytes       int64 // of connections, headers and small bodies and responses; 0 means half of the default pool's size
}

// A Listener bounds a server's connections. A connection counts 24 KiB, with TLS 56 KiB, and
//
//   - 16 bytes for each byte of its header, until the response has been sent or the request gets a
//     share of a [Pool], which then includes the header;
//   - 1 MiB for a header of more than 4 KiB until it has arrived whole;
//   - the body and the response of a request without a share, if a handler uses a [Request] for it.
//
// When there's no room, the host that holds most loses the connection that has waited longest for
// a request, for the rest of one, or for its response, unless that has a share of a pool. A host is an
// IPv4 address or an IPv6 /48. If it holds less than the host of the connection that needs room, or
// at most twice as much and its connection hasn't waited for a second, the latter is closed instead.
//
// After a response that [CloseUnread] has prepared, the server reads the rest of the body, at most 5 MiB
// for [TransferTime], before it closes the connection, because browsers read a response only once they
// have sent their request. Until then, the connection counts, and may be the one to lose.
//
// A connection that's closed counts until net/http has finished with it. While such connections
// hold half as many bytes as [Limits] allow, or there are 64 of them above the limit, new ones
// are rejected.
type Listener struct {
	net.Listener
	limits   Limits
	isSecure bool

	mu     sync.Mutex
	conns  map[*conn]bool
	hosts  map[netip.Addr]*host
	open   int   // connections that aren't being closed
	held   int64 // by them
	ending int64 // bytes of connections that were closed, until net/http has finished with them
	stats  ConnStats
}

// A host exists while it has connections.
type host struct {
	conns int
	held  int64
}

// Listen returns the listener for Serve or ServeTLS of a server, which must have its Handler and any
// TLSConfig by then. It sets the server's ConnState, ConnContext and Handler to functions that call
// those it had. The server should have a ReadHeaderTimeout, an IdleTimeout and a MaxHeaderBytes of
// 64 KiB, and should serve only HTTP/1, because over HTTP/2 a connection may make hundreds of requests
// at a time, which a Listener doesn't count.
func Listen(s *http.Server, l net.Listener, limits Limits) *Listener {
	limits.Bytes = cmp.Or(limits.Bytes, Default().size/2)
	b := &Listener{Listener: l, isSecure: s.TLSConfig != nil, conns: map[*conn]bool{}, hosts: map[netip.Addr]*host{}}
	most := max(1, int(limits.Bytes/(&conn{listener: b}).size()))
	limits.Connections = min(most, cmp.Or(limits.Connections, most))
	b.limits = limits
	state, connContext, handler := s.ConnState, s.ConnContext, s.Handler
	if handler == nil {
		handler = http.DefaultServeMux
	}
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
			ctx = context.WithValue(ctx, connKey{}, c)
		}
		return ctx
	}
	s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connKey{}).(*conn); ok {
			c.arrive(r)
		}
		// net/http keeps the request of a connection that it closes for up to a second, and doesn't
		// need the header anymore. A flood of such connections would hold hundreds of megabytes.
		defer func() { r.Header = nil }()
		handler.ServeHTTP(w, r)
	})
	return b
}

// ConnStats describe a server's connections.
type ConnStats struct {
	Open      int    // at the moment, including those that are being closed
	Held      int64  // bytes at the moment
	Limits    Limits // that apply
	Accepted  uint64 // so far
	Ended     uint64 // so far, to make room
	Rejected  uint64 // so far, because there was no room
	NoHandler uint64 // requests so far that net/http answered itself, or whose header remained incomplete
}

// Stats returns the state of the connections.
func (l *Listener) Stats() ConnStats {
	l.mu.Lock()
	defer l.mu.Unlock()
	stats := l.stats
	stats.Open, stats.Held, stats.Limits = len(l.conns), l.held+l.ending, l.limits
	return stats
}

type connKey struct{} // of a context's *conn

// connOf returns the bounded connection below nc, or nil.
func connOf(nc net.Conn) *conn {
	if secure, ok := nc.(*tls.Conn); ok {
		nc = secure.NetConn()
	}
	c, _ := nc.(*conn)
	return c
}

// A conn counts what it holds.
type conn struct {
	net.Conn
	listener  *Listener
	inHeader  atomic.Bool  // or idle
	hasRest   atomic.Bool  // of a body that nobody wants
	isHandled atomic.Bool  // the handler has got the request
	ahead     atomic.Int64 // bytes of the next header that the last Read may have returned

	// Guarded by the listener.
	host     *host
	addr     netip.Addr
	since    time.Time // it has waited for a request, the rest of a header, or the end of a request
	hasBegun bool      // to receive a header
	isActive bool      // since the header has arrived
	hasShare bool      // of a pool
	header   int64     // bytes received
	loaded   int64     // of the body or the response
	held     int64
	requests int
	isEnding bool // it was closed to make room
	isGone   bool
}

// Accept returns the next connection that there's room for. It closes others.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		nc, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if tcp, ok := nc.(*net.TCPConn); ok { // these fail if the connection is closed
			_ = tcp.SetReadBuffer(kernelBuffer)
			_ = tcp.SetWriteBuffer(kernelBuffer)
		}
		peer, _ := netip.ParseAddrPort(nc.RemoteAddr().String()) // the zero Addr outside of the internet
		c := &conn{Conn: nc, listener: l, addr: network(peer.Addr()), since: time.Now()}
		c.inHeader.Store(true)
		if l.admit(c) {
			return c, nil
		}
		_ = nc.Close()
	}
}

// admit counts a new connection, and reports whether there's room for it.
func (l *Listener) admit(c *conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.host = l.hosts[c.addr]; c.host == nil {
		c.host = &host{}
		l.hosts[c.addr] = c.host
	}
	c.host.conns++
	l.conns[c] = true
	l.open++
	const mostEnding = 64
	if len(l.conns) > l.limits.Connections+mostEnding || !l.resize(c, l.limits.Bytes/2) {
		l.remove(c)
		l.stats.Rejected++
		return false
	}
	l.stats.Accepted++
	return true
}

// size returns how many bytes the connection counts.
func (c *conn) size() int64 {
	size := int64(connBytes)
	if c.listener.isSecure {
		size += tlsBytes
	}
	header := c.header
	if header > readAhead && c.inHeader.Load() {
		header = max(header, largeHeader)
	}
	return size + headerFactor*header + c.loaded
}

// resize counts what the connection holds now, and makes room for it unless connections that are
// being closed hold more than mostEnding bytes. It reports whether there's room.
func (l *Listener) resize(c *conn, mostEnding int64) bool {
	if c.isEnding || c.isGone {
		return false
	}
	more := c.size() - c.held
	c.held += more
	c.host.held += more
	l.held += more
	for more > 0 && (l.held > l.limits.Bytes || l.open > l.limits.Connections) {
		victim := l.victim(c)
		if victim == nil || l.ending > mostEnding {
			return false
		}
		l.end(victim)
	}
	return true
}

// victim returns the connection to close for the sake of c, or nil if that's c.
func (l *Listener) victim(c *conn) (victim *conn) {
	for other := range l.conns {
		if other == c || other.isEnding || other.hasShare {
			continue
		}
		if victim == nil || other.host.held > victim.host.held || other.host.held == victim.host.held && other.since.Before(victim.since) {
			victim = other
		}
	}
	if victim == nil || victim.host.held < c.host.held || victim.host.held <= 2*c.host.held && time.Since(victim.since) < settled {
		return nil
	}
	return victim
}

// end closes a connection to make room for others. It counts until net/http has finished with it.
func (l *Listener) end(c *conn) {
	l.uncount(c)
	c.isEnding = true
	l.ending += c.held
	l.stats.Ended++
	_ = c.Conn.Close()
}

// uncount takes a connection out of those that aren't being closed.
func (l *Listener) uncount(c *conn) {
	l.open--
	l.held -= c.held
	c.host.held -= c.held
}

// remove forgets a connection.
func (l *Listener) remove(c *conn) {
	switch {
	case c.isGone:
		return
	case c.isEnding:
		l.ending -= c.held
	default:
		l.uncount(c)
	}
	c.isGone = true
	delete(l.conns, c)
	if c.host.conns--; c.host.conns == 0 {
		delete(l.hosts, c.addr)
	}
}

var errEnded = errors.New("the connection was closed to make room for others")

// Read counts a header's bytes.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	ahead := n
	if !c.listener.isSecure && len(p) > readAhead { // net/http reads a body into the handler's buffer
		ahead = 0
	}
	c.ahead.Store(int64(ahead))
	if n > 0 && c.inHeader.Load() && !c.countHeader(int64(n)) {
		return 0, errEnded
	}
	return n, err
}

func (c *conn) countHeader(n int64) bool {
	l := c.listener
	l.mu.Lock()
	defer l.mu.Unlock()
	if !c.hasBegun {
		c.hasBegun, c.since = true, time.Now()
	}
	c.header += n
	return c.fit()
}

// fit ends the connection unless there's room for what it holds. Half of the room for connections
// that are being closed is left to new ones.
func (c *conn) fit() bool {
	l := c.listener
	ok := l.resize(c, l.limits.Bytes/4)
	if !ok && !c.isEnding && !c.isGone {
		l.end(c)
	}
	return ok
}

// changeState follows an [http.Server]'s states. StateActive comes after the header, also after one
// that net/http rejects.
func (c *conn) changeState(to http.ConnState) {
	c.inHeader.Store(to == http.StateNew || to == http.StateIdle)
	l := c.listener
	l.mu.Lock()
	switch to {
	case http.StateActive:
		c.since, c.isActive = time.Now(), true
		c.isHandled.Store(false)
		c.fit()
	case http.StateIdle:
		c.requests++
		c.hasBegun, c.isActive, c.header, c.loaded, c.since = false, false, c.ahead.Load(), 0, time.Now()
		c.fit()
	case http.StateClosed:
		if c.isActive && !c.isHandled.Load() && !c.isEnding {
			l.stats.NoHandler++
		}
	case http.StateNew, http.StateHijacked:
	}
	requests := c.requests
	l.mu.Unlock()
	if to == http.StateIdle && requests%yieldEvery == 0 {
		runtime.Gosched()
	}
}

// arrive is for a request whose header has arrived. With it, net/http may have read much of a body, which
// is no header.
func (c *conn) arrive(r *http.Request) {
	c.isHandled.Store(true)
	if r.ContentLength == 0 {
		return
	}
	c.listener.mu.Lock()
	defer c.listener.mu.Unlock()
	c.header = min(c.header, headerBytes(r)/headerFactor)
	c.listener.resize(c, 0)
}

// load counts the bytes of a body or a response without a share of a pool. It reports whether there's
// room for them.
func (c *conn) load(bytes int64) bool {
	if c == nil {
		return true
	}
	l := c.listener
	l.mu.Lock()
	defer l.mu.Unlock()
	before := c.loaded
	c.loaded = bytes
	ok := l.resize(c, l.limits.Bytes/4)
	if !ok {
		c.loaded = before
		l.resize(c, 0)
	}
	return ok
}

// join is for a request that has got a share of a pool, which includes its header and its body.
func (c *conn) join() {
	if c == nil {
		return
	}
	c.listener.mu.Lock()
	defer c.listener.mu.Unlock()
	c.hasShare, c.header, c.loaded = true, 0, 0
	c.listener.resize(c, 0)
}

// leave is for a request that gives its share back.
func (c *conn) leave() {
	if c == nil {
		return
	}
	c.listener.mu.Lock()
	defer c.listener.mu.Unlock()
	c.hasShare = false
}

// Close closes the connection, which is no longer counted, at once or after the rest of a body.
func (c *conn) Close() error {
	if c.hasRest.Swap(false) {
		go c.closeAfterRest()
		return nil
	}
	c.listener.mu.Lock()
	c.listener.remove(c)
	c.listener.mu.Unlock()
	return c.Conn.Close()
}

// closeAfterRest ends the response, and closes the connection once the client has sent the rest of its
// body. A client that still sends when the connection is closed gets a reset, which may destroy the
// response.
func (c *conn) closeAfterRest() {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		_ = tcp.CloseWrite() // fails if the connection is closed
	}
	_ = c.SetReadDeadline(time.Now().Add(TransferTime))
	rest := make([]byte, readAhead)
	for n, read := 0, 0; read < restBytes; read += n {
		var err error
		if n, err = c.Conn.Read(rest); err != nil {
			break
		}
	}
	_ = c.Close()
}

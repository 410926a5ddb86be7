package clients

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
)

// The limits of connections. A waiting one takes about 25 kB, and one in the middle of a large
// header 200 kB.
const (
	MaxConns        = 4096
	MaxClientConns  = 256     // of an IPv4 address or an IPv6 /64; a /56 may have twice as many, and a /48 four times
	maxLargeHeaders = 64      // that arrive at the same time
	smallHeader     = 4 << 10 // bytes, as many as net/http reads at once; a text of 350 emoji needs more
)

// A Listener bounds connections in total and per client. If there are too many in total, or
// too many large headers, a new one takes the place of one of the client with the most
// connections, so attackers replace their own.
type Listener struct {
	net.Listener
	proxies      Proxies // without limits of their own: they have the connections of many clients
	mu           sync.Mutex
	conns        map[*limitedConn]bool
	largeHeaders map[*limitedConn]bool // the conns whose large header arrives
	networks     map[netip.Prefix]int
}

// Limit bounds the connections of a listener. The returned one's ConnState must be that of
// the server.
func Limit(l net.Listener, proxies Proxies) *Listener {
	return &Listener{Listener: l, proxies: proxies, conns: map[*limitedConn]bool{}, largeHeaders: map[*limitedConn]bool{}, networks: map[netip.Prefix]int{}}
}

// A limitedConn counts until it's closed.
type limitedConn struct {
	net.Conn
	limiter  *Listener
	networks []netip.Prefix // around its address, from narrow to wide; none for a proxy
	waiting  atomic.Bool    // for the end of a request header
	header   atomic.Int64   // bytes read meanwhile
}

// Accept returns the next connection within the limits, and closes others.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		addr, _ := parseHop(conn.RemoteAddr().String())
		c := &limitedConn{Conn: conn, limiter: l, networks: l.networksOf(addr)}
		c.waiting.Store(true)
		if l.add(c) {
			return c, nil
		}
		_ = conn.Close()
	}
}

func (l *Listener) add(c *limitedConn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, network := range c.networks {
		if l.networks[network] >= MaxClientConns<<i {
			return false
		}
	}
	if len(l.conns) >= MaxConns && !l.evict(l.conns, c) {
		return false
	}
	l.conns[c] = true
	for _, network := range c.networks {
		l.networks[network]++
	}
	return true
}

func (l *Listener) networksOf(addr netip.Addr) (networks []netip.Prefix) {
	if l.proxies.contains(addr) {
		return nil
	}
	sizes := []int{64, 56, 48}
	if addr.Is4() {
		sizes = []int{32}
	}
	for _, bits := range sizes {
		network, _ := addr.Prefix(bits)
		networks = append(networks, network)
	}
	return networks
}

// clientConns returns how many connections the client of c has, or 0 for a proxy.
func (l *Listener) clientConns(c *limitedConn) int {
	if len(c.networks) == 0 {
		return 0
	}
	return l.networks[c.networks[len(c.networks)-1]]
}

// evict closes one of conns for another, and reports whether there is one to close. Its client
// has at least as many connections as that of the other, and still more afterwards if it
// doesn't wait for a request. Of a random sample, it's that of the client with the most.
func (l *Listener) evict(conns map[*limitedConn]bool, other *limitedConn) bool {
	const sample = 64
	var victim *limitedConn
	own := l.clientConns(other)
	most, seen := own-1, 0
	for c := range conns { // in random order
		if seen++; seen > sample && victim != nil {
			break
		}
		if n := l.clientConns(c); n > most && (c.waiting.Load() || n > own+1) {
			victim, most = c, n
		}
	}
	if victim == nil {
		return false
	}
	l.remove(victim)
	_ = victim.Conn.Close()
	return true
}

func (l *Listener) remove(c *limitedConn) {
	if !l.conns[c] {
		return
	}
	delete(l.conns, c)
	delete(l.largeHeaders, c)
	for _, network := range c.networks {
		if l.networks[network]--; l.networks[network] == 0 {
			delete(l.networks, network)
		}
	}
}

var errLargeHeaders = errors.New("too many large headers at once")

// Read fails if too many large headers arrive.
func (c *limitedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if !c.waiting.Load() || c.header.Add(int64(n)) <= smallHeader {
		return n, err
	}
	l := c.limiter
	l.mu.Lock()
	defer l.mu.Unlock()
	if !c.waiting.Load() || !l.conns[c] || l.largeHeaders[c] {
		return n, err
	}
	if len(l.largeHeaders) == maxLargeHeaders && !l.evict(l.largeHeaders, c) {
		return 0, errLargeHeaders
	}
	l.largeHeaders[c] = true
	return n, err
}

// ConnState is an [http.Server.ConnState].
func (l *Listener) ConnState(conn net.Conn, state http.ConnState) {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	c := conn.(*limitedConn)
	c.waiting.Store(state == http.StateNew || state == http.StateIdle)
	if c.header.Swap(0) > smallHeader {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.largeHeaders, c)
	}
}

// Close ends the counting of the connection.
func (c *limitedConn) Close() error {
	c.limiter.mu.Lock()
	c.limiter.remove(c)
	c.limiter.mu.Unlock()
	return c.Conn.Close()
}

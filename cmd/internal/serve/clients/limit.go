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

// A waiting connection needs about 25 kB and one within a large header 200 kB.
const (
	MaxConns        = 4096
	MaxClientConns  = 256     // from an IPv4 address or an IPv6 /64; twice as many from a /56 and four times from a /48
	maxLargeHeaders = 64      // that arrive at the same time
	smallHeader     = 4 << 10 // bytes, as many as net/http reads at once; a text of 350 emoji needs more
)

// A Listener bounds connections in total and per client. Above the total limit, or that of large
// headers, a new connection replaces one of the client with the most connections, so attackers
// replace their own.
type Listener struct {
	net.Listener
	proxies      Proxies // subject only to the total limit
	mu           sync.Mutex
	conns        map[*limitedConn]bool
	largeHeaders map[*limitedConn]bool // conns in the middle of a large header
	networks     map[netip.Prefix]int
}

// Limit returns a listener whose ConnState the server must use.
func Limit(l net.Listener, proxies Proxies) *Listener {
	return &Listener{Listener: l, proxies: proxies, conns: map[*limitedConn]bool{}, largeHeaders: map[*limitedConn]bool{}, networks: map[netip.Prefix]int{}}
}

// A limitedConn is counted until it's closed.
type limitedConn struct {
	net.Conn
	limiter  *Listener
	networks []netip.Prefix // that contain its address, from narrow to wide; nil for a proxy
	waiting  atomic.Bool    // for a request header
	header   atomic.Int64   // bytes of it so far
}

// Accept returns the next connection within the limits. It closes others.
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

// clientConns returns the number of connections from c's widest network, or 0 for a proxy.
func (l *Listener) clientConns(c *limitedConn) int {
	if len(c.networks) == 0 {
		return 0
	}
	return l.networks[c.networks[len(c.networks)-1]]
}

// evict reports whether it closed one of conns in favor of other. From a random sample, it selects the
// client with the most connections, which must be at least as many as other's client uses, or more
// if the connection isn't waiting for a request.
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

// Read fails if too many large headers arrive at the same time.
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

// Close closes the connection, which is no longer counted.
func (c *limitedConn) Close() error {
	c.limiter.mu.Lock()
	c.limiter.remove(c)
	c.limiter.mu.Unlock()
	return c.Conn.Close()
}

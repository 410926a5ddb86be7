// Package bound bounds the memory that clients make an HTTP server hold, however many there are
// and however slowly they send or read.
//
//	pool := bound.NewPool(64 << 20)
//	api, err := httpapi.New(httpapi.Config{BaseURL: "https://hi.example.com", Pool: pool})
//	…
//	server := &http.Server{Handler: api, ReadHeaderTimeout: 5 * time.Second, MaxHeaderBytes: 64 << 10}
//	err = server.Serve(bound.Listen(server, listener, bound.Limits{}))
//
// It has two halves, which work alone, too. A [Pool] bounds large requests: each takes its share of
// the pool before its body is read, and gives it back when its handler returns. [Listen] bounds
// connections, headers and small requests. Behind a proxy that does the latter, the pool is enough.
//
// # Arithmetic
//
// With a pool of P bytes, clients make a process hold at most
//
//	P        bodies and responses of large requests, and their headers
//	P/2      connections, headers, small bodies and small responses: Limits.Bytes
//	P/4      connections that are being closed to make room for others
//	36 MiB   2 webhooks that are decoded or encoded at a time: 10 MiB of events and 8 MiB of response each
//
// which is 148 MiB with the default of 64 MiB, and depends neither on the number of processors nor on
// that of clients. The rest of the process needs about 16 MiB. With GOMEMLIMIT=200MiB, the garbage
// collector gets 36 MiB, and resident memory stays below 256 MiB. [NewPool] says how another
// GOMEMLIMIT changes P.
//
// A request takes 2N + H + 256 KiB, where N is the announced length of its body, or the most that
// its route allows if it announces none, and H the size of its header. So there's room for 7 webhooks
// of 4 MiB at a time, 10 of 3 MB, or 140 of 100 kB.
package bound

import (
	"context"
	"errors"
	"math"
	"net/http"
	"net/netip"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// SmallBody is the longest body, in bytes, that takes no share of a pool.
	SmallBody = 16 << 10

	// SmallResponse is the longest response, in bytes, for which a request without a share needs none.
	SmallResponse = 128 << 10

	// LineTime is how long a request waits for its share.
	LineTime = 20 * time.Second

	// TransferTime is how long a body or a response may take: 140 kB/s for 4 MiB.
	TransferTime = 30 * time.Second

	// fairTime is how long a transfer may take, if its client has a fair share of the pool, before it
	// may be ended for somebody in line. With 4 seconds, 24 phones that send 3 MB at 500 kB/s would
	// end each other's uploads; with 16, stalled uploads from 60 addresses would fill the 20 seconds.
	fairTime = 8 * time.Second

	// checkTime is how often the transfers are examined while somebody is in line, and paceTime how
	// long one is observed for its present speed.
	checkTime = 100 * time.Millisecond
	paceTime  = 500 * time.Millisecond

	defaultSize  = 64 << 20
	shareSlack   = 256 << 10
	mostDecoders = 2
)

// Errors of a [Request]'s methods.
var (
	ErrBusy     = errors.New("bound: there is no room for the request; send it again in a few seconds")
	ErrTooLarge = errors.New("bound: the body is too large")
	ErrTimeout  = errors.New("bound: the body didn't arrive in time")
)

// A Pool bounds the memory of large requests. Its rules are:
//
//  1. A request takes its share before its body is read, and waits in line if there isn't room. So
//     who waits holds a connection and no body.
//
//  2. The share returns only when the handler does, because until then the memory is in use. So
//     what's ended makes room for others only after its handler has noticed.
//
//  3. The next in line is the request whose client got room longest ago, or, if that's later, that
//     asked longest ago. Nobody overtakes it, even if there were room for a smaller one. So a
//     request waits for at most one of each other client's, and nothing that a client has done
//     before puts it ahead of another. After [LineTime] a request fails with [ErrBusy].
//
//  4. While somebody is in line, transfers may be ended that cost more than their share,
//
//     bytes that the client holds × seconds > 8 × size of the pool / clients that hold room
//
//     where the seconds are those that the transfer will have taken at its present speed, at most 30.
//     The costliest is ended first, and no more than the first in line needs. With nobody in line,
//     nothing is ended, and only [TransferTime] applies.
//
// A client is an IPv4 address or an IPv6 /48, because anyone can get one. A transfer is the time for
// which a request waits until its client has sent the body or read the response.
//
// Handlers may share a pool. Its methods support concurrent calls. Use [NewPool].
type Pool struct {
	size     int64
	decoders chan struct{}

	mu      sync.Mutex
	free    int64
	turn    uint64 // counts requests that ask for room and that get it
	clients map[netip.Addr]*client
	line    []*Request        // in the order in which they asked
	holders map[*Request]bool // requests with a share
	ended   uint64
	checked time.Time
}

// A client exists while it has requests that hold room or wait for it.
type client struct {
	requests int
	held     int64
	served   uint64 // the turn at which it last got room
}

// NewPool returns a pool of so many bytes. A process needs about three times as much memory. 0 means
// eight twenty-fifths of GOMEMLIMIT, or 64 MiB without one. A pool should have at least 16 MiB;
// requests that need more than the whole pool get all of it.
func NewPool(bytes int64) *Pool {
	if bytes <= 0 {
		if bytes = debug.SetMemoryLimit(-1); bytes == math.MaxInt64 {
			bytes = defaultSize
		} else {
			bytes = bytes / 25 * 8
		}
	}
	decoders := min(mostDecoders, max(1, runtime.GOMAXPROCS(0)/2)) // so that small requests find a processor
	return &Pool{
		size: bytes, free: bytes, decoders: make(chan struct{}, decoders),
		clients: map[netip.Addr]*client{}, holders: map[*Request]bool{},
	}
}

var defaultPool = NewPool(0)

// Default returns the pool of handlers without one of their own. There's one for a process, because
// they share its memory. It's NewPool(0) at the start of the program.
func Default() *Pool { return defaultPool }

// Stats describe a pool.
type Stats struct {
	Size    int64  // bytes
	Taken   int64  // bytes at the moment
	Waiting int    // requests in line
	Ended   uint64 // transfers ended so far for requests in line
}

// Stats returns the pool's state.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Stats{Size: p.size, Taken: p.size - p.free, Waiting: len(p.line), Ended: p.ended}
}

// A Request is a request that may take a share of a pool. Its methods must be called by the
// handler, one at a time.
type Request struct {
	pool    *Pool
	r       *http.Request
	addr    netip.Addr
	conn    *conn // or nil
	awaited time.Duration

	// Guarded by the pool.
	client *client // nil while it neither has nor wants a share
	share  int64
	wanted int64         // in line
	asked  uint64        // the turn
	served chan struct{} // closed when it gets its share
	*transfer
	isEnded bool
}

// A transfer waits for the client.
type transfer struct {
	end   func() // makes it fail; nil if that's impossible
	began time.Time
	total int64
	moved atomic.Int64
	marks [2]mark // the second is at most paceTime old when the transfers are examined, the first older
}

type mark struct {
	at    time.Time
	moved int64
}

// Begin returns the request r of the client with this address, or the zero Addr if that's unknown.
// The handler must call End before it returns.
func (p *Pool) Begin(r *http.Request, client netip.Addr) *Request {
	q := &Request{pool: p, r: r, addr: network(client)}
	if r.ProtoMajor == 1 { // a connection may have many HTTP/2 requests at a time
		q.conn, _ = r.Context().Value(connKey{}).(*conn)
	}
	return q
}

// network returns an IPv6 /48's first address, and an IPv4 address unchanged.
func network(addr netip.Addr) netip.Addr {
	if addr = addr.Unmap(); addr.Is6() {
		p, _ := addr.Prefix(48) // fails only for more than 128 bits; drops the zone
		return p.Addr()
	}
	return addr
}

// End gives the request's share back.
func (q *Request) End() {
	q.conn.leave()
	p := q.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if q.share == 0 {
		return
	}
	delete(p.holders, q)
	p.free += q.share
	q.client.held -= q.share
	q.share = 0
	q.leave()
	p.serve()
}

// leave is for a request that no longer has or wants a share.
func (q *Request) leave() {
	if q.client.requests--; q.client.requests == 0 {
		delete(q.pool.clients, q.addr)
	}
	q.client = nil
}

// take takes a share of n bytes. A request without one may wait in line. One that has a share gets
// more only if that's free and nobody waits, because requests that hold room while they wait for more
// could wait for each other.
func (q *Request) take(n int64) error {
	p := q.pool
	n = min(n, p.size)
	p.mu.Lock()
	if q.share > 0 {
		defer p.mu.Unlock()
		more := n - q.share
		if more > 0 && (more > p.free || len(p.line) > 0) {
			return ErrBusy
		}
		q.give(max(0, more))
		return nil
	}
	q.enter(n)
	p.serve()
	p.makeRoom(time.Now())
	p.mu.Unlock()
	if err := q.waitInLine(); err != nil {
		return err
	}
	q.conn.join()
	return nil
}

// enter puts the request in line for n bytes.
func (q *Request) enter(n int64) {
	p := q.pool
	if q.client = p.clients[q.addr]; q.client == nil {
		q.client = &client{}
		p.clients[q.addr] = q.client
	}
	q.client.requests++
	p.turn++
	q.wanted, q.asked, q.served = n, p.turn, make(chan struct{})
	p.line = append(p.line, q)
}

// give gives the request n bytes, which are free.
func (q *Request) give(n int64) {
	q.pool.free -= n
	q.client.held += n
	q.share += n
}

// waitInLine waits until the request has its share.
func (q *Request) waitInLine() error {
	select {
	case <-q.served:
		return nil
	default:
	}
	p := q.pool
	patience, check := time.NewTimer(LineTime), time.NewTicker(checkTime)
	defer patience.Stop()
	defer check.Stop()
	for err := error(nil); err == nil; {
		select {
		case <-q.served:
			return nil
		case now := <-check.C:
			p.mu.Lock()
			p.makeRoom(now)
			p.mu.Unlock()
		case <-q.r.Context().Done():
			err = context.Cause(q.r.Context())
		case <-patience.C:
			err = ErrBusy
		}
		if err == nil {
			continue
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if q.share > 0 {
			return nil
		}
		p.line = slices.DeleteFunc(p.line, func(other *Request) bool { return other == q })
		q.leave()
		p.serve() // those behind it
		return err
	}
	return nil
}

// first returns the next in line.
func (p *Pool) first() *Request {
	return slices.MinFunc(p.line, func(a, b *Request) int {
		x, y := max(a.asked, a.client.served), max(b.asked, b.client.served)
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		default: // two of a client
			return 0
		}
	})
}

// serve serves the line while there's room for the next.
func (p *Pool) serve() {
	for len(p.line) > 0 {
		q := p.first()
		if q.wanted > p.free {
			return
		}
		p.line = slices.DeleteFunc(p.line, func(other *Request) bool { return other == q })
		p.turn++
		q.client.served = p.turn
		p.holders[q] = true
		q.give(q.wanted)
		close(q.served)
	}
}

// makeRoom ends the costliest transfers that cost more than a fair share, until the next in line
// will have room.
func (p *Pool) makeRoom(now time.Time) {
	if len(p.line) == 0 || now.Sub(p.checked) < checkTime {
		return
	}
	p.checked = now
	room, clients := p.free, map[*client]bool{}
	var costly []*Request
	for q := range p.holders {
		clients[q.client] = true
		switch {
		case q.isEnded:
			room += q.share
		case q.transfer != nil && q.end != nil:
			costly = append(costly, q)
		}
	}
	fair := fairTime.Seconds() * float64(p.size) / float64(len(clients))
	wanted := p.first().wanted
	for room < wanted && len(costly) > 0 {
		most, at := 0.0, 0
		for i, q := range costly {
			if cost := float64(q.client.held) * q.seconds(now); cost > most {
				most, at = cost, i
			}
		}
		if most <= fair {
			return
		}
		q := costly[at]
		costly = slices.Delete(costly, at, at+1)
		q.isEnded = true
		p.ended++
		room += q.share
		q.end() // while locked, so that it can't concern the connection's next request
	}
}

// seconds returns how long the transfer will have taken at its present speed.
func (t *transfer) seconds(now time.Time) float64 {
	moved, elapsed := t.moved.Load(), now.Sub(t.began)
	if now.Sub(t.marks[1].at) >= paceTime {
		t.marks[0], t.marks[1] = t.marks[1], mark{now, moved}
	}
	since := t.marks[0]
	if now.Sub(since.at) < paceTime {
		return elapsed.Seconds() // it has just begun
	}
	if moved == since.moved {
		return TransferTime.Seconds()
	}
	speed := float64(moved-since.moved) / now.Sub(since.at).Seconds()
	return min(TransferTime.Seconds(), elapsed.Seconds()+float64(max(0, t.total-moved))/speed)
}

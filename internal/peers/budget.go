// Package peers bounds the memory that slow or silent peers make a process hold: headers until
// their requests end, bodies so far, responses that haven't been read, and idle connections.
//
// All of it is counted in bytes against one [Budget]. Above the budget, the transfer that costs
// most is ended, where the cost is the bytes that its client holds, times the time for which the
// transfer has kept the process waiting, times one more than the number of the client's transfers
// that have been ended before. So a client that holds much loses it first, a stalled transfer loses
// against one that moves, a client that comes back for more loses against one that doesn't, and a
// transfer that's small or short is safe. A client with transfers that cost half as much or more gets
// no room for another.
//
// Decoding and encoding, which need more memory for a short time, are done by few transfers at a
// time, and clients take turns.
package peers

import (
	"context"
	"net/netip"
	"runtime"
	"sync"
	"time"
)

// DefaultBytes is the default budget. Together with the garbage collector's share, it fits into a
// process of 256 MiB with GOMEMLIMIT=200MiB.
const DefaultBytes = 80 << 20

// Default is the budget of handlers without one of their own, because they share the memory of
// one process.
var Default = New(DefaultBytes)

// A Budget bounds the bytes that peers make a process hold. Its methods support concurrent calls.
// Use [New].
type Budget struct {
	mu      sync.Mutex
	max     int64
	held    int64
	ending  int64 // bytes of connections that were ended, until net/http closes them
	all     []*Transfer
	clients map[netip.Addr]*client
	ended   uint64
	conns   ConnStats
	turns   turns
}

// A client is an IPv4 address or an IPv6 /48 with transfers.
type client struct {
	addr      netip.Addr
	held      int64
	transfers int
	ended     int           // transfers ended to make room
	worked    time.Duration // see turns
}

// New returns a budget of so many bytes.
func New(bytes int64) *Budget {
	return &Budget{
		max: bytes, clients: map[netip.Addr]*client{},
		turns: turns{free: max(1, runtime.GOMAXPROCS(0)/2)}, // so that small requests find a processor
	}
}

// Stats describe a budget.
type Stats struct {
	Held  int64  // bytes at the moment
	Max   int64  // bytes
	Ended uint64 // transfers ended so far to make room, including connections
	Conns ConnStats
}

// ConnStats describe the connections of a budget's listeners.
type ConnStats struct {
	Open     int    // at the moment
	Accepted uint64 // so far
	Ended    uint64 // so far, to make room
	Refused  uint64 // so far, because there was no room
}

// Stats returns the budget's state.
func (b *Budget) Stats() Stats {
	b.mu.Lock()
	defer b.mu.Unlock()
	return Stats{Held: b.held, Max: b.max, Ended: b.ended, Conns: b.conns}
}

// A Transfer is what a connection or a request holds.
type Transfer struct {
	budget *Budget
	client *client // nil once the transfer is over
	index  int     // in budget.all
	fixed  int64   // bytes of the connection and the header
	bytes  int64   // of the body or the response
	since  time.Time
	queued time.Duration // for which the peer had been awaited when the transfer queued, or -1
	end    func()        // makes the transfer end; nil while nobody waits for the peer
	ended  chan struct{} // closed when the budget ends the transfer
	conn   *conn         // or nil for the transfer of a request alone
}

// begin returns a new transfer of the client's.
func (b *Budget) begin(addr netip.Addr, now time.Time) *Transfer {
	t := &Transfer{budget: b, since: now, queued: -1, ended: make(chan struct{})}
	b.mu.Lock()
	defer b.mu.Unlock()
	t.index = len(b.all)
	b.all = append(b.all, t)
	t.join(addr)
	return t
}

// join makes addr the client of the transfer.
func (t *Transfer) join(addr netip.Addr) {
	c := t.budget.clients[addr]
	if c == nil {
		c = &client{addr: addr}
		t.budget.clients[addr] = c
	}
	c.transfers++
	c.held += t.total()
	t.client = c
}

// leave is the opposite of join.
func (t *Transfer) leave() {
	t.client.held -= t.total()
	if t.client.transfers--; t.client.transfers == 0 {
		delete(t.budget.clients, t.client.addr)
	}
	t.client = nil
}

func (t *Transfer) total() int64 { return t.fixed + t.bytes }

// isOver reports whether the budget or its owner has ended the transfer.
func (t *Transfer) isOver() bool { return t.client == nil }

// remove takes the transfer out of the budget.
func (t *Transfer) remove() {
	if t.isOver() {
		return
	}
	b := t.budget
	b.held -= t.total()
	t.leave()
	last := len(b.all) - 1
	b.all[t.index] = b.all[last]
	b.all[t.index].index = t.index
	b.all[last] = nil
	b.all = b.all[:last]
	t.end = nil
	if t.conn != nil {
		b.conns.Open--
	}
}

// set changes what the transfer holds, and makes room for it. It reports whether the transfer goes
// on.
func (t *Transfer) set(fixed, bytes int64) bool {
	if t.isOver() {
		return false
	}
	b := t.budget
	more := fixed + bytes - t.total()
	t.fixed, t.bytes = fixed, bytes
	t.client.held += more
	b.held += more
	if more <= 0 {
		return true
	}
	for now := time.Now(); b.held > b.max; {
		if !b.makeRoom(t, now) {
			t.over()
			return false
		}
	}
	return true
}

// over ends the transfer that needs room.
func (t *Transfer) over() {
	t.budget.ended++
	t.client.ended++
	t.remove()
	if t.conn != nil {
		t.conn.isEnding = true
		t.budget.ending += t.conn.idleBytes
	}
	close(t.ended)
}

// makeRoom ends the transfer that costs most, for the sake of t. If t's client has one that costs at
// least half as much, t should end instead. Otherwise clients with equal costs would end each
// other's transfers in turns, which is more work than to reject new ones.
func (b *Budget) makeRoom(t *Transfer, now time.Time) bool {
	victim, own := b.costliest(t.client, now)
	if victim == nil || 2*own >= victim.cost(now) && (victim.client != t.client || !victim.isIdle()) {
		return false
	}
	if victim.conn != nil {
		b.conns.Ended++
	}
	end := victim.end
	victim.over()
	end() // under the lock, so that it can't concern the connection's next request
	return true
}

// costliest returns the transfer that costs most, or nil if none can be ended. It also returns the
// highest cost of a client's own, except idle connections.
func (b *Budget) costliest(of *client, now time.Time) (costliest *Transfer, own float64) {
	var most float64
	for _, t := range b.all {
		if t.end == nil {
			continue
		}
		cost := t.cost(now)
		if costliest == nil || cost > most {
			costliest, most = t, cost
		}
		if t.client == of && !t.isIdle() {
			own = max(own, cost)
		}
	}
	return costliest, own
}

// cost returns what a transfer costs, as the package documentation defines it.
func (t *Transfer) cost(now time.Time) float64 {
	age := t.queued
	if age < 0 {
		age = now.Sub(t.since)
	}
	// A microsecond more, so that the bytes decide between transfers that have just begun.
	return float64(t.client.held) * float64(age+time.Microsecond) * float64(1+t.client.ended)
}

// isIdle reports whether a connection waits for a request.
func (t *Transfer) isIdle() bool { return t.conn != nil && t.conn.inHeader.Load() && !t.conn.hasBegun }

// Hold changes the bytes that the request holds, besides its header, and makes room for them. It
// returns false if the transfer has been ended, so that the request should be rejected.
func (t *Transfer) Hold(bytes int64) bool {
	t.budget.mu.Lock()
	defer t.budget.mu.Unlock()
	return t.set(t.fixed, bytes)
}

// wait begins to wait for the peer, and says how to end that. A nil end means that the connection
// has to be closed, or that nothing can be done about a transfer without one.
func (t *Transfer) wait(end func()) (done func()) {
	t.budget.mu.Lock()
	defer t.budget.mu.Unlock()
	before := t.end
	if !t.isOver() && (end != nil || t.conn == nil) {
		t.end = end
	}
	return func() {
		t.budget.mu.Lock()
		defer t.budget.mu.Unlock()
		if !t.isOver() {
			t.end = before
		}
	}
}

// Work runs f, which must not wait for any peer, when it's the transfer's turn. It returns false
// without running f if ctx ends before, or if the transfer is ended to make room.
func (t *Transfer) Work(ctx context.Context, f func()) bool {
	b, began := t.budget, time.Now()
	b.mu.Lock()
	if t.isOver() {
		b.mu.Unlock()
		return false
	}
	before := t.end
	t.end, t.queued = func() {}, began.Sub(t.since)
	turn := b.queue(t.client)
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if !t.isOver() {
			t.end, t.queued, t.since = before, -1, t.since.Add(time.Since(began))
		}
	}()
	select {
	case <-turn.begins:
	case <-ctx.Done():
	case <-t.ended:
	}
	b.mu.Lock()
	isTurn := b.leaveQueue(turn)
	if isOver := t.isOver(); !isTurn || isOver {
		if isTurn {
			b.nextTurn()
		}
		b.mu.Unlock()
		return false
	}
	t.end = nil
	b.mu.Unlock()
	started := time.Now()
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		turn.client.worked += time.Since(started)
		b.nextTurn()
	}()
	f()
	return true
}

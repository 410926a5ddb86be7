package httpapi

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// A memoryBudget bounds the memory that the requests in flight hold together. It has
// three pools:
//
//   - small, for the bodies of small requests, so that these never wait for large ones;
//   - bodies, for the bodies of large requests;
//   - work, for what decoding a large body and encoding its response take.
//
// A response of up to [maxBuffered] bytes is written after everything has been given back.
// A longer one is encoded while it is written, and the request holds everything until then.
//
// A request reserves from the pools in this order, and nothing of an earlier pool
// while it holds from a later one. So no two requests can wait for each other.
type memoryBudget struct {
	small, bodies, work *memoryPool
}

// newMemoryBudget divides bytes among the pools. The work pool gets most, because one
// body of the largest size can need all of it.
func newMemoryBudget(bytes int64) *memoryBudget {
	return &memoryBudget{
		small:  newMemoryPool(bytes / 8),
		bodies: newMemoryPool(bytes / 8 * 3),
		work:   newMemoryPool(bytes / 2),
	}
}

// A memoryPool is a number of bytes that requests share. A request that needs more
// than is free waits in line for a short time. The requests of one client hold at most
// half of the pool together, unless one request alone needs more.
//
// While requests wait, those that hold memory and wait for their client lose it if the
// client has moved less than [networkPiece] for longer than stallLimit: a client that
// stalls must not keep others out. A client that holds less than all that wait keeps its
// memory. Requests that hold memory and stand in line for something else lose it to
// clients that hold less, but not once their response has begun.
type memoryPool struct {
	size       int64
	waitLimit  time.Duration
	stallLimit time.Duration
	checkEvery time.Duration // how often a waiting request looks for stalled ones

	mu       sync.Mutex
	free     int64
	held     []*reservation
	byClient map[netip.Addr]int64 // bytes held
	waiting  []*waiter            // in the order of arrival
	checked  time.Time            // when stalled requests were looked for
}

const (
	// maxWaiting is how many requests wait in line at most, and half of it how many of
	// one client. Each has up to shortBody bytes of its body already.
	maxWaiting = 256

	// networkPiece is how many bytes a client must move within the stall limit.
	networkPiece = 64 << 10
)

// The errors of reserve.
var (
	errNoMemory   = errors.New("no memory was free within the time limit")
	errClientGone = errors.New("the client has closed the connection")
)

func newMemoryPool(size int64) *memoryPool {
	return &memoryPool{
		size:       size,
		waitLimit:  4 * time.Second,
		stallLimit: time.Second,
		checkEvery: 50 * time.Millisecond,
		free:       size,
		byClient:   map[netip.Addr]int64{},
	}
}

// A reservation is a part of a pool that one request holds. The methods of a nil
// reservation do nothing.
type reservation struct {
	pool   *memoryPool
	client netip.Addr
	bytes  int64
	index  int // in pool.held

	// The transfer that is under way. Its fields are guarded by pool.mu.
	abort   func() error  // ends it
	since   time.Time     // when the current wait for the client began; zero if there is none
	waited  time.Duration // for the current piece, before that
	moved   int           // bytes of the current piece
	inLine  bool          // it waits for another resource instead
	aborted bool
}

type waiter struct {
	*reservation
	ready chan struct{} // closed once the reservation is held
}

// reserve waits until bytes are free. A request for more than the pool has gets all
// of it.
func (p *memoryPool) reserve(ctx context.Context, client netip.Addr, bytes int64) (*reservation, error) {
	w := &waiter{reservation: &reservation{pool: p, client: client, bytes: min(bytes, p.size)}}
	p.mu.Lock()
	if len(p.waiting) == 0 && w.bytes <= p.free && p.withinShare(w) {
		p.hold(w.reservation)
		p.mu.Unlock()
		return w.reservation, nil
	}
	if len(p.waiting) == maxWaiting || p.waitingOf(client) == maxWaiting/2 {
		p.mu.Unlock()
		return nil, errNoMemory
	}
	w.ready = make(chan struct{})
	p.waiting = append(p.waiting, w)
	p.admit()
	p.mu.Unlock()

	err := p.wait(ctx, w)
	if err == nil {
		return w.reservation, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.waiting, w); i >= 0 {
		p.waiting = slices.Delete(p.waiting, i, i+1)
		p.admit() // a smaller one may have waited behind w
		return nil, err
	}
	return w.reservation, nil // at the last moment
}

// wait returns nil once w holds its reservation.
func (p *memoryPool) wait(ctx context.Context, w *waiter) error {
	limit := time.NewTimer(p.waitLimit)
	defer limit.Stop()
	check := time.NewTicker(p.checkEvery)
	defer check.Stop()
	for {
		select {
		case <-w.ready:
			return nil
		case <-ctx.Done():
			return errClientGone
		case <-limit.C:
			return errNoMemory
		case now := <-check.C:
			p.abortStalled(now)
		}
	}
}

func (p *memoryPool) hold(r *reservation) {
	p.free -= r.bytes
	p.byClient[r.client] += r.bytes
	r.index = len(p.held)
	p.held = append(p.held, r)
}

// withinShare reports whether the client of w may hold that much more.
func (p *memoryPool) withinShare(w *waiter) bool {
	held := p.byClient[w.client]
	return held == 0 || held+w.bytes <= p.size/2
}

// waitingOf returns how many requests of a client wait in line.
func (p *memoryPool) waitingOf(client netip.Addr) (n int) {
	for _, w := range p.waiting {
		if w.client == client {
			n++
		}
	}
	return n
}

// admit gives waiting requests their memory, as far as there is any.
func (p *memoryPool) admit() {
	for len(p.waiting) > 0 {
		first := p.first(p.waiting)
		w := p.waiting[first]
		if w.bytes > p.free || !p.withinShare(w) {
			return
		}
		p.waiting = slices.Delete(p.waiting, first, first+1)
		p.hold(w.reservation)
		close(w.ready)
	}
}

// first returns the index of the first in line: the client that holds the least comes
// first, so that many requests of one client do not keep out the only one of another.
// Requests that exceed the share of their client come last.
func (p *memoryPool) first(waiting []*waiter) int {
	first := 0
	for i, w := range waiting {
		if p.comesBefore(w, waiting[first]) {
			first = i
		}
	}
	return first
}

func (p *memoryPool) comesBefore(w, other *waiter) bool {
	if within := p.withinShare(w); within != p.withinShare(other) {
		return within
	}
	return p.byClient[w.client] < p.byClient[other.client]
}

// abortStalled ends the transfers that stall, until the waiting requests fit. It begins
// with the clients that hold the most, and with the longest transfers of each.
func (p *memoryPool) abortStalled(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now.Sub(p.checked) < p.checkEvery/2 {
		return // another waiting request has just done it
	}
	p.checked = now
	var needed int64
	for _, w := range p.waiting {
		needed += w.bytes
	}
	if len(p.waiting) == 0 {
		return
	}
	least := p.byClient[p.waiting[p.first(p.waiting)].client]
	var stalled []*reservation
	for _, r := range p.held {
		switch {
		case r.aborted:
			needed -= r.bytes // will be free in a moment
		case !r.since.IsZero() && r.waitedAt(now) > p.stallLimit &&
			(p.byClient[r.client] > least || p.byClient[r.client] == least && !r.inLine):
			stalled = append(stalled, r)
		}
	}
	slices.SortFunc(stalled, func(a, b *reservation) int {
		return cmp.Or(cmp.Compare(p.byClient[b.client], p.byClient[a.client]), cmp.Compare(b.waitedAt(now), a.waitedAt(now)))
	})
	for _, r := range stalled {
		if needed <= 0 {
			return
		}
		if r.abort() == nil {
			r.aborted = true
			needed -= r.bytes
		}
	}
}

// release gives everything back.
func (r *reservation) release() {
	if r == nil {
		return
	}
	p := r.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	last := p.held[len(p.held)-1]
	p.held[r.index], last.index = last, r.index
	p.held[len(p.held)-1] = nil
	p.held = p.held[:len(p.held)-1]
	p.free += r.bytes
	p.admit() // the client still counts as holding r, so others come first
	if p.byClient[r.client] -= r.bytes; p.byClient[r.client] == 0 {
		delete(p.byClient, r.client)
	}
	p.admit()
}

// startTransfer begins a transfer from or to the client. The function abort ends it.
func (r *reservation) startTransfer(abort func() error) {
	if r == nil {
		return
	}
	r.pool.mu.Lock()
	defer r.pool.mu.Unlock()
	r.abort, r.waited, r.moved = abort, 0, 0
}

// startWait is called before the request waits for its client.
func (r *reservation) startWait() {
	if r == nil {
		return
	}
	r.pool.mu.Lock()
	defer r.pool.mu.Unlock()
	r.since = time.Now()
}

// waitedAt returns how long the request has waited for the current piece.
func (r *reservation) waitedAt(now time.Time) time.Duration { return r.waited + now.Sub(r.since) }

// endWait is called after that wait, in which the client has moved n bytes.
func (r *reservation) endWait(n int) {
	if r == nil {
		return
	}
	r.pool.mu.Lock()
	defer r.pool.mu.Unlock()
	r.waited += time.Since(r.since)
	r.since = time.Time{}
	if r.moved += n; r.moved >= networkPiece {
		r.waited, r.moved = 0, 0
	}
}

// startLine is called before a request without a response so far waits for something else
// than its client. The function abort ends that wait. The function that startLine returns
// is called after it, and reports whether it was aborted.
func (r *reservation) startLine(abort func()) (end func() (aborted bool)) {
	if r == nil {
		return func() bool { return false }
	}
	r.pool.mu.Lock()
	defer r.pool.mu.Unlock()
	r.since, r.waited, r.inLine = time.Now(), 0, true
	r.abort = func() error {
		abort()
		return nil
	}
	return func() bool {
		r.pool.mu.Lock()
		defer r.pool.mu.Unlock()
		r.since, r.inLine = time.Time{}, false
		return r.aborted
	}
}

// endTransfer ends what startTransfer announced, and reports whether it was aborted.
func (r *reservation) endTransfer() (aborted bool) {
	if r == nil {
		return false
	}
	r.pool.mu.Lock()
	defer r.pool.mu.Unlock()
	return r.aborted
}

// abortReading and abortWriting end a transfer of the request of w.
func abortReading(w http.ResponseWriter) func() error {
	return func() error { return http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0)) }
}

func abortWriting(w http.ResponseWriter) func() error {
	return func() error { return http.NewResponseController(w).SetWriteDeadline(time.Unix(1, 0)) }
}

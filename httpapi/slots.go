package httpapi

import (
	"context"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// A request needs a slot for more than freeBytes of a body, or of a response about a
// webhook. Because the slots are few and bodies and responses have limits, the memory of all
// requests is limited too. The client that holds the fewest slots is next, and a request
// that waits for longer than waitLimit is rejected.
//
// Slow transfers would hold slots for long. So when the first in line has waited for
// patience, and another client holds more slots, the slowest transfer of the client with the
// most slots loses its slot. One that is slower than slowPiece is safe for grace, and others
// are safe for longer, because they soon end. A request that decodes or encodes keeps its
// slot: that takes no longer than the processor needs.
const (
	freeBytes      = 16 << 10
	slotCount      = 8
	slotsPerClient = slotCount / 2
	lineLength     = 512 // each has freeBytes of its body already
	linePerClient  = 16
	waitLimit      = 4 * time.Second
	patience       = time.Second
	grace          = patience / 2
	longGrace      = 2 * patience
	slowPiece      = patience / 4 // 256 KiB/s
	checkEvery     = 100 * time.Millisecond
)

// A transfer with a slot must move a piece within a time, and end within another. Writing has
// more time for a piece, because the buffers of the kernel become free in lumps.
const (
	pieceBytes   = 64 << 10
	readPiece    = time.Second
	writePiece   = 4 * time.Second
	transferTime = 30 * time.Second // 140 kB/s for the largest body
)

// slots are the slots of a handler. Their zero value is ready to use.
type slots struct {
	mu   sync.Mutex
	held []*slot
	line []*slot // in the order of arrival, but see admit

	preempted time.Time // when preempt last looked
}

// A slot is held by a request, or waited for.
type slot struct {
	of     *slots
	client netip.Addr
	ready  chan struct{} // closed once it's held
	since  time.Time     // when the request came

	// The transfer under way. Guarded by of.mu.
	deadline func(time.Time) error // sets its deadline; nil if there is none
	perPiece time.Duration         // how long a piece may take
	began    time.Time
	piece    time.Time     // when its current piece began
	took     time.Duration // how long the piece before took
}

// take waits for a slot. It returns nil if there is none in time, or if ctx ends.
func (s *slots) take(ctx context.Context, client netip.Addr) *slot {
	t := &slot{of: s, client: client, ready: make(chan struct{}), since: time.Now()}
	s.mu.Lock()
	if len(s.line) == lineLength || count(s.line, client) == linePerClient {
		s.mu.Unlock()
		return nil
	}
	s.line = append(s.line, t)
	s.admit()
	s.mu.Unlock()

	limit, check := time.NewTimer(waitLimit), time.NewTicker(checkEvery)
	defer limit.Stop()
	defer check.Stop()
	for {
		select {
		case <-t.ready:
			return t
		case <-check.C:
			s.preempt()
			continue
		case <-ctx.Done():
		case <-limit.C:
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if i := slices.Index(s.line, t); i >= 0 {
			s.line = slices.Delete(s.line, i, i+1)
			return nil
		}
		return t // at the last moment
	}
}

// count returns how many of the slots are those of a client.
func count(all []*slot, client netip.Addr) (n int) {
	for _, t := range all {
		if t.client == client {
			n++
		}
	}
	return n
}

// first returns who is next in line, or nil.
func (s *slots) first() (first *slot) {
	fewest := slotsPerClient
	for _, t := range s.line {
		if n := count(s.held, t.client); n < fewest {
			first, fewest = t, n
		}
	}
	return first
}

// admit grants the free slots. The other requests of a client that gets one go to the end
// of the line, so that clients take turns however many requests they make.
func (s *slots) admit() {
	for len(s.held) < slotCount {
		t := s.first()
		if t == nil {
			return
		}
		s.held = append(s.held, t)
		close(t.ready)
		var others, own []*slot
		for _, w := range s.line {
			switch {
			case w == t:
			case w.client == t.client:
				own = append(own, w)
			default:
				others = append(others, w)
			}
		}
		s.line = append(others, own...)
	}
}

// preempt ends the slowest transfer for a request that has waited for long. It ends one at a
// time, because with many in line it would otherwise end all that take long, honest ones too.
func (s *slots) preempt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if now.Sub(s.preempted) < checkEvery/2 {
		return // for another request that waits
	}
	s.preempted = now
	t := s.first()
	if t == nil || now.Sub(t.since) < patience {
		return
	}
	if victim := s.slowest(count(s.held, t.client), now); victim != nil {
		_ = victim.deadline(past) // it may have no effect, but the slot is free
		s.free(victim)
	}
}

// slowest returns the slowest transfer of those clients that hold the most slots, but more
// than so many.
func (s *slots) slowest(most int, now time.Time) (slowest *slot) {
	var pace time.Duration
	for _, t := range s.held {
		if t.deadline == nil {
			continue
		}
		n, p := count(s.held, t.client), max(t.took, now.Sub(t.piece))
		if lasted := now.Sub(t.began); lasted < grace || lasted < longGrace && p < slowPiece {
			continue
		}
		if n > most || n == most && slowest != nil && p > pace {
			slowest, most, pace = t, n, p
		}
	}
	return slowest
}

func (s *slots) free(t *slot) {
	if i := slices.Index(s.held, t); i >= 0 {
		s.held = slices.Delete(s.held, i, i+1)
		s.admit()
	}
}

// release frees the slot, if the request has one.
func (t *slot) release() {
	if t != nil {
		t.of.mu.Lock()
		defer t.of.mu.Unlock()
		t.of.free(t)
	}
}

// past is a deadline that ends a transfer.
var past = time.Unix(1, 0)

// begin begins a transfer. The function deadline sets its deadline.
func (t *slot) begin(deadline func(time.Time) error, perPiece time.Duration) {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	now := time.Now()
	t.deadline, t.perPiece = deadline, perPiece
	t.began, t.piece, t.took = now, now, 0
	t.extend(now)
}

// extend sets the deadline of the current piece. Writers without deadlines have no effect.
func (t *slot) extend(now time.Time) {
	end := now.Add(t.perPiece)
	if last := t.began.Add(transferTime); end.After(last) {
		end = last
	}
	_ = t.deadline(end)
}

// next ends a piece of the transfer. It reports whether the slot is still held.
func (t *slot) next() (held bool) {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	if !slices.Contains(t.of.held, t) {
		return false
	}
	now := time.Now()
	t.piece, t.took = now, now.Sub(t.piece)
	t.extend(now)
	return true
}

// end ends the transfer. It reports whether the slot is still held.
func (t *slot) end() (held bool) {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	if !slices.Contains(t.of.held, t) {
		return false
	}
	_ = t.deadline(time.Time{})
	t.deadline = nil
	return true
}

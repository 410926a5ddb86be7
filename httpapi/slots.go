package httpapi

import (
	"context"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// A request needs a slot for a body or a webhook's response above freeBytes,
// so the slots bound the memory that requests need. The client with the fewest slots is next. A
// request that waits for longer than waitLimit is rejected.
//
// Once the first in line has waited for patience and another client holds more slots, the
// slowest transfer of the client with the most slots loses its slot. A slower one than
// slowPiece is safe for grace and others for longGrace, because they soon end. Since only the
// slowest is ended, and only for somebody who waits, a busy machine that delays all transfers
// doesn't end honest ones.
const (
	freeBytes      = 16 << 10
	slotCount      = 8
	slotsPerClient = slotCount / 2
	lineLength     = 512 // each holds freeBytes of its body already
	linePerClient  = 16
	waitLimit      = 4 * time.Second
	patience       = time.Second
	grace          = patience / 2
	longGrace      = 2 * patience
	slowPiece      = patience / 4 // 256 KiB/s
	checkEvery     = 50 * time.Millisecond
)

// A transfer with a slot must have moved a piece for each second since its start, with leeway to
// spare, and must end within transferTime.
const (
	pieceBytes   = 64 << 10
	leeway       = 3 * time.Second
	transferTime = 30 * time.Second // 140 kB/s for the largest body
)

// slots are a handler's slots. The zero value is ready to use.
type slots struct {
	mu   sync.Mutex
	held []*slot
	line []*slot // in order of arrival, except as admit moves them

	preempted time.Time // when preempt last ran
}

// A slot is held by a request, or waited for.
type slot struct {
	of     *slots
	client netip.Addr
	ready  chan struct{} // closed once it's held
	since  time.Time     // when the request arrived

	// The current transfer, guarded by of.mu.
	deadline func(time.Time) error // sets its deadline; nil without a transfer
	lost     bool                  // preempt ended the transfer
	began    time.Time
	moved    int           // bytes so far
	piece    time.Time     // start of the current piece
	took     time.Duration // duration of the previous piece
}

// take waits for a slot and returns it, or nil if none is free in time or ctx ends.
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

// count returns how many slots belong to a client.
func count(all []*slot, client netip.Addr) (n int) {
	for _, t := range all {
		if t.client == client {
			n++
		}
	}
	return n
}

// first returns the next in line, or nil.
func (s *slots) first() (first *slot) {
	fewest := slotsPerClient
	for _, t := range s.line {
		if n := count(s.held, t.client); n < fewest {
			first, fewest = t, n
		}
	}
	return first
}

// admit grants the free slots. It moves the client's other requests to the end of the line, so
// that clients take turns however many requests they make.
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
			if w.client != t.client {
				others = append(others, w)
			} else if w != t {
				own = append(own, w)
			}
		}
		s.line = append(others, own...)
	}
}

// preempt ends the slowest transfer for a request that has waited long. The request that loses its
// slot releases it, so the slots bound the memory of those that end too. preempt ends one transfer at
// a time; otherwise a long line would end every long transfer, honest ones too.
func (s *slots) preempt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if now.Sub(s.preempted) < checkEvery/2 {
		return // it ran for another request in line
	}
	s.preempted = now
	t := s.first()
	if t == nil || now.Sub(t.since) < patience {
		return
	}
	if victim := s.slowest(count(s.held, t.client), now); victim != nil {
		victim.lost = true
		if victim.deadline(past) != nil { // middleware hides the connection
			s.free(victim)
		}
		victim.deadline = nil
	}
}

// slowest returns the slowest transfer of the clients with the most slots, if more than most.
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

// release frees the slot; a nil slot is ignored.
func (t *slot) release() {
	if t != nil {
		t.of.mu.Lock()
		defer t.of.mu.Unlock()
		t.of.free(t)
	}
}

// past is a deadline that ends a transfer.
var past = time.Unix(1, 0)

// begin begins a transfer whose deadline the function sets. Writers without deadlines ignore it.
func (t *slot) begin(deadline func(time.Time) error) {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	t.deadline, t.began, t.moved = deadline, time.Now(), 0
	t.piece, t.took = t.began, 0
	_ = t.deadline(t.began.Add(leeway))
}

// next ends a piece of n bytes. It reports whether the slot is still held.
func (t *slot) next(n int) (held bool) {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	if t.lost {
		return false
	}
	now := time.Now()
	t.piece, t.took = now, now.Sub(t.piece)
	t.moved += n
	_ = t.deadline(t.began.Add(min(leeway+time.Duration(t.moved)*time.Second/pieceBytes, transferTime)))
	return true
}

// end ends the transfer. It reports whether the slot is still held.
func (t *slot) end() (held bool) {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	if t.lost {
		return false
	}
	_ = t.deadline(time.Time{})
	t.deadline = nil
	return true
}

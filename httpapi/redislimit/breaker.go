package redislimit

import (
	"sync"
	"time"
)

const (
	minTries   = 3
	silentFor  = time.Second
	lateFor    = 5 * time.Second
	retryEvery = 500 * time.Millisecond
)

// A breaker keeps requests away from Redis during an outage. An outage begins when at least minTries
// tries in a row got no reply for silentFor, or none in time for lateFor. So neither a burst of
// requests that fail together nor a short delay begins one. Late replies may go on for longer, since
// they still count exactly. Only a probe ends an outage: a reply that was on its way when it began
// says little about Redis now.
//
// The zero value is ready to use.
type breaker struct {
	mu           sync.Mutex
	silent, late streak
	open         bool      // during an outage
	retryAt      time.Time // when the next probe may start
	closed       bool      // forever
}

// A streak is a number of tries without something in between that ends it.
type streak struct {
	tries int
	since time.Time // when the earliest began
}

func (s *streak) add(began time.Time) {
	if s.tries == 0 || began.Before(s.since) {
		s.since = began
	}
	s.tries++
}

func (s *streak) lasts(d time.Duration) bool {
	return s.tries >= minTries && time.Since(s.since) >= d
}

// An outcome is what came of a try.
type outcome int

const (
	inTime outcome = iota
	late
	silent // or an error
)

// A permission says what a request may do.
type permission int

const (
	askRedis permission = iota
	stayAway
	probe // one request every retryEvery
)

func (b *breaker) permit() permission {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch now := time.Now(); {
	case b.closed:
		return stayAway
	case !b.open:
		return askRedis
	case now.Before(b.retryAt):
		return stayAway
	default:
		b.retryAt = now.Add(retryEvery)
		return probe
	}
}

// A change is what a try told about an outage.
type change int

const (
	nothing change = iota
	outageBegan
	outageGoesOn // says a probe
	outageEnded
)

// record records what came of a try that began at a time.
func (b *breaker) record(p permission, began time.Time, o outcome) change {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || b.open && p != probe {
		return nothing
	}
	if b.open {
		if b.open = o != inTime; b.open {
			return outageGoesOn
		}
		return outageEnded
	}
	switch o {
	case inTime:
		b.silent, b.late = streak{}, streak{}
	case late:
		b.silent = streak{}
		b.late.add(began)
	case silent:
		b.silent.add(began)
		b.late.add(began)
	}
	if !b.silent.lasts(silentFor) && !b.late.lasts(lateFor) {
		return nothing
	}
	b.begin()
	return outageBegan
}

// begin begins an outage. b.mu must be locked unless no other goroutine knows b.
func (b *breaker) begin() {
	b.open, b.silent, b.late, b.retryAt = true, streak{}, streak{}, time.Now().Add(retryEvery)
}

func (b *breaker) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
}

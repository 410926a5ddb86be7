package redislimit

import (
	"hash/maphash"
	"net/netip"
	"sync"
	"time"

	"github.com/hailmark/hailmark/httpapi"
)

// A spentTable remembers clients that have spent their limit until their windows end.
// Its size is fixed: a client replaces another one with the same place.
type spentTable struct {
	seed    maphash.Seed
	born    time.Time
	entries [spentEntries]spentEntry
	locks   [64]sync.Mutex // an entry belongs to the lock of its place modulo 64
}

const spentEntries = 1 << 13

type spentEntry struct {
	client   netip.Addr
	class    httpapi.Class
	until    time.Duration // since the table was made, by the monotonic clock
	decision httpapi.Decision
}

func newSpentTable() *spentTable {
	return &spentTable{seed: maphash.MakeSeed(), born: time.Now()}
}

// find returns the decision about a client that is known to have spent a limit, this one
// or a higher one.
func (t *spentTable) find(client netip.Addr, class httpapi.Class, limit int) (httpapi.Decision, bool) {
	e, lock := t.entry(client, class)
	defer lock.Unlock()
	left := e.until - time.Since(t.born)
	if left <= 0 || e.client != client || e.class != class || limit > e.decision.Limit {
		return httpapi.Decision{}, false
	}
	d := e.decision
	d.Limit, d.ResetIn = limit, left
	return d, true
}

// add remembers a decision that refused a client.
func (t *spentTable) add(client netip.Addr, class httpapi.Class, d httpapi.Decision) {
	e, lock := t.entry(client, class)
	defer lock.Unlock()
	*e = spentEntry{client, class, time.Since(t.born) + d.ResetIn, d}
}

// entry returns the place of a client and its lock, which is locked.
func (t *spentTable) entry(client netip.Addr, class httpapi.Class) (*spentEntry, *sync.Mutex) {
	addr := client.As16()
	place := (maphash.Bytes(t.seed, addr[:]) + uint64(class)) % spentEntries
	lock := &t.locks[place%uint64(len(t.locks))]
	lock.Lock()
	return &t.entries[place], lock
}

package redislimit

import (
	"hash/maphash"
	"net/netip"
	"sync"
	"time"

	"github.com/hailmark/hailmark/httpapi"
)

// A spentTable remembers clients that have used up their limit until their windows end.
// Its size is fixed: a client replaces another one in the same place.
type spentTable struct {
	seed    maphash.Seed
	mu      sync.Mutex
	entries [1 << 13]spentEntry
}

type spentEntry struct {
	client   spentClient
	until    time.Time
	decision httpapi.Decision
}

type spentClient struct {
	addr  netip.Addr
	class httpapi.Class
}

func newSpentTable() *spentTable { return &spentTable{seed: maphash.MakeSeed()} }

// find returns the decision about a client that is known to have used up its limit.
func (t *spentTable) find(addr netip.Addr, class httpapi.Class) (httpapi.Decision, bool) {
	client := spentClient{addr, class}
	place := t.place(client)
	t.mu.Lock()
	e := t.entries[place]
	t.mu.Unlock()
	e.decision.ResetIn = time.Until(e.until)
	return e.decision, e.client == client && e.decision.ResetIn > 0
}

// add remembers a decision that rejected a client.
func (t *spentTable) add(addr netip.Addr, class httpapi.Class, d httpapi.Decision) {
	client := spentClient{addr, class}
	place := t.place(client)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entries[place] = spentEntry{client, time.Now().Add(d.ResetIn), d}
}

func (t *spentTable) place(client spentClient) uint64 {
	return maphash.Comparable(t.seed, client) % uint64(len(t.entries))
}

package redislimit

import (
	"net/netip"
	"sync"
	"time"

	"github.com/hailmark/hailmark/httpapi"
)

const maxSpent = 1 << 13 // clients

// A spentTable contains the clients that have used up their limits. It's cleared when it's full.
type spentTable struct {
	mu      sync.Mutex
	clients map[spentClient]spent
}

type spentClient struct {
	addr  netip.Addr
	limit string // as in its key
}

type spent struct {
	until    time.Time
	decision httpapi.Decision
}

func (t *spentTable) find(client spentClient) (httpapi.Decision, bool) {
	t.mu.Lock()
	s := t.clients[client]
	t.mu.Unlock()
	s.decision.ResetIn = time.Until(s.until)
	return s.decision, s.decision.ResetIn > 0
}

func (t *spentTable) add(client spentClient, d httpapi.Decision) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.clients) >= maxSpent {
		clear(t.clients)
	}
	t.clients[client] = spent{time.Now().Add(d.ResetIn), d}
}

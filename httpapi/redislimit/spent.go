package redislimit

import (
	"net/netip"
	"sync"
	"time"

	"github.com/hailmark/hailmark/httpapi"
)

// A spentTable remembers clients that have used up their limit until their windows end. If
// it's full, it forgets them all, which costs each a round trip.
type spentTable struct {
	mu      sync.Mutex
	clients map[spentClient]spent
}

const maxSpent = 1 << 13

type spentClient struct {
	addr  netip.Addr
	class httpapi.Class
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

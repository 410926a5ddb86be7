package redislimit

import (
	"maps"
	"net/netip"
	"sync"
	"time"

	"github.com/hailmark/hailmark/httpapi"
)

const maxWindows = 1 << 13

// A windowTable contains what this replica knows about clients' windows without asking Redis: the
// requests that Redis has counted already and that the replica may still let pass, and which clients
// have used up their limit.
//
// When the table is full, it forgets windows without such requests, for which the replica then asks
// Redis. A window that doesn't fit isn't added, and a replica gets several requests only for a window
// that it knows, so none that was counted is lost.
type windowTable struct {
	mu      sync.Mutex
	windows map[windowKey]*knownWindow
}

type windowKey struct {
	addr  netip.Addr
	class string
}

type knownWindow struct {
	ends   time.Time
	limit  int
	shared int  // requests that all replicas may still count
	own    int  // requests that are counted, and that this replica may still let pass
	spent  bool // the limit is used up
}

// decide decides about a request if that's possible without Redis. known reports whether the table
// knows the client's window.
func (t *windowTable) decide(key windowKey) (d httpapi.Decision, decided, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	w := t.windows[key]
	if w == nil {
		return d, false, false
	}
	d = httpapi.Decision{Limit: w.limit, ResetIn: time.Until(w.ends)}
	switch {
	case d.ResetIn <= 0:
		delete(t.windows, key)
		return d, false, false
	case w.own > 0:
		w.own--
		d.Allowed, d.Remaining = true, w.shared+w.own
		return d, true, true
	default:
		return d, w.spent, true
	}
}

// add adds what Redis said when it was asked: it has granted some requests, of which one has been used.
func (t *windowTable) add(key windowKey, asked time.Time, limit int, g grant) {
	t.mu.Lock()
	defer t.mu.Unlock()
	ends := asked.Add(g.resetIn) // or a little later
	w := t.windows[key]
	if w == nil {
		if len(t.windows) >= maxWindows {
			maps.DeleteFunc(t.windows, func(_ windowKey, w *knownWindow) bool { return w.own == 0 || time.Until(w.ends) <= 0 })
		}
		if len(t.windows) >= maxWindows {
			return
		}
		w = &knownWindow{}
		t.windows[key] = w
	}
	if asked.After(w.ends) {
		*w = knownWindow{ends: ends, limit: limit, shared: g.shared}
	}
	w.shared = min(w.shared, g.shared)
	w.own += max(0, g.requests-1)
	w.spent = w.spent || g.requests == 0
}

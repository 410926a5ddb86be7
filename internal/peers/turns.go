package peers

import (
	"slices"
	"time"
)

// turns are the turns of clients to work. The next is that of the client that has worked least, so
// clients get equal shares of the time however many requests they make (start-time fair queueing:
// Goyal, Vin and Cheng, 1996). A client that comes back starts at the share of the current one.
type turns struct {
	free    int
	waiting []*turn // in order of arrival
	share   time.Duration
}

// A turn is waited for, or a transfer's.
type turn struct {
	client *client
	begins chan struct{}
}

// queue waits for a turn, which may begin at once.
func (b *Budget) queue(c *client) *turn {
	c.worked = max(c.worked, b.turns.share)
	t := &turn{c, make(chan struct{})}
	b.turns.waiting = append(b.turns.waiting, t)
	if b.turns.free > 0 {
		b.turns.free--
		b.nextTurn()
	}
	return t
}

// nextTurn passes a turn on.
func (b *Budget) nextTurn() {
	if len(b.turns.waiting) == 0 {
		b.turns.free++
		return
	}
	next := 0
	for i, t := range b.turns.waiting {
		if t.client.worked < b.turns.waiting[next].client.worked {
			next = i
		}
	}
	t := b.turns.waiting[next]
	b.turns.waiting = slices.Delete(b.turns.waiting, next, next+1)
	b.turns.share = t.client.worked
	close(t.begins)
}

// leaveQueue stops waiting. It reports whether the turn has begun.
func (b *Budget) leaveQueue(t *turn) bool {
	i := slices.Index(b.turns.waiting, t)
	if i >= 0 {
		b.turns.waiting = slices.Delete(b.turns.waiting, i, i+1)
	}
	return i < 0
}

package identity

import (
	"maps"
	"slices"

	"github.com/hailmark/hailmark/contact/identity/internal/rules"
	"github.com/hailmark/hailmark/contact/identity/store"
)

// extend adds sightings that concern nobody but the holders of their aliases, because they contain
// a known combination of IDs, and everything that their number contributes to people remains the
// same. It returns the rows with the facts' aliases, and the other facts, without those that are known.
func (c *call) extend(facts []rules.Fact) (n *neighborhood, rest []rules.Fact, err error) {
	n, err = c.fetch(aliasesOf(facts), false)
	if err == nil {
		err = c.fetchOthers(n)
	}
	if err != nil {
		return nil, nil, err
	}
	next, rest := n.extended(facts, nil)
	if phones := c.contributing(n, next); len(phones) > 0 {
		next, rest = n.extended(facts, phones)
	}
	var remove, put store.Rows
	remove.Facts, put.Facts = compareFacts(n.rows.Facts, next)
	return n, rest, c.write(&remove, &put)
}

// contributing returns the extended phone numbers that contribute something else to people from now on.
func (c *call) contributing(n *neighborhood, next *rules.State) map[int32]bool {
	phones := map[int32]bool{}
	for i := range next.Cells {
		if phone := next.Cells[i].Phone; phone != 0 && !next.Cells[i].Equal(&n.state.Cells[i]) {
			phones[phone] = true
		}
	}
	if len(phones) == 0 {
		return nil
	}
	before, after := rules.Solve(n.state, c.silence), rules.Solve(next, c.silence)
	maps.DeleteFunc(phones, func(phone int32, _ bool) bool {
		old, wasUsed := before.Trace(phone)
		trace, used := after.Trace(phone)
		return wasUsed && used && slices.Equal(old, trace)
	})
	return phones
}

// extended returns the state with later sightings of known combinations, without those of some
// phone numbers, and the facts that it doesn't include.
func (n *neighborhood) extended(facts []rules.Fact, without map[int32]bool) (next *rules.State, rest []rules.Fact) {
	next = n.state.Empty()
	next.AddRows(n.state)
	var all *rules.State // with rest
	for i := range facts {
		f := &facts[i]
		if f.Kind == rules.Seen && next.Extend(f, without) {
			continue
		}
		if all == nil {
			all = n.state.Empty()
			all.AddRows(n.state)
		}
		if all.Add(f) {
			rest = append(rest, *f)
		}
	}
	return next, rest
}

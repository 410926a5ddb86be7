package identity

import (
	"maps"
	"slices"

	"github.com/hailmark/hailmark/contact/identity/internal/rules"
	"github.com/hailmark/hailmark/contact/identity/store"
)

// extend adds sightings that concern nobody but the holders of their aliases, because they contain
// a known combination of IDs, and everything that their number contributes to people remains the
// same. It returns the other facts, without those that are known.
func (c *call) extend(facts []rules.Fact) (rest []rules.Fact, err error) {
	if len(facts) == 0 {
		return nil, nil
	}
	c.roots = aliasesOf(facts)
	if err := c.fetch(false); err != nil {
		return nil, err
	}
	if err := c.fetchOthers(); err != nil {
		return nil, err
	}
	c.holdings = c.rows.Holdings
	next, rest := c.extended(facts, nil)
	phones := map[int32]bool{}
	for i := range next.Cells {
		if phone := next.Cells[i].Phone; phone != 0 && !next.Cells[i].Equal(&c.state.Cells[i]) {
			phones[phone] = true
		}
	}
	if len(phones) > 0 {
		before, after := rules.Solve(c.state, c.engine.config.silence()), rules.Solve(next, c.engine.config.silence())
		maps.DeleteFunc(phones, func(phone int32, _ bool) bool {
			old, wasUsed := before.Trace(phone)
			trace, used := after.Trace(phone)
			return wasUsed && used && slices.Equal(old, trace)
		})
	}
	if len(phones) > 0 {
		next, rest = c.extended(facts, phones)
	}
	return rest, c.write(next, new(store.Rows), new(store.Rows))
}

// extended returns the state with later sightings of known combinations, without those of some
// phone numbers, and the facts that it doesn't include.
func (c *call) extended(facts []rules.Fact, without map[int32]bool) (next *rules.State, rest []rules.Fact) {
	next = c.state.Empty()
	next.AddRows(c.state)
	var all *rules.State // with rest
	for i := range facts {
		f := &facts[i]
		if f.Kind == rules.Seen && next.Extend(f, without) {
			continue
		}
		if all == nil {
			all = c.state.Empty()
			all.AddRows(c.state)
		}
		if all.Add(f) {
			rest = append(rest, *f)
		}
	}
	return next, rest
}

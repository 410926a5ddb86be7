package identity

import (
	"maps"

	"github.com/hailmark/hailmark/contact/identity/internal/rules"
	"github.com/hailmark/hailmark/contact/identity/store"
)

// extend adds sightings that concern nobody but the holders of their aliases, because they contain
// a known combination of IDs, and everything that their number contributes to people remains the
// same. It returns the rows with the facts' aliases, and the other facts, without those that are known.
func (c *call) extend(facts []rules.Fact) (n *neighborhood, rest []rules.Fact, err error) {
	n, err = c.fetch(aliasesOf(facts), false)
	if err != nil {
		return nil, nil, err
	}
	next, rest := n.extended(facts, nil)
	if phones := n.contributing(next); len(phones) > 0 {
		next, rest = n.extended(facts, phones)
	}
	var remove, put store.Rows
	remove.Facts, remove.Entries, put.Facts = compareFacts(n.rows.Facts, next)
	return n, rest, c.write(&remove, &put)
}

// contributing returns the extended phone numbers that contribute something else to people from now on.
func (n *neighborhood) contributing(next *rules.State) map[rules.Alias]bool {
	phones := map[rules.Alias]bool{}
	for side, cell := range next.Cells {
		if side.Phone.IsValid() && !cell.Equal(n.state.Cells[side]) {
			phones[side.Phone] = true
		}
	}
	if len(phones) == 0 {
		return nil
	}
	before, after := rules.Solve(n.state), rules.Solve(next)
	maps.DeleteFunc(phones, func(phone rules.Alias, _ bool) bool {
		return after.Crowded()[phone] || after.SameLine(before, phone)
	})
	return phones
}

// extended returns the state with later sightings of known combinations, without those of some
// phone numbers, and the facts that it doesn't include.
func (n *neighborhood) extended(facts []rules.Fact, without map[rules.Alias]bool) (next *rules.State, rest []rules.Fact) {
	next, all := n.state.Clone(), n.state.Clone()
	for i := range facts {
		f := &facts[i]
		switch changed := all.Add(f); {
		case !changed:
		case next.Extends(f) && !without[f.A.Phone]:
			next.Add(f)
		default:
			rest = append(rest, *f)
		}
	}
	return next, rest
}

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
	if err != nil {
		return nil, nil, err
	}
	next, rest := n.extended(facts, nil)
	if phones := n.extendedPhones(next); len(phones) > 0 {
		if err := c.fetchOthers(n); err != nil {
			return nil, nil, err
		}
		next, _ = n.extended(facts, nil)
		next, rest = n.extended(facts, n.contributing(next, phones))
	}
	var remove, put store.Rows
	remove.Facts, remove.Entries, put.Facts = compareFacts(n.rows.Facts, next)
	return n, rest, c.write(&remove, &put)
}

// extendedPhones returns the numbers of extended combinations, without those of which it's known that
// nothing changes.
func (n *neighborhood) extendedPhones(next *rules.State) map[rules.Alias]bool {
	phones := map[rules.Alias]bool{}
	for side, cell := range next.Cells {
		if side.Phone.IsValid() && !cell.Equal(n.state.Cells[side]) && !n.goesOn(side) {
			phones[side.Phone] = true
		}
	}
	return phones
}

// goesOn reports whether the combination's person has had its number since it was last seen, and nothing
// can end that: then a later sighting concerns nobody else. That needs no facts about others, of whom
// there can be many.
func (n *neighborhood) goesOn(side rules.Side) bool {
	id, phone, last := side.Stable(), side.Phone, n.state.Cells[side].Last()
	if !id.IsValid() || n.state.Interferes(side) {
		return false
	}
	held := byAlias(n.rows.Holdings)
	person := holderIn(held[id.String()], last)
	return person != (store.ID{}) && slices.ContainsFunc(held[phone.String()], func(h store.Holding) bool {
		return h.Person == person && h.Since <= last && h.Until == rules.EndOfTime
	})
}

// contributing returns those of the numbers that contribute something else to people from now on.
func (n *neighborhood) contributing(next *rules.State, phones map[rules.Alias]bool) map[rules.Alias]bool {
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

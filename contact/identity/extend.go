package identity

import (
	"maps"
	"slices"

	"github.com/hailmark/hailmark/contact/identity/store"
)

// extend adds sightings that concern nobody but the holders of their aliases, because they contain
// a known combination of IDs, and everything that their number contributes to people remains the
// same. It returns the other facts, without those that are known.
func (c *call) extend(facts []Fact) (rest []Fact, err error) {
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
	for i := range next.cells {
		if phone := next.cells[i].phone; phone != 0 && !next.cells[i].equal(&c.state.cells[i]) {
			phones[phone] = true
		}
	}
	if len(phones) > 0 {
		before, after := solve(c.state, c.engine.config.silence()), solve(next, c.engine.config.silence())
		maps.DeleteFunc(phones, func(phone int32, _ bool) bool {
			old, wasUsed := before.trace(phone)
			trace, used := after.trace(phone)
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
func (c *call) extended(facts []Fact, without map[int32]bool) (next *State, rest []Fact) {
	next = c.state.empty()
	next.addRows(c.state)
	all := next.empty()
	all.addRows(next)
	for i := range facts {
		f := &facts[i]
		if f.kind == factSeen {
			x := next.cellOf(f)
			if n, known := next.cellIndex[x.side]; known && next.cells[n].first() <= f.at && !without[x.phone] {
				next.addCell(x)
				continue
			}
		}
		if all.add(f) {
			rest = append(rest, *f)
		}
	}
	return next, rest
}

// trace returns everything that a phone number contributes to people except last times and
// labels, and reports whether its last holder uses it. All facts with the number must be known,
// and all changes of BSUIDs seen with it.
func (s *solution) trace(phone int32) (trace []int64, used bool) {
	l := s.line(phone)
	trace = append(trace, l.cuts...)
	holder, owner := int32(0), int32(0)
	for m := range l.moments() {
		if m.begins {
			owner = 0
		}
		if m.begins || m.holder != holder {
			holder = m.holder
			trace = append(trace, m.at, int64(holder))
		}
		for _, x := range m.sightings {
			if x.by != 0 && x.by != owner { // it passed to another owner
				owner = x.by
				trace = append(trace, m.at, -int64(owner))
			}
		}
	}
	for i := range s.changes {
		for j, m := range s.changes[i].sides {
			if m.phone == phone && m.stable() == 0 {
				trace = append(trace, int64(s.sideOwner(&s.changes[i], int32(i), j)))
			}
		}
	}
	for _, v := range s.verdicts {
		if v.joined && (v.a == phone || v.b == phone) {
			trace = append(trace, int64(s.joinedOwner(phone, v.at)))
		}
	}
	return trace, s.user(l) >= 0
}

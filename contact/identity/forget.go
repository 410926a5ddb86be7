package identity

import (
	"context"
	"slices"

	"github.com/hailmark/hailmark/contact/identity/store"
)

// Forget removes a person in one transaction: their aliases, all facts about them, and all IDs
// that lead to them. Later facts are about a new person. Other people keep their rows, their
// numbers and their periods, because handovers replace the boundaries that Forget removes. However, a
// number that only operators' statements still contain isn't listed until a new fact contains it.
//
// It returns the removed IDs, the person's own first, or none if the ID is unknown, and other
// people's changes. In the same transaction, delete your own rows with the removed IDs first, and
// then apply the changes. They don't contain a [Moved] from the person, so that nobody else gets
// the person's messages.
func (e *Engine) Forget(ctx context.Context, id PersonID) (gone []PersonID, changes []Change, err error) {
	_, err = update(e, ctx, func(c *call) (bool, error) {
		gone, changes, err = c.forget(store.ID(id))
		return true, err
	})
	if err != nil {
		return nil, nil, err
	}
	return gone, changes, nil
}

func (c *call) forget(id store.ID) ([]PersonID, []Change, error) {
	for {
		p, root, main, err := c.person(id, true)
		if err != nil || p == nil {
			return nil, nil, err
		}
		if root < 0 {
			changes, done, err := c.settle(c.withoutStrayNames(p.solution), nil, map[store.ID]bool{id: true})
			if done || err != nil {
				return []PersonID{PersonID(id)}, changes, err
			}
			if err := c.load(nil); err != nil {
				return nil, nil, err
			}
			continue
		}
		// Others named by a fact about the person may hold other numbers without it.
		f := forgetting{p.solution, root}
		about, rest := f.split()
		facts := slices.Collect(about.Facts())
		grew := c.concern(facts)
		for i := range facts {
			for _, a := range facts[i].Aliases() {
				grew = grew || !c.roots[a.String()]
				c.roots[a.String()] = true
			}
		}
		if grew {
			if err := c.load(facts); err != nil {
				return nil, nil, err
			}
			continue
		}
		gone := []PersonID{PersonID(main)}
		set := map[store.ID]bool{main: true}
		for i := range c.rows.Persons {
			row := &c.rows.Persons[i]
			if a, _ := parseAlias(row.Anchor); p.holderAt(a, row.At) == root && !set[row.ID] {
				set[row.ID] = true
				gone = append(gone, PersonID(row.ID))
			}
		}
		changes, done, err := c.settle(f.withBorders(rest), nil, set)
		if done || err != nil {
			return gone, changes, err
		}
		if err := c.load(nil); err != nil {
			return nil, nil, err
		}
	}
}

// withoutStrayNames returns s without the names received with a number alone while nobody had it.
func (c *call) withoutStrayNames(s *solution) *State {
	rest := s.empty()
	rest.addRows(s.State)
	for i := range rest.cells {
		row := &rest.cells[i]
		phone := s.names[row.phone]
		if row.stable() != 0 || !c.roots[phone.String()] {
			continue
		}
		for _, d := range row.labels() {
			if s.holderAt(phone, d.at) < 0 {
				*d = dated{}
			}
		}
	}
	return rest
}

// A forgetting separates a solution's facts about one person from all others.
type forgetting struct {
	*solution
	root int32 // the node of the person
}

// withBorders adds handovers to the rest, which replace the boundaries that only facts about the
// person made.
func (f *forgetting) withBorders(rest *State) *State {
	for {
		borders := f.missing(solve(rest, f.silence))
		if len(borders) == 0 {
			return rest
		}
		for _, h := range borders {
			if i, known := rest.handed[h.handoverKey]; known {
				rest.handovers[i].undone = false // a handover that was taken back counts again
			} else {
				rest.addHandover(h)
			}
		}
	}
}

// missing returns handovers at boundaries that another solution doesn't contain, for its own
// phone numbers.
func (f *forgetting) missing(after *solution) []handover {
	var borders []handover
	for i := range f.lines {
		l := &f.lines[i]
		m := after.line(l.phone)
		if len(m.sightings) == 0 {
			continue
		}
		var starts []int64 // of segments, and of periods next to the person's
		for _, cut := range l.cuts {
			starts = append(starts, (cut+1)/2)
		}
		pieces := f.pieces(l)
		for i := 1; i < len(pieces) && pieces[i].since <= pieces[i].until; i++ {
			if pieces[i-1].root == f.root || pieces[i].root == f.root {
				starts = append(starts, pieces[i].since)
			}
		}
		for _, at := range starts {
			if !slices.ContainsFunc(m.cuts, func(other position) bool { return (other+1)/2 == at }) {
				borders = append(borders, handover{handoverKey: handoverKey{l.phone, at}})
			}
		}
	}
	return borders
}

func (f *forgetting) isTheirs(n int32) bool { return n != 0 && f.person.find(n) == f.root }

func (f *forgetting) isTheirsAt(n int32, at int64) bool {
	return n != 0 && f.holderAt(f.names[n], at) == f.root
}

// split returns the person's rows, and what remains of all rows without the person.
func (f *forgetting) split() (about, rest *State) {
	about, rest = f.empty(), f.empty()
	for _, c := range f.cells {
		kept := c
		if f.keepCell(&kept) {
			rest.addCell(kept)
		}
		if kept != c {
			about.addCell(c)
		}
	}
	for _, c := range f.changes {
		if !f.isAbout(&c) {
			rest.addChange(c)
			continue
		}
		about.addChange(c)
		if f.strip(&c) {
			rest.addChange(c)
			continue
		}
		f.keepSides(&c, rest)
	}
	for _, v := range f.verdicts {
		if f.isTheirsAt(v.a, v.at) || f.isTheirsAt(v.b, v.at) {
			about.addVerdict(v)
		} else {
			rest.addVerdict(v)
		}
	}
	named := make([]bool, len(rest.names))
	rest.eachSide(func(x, _ *side, _, _ int64) { named[x.phone] = true })
	for _, v := range rest.verdicts {
		named[v.a], named[v.b] = true, true
	}
	for _, h := range f.handovers {
		if named[h.phone] {
			rest.addHandover(h)
		}
		if f.isTheirsAt(h.phone, h.at) || f.isTheirsAt(h.phone, h.at-1) {
			about.addHandover(h)
		}
	}
	return about, rest
}

// strip removes the person from a change. It reports whether the change still joins others.
func (f *forgetting) strip(c *change) bool {
	a, b := c.sides[0].stable(), c.sides[1].stable()
	if a == 0 && b == 0 || f.isTheirs(a) || f.isTheirs(b) {
		return false // the phone numbers may be theirs
	}
	stripped := *c
	for i := range stripped.sides {
		if m := &stripped.sides[i]; f.isTheirs(m.parent) {
			m.parent = 0
		}
	}
	if stripped.sides[0] == stripped.sides[1] {
		return false
	}
	*c = stripped
	return true
}

// keepSides adds to rest the aliases in a change about the person that an operator separated from
// the person. They still leave or enter their number.
func (f *forgetting) keepSides(c *change, rest *State) {
	for i, m := range c.sides {
		kept := cell{cellKey: cellKey{side: m}, first: c.at, last: c.at}
		kept.received.raise(dated{c.at, c.received[i]})
		if m.stable() == 0 || !f.keepCell(&kept) {
			continue
		}
		if kept.phone == 0 || c.sides[0].phone == c.sides[1].phone {
			rest.addCell(kept)
			continue
		}
		only := change{changeKey: changeKey{at: c.at}}
		only.sides[i], only.received[i] = kept.side, kept.received.text
		only.sides[1-i] = side{bsuid: kept.bsuid, parent: kept.parent}
		rest.addChange(only)
	}
}

// keepCell removes the person from a cell. It reports whether anything remains.
func (f *forgetting) keepCell(c *cell) bool {
	owner := c.stable()
	if owner == 0 {
		return f.keepAlone(c)
	}
	if f.isTheirs(owner) {
		c.phone, c.received, c.username, c.name = 0, dated{}, dated{}, dated{}
	}
	if f.isTheirs(c.bsuid) {
		c.bsuid = 0
	}
	if f.isTheirs(c.parent) {
		c.parent = 0
	}
	return c.stable() != 0
}

// keepAlone is keepCell for a phone number alone. The messages that others' labels come from become
// the first and last ones if those are the person's.
func (f *forgetting) keepAlone(c *cell) bool {
	kept, changed := *c, false
	kept.first, kept.last = endOfTime, 0
	keep := func(at int64) bool {
		switch f.holderAt(f.names[c.phone], at) {
		case f.root:
			changed = true
			return false
		case -1: // a label without a message
		default:
			kept.first, kept.last = min(kept.first, at), max(kept.last, at)
		}
		return true
	}
	keep(c.first)
	keep(c.last)
	for _, d := range kept.labels() {
		if d.text != "" && !keep(d.at) {
			*d = dated{}
		}
	}
	if changed {
		*c = kept
	}
	return c.last > 0
}

func (f *forgetting) isAbout(c *change) bool {
	alone := true
	for _, m := range c.sides {
		if f.isTheirs(m.bsuid) || f.isTheirs(m.parent) {
			return true
		}
		alone = alone && m.stable() == 0
	}
	return alone && (f.isTheirsAt(c.sides[0].phone, c.at) || f.isTheirsAt(c.sides[1].phone, c.at))
}

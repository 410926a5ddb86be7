package identity

import (
	"cmp"
	"context"
	"slices"

	"github.com/hailmark/hailmark/contact/identity/store"
)

// Forget removes a person in one transaction: their aliases, all facts about them, and all IDs
// that lead to them. Later facts are about a new person. Other people keep their IDs, numbers and
// messages, because handovers and sightings replace facts about the person that these depend on.
// However, a number that only operators' statements still contain isn't listed until a new fact
// contains it. In rare cases, a message with a number alone passes to a new person, because only
// facts about the person showed who else had written it; a [Moved] reports that.
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

func (c *call) forget(id store.ID) (gone []PersonID, changes []Change, err error) {
	for {
		p, root, own, err := c.person(id, true)
		if err != nil || p == nil {
			return nil, nil, err
		}
		f := forgetting{p, root}
		about, rest := f.split()
		// Others named by a fact about the person may hold other numbers without it.
		facts := slices.Collect(about.Facts())
		grew := c.concern(facts)
		for text := range aliasesOf(facts) {
			grew = grew || !c.roots[text]
			c.roots[text] = true
		}
		if !grew {
			own = cmp.Or(own, id) // nobody has the anchor of an ID without a person
			gone = []PersonID{PersonID(own)}
			set := map[store.ID]bool{own: true}
			for i := range c.rows.Persons {
				row := &c.rows.Persons[i]
				// An ID can lead to nobody, although its anchor is a number of this person only.
				if f.theirs(p.numberOf(row.Anchor), row.At) && !set[row.ID] {
					set[row.ID] = true
					gone = append(gone, PersonID(row.ID))
				}
			}
			changes, done, err := c.settle(f.restore(rest), nil, set)
			if done || err != nil {
				return gone, changes, err
			}
		}
		if err := c.load(facts); err != nil {
			return nil, nil, err
		}
	}
}

// A forgetting separates a solution's facts about one person from all others.
type forgetting struct {
	*population
	root int32 // the person's node, or -1 to remove only labels that nobody has
}

// restore adds what others lose without the person's facts. Handovers replace boundaries. If the
// person's facts hid a boundary, sightings with the owner's alias continue the period after it, and
// statements join the aliases of a person whom it divides.
func (f *forgetting) restore(rest *State) *State {
	for changed := true; changed; {
		changed = false
		after := solve(rest, f.silence)
		known := map[int32]int32{} // an alias of each person
		for n := int32(1); int(n) < len(f.names); n++ {
			root := f.person.find(n)
			if root == f.root || !f.inner[root] || !f.names[n].isStable() {
				continue
			}
			if other, several := known[root]; several && after.person.find(n) != after.person.find(other) {
				joined, _ := Joined(max(f.last[n], f.last[other], 1), f.names[n], f.names[other])
				changed = rest.add(&joined) || changed
			}
			known[root] = n
		}
		for i := range f.lines {
			before := &f.lines[i]
			l, phone := after.line(before.phone), f.names[before.phone]
			if len(l.sightings) == 0 {
				continue
			}
			for _, at := range f.borders(before) {
				if l.begin(l.segment(at)) != at {
					h := handover{handoverKey: handoverKey{l.phone, at}}
					rest.addHandover(h)
					rest.handovers[rest.handed[h.handoverKey]].undone = false // even if an operator withdrew it
					changed = true
				}
			}
			for _, x := range before.sightings {
				owner := f.holder(before, x.at)
				others := int(owner) < len(f.names) && !f.theirs(owner, x.at)
				if others && after.holderAt(phone, x.at) != after.person.find(owner) {
					seen := Fact{kind: factSeen, at: x.at, a: members{phone: phone}}
					seen.a.set(f.names[owner])
					changed = rest.add(&seen) || changed
				}
			}
		}
	}
	return rest
}

// borders returns the first seconds of segments, and of the person's and the following periods.
func (f *forgetting) borders(l *line) (starts []int64) {
	for segment := range l.cuts {
		starts = append(starts, l.begin(segment+1))
	}
	for _, p := range f.pieces(l) {
		if p.root == f.root && p.since <= p.until {
			starts = append(starts, p.since)
			if p.until != endOfTime {
				starts = append(starts, p.until+1)
			}
		}
	}
	return starts
}

// theirs reports whether an alias is the person's at a time. If nobody else ever had a number, it
// always is.
func (f *forgetting) theirs(n int32, at int64) bool {
	if n == 0 || f.root < 0 {
		return false
	}
	root := f.holderAt(f.names[n], at)
	return root == f.root || root < 0 && f.onlyTheirs(n)
}

func (f *forgetting) onlyTheirs(phone int32) bool {
	pieces := f.pieces(f.line(phone))
	return len(pieces) > 0 && !slices.ContainsFunc(pieces, func(p piece) bool { return p.root != f.root })
}

// split returns the person's rows, and what remains of all rows without the person.
func (f *forgetting) split() (about, rest *State) {
	about, rest = f.empty(), f.empty()
	for _, c := range f.cells {
		if c.stable() == 0 {
			f.splitAlone(&c, about, rest)
			continue
		}
		kept := c
		kept.side = f.without(c.side, side{}, c.first())
		if kept.side != c.side {
			about.addCell(c)
		}
		kept.months = slices.Clone(c.months)
		if f.theirs(c.stable(), c.first()) {
			kept.received = dated{}
			for i := range kept.months {
				kept.months[i].username, kept.months[i].name = dated{}, dated{}
			}
		}
		kept.months = kept.merged(kept.months)
		rest.addCell(kept)
	}
	for _, c := range f.changes {
		f.splitChange(c, about, rest)
	}
	for _, v := range f.verdicts {
		owned := v.joined && f.names[v.a].isStable() // so a number is the other alias's
		if f.theirs(v.a, v.at) || !owned && f.theirs(v.b, v.at) {
			about.addVerdict(v)
		} else {
			rest.addVerdict(v)
		}
	}
	for _, h := range f.handovers {
		if f.theirs(h.phone, h.at) || f.theirs(h.phone, h.at-1) {
			about.addHandover(h)
		}
		if !f.onlyTheirs(h.phone) {
			rest.addHandover(h)
		}
	}
	return about, rest
}

// splitAlone splits the cell of a phone number alone, which can contain several people's messages.
func (f *forgetting) splitAlone(c *cell, about, rest *State) {
	holder := func(fact *Fact) int32 { return f.holderAt(f.names[c.phone], fact.at) }
	facts := f.cellFacts(c)
	if !slices.ContainsFunc(facts, func(fact Fact) bool { return holder(&fact) == f.root }) {
		rest.addCell(*c)
		return
	}
	for i := range facts {
		switch holder(&facts[i]) {
		case f.root:
			about.add(&facts[i])
		case -1: // a label without a message
		default:
			rest.add(&facts[i])
		}
	}
}

// splitChange splits a change. If an operator separated its sides, the other person's IDs were seen.
func (f *forgetting) splitChange(c change, about, rest *State) {
	kept := c
	for i := range c.sides {
		if kept.sides[i] = f.without(c.sides[i], c.sides[1-i], c.at); kept.sides[i].phone == 0 {
			kept.received[i] = ""
		}
	}
	if kept.sides != c.sides {
		about.addChange(c)
	}
	// One side can be empty. It still shows that the other side's BSUID ended.
	rest.addChange(kept)
}

// own returns the facts about the person without other people's aliases and names.
func (f *forgetting) own(about *State) *State {
	only := func(x, other side, at int64) (theirs side) {
		if f.theirs(x.bsuid, at) {
			theirs.bsuid = x.bsuid
		}
		if f.theirs(x.parent, at) {
			theirs.parent = x.parent
		}
		if f.theirs(cmp.Or(x.stable(), other.stable(), x.phone), at) {
			theirs.phone = x.phone
		}
		return theirs
	}
	own := about.empty()
	for _, c := range about.cells {
		labeled := f.theirs(cmp.Or(c.stable(), c.phone), c.first())
		c.side = only(c.side, side{}, c.first())
		c.months = slices.Clone(c.months)
		for i := range c.months {
			if !labeled {
				c.months[i].username, c.months[i].name = dated{}, dated{}
			}
		}
		if c.phone == 0 {
			c.received = dated{}
		}
		c.months = c.merged(c.months)
		own.addCell(c)
	}
	for _, c := range about.changes {
		before := c.sides
		for i := range c.sides {
			if c.sides[i] = only(before[i], before[1-i], c.at); c.sides[i].phone == 0 {
				c.received[i] = ""
			}
		}
		if !slices.Contains(c.sides[:], side{}) && c.sides[0] != c.sides[1] {
			own.addChange(c)
			continue
		}
		for i, x := range c.sides {
			seen := cell{side: x, months: []month{{first: c.at, last: c.at}}}
			seen.received.raise(dated{c.at, c.received[i]})
			own.addCell(seen)
		}
	}
	for _, v := range about.verdicts {
		if f.theirs(v.a, v.at) && f.theirs(v.b, v.at) {
			own.addVerdict(v)
		}
	}
	for _, h := range about.handovers {
		own.addHandover(h)
	}
	return own
}

// without returns what remains of a side without the person. A number belongs to the owner, whom
// the other side of a change may name.
func (f *forgetting) without(x, other side, at int64) side {
	if f.theirs(cmp.Or(x.stable(), other.stable(), x.phone), at) {
		x.phone = 0
	}
	if f.theirs(x.bsuid, at) {
		x.bsuid = 0
	}
	if f.theirs(x.parent, at) {
		x.parent = 0
	}
	return x
}

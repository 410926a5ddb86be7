package rules

import (
	"cmp"
	"slices"
)

// A Removal separates a solution's facts about one person from all others.
type Removal struct {
	*Solution
	root  int32          // the person's node, or -1 to remove only labels that nobody has
	inner map[int32]bool // the nodes of everybody whom facts about the person can affect
}

// NewRemoval returns a removal of the person with a node.
func NewRemoval(s *Solution, root int32, inner map[int32]bool) *Removal {
	return &Removal{s, root, inner}
}

// Restore adds what others lose without the person's facts. Each round adds handovers at boundaries,
// sightings at times of old ones, and statements about old aliases, none twice, so it ends.
func (f *Removal) Restore(rest *State) *State {
	for changed := true; changed; {
		changed = false
		after := Solve(rest, f.silence)
		for _, fact := range slices.Concat(f.divided(after), f.passed(after)) {
			changed = rest.Add(&fact) || changed
		}
		for _, key := range f.unbounded(after) {
			rest.AddHandover(Handover{HandoverKey: key})
			rest.Handovers[rest.handed[key]].Undone = false // even if an operator withdrew it
			changed = true
		}
	}
	return rest
}

// divided returns statements that join the stable aliases of people whom after divides.
func (f *Removal) divided(after *Solution) (joins []Fact) {
	known := map[int32]int32{} // an alias of each person
	for n := int32(1); int(n) < len(f.Names); n++ {
		root := f.person.find(n)
		if root == f.root || !f.inner[root] || !f.Names[n].IsStable() {
			continue
		}
		if other, several := known[root]; several && after.person.find(n) != after.person.find(other) {
			joins = append(joins, f.joining(n, other))
		}
		known[root] = n
	}
	return joins
}

// joining returns a statement that two aliases, in either order, are one person's.
func (f *Removal) joining(n, other int32) Fact {
	joined := Fact{Kind: Joined, At: max(f.last[n], f.last[other], 1)}
	a, b := f.Names[n], f.Names[other]
	if a.Compare(b) > 0 {
		a, b = b, a
	}
	joined.A.Set(a)
	joined.B.Set(b)
	return joined
}

// unbounded returns handovers for the boundaries that after doesn't have.
func (f *Removal) unbounded(after *Solution) (handovers []HandoverKey) {
	for i := range f.lines {
		before := &f.lines[i]
		l := after.line(before.phone)
		if len(l.sightings) == 0 {
			continue
		}
		for _, at := range f.borders(before) {
			if l.begin(l.segment(at)) != at {
				handovers = append(handovers, HandoverKey{before.phone, at})
			}
		}
	}
	return handovers
}

// passed returns sightings of numbers by others who no longer have them in after: the person's facts
// hid a boundary, and the owner's alias continues the period after it.
func (f *Removal) passed(after *Solution) (sightings []Fact) {
	for i := range f.lines {
		before := &f.lines[i]
		if len(after.line(before.phone).sightings) == 0 {
			continue
		}
		phone := f.Names[before.phone]
		for _, x := range before.sightings {
			owner := f.holder(before, x.at)
			others := int(owner) < len(f.Names) && !f.Theirs(owner, x.at)
			if others && after.HolderAt(phone, x.at) != after.person.find(owner) {
				seen := Fact{Kind: Seen, At: x.at, A: Members{Phone: phone}}
				seen.A.Set(f.Names[owner])
				sightings = append(sightings, seen)
			}
		}
	}
	return sightings
}

// borders returns the first seconds of segments, and of the person's and the following periods.
func (f *Removal) borders(l *line) (starts []int64) {
	for segment := range l.cuts {
		starts = append(starts, l.begin(segment+1))
	}
	for _, p := range f.Pieces(l) {
		if p.Root == f.root && p.Since <= p.Until {
			starts = append(starts, p.Since)
			if p.Until != EndOfTime {
				starts = append(starts, p.Until+1)
			}
		}
	}
	return starts
}

// Theirs reports whether an alias is the person's at a time. If nobody else ever had a number, it
// always is.
func (f *Removal) Theirs(n int32, at int64) bool {
	if n == 0 || f.root < 0 {
		return false
	}
	root := f.HolderAt(f.Names[n], at)
	return root == f.root || root < 0 && f.onlyTheirs(n)
}

func (f *Removal) onlyTheirs(phone int32) bool {
	pieces := f.Pieces(f.line(phone))
	return len(pieces) > 0 && !slices.ContainsFunc(pieces, func(p Piece) bool { return p.Root != f.root })
}

// Split returns the person's rows, and what remains of all rows without the person.
func (f *Removal) Split() (about, rest *State) {
	about, rest = f.Empty(), f.Empty()
	for _, c := range f.Cells {
		if c.Stable() == 0 {
			f.splitAlone(&c, about, rest)
			continue
		}
		kept := c
		kept.Side = f.without(c.Side, Side{}, c.First())
		if kept.Side != c.Side {
			about.AddCell(c)
		}
		kept.Months = slices.Clone(c.Months)
		if f.Theirs(c.Stable(), c.First()) {
			kept.Received = Dated{}
			for i := range kept.Months {
				kept.Months[i].Username, kept.Months[i].Name = Dated{}, Dated{}
			}
		}
		kept.Months = kept.Merged(kept.Months)
		rest.AddCell(kept)
	}
	for _, c := range f.Changes {
		f.splitChange(c, about, rest)
	}
	for _, v := range f.Verdicts {
		owned := v.Joined && f.Names[v.A].IsStable() // so a number is the other alias's
		if f.Theirs(v.A, v.At) || !owned && f.Theirs(v.B, v.At) {
			about.AddVerdict(v)
		} else {
			rest.AddVerdict(v)
		}
	}
	for _, h := range f.Handovers {
		if f.Theirs(h.Phone, h.At) || f.Theirs(h.Phone, h.At-1) {
			about.AddHandover(h)
		}
		if !f.onlyTheirs(h.Phone) {
			rest.AddHandover(h)
		}
	}
	return about, rest
}

// splitAlone splits the cell of a phone number alone, which can contain several people's messages.
func (f *Removal) splitAlone(c *Cell, about, rest *State) {
	holder := func(fact *Fact) int32 { return f.HolderAt(f.Names[c.Phone], fact.At) }
	facts := f.cellFacts(c)
	if !slices.ContainsFunc(facts, func(fact Fact) bool { return holder(&fact) == f.root }) {
		rest.AddCell(*c)
		return
	}
	for i := range facts {
		switch holder(&facts[i]) {
		case f.root:
			about.Add(&facts[i])
		case -1: // a label without a message
		default:
			rest.Add(&facts[i])
		}
	}
}

// splitChange splits a change. If an operator separated its sides, the other person's IDs were seen.
func (f *Removal) splitChange(c Change, about, rest *State) {
	kept := c
	for i := range c.Sides {
		if kept.Sides[i] = f.without(c.Sides[i], c.Sides[1-i], c.At); kept.Sides[i].Phone == 0 {
			kept.Received[i] = ""
		}
	}
	if kept.Sides != c.Sides {
		about.AddChange(c)
	}
	// One side can be empty. It still shows that the other side's BSUID ended.
	rest.AddChange(kept)
}

// Own returns the facts about the person without other people's aliases and names.
func (f *Removal) Own(about *State) *State {
	only := func(x, other Side, at int64) (theirs Side) {
		if f.Theirs(x.BSUID, at) {
			theirs.BSUID = x.BSUID
		}
		if f.Theirs(x.Parent, at) {
			theirs.Parent = x.Parent
		}
		if f.Theirs(cmp.Or(x.Stable(), other.Stable(), x.Phone), at) {
			theirs.Phone = x.Phone
		}
		return theirs
	}
	own := about.Empty()
	for _, c := range about.Cells {
		labeled := f.Theirs(cmp.Or(c.Stable(), c.Phone), c.First())
		c.Side = only(c.Side, Side{}, c.First())
		c.Months = slices.Clone(c.Months)
		for i := range c.Months {
			if !labeled {
				c.Months[i].Username, c.Months[i].Name = Dated{}, Dated{}
			}
		}
		if c.Phone == 0 {
			c.Received = Dated{}
		}
		c.Months = c.Merged(c.Months)
		own.AddCell(c)
	}
	for _, c := range about.Changes {
		before := c.Sides
		for i := range c.Sides {
			if c.Sides[i] = only(before[i], before[1-i], c.At); c.Sides[i].Phone == 0 {
				c.Received[i] = ""
			}
		}
		if !slices.Contains(c.Sides[:], Side{}) && c.Sides[0] != c.Sides[1] {
			own.AddChange(c)
			continue
		}
		for i, x := range c.Sides {
			seen := Cell{Side: x, Months: []Month{{First: c.At, Last: c.At}}}
			seen.Received.Raise(Dated{c.At, c.Received[i]})
			own.AddCell(seen)
		}
	}
	for _, v := range about.Verdicts {
		if f.Theirs(v.A, v.At) && f.Theirs(v.B, v.At) {
			own.AddVerdict(v)
		}
	}
	for _, h := range about.Handovers {
		own.AddHandover(h)
	}
	return own
}

// without returns what remains of a side without the person. A number belongs to the owner, whom
// the other side of a change may name.
func (f *Removal) without(x, other Side, at int64) Side {
	if f.Theirs(cmp.Or(x.Stable(), other.Stable(), x.Phone), at) {
		x.Phone = 0
	}
	if f.Theirs(x.BSUID, at) {
		x.BSUID = 0
	}
	if f.Theirs(x.Parent, at) {
		x.Parent = 0
	}
	return x
}

package rules

import (
	"cmp"
	"fmt"
	"slices"
)

// Split returns what's kept about a person and about others. Facts with the person's stable IDs and
// sightings of numbers that they held are about the person. Section 11, last item.
func (s *Solution) Split(root Node) (about, rest *State) {
	about, rest = NewState(), NewState()
	for side, c := range s.state.Cells {
		s.splitCell(about, rest, root, side, c)
	}
	began := map[Change]int64{}
	for _, a := range s.announcements {
		for _, evident := range a.told {
			for _, c := range s.changes[evident] {
				began[c] = a.at
			}
		}
	}
	for c := range s.state.Changes {
		s.splitChange(about, rest, root, cmp.Or(began[c], c.At), c)
	}
	for p, list := range s.state.Verdicts {
		for _, v := range list {
			if s.hasStable(root, p[:]...) || v.Joined && (s.held(root, p[0], v.Held[0]) || s.held(root, p[1], v.Held[1])) {
				about.AddVerdict(p, v)
			} else {
				rest.AddVerdict(p, v)
			}
		}
	}
	for h, undone := range s.state.Handovers {
		rest.AddHandover(h, undone)
	}
	named := map[Alias]bool{}
	rest.EachSide(func(x, _ Side, _, _ int64) {
		for _, a := range x.IDs() {
			named[a] = true
		}
	})
	for a := range s.crowded {
		if !s.hasStable(root, a) || named[a] { // with fewer facts, it would become evidence about others
			rest.Crowded[a] = true
		}
	}
	return about, rest
}

func (s *Solution) hasStable(root Node, ids ...Alias) bool {
	return slices.ContainsFunc(ids, func(a Alias) bool { return a.IsStable() && s.people.find(Node{ID: a}) == root })
}

// holderOf returns a number's holder at a time, or the zero Node for what isn't a number's line.
func (s *Solution) holderOf(phone Alias, at int64) Node {
	if l := s.lines[phone]; l != nil {
		return l.holder(at)
	}
	return Node{}
}

// held reports whether a person has a number at a time.
func (s *Solution) held(root Node, phone Alias, at int64) bool {
	return s.people.find(s.holderOf(phone, at)) == root
}

// parts returns what counts of a combination: its stable IDs, with the number unless that stands alone.
// Section 3.
func (s *Solution) parts(side Side) (stable, alone Side) {
	if len(side.IDs()) > 1 {
		side = side.Without(s.isCrowded)
	}
	switch {
	case side.IsBare():
		return Side{}, side
	case s.state.withdrawsNumber(side, side.Phone):
		return Side{BSUID: side.BSUID, Parent: side.Parent}, Side{Phone: side.Phone}
	}
	return side, Side{}
}

func (s *Solution) isCrowded(a Alias) bool { return s.crowded[a] }

func (s *Solution) splitCell(about, rest *State, root Node, side Side, c Cell) {
	stable, alone := s.parts(side)
	mine := s.hasStable(root, stable.StableIDs()...)
	var held, others []Fact // of the number alone
	for _, f := range cellFacts(alone, c) {
		if !alone.IsBare() {
			break
		}
		if stable != (Side{}) {
			f.Username, f.Name = "", ""
		}
		switch holder := s.holderOf(alone.Phone, f.At); {
		case s.people.find(holder) == root:
			held = append(held, f)
		case holder.place == 0 || s.seen[holder]: // otherwise it's nobody's
			others = append(others, f)
		}
	}
	if !mine && held == nil && !side.IsBare() {
		rest.AddCell(side, c)
		return
	}
	if mine {
		about.AddCell(side, c)
		c = Cell{Dated{}, withoutLabels(c.Months)}
	}
	for i := range held {
		about.Add(&held[i])
	}
	if left := s.others(root, stable); left != (Side{}) {
		rest.AddCell(left, c)
	}
	for i := range others {
		rest.Add(&others[i])
	}
}

// splitChange adds a change of the announcement that began at a time. Of somebody else's change, a number
// that the person held is left out.
func (s *Solution) splitChange(about, rest *State, root Node, at int64, c Change) {
	others, received := c, s.state.Changes[c]
	theirs := false
	for i, side := range c.Sides {
		side = side.Without(s.isCrowded)
		if side.IsBare() && s.held(root, side.Phone, at) {
			others.Sides[i], theirs = Side{}, true
		} else if s.hasStable(root, side.StableIDs()...) {
			theirs = true
			others.Sides[i] = s.others(root, side)
		}
		if !others.Sides[i].Phone.IsValid() {
			received[i] = ""
		}
	}
	if !theirs {
		rest.AddChange(c, received)
		return
	}
	about.AddChange(c, s.state.Changes[c])
	if len(others.Sides[0].StableIDs())+len(others.Sides[1].StableIDs()) > 0 {
		rest.AddChange(others, received)
	}
}

// others returns a side without a person's stable IDs, and without the number if it's theirs.
func (s *Solution) others(root Node, side Side) Side {
	return side.Without(func(a Alias) bool {
		return s.hasStable(root, a) || a.Kind == Phone && side.Stable().IsValid() && s.hasStable(root, side.Stable())
	})
}

// Own returns what facts about a person say without other people's IDs.
func (s *Solution) Own(root Node, about *State) *State {
	theirs := func(a Alias) bool {
		return slices.ContainsFunc(s.Periods(a), func(p Piece) bool { return p.Root == root })
	}
	strangers := func(a Alias) bool { return !theirs(a) }
	own := NewState()
	for side, c := range about.Cells {
		if rest := side.Without(strangers); rest != (Side{}) {
			own.AddCell(rest, c)
		}
	}
	for c, r := range about.Changes {
		told := c
		for i := range c.Sides {
			told.Sides[i] = c.Sides[i].Without(strangers)
			if !told.Sides[i].Phone.IsValid() {
				r[i] = ""
			}
		}
		if told.Sides[0] != (Side{}) && told.Sides[1] != (Side{}) {
			own.AddChange(told, r)
			continue
		}
		for i, side := range told.Sides { // the other side is somebody else's
			if side != (Side{}) {
				own.AddCell(side, Cell{Dated{c.At, r[i]}, []Month{{First: c.At, Last: c.At}}})
			}
		}
	}
	for p, list := range about.Verdicts {
		if theirs(p[0]) && theirs(p[1]) {
			own.Verdicts[p] = list
		}
	}
	return own
}

// Forget returns what remains without a person: rest, which [Solution.Split] returned, with a handover
// before and after each time in which they held a number, and after they were last seen with it, so that
// nobody gets what arrives late. If that changes other people, the ends that do are left out.
func (s *Solution) Forget(root Node, rest *State) *State {
	others := s.texts(root)
	var ends []Handover
	for phone, l := range s.lines {
		for _, p := range s.Periods(phone) {
			if p.Root == root && p.Since <= p.Until {
				ends = append(ends, Handover{phone, p.Since}, Handover{phone, p.Until + 1})
			}
		}
		for _, x := range l.stretches {
			ends = append(ends, s.lastSeen(root, phone, x)...)
		}
	}
	ends = slices.DeleteFunc(ends, func(h Handover) bool { return h.At <= 0 }) // a line's beginning, or its end plus a second
	slices.SortFunc(ends, func(a, b Handover) int { return cmp.Or(a.Phone.Compare(b.Phone), cmp.Compare(a.At, b.At)) })
	ends = slices.Compact(ends)
	next, missing := rest.with(ends), 0
	if missing = next.missing(others); missing == 0 {
		return next
	}
	for i := 0; i < len(ends); {
		fewer := slices.Delete(slices.Clone(ends), i, i+1)
		if with := rest.with(fewer); with.missing(others) < missing {
			next, ends, missing = with, fewer, with.missing(others)
			continue
		}
		i++
	}
	return next
}

// lastSeen returns handovers after a person was last seen with a number, so that somebody else who was seen
// before doesn't get it back.
func (s *Solution) lastSeen(root Node, phone Alias, x stretch) (ends []Handover) {
	others := false
	for _, y := range x.stays {
		if s.hasStable(root, y.id) {
			ends = append(ends, Handover{phone, y.last + 1})
		} else {
			others = true
		}
	}
	if !others {
		return nil
	}
	return ends
}

// with returns s with handovers.
func (s *State) with(handovers []Handover) *State {
	next := s.Clone()
	for _, h := range handovers {
		next.Handovers[h] = false
	}
	return next
}

// missing returns how many of some texts aren't texts of s.
func (s *State) missing(texts map[string]bool) int {
	n := len(texts)
	for text := range Solve(s).texts(Node{}) {
		if texts[text] {
			n--
		}
	}
	return n
}

// texts describes the people, except one of them, and when each had which number.
func (s *Solution) texts(except Node) map[string]bool {
	found, least := map[string]bool{}, map[Node]Holding{}
	for _, p := range s.Persons() {
		if p.Root != except {
			least[p.Root] = p.Aliases[0]
			found[fmt.Sprintf("%v %q %q", p.Aliases, p.Username, p.Name)] = true
		}
	}
	for phone := range s.lines {
		for _, p := range s.Periods(phone) {
			if h, listed := least[p.Root]; listed {
				found[fmt.Sprint(phone, p.Since, p.Until, h.Alias, h.First)] = true
			}
		}
	}
	return found
}

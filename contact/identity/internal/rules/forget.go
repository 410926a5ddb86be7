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
	for a := range s.crowded {
		if !s.hasStable(root, a) {
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

func (s *Solution) splitCell(about, rest *State, root Node, side Side, c Cell) {
	switch {
	case s.hasStable(root, side.StableIDs()...):
		about.AddCell(side, c)
		if others := s.others(root, side); others != (Side{}) {
			rest.AddCell(others, Cell{Dated{}, withoutLabels(c.Months)})
		}
	case !side.IsBare():
		rest.AddCell(side, c)
	default:
		for _, f := range cellFacts(side, c) {
			switch holder := s.holderOf(side.Phone, f.At); {
			case s.people.find(holder) == root:
				about.Add(&f)
			case holder.place == 0 || s.seen[holder]: // otherwise it's nobody's
				rest.Add(&f)
			}
		}
	}
}

// splitChange adds a change of the announcement that began at a time. Of somebody else's change, a number
// that the person held is left out.
func (s *Solution) splitChange(about, rest *State, root Node, at int64, c Change) {
	others, received := c, s.state.Changes[c]
	for i, side := range c.Sides {
		others.Sides[i] = s.others(root, side)
		if side.IsBare() && s.held(root, side.Phone, at) {
			others.Sides[i] = Side{}
		}
		if !others.Sides[i].Phone.IsValid() {
			received[i] = ""
		}
	}
	if others != c {
		about.AddChange(c, s.state.Changes[c])
	}
	if stable := len(others.Sides[0].StableIDs()) + len(others.Sides[1].StableIDs()); others == c || stable > 0 {
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
// before and after each time in which they held a number, so that nobody gets what arrives late. If that
// changes other people, the ends that do are left out.
func (s *Solution) Forget(root Node, rest *State) *State {
	others := s.texts(root)
	var ends []Handover
	for phone := range s.lines {
		for _, p := range s.Periods(phone) {
			if p.Root == root && p.Since <= p.Until {
				ends = append(ends, Handover{phone, p.Since}, Handover{phone, p.Until + 1})
			}
		}
	}
	ends = slices.DeleteFunc(ends, func(h Handover) bool { return h.At <= 0 }) // a line's beginning, or its end plus a second
	slices.SortFunc(ends, func(a, b Handover) int { return cmp.Or(a.Phone.Compare(b.Phone), cmp.Compare(a.At, b.At)) })
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

package rules

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Split returns what's kept about a person and about others. Facts with the person's stable IDs and
// sightings of numbers that they held are about the person. Section 11, last item.
func (s *Solution) Split(root Node) (about, rest *State) {
	about, rest = NewState(), NewState()
	for side, c := range s.state.Cells {
		s.splitCell(about, rest, root, side, c)
	}
	s.splitChanges(about, rest, root)
	for p, list := range s.state.Verdicts {
		for _, v := range list {
			if s.hasStable(root, p[:]...) || v.Joined && !p[0].IsStable() && (s.held(root, p[0], v.Held[0]) || s.held(root, p[1], v.Held[1])) {
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
	switch {
	case s.hasStable(root, stable.Stable()): // whose the labels and the number are
		about.AddCell(side, c)
		c = Cell{Dated{}, withoutLabels(c.Months)}
	case mine:
		about.AddCell(side, Cell{Dated{}, withoutLabels(c.Months)})
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

// splitChanges adds each announcement's changes, and of others' announcements that concern the person one
// change without the person's IDs. A side without a stable ID is the number's holder's.
func (s *Solution) splitChanges(about, rest *State, root Node) {
	others := maps.Clone(s.state.Changes)
	for _, a := range s.announcements {
		left, theirs := Change{At: a.at}, false
		for i, side := range a.sides {
			switch {
			case side.IsBare() && s.held(root, side.Phone, a.at):
				theirs = true
			case s.hasStable(root, side.StableIDs()...):
				theirs = true
				left.Sides[i] = s.others(root, side)
			default:
				left.Sides[i] = side
			}
		}
		if !theirs {
			continue
		}
		for _, evident := range a.told {
			for _, c := range s.changes[evident] {
				about.AddChange(c, others[c])
				delete(others, c)
			}
		}
		if left.Sides[0] == left.Sides[1] { // a change says nothing then
			rest.see(left.Sides[0], a.at)
		} else {
			rest.AddChange(left, Received{s.received[left.Sides[0].Phone].Text, s.received[left.Sides[1].Phone].Text})
		}
	}
	for c, received := range others {
		rest.AddChange(c, received)
	}
}

// see adds a sighting, if there's an ID.
func (s *State) see(side Side, at int64) {
	if side != (Side{}) {
		s.AddCell(side, Cell{Months: []Month{{First: at, Last: at}}})
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
		rest := side.Without(strangers)
		if !rest.Phone.IsValid() {
			c.Received = Dated{}
		}
		if rest != (Side{}) {
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
			ends = append(ends, s.stayEnds(root, phone, x)...)
		}
	}
	ends = slices.DeleteFunc(ends, func(h Handover) bool { return h.At <= 0 }) // a line's beginning, or its end plus a second
	slices.SortFunc(ends, func(a, b Handover) int { return cmp.Or(a.Phone.Compare(b.Phone), cmp.Compare(a.At, b.At)) })
	ends = slices.Compact(ends)
	ends = slices.DeleteFunc(ends, func(h Handover) bool { return s.spans(root, h) })
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

// spans reports whether somebody else's stay was seen both before a handover and then or later. Rows keep
// only its first and last time, so a break between these would take the time after it away from them.
func (s *Solution) spans(root Node, h Handover) bool {
	return slices.ContainsFunc(s.lines[h.Phone].at(h.At).stays, func(y stay) bool {
		return !s.hasStable(root, y.id) && y.from < h.At && h.At <= y.last
	})
}

// stayEnds returns handovers before a person's stays and after they were last seen, so that nobody who was
// seen earlier or later gets what was kept from them.
func (s *Solution) stayEnds(root Node, phone Alias, x stretch) (ends []Handover) {
	others := false
	for _, y := range x.stays {
		if s.hasStable(root, y.id) {
			ends = append(ends, Handover{phone, y.from}, Handover{phone, y.last + 1})
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

// texts describes the people, except one of them, and when each had which number. A number's text received
// last can be the forgotten person's.
func (s *Solution) texts(except Node) map[string]bool {
	found, least := map[string]bool{}, map[Node]Holding{}
	for _, p := range s.Persons() {
		if p.Root == except {
			continue
		}
		h := p.Aliases[0]
		least[p.Root] = h
		found[fmt.Sprintf("%v %d %q %q", h.Alias, h.First, p.Username, p.Name)] = true
		for _, x := range p.Aliases {
			found[fmt.Sprint(h.Alias, h.First, x.Alias, x.First, x.Last, x.Current)] = true
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

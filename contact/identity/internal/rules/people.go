package rules

import (
	"cmp"
	"slices"
)

// A Person contains a person's IDs, latest username and latest name.
type Person struct {
	Aliases        []Holding // sorted
	Username, Name string
	Root           Node // identifies the person in a solution
}

// A Holding is an ID and the time in which a person had it.
type Holding struct {
	Alias       Alias
	First, Last int64 // when facts first and last contain it
	Current     bool
	Received    string // the phone number as last received, if it differs from the ID
}

// A Solution contains the people in a state, and who has a number when.
type Solution struct {
	state *State
	evidence
	announcements []announcement
	lives         map[Alias]life
	lines         map[Alias]*line
	people        nodes
	named         map[Alias]bool // the IDs of combinations and announcements, and stable IDs in statements
	seen          map[Node]bool  // whoever was seen on a number
	periods       map[Alias][]Piece
}

// Partition returns the people and conflicts in a state, sorted.
func Partition(state *State) ([]Person, []Conflict) {
	s := Solve(state)
	persons := s.Persons()
	return persons, s.Conflicts(persons)
}

// Solve finds the people in a state. Sections 3 to 8.
func Solve(state *State) *Solution {
	s := &Solution{
		state: state, evidence: state.evidence(),
		lines: map[Alias]*line{}, people: nodes{}, named: map[Alias]bool{}, seen: map[Node]bool{}, periods: map[Alias][]Piece{},
	}
	s.announcements = announcements(s.changes)
	s.lives = lives(s.announcements)
	s.joinStable()
	s.findLines()
	s.joinHolders()
	s.joinStatements()
	s.eachSight(func(owner Node, a Alias, _, _ int64) { s.named[a], s.seen[owner] = true, true })
	for p := range state.Verdicts {
		for _, a := range p {
			s.named[a] = s.named[a] || a.IsStable() && !s.crowded[a]
		}
	}
	return s
}

// joinHolders joins the holder of a number without a stable ID on an announcement's side with whom the other
// side names: its least stable ID, or otherwise its number's holder. Section 8, first item.
func (s *Solution) joinHolders() {
	type bare struct {
		phone Alias
		at    int64
		side  int
	}
	tellers := map[bare]int{}
	for _, a := range s.announcements {
		for i, side := range a.sides {
			if side.IsBare() {
				tellers[bare{side.Phone, a.at, i}]++
			}
		}
	}
	for _, a := range s.announcements {
		var holders []Node
		for i, side := range a.sides {
			if !side.IsBare() || tellers[bare{side.Phone, a.at, i}] > 1 {
				continue
			}
			holders = append(holders, s.lines[side.Phone].holder(a.at))
			if other := a.sides[1-i].Stable(); other.IsValid() {
				holders = append(holders, Node{ID: other})
			}
		}
		if len(holders) == 2 {
			s.people.union(holders[0], holders[1])
		}
	}
}

// joinStatements joins the holders of numbers whom an operator joined. Section 8, second item.
func (s *Solution) joinStatements() {
	s.eachJoined(func(p Pair, v Verdict) {
		switch a, b := p[0], p[1]; {
		case b.IsStable():
		case a.IsStable():
			s.people.union(Node{ID: a}, s.lines[b].holderBefore(v.Held[1]))
		default:
			s.people.union(s.lines[a].holder(v.Held[0]), s.lines[b].holder(v.Held[1]))
		}
	})
}

// eachSight calls f with each owner of an ID, and the first and last time of a combination or
// announcement. Section 8, third item.
func (s *Solution) eachSight(f func(owner Node, a Alias, first, last int64)) {
	for side, months := range s.cells {
		for _, m := range months {
			s.sight(side, m.First, m.Last, f)
		}
	}
	for _, a := range s.announcements {
		for _, side := range a.sides {
			s.sight(side, a.at, a.at, f)
		}
	}
}

func (s *Solution) sight(side Side, first, last int64, f func(owner Node, a Alias, first, last int64)) {
	for _, id := range side.StableIDs() {
		f(Node{ID: id}, id, first, last)
	}
	switch {
	case side.IsBare():
		l := s.lines[side.Phone]
		f(l.holder(first), side.Phone, first, first)
		f(l.holder(last), side.Phone, last, last)
	case side.Phone.IsValid():
		f(Node{ID: side.Stable()}, side.Phone, first, last)
	}
}

// Persons returns the people, sorted. Section 8, last item, and section 9.
func (s *Solution) Persons() []Person {
	held := map[Node]map[Alias]*Holding{}
	s.eachSight(func(owner Node, a Alias, first, last int64) {
		root := s.people.find(owner)
		if held[root] == nil {
			held[root] = map[Alias]*Holding{}
		}
		h := held[root][a]
		if h == nil {
			h = &Holding{Alias: a, First: first, Last: last}
			held[root][a] = h
		}
		h.First, h.Last = min(h.First, first), max(h.Last, last)
	})
	labels := s.labels()
	persons := make([]Person, 0, len(held))
	for root, holdings := range held {
		p := Person{Root: root, Username: labels[root][0].Text, Name: labels[root][1].Text}
		for _, h := range holdings {
			if text := s.received[h.Alias].Text; text != h.Alias.Value {
				h.Received = text
			}
			p.Aliases = append(p.Aliases, *h)
		}
		slices.SortFunc(p.Aliases, func(a, b Holding) int { return a.Alias.Compare(b.Alias) })
		s.markCurrent(&p)
		persons = append(persons, p)
	}
	slices.SortFunc(persons, func(a, b Person) int { // the least ID of several people can be one number
		x, y := &a.Aliases[0], &b.Aliases[0]
		return cmp.Or(x.Alias.Compare(y.Alias), cmp.Compare(x.First, y.First), a.Root.compare(b.Root))
	})
	return persons
}

// markCurrent marks the IDs that a person uses. Section 9.
func (s *Solution) markCurrent(p *Person) {
	latest := map[Alias]*Holding{} // by kind and scope
	for i := range p.Aliases {
		h := &p.Aliases[i]
		if h.Alias.Kind == Phone {
			h.Current = s.currentHolder(h.Alias) == p.Root
			continue
		}
		if s.life(h.Alias).end != EndOfTime {
			continue
		}
		place := Alias{Kind: h.Alias.Kind, Scope: h.Alias.Scope}
		if old := latest[place]; old == nil || h.Last >= old.Last { // they're in order of their texts
			latest[place] = h
		}
	}
	for _, h := range latest {
		h.Current = true
	}
}

// currentHolder returns the root of the person who has a number at the end of time, or the zero Node if
// that's somebody unknown who wasn't seen.
func (s *Solution) currentHolder(phone Alias) Node {
	l := s.lines[phone]
	if l == nil {
		return Node{}
	}
	if n := l.holder(EndOfTime); n.place == 0 || s.seen[n] {
		return s.people.find(n)
	}
	return Node{}
}

// labels returns the latest username and name by person. Section 8, last item.
func (s *Solution) labels() map[Node][2]Dated {
	latest := map[Node][2]Dated{}
	for side, months := range s.cells {
		for _, m := range months {
			for i, label := range [...]Dated{m.Username, m.Name} {
				if label.Text == "" {
					continue
				}
				owner := Node{ID: side.Stable()}
				if side.IsBare() {
					owner = s.lines[side.Phone].holder(label.At)
				}
				root := s.people.find(owner)
				of := latest[root]
				of[i].Raise(label)
				latest[root] = of
			}
		}
	}
	return latest
}

// Periods returns who has an ID when.
func (s *Solution) Periods(a Alias) []Piece {
	found, known := s.periods[a]
	if !known {
		found = s.findPeriods(a)
		s.periods[a] = found
	}
	return found
}

func (s *Solution) findPeriods(a Alias) []Piece {
	if !s.named[a] && s.lines[a] == nil || s.crowded[a] && a.Kind == Phone {
		return nil
	}
	if a.IsStable() {
		return []Piece{{0, EndOfTime, s.people.find(Node{ID: a})}}
	}
	var found, hidden []Piece
	l := s.lines[a]
	for _, p := range l.pieces(s.seen) {
		p.Root = s.people.find(p.Root)
		found = appendPiece(found, p)
	}
	for _, x := range l.stretches {
		for _, y := range x.stays {
			root := s.people.find(Node{ID: y.id})
			if !slices.ContainsFunc(slices.Concat(found, hidden), func(p Piece) bool { return p.Root == root }) {
				hidden = append(hidden, Piece{y.from, y.from - 1, root})
			}
		}
	}
	return append(found, hidden...)
}

// HolderAt returns the root of whoever has an ID at a time, and false if nobody known does.
func (s *Solution) HolderAt(a Alias, at int64) (root Node, known bool) {
	for _, p := range s.Periods(a) {
		if p.Since <= at && at <= p.Until {
			return p.Root, true
		}
	}
	return Node{}, false
}

// IsCurrent reports whether whoever has an ID in a period uses it now. Of several BSUIDs or parents of one
// person, it doesn't decide which was seen last.
func (s *Solution) IsCurrent(a Alias, p Piece) bool {
	if a.IsStable() {
		return s.life(a).end == EndOfTime
	}
	return p.Until == EndOfTime && s.currentHolder(a) == p.Root
}

// IDs returns every ID that Periods knows.
func (s *Solution) IDs() []Alias {
	ids := make([]Alias, 0, len(s.named))
	for a, named := range s.named {
		if named {
			ids = append(ids, a)
		}
	}
	for phone := range s.lines {
		if !s.named[phone] {
			ids = append(ids, phone)
		}
	}
	return ids
}

// State returns the state whose people these are.
func (s *Solution) State() *State { return s.state }

// Crowded returns the crowded IDs.
func (s *Solution) Crowded() map[Alias]bool { return s.crowded }

// SameLine reports whether a number's line gives the same people as in an earlier solution, which differs
// only by later sightings of the same combinations.
func (s *Solution) SameLine(before *Solution, phone Alias) bool {
	l, old := s.lines[phone], before.lines[phone]
	if l == nil || old == nil || len(l.stretches) != len(old.stretches) {
		return false
	}
	for i := range l.stretches {
		x, y := &l.stretches[i], &old.stretches[i]
		if x.since != y.since || !slices.EqualFunc(x.stays, y.stays, stay.lastsLike) {
			return false
		}
	}
	return slices.Equal(l.pieces(s.seen), old.pieces(before.seen)) && slices.EqualFunc(s.inherited(l), before.inherited(old), stay.lastsLike)
}

package reference

import (
	"cmp"
	"maps"
	"slices"
)

type (
	// A node is a stable ID, or somebody unknown at a place in a number's line.
	node struct {
		id    ID
		place int
	}

	// A span is the first and the last time of an ID.
	span struct{ first, last int64 }

	// A person has IDs. Nodes are its stable IDs and unknown holders.
	person struct {
		nodes          map[node]bool
		spans          map[ID]span
		places         map[node]bool // where it was seen as somebody unknown
		username, name label
	}

	// A solution is what the facts say about people.
	solution struct {
		*Facts
		evidence      evidence
		announcements []told
		lives         map[ID]life
		lines         map[ID]line
		leaders       map[node]node // union-find
		people        map[node]*person
	}
)

func (f *Facts) solve() *solution {
	e := f.evidence()
	s := &solution{Facts: f, evidence: e, announcements: f.announcements(e.changes), leaders: map[node]node{}, people: map[node]*person{}}
	s.lives = f.lives(s.announcements)
	s.lines = f.lines(e, s.announcements, s.lives)
	s.joinNamed()
	s.joinBare()
	s.joinStated()
	s.collect()
	return s
}

func (s *solution) leader(n node) node {
	for {
		next, found := s.leaders[n]
		if !found {
			return n
		}
		n = next
	}
}

func (s *solution) join(a, b node) {
	if a, b = s.leader(a), s.leader(b); a != b {
		s.leaders[a] = b
	}
}

// at returns who has a number at a position.
func (s *solution) at(n ID, position int64) node {
	holder, place := s.holder(s.lines[n], position)
	if holder != nil {
		return node{id: holder.id}
	}
	return node{n, place}
}

// joinNamed joins stable IDs that one combination or announcement names (section 5).
func (s *solution) joinNamed() {
	var named [][]ID
	for _, c := range s.evidence.seen {
		named = append(named, c.ids.stable())
	}
	for _, a := range s.announcements {
		named = append(named, slices.Concat(a.sides[previous].stable(), a.sides[current].stable()))
	}
	for _, list := range named {
		for i, a := range list {
			for _, b := range list[:i] {
				if !s.evidence.withdrawn[newPair(a, b)] && !s.off(Naming) {
					s.join(node{id: a}, node{id: b})
				}
			}
		}
	}
}

// joinBare joins the holder of an announced number alone with the announcement's other IDs
// (section 8).
func (s *solution) joinBare() {
	for i, a := range s.announcements {
		for side := range a.sides {
			n, other := a.sides[side].number, a.sides[1-side]
			if !a.sides[side].bare() || s.excepted(i, side) || s.off(Following) {
				continue
			}
			switch {
			case other.least() != ID{}:
				s.join(s.at(n, 2*a.at), node{id: other.least()})
			case other.bare() && !s.excepted(i, 1-side):
				s.join(s.at(n, 2*a.at), s.at(other.number, 2*a.at))
			}
		}
	}
}

// excepted reports whether another announcement of the same second has the same number alone on
// the same side.
func (s *solution) excepted(i, side int) bool {
	a := s.announcements[i]
	for j, b := range s.announcements {
		if i != j && a.at == b.at && b.sides[side].bare() && a.sides[side].number == b.sides[side].number && !s.off(SameSecond) {
			return true
		}
	}
	return false
}

// joinStated joins what an operator joined (sections 5 and 8).
func (s *solution) joinStated() {
	for _, v := range s.evidence.joined {
		a, b := v.pair[0], v.pair[1]
		switch {
		case s.off(Joining):
		case b.Kind != number:
			s.join(node{id: a}, node{id: b})
		case a.Kind != number:
			s.join(node{id: a}, s.at(b, 2*v.times[1]-1))
		default:
			s.join(s.at(a, 2*v.times[0]), s.at(b, 2*v.times[1]))
		}
	}
}

// collect gives each combination and each announcement to its people (section 8).
func (s *solution) collect() {
	for _, c := range s.evidence.seen {
		for _, id := range c.ids.stable() {
			s.saw(node{id: id}, id, c.first, c.last)
		}
		if n, least := c.ids.number, c.ids.least(); n != (ID{}) && least != (ID{}) {
			s.saw(node{id: least}, n, c.first, c.last)
		} else if n != (ID{}) && c.first > 0 {
			s.saw(s.at(n, 2*c.first), n, c.first, c.first)
			s.saw(s.at(n, 2*c.last), n, c.last, c.last)
		}
	}
	for _, a := range s.announcements {
		for _, side := range a.sides {
			for _, id := range side.stable() {
				s.saw(node{id: id}, id, a.at, a.at)
			}
			switch n := side.number; {
			case side.bare():
				s.saw(s.at(n, 2*a.at), n, a.at, a.at)
			case n != ID{}:
				s.saw(node{id: side.least()}, n, a.at, a.at)
			}
		}
	}
	for _, c := range s.evidence.seen {
		s.label(c, c.username, func(p *person) *label { return &p.username })
		s.label(c, c.name, func(p *person) *label { return &p.name })
	}
	for n := range s.leaders {
		s.belongs(n)
	}
}

func (s *solution) saw(n node, id ID, first, last int64) {
	leader := s.leader(n)
	p := s.people[leader]
	if p == nil {
		p = &person{nodes: map[node]bool{leader: true}, spans: map[ID]span{}, places: map[node]bool{}}
		s.people[leader] = p
	}
	if old, found := p.spans[id]; found {
		first, last = min(first, old.first), max(last, old.last)
	}
	p.spans[id] = span{first, last}
	p.places[n] = true
	s.belongs(n)
}

func (s *solution) belongs(n node) {
	if p := s.people[s.leader(n)]; p != nil {
		p.nodes[n] = true
	}
}

// label gives a label to whoever the combination belonged to at the label's time.
func (s *solution) label(c combination, l label, of func(*person) *label) {
	if l.text == "" {
		return
	}
	n := node{id: c.ids.least()}
	if c.ids.bare() {
		n = s.at(c.ids.number, 2*l.at)
	}
	if p := s.people[s.leader(n)]; p != nil {
		*of(p) = of(p).later(l)
	}
}

// least returns the person's least ID.
func (p *person) least() ID { return slices.MinFunc(slices.Collect(maps.Keys(p.spans)), compareIDs) }

// isCurrent reports whether the person has an ID now (section 9).
func (s *solution) isCurrent(p *person, id ID) bool {
	if id.Kind != number {
		return !s.ended(id) && !slices.ContainsFunc(slices.Collect(maps.Keys(p.spans)), func(other ID) bool {
			same := other.Kind == id.Kind && other.Scope == id.Scope && !s.ended(other)
			return same && cmp.Or(cmp.Compare(p.spans[other].last, p.spans[id].last), compareIDs(other, id)) > 0
		})
	}
	if s.off(Holding) {
		return true
	}
	holder := s.at(id, endOfTime)
	return s.people[s.leader(holder)] == p && (holder.id != id || p.places[holder])
}

func (s *solution) ended(id ID) bool {
	l, found := s.lives[id]
	return found && l.end != never
}

// A conflict is reported, not decided (section 10).
type conflict struct {
	kind         string
	id, from, to ID
	at           int64
}

func (s *solution) conflicts() []conflict {
	var list []conflict
	for id, crowded := range s.evidence.crowded {
		if crowded {
			list = append(list, conflict{kind: "crowded", id: id})
		}
	}
	for n, l := range s.lines {
		for i, e := range l {
			p := s.stayer(e)
			if p == nil {
				continue
			}
			if i > 0 {
				if q := s.stayer(l[i-1]); q != nil && q != p && e.stay.from < l[i-1].stay.end {
					list = append(list, conflict{"phone_moved", n, q.least(), p.least(), e.stay.from})
				}
			}
			if s.inherits(n, e.stay) {
				list = append(list, conflict{"inherited", n, ID{}, p.least(), e.stay.from})
			}
		}
	}
	slices.SortFunc(list, func(a, b conflict) int {
		return cmp.Or(compareIDs(a.id, b.id), cmp.Compare(a.at, b.at), cmp.Compare(a.kind, b.kind), compareIDs(a.from, b.from), compareIDs(a.to, b.to))
	})
	return slices.Compact(list)
}

// stayer returns the person of a stay, or nil for a break and for a person without an ID.
func (s *solution) stayer(e element) *person {
	if e.stay == nil {
		return nil
	}
	return s.people[s.leader(node{id: e.stay.id})]
}

// inherits reports whether a stay gets sightings of the number alone from long before.
func (s *solution) inherits(n ID, t *stay) bool {
	last := int64(0)
	for _, c := range s.evidence.seen {
		for _, at := range []int64{c.first, c.last} {
			holder, _ := s.holder(s.lines[n], 2*at)
			if c.ids == (ids{number: n}) && at < t.from && holder == t {
				last = max(last, at)
			}
		}
	}
	return last > 0 && !t.announced && t.from-last > silence
}

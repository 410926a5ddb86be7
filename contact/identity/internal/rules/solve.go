package rules

import "cmp"

// A Solution is a solved state. Its nodes are the aliases, by number, and then all phone numbers'
// segments.
type Solution struct {
	*State
	silence   int64
	component unionFind         // sets of stable aliases, from seen, changed and joined
	person    unionFind         // sets of nodes
	seenWith  map[int32][]int32 // by BSUID: phone numbers seen with it, with repetitions
	lineOf    []int32           // index in lines of each phone number
	lines     []line

	// By alias.
	first, last []int64 // in sightings and ID changes, or 0
	ended       []bool  // whether the latest changes that name it have it as previous only
}

// named reports whether an alias is in a sighting or an ID change.
func (s *Solution) named(n int32) bool { return s.last[n] > 0 }

// Solve solves a bounded state. silence is a limit in seconds, or 0.
func Solve(of *State, silence int64) *Solution {
	s := &Solution{State: of, silence: silence}
	s.findComponents()
	s.lineOf = make([]int32, len(s.Names))
	s.findSightings()
	s.findCuts()
	s.findEnded()
	nodes := len(s.Names)
	for i := range s.lines {
		s.lines[i].nodes = int32(nodes)
		nodes += len(s.lines[i].cuts) + 1
	}
	s.person = newUnionFind(nodes)
	copy(s.person, s.component)
	for i := range s.Changes {
		s.joinSides(&s.Changes[i], int32(i))
	}
	for i := range s.Verdicts {
		if s.Verdicts[i].Joined {
			s.joinPhones(&s.Verdicts[i])
		}
	}
	return s
}

func (s *Solution) line(phone int32) *line { return &s.lines[s.lineOf[phone]] }

// findComponents joins stable aliases that occur in one fact. Section 3.1.
func (s *Solution) findComponents() {
	s.component = newUnionFind(len(s.Names))
	s.first, s.last = make([]int64, len(s.Names)), make([]int64, len(s.Names))
	s.EachSide(func(x, other *Side, first, last int64) {
		for _, n := range [...]int32{x.BSUID, x.Parent, x.Phone} {
			if !s.named(n) || first < s.first[n] {
				s.first[n] = first
			}
			s.last[n] = max(s.last[n], last)
		}
		for _, pair := range [...][2]int32{
			{x.BSUID, x.Parent}, {x.BSUID, other.BSUID}, {x.BSUID, other.Parent}, {x.Parent, other.Parent},
		} {
			s.connect(pair[0], pair[1])
		}
	})
	for _, v := range s.Verdicts {
		if v.Joined && s.Names[v.A].IsStable() && s.Names[v.B].IsStable() {
			s.component.union(v.A, v.B)
		}
	}
}

// connect joins two stable aliases unless an operator withdrew the pair. Section 3.1.
func (s *Solution) connect(a, b int32) {
	if a == 0 || b == 0 {
		return
	}
	if s.Names[a].Compare(s.Names[b]) > 0 {
		a, b = b, a
	}
	if i, judged := s.judged[[2]int32{a, b}]; !judged || s.Verdicts[i].Joined {
		s.component.union(a, b)
	}
}

// findEnded finds the stable aliases in changes, and those that were replaced. Section 3.8.
func (s *Solution) findEnded() {
	s.ended = make([]bool, len(s.Names))
	latest := make([]int64, len(s.Names))
	for i := range s.Changes {
		c := &s.Changes[i]
		for j, m := range c.Sides {
			for _, a := range [...]int32{m.BSUID, m.Parent} {
				if a == 0 || c.At < latest[a] {
					continue
				}
				if c.At > latest[a] {
					latest[a], s.ended[a] = c.At, true
				}
				if j == 1 {
					s.ended[a] = false
				}
			}
		}
	}
}

// joinSides joins a phone number on a side without a stable alias with the other side. Section 3.5,
// first paragraph.
func (s *Solution) joinSides(c *Change, index int32) {
	stable := c.Sides[0].Stable()
	if other := c.Sides[1].Stable(); stable == 0 || other != 0 && s.Names[other].Compare(s.Names[stable]) < 0 {
		stable = other
	}
	node := stable
	for j := range c.Sides {
		m := &c.Sides[j]
		if m.Phone == 0 || m.Stable() != 0 {
			continue
		}
		owner := s.sideOwner(c, index, j)
		if owner == 0 && stable == 0 {
			owner = s.holder(s.line(m.Phone), c.At)
		}
		node = cmp.Or(node, owner)
		if owner != 0 {
			s.person.union(node, owner)
		}
	}
}

// sideOwner returns the owner that the phone number on a side leads to, or 0. Section 3.5, first
// paragraph.
func (s *Solution) sideOwner(c *Change, index int32, j int) int32 {
	l := s.line(c.Sides[j].Phone)
	counts := func(x *sighting) bool {
		return x.by != 0 && x.source != index && (!x.lent || x.at != c.At || int(x.side) != j)
	}
	if j == 0 {
		return l.latest(c.At, counts).owner()
	}
	return l.earliest(c.At, counts).owner()
}

// joinPhones applies an operator's statement about phone numbers. Section 3.5, second paragraph.
func (s *Solution) joinPhones(v *Verdict) {
	if s.Names[v.B].Kind != Phone {
		return
	}
	if s.Names[v.A].IsStable() {
		if owner := s.joinedOwner(v.B, v.At); owner != 0 {
			s.person.union(v.A, owner)
		}
		return
	}
	var nodes [2]int32
	for i, phone := range [...]int32{v.A, v.B} {
		l := s.line(phone)
		if from, to := l.bounds(l.segment(v.At)); from == to {
			return
		}
		if nodes[i] = s.joinedOwner(phone, v.At); nodes[i] == 0 {
			nodes[i] = s.holder(l, v.At)
		}
	}
	s.person.union(nodes[0], nodes[1])
}

// joinedOwner returns the owner that a phone number in an operator's statement leads to, or 0.
// Section 3.5, second paragraph.
func (s *Solution) joinedOwner(phone int32, at int64) int32 {
	return s.line(phone).latest(at, func(x *sighting) bool {
		return x.by != 0 && (x.source != fromJoined || x.at != at)
	}).owner()
}

// holder returns a phone number's holder at a time: the owner by the latest owned sighting in the
// segment, otherwise by the earliest, otherwise the segment. Section 3.4.
func (s *Solution) holder(l *line, t int64) int32 {
	x := l.latest(t, isOwned)
	if x == nil {
		x = l.earliest(t, isOwned)
	}
	if x == nil {
		return l.nodes + int32(l.segment(t))
	}
	return x.by
}

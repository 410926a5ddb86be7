package identity

import (
	"cmp"
	"time"
)

// A Person contains a person's aliases, latest username and latest name.
type Person struct {
	ID       PersonID  `json:"-"`                  // zero in the result of [Partition]
	Aliases  []Holding `json:"aliases"`            // sorted by alias; see [Engine.Person] for when it's empty
	Username string    `json:"username,omitempty"` // the latest one
	Name     string    `json:"name,omitempty"`     // the latest one
}

// A Holding is an alias and the time in which a person had it.
type Holding struct {
	Alias       Alias
	First, Last int64  // when facts first and last contain it, in Unix seconds
	Current     bool   // according to the facts, the person uses the alias now
	Received    string // the phone number as last received, if it differs from the alias
}

// A Conflict reports that a phone number passed to another person without an announcement. Either
// the number has a new holder, or an announcement was lost and both are one person; then an
// operator should observe a [Joined].
type Conflict struct {
	Phone    Alias
	From, To Alias // the least alias of each person
	At       int64 // when the number was seen with To after From, in Unix seconds
}

// Partition returns the people in a state, sorted by their least alias, and the conflicts, sorted
// by phone number, time and people. maxSilence is [Config].MaxSilence. The result is independent
// of the facts' order, and an [Engine] that observed the facts contains the same people. See
// docs/identity-spec.md for the rules.
func Partition(state *State, maxSilence time.Duration) ([]Person, []Conflict) {
	return solve(state.bounded(), Config{MaxSilence: maxSilence}.silence()).people()
}

// A solution is a solved state. Its nodes are the aliases, by number, and then all phone numbers'
// segments.
type solution struct {
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
func (s *solution) named(n int32) bool { return s.last[n] > 0 }

// solve solves a bounded state. silence is a limit in seconds, or 0.
func solve(of *State, silence int64) *solution {
	s := &solution{State: of, silence: silence}
	s.findComponents()
	s.lineOf = make([]int32, len(s.names))
	s.findSightings()
	s.findCuts()
	s.findEnded()
	nodes := len(s.names)
	for i := range s.lines {
		s.lines[i].nodes = int32(nodes)
		nodes += len(s.lines[i].cuts) + 1
	}
	s.person = newUnionFind(nodes)
	copy(s.person, s.component)
	for i := range s.changes {
		s.joinSides(&s.changes[i], int32(i))
	}
	for i := range s.verdicts {
		if s.verdicts[i].joined {
			s.joinPhones(&s.verdicts[i])
		}
	}
	return s
}

func (s *solution) line(phone int32) *line { return &s.lines[s.lineOf[phone]] }

// findComponents joins stable aliases that occur in one fact.
func (s *solution) findComponents() {
	s.component = newUnionFind(len(s.names))
	s.first, s.last = make([]int64, len(s.names)), make([]int64, len(s.names))
	s.eachSide(func(x, _ *side, first, last int64) {
		for _, n := range [...]int32{x.bsuid, x.parent, x.phone} {
			if !s.named(n) || first < s.first[n] {
				s.first[n] = first
			}
			s.last[n] = max(s.last[n], last)
		}
	})
	for i := range s.cells {
		s.connect(s.cells[i].bsuid, s.cells[i].parent)
	}
	for i := range s.changes {
		p, c := &s.changes[i].sides[0], &s.changes[i].sides[1]
		stable := [...]int32{p.bsuid, p.parent, c.bsuid, c.parent}
		for j, a := range stable {
			for _, b := range stable[:j] {
				s.connect(a, b)
			}
		}
	}
	for _, v := range s.verdicts {
		if v.joined && s.names[v.a].isStable() && s.names[v.b].isStable() {
			s.component.union(v.a, v.b)
		}
	}
}

// connect joins two stable aliases unless an operator withdrew the pair.
func (s *solution) connect(a, b int32) {
	if a == 0 || b == 0 || a == b {
		return
	}
	if len(s.verdicts) > 0 && s.withdrawn(a, b) {
		return
	}
	s.component.union(a, b)
}

func (s *solution) withdrawn(a, b int32) bool {
	if s.names[a].compare(s.names[b]) > 0 {
		a, b = b, a
	}
	i, known := s.judged[[2]int32{a, b}]
	return known && !s.verdicts[i].joined
}

// findEnded finds the stable aliases in changes, and those that were replaced.
func (s *solution) findEnded() {
	s.ended = make([]bool, len(s.names))
	latest := make([]int64, len(s.names))
	for i := range s.changes {
		c := &s.changes[i]
		for j, m := range c.sides {
			for _, a := range [...]int32{m.bsuid, m.parent} {
				if a == 0 || c.at < latest[a] {
					continue
				}
				if c.at > latest[a] {
					latest[a], s.ended[a] = c.at, true
				}
				if j == 1 {
					s.ended[a] = false
				}
			}
		}
	}
}

// joinSides joins a phone number on a side without a stable alias with the other side.
func (s *solution) joinSides(c *change, index int32) {
	stable := c.sides[0].stable()
	if other := c.sides[1].stable(); stable == 0 || other != 0 && s.names[other].compare(s.names[stable]) < 0 {
		stable = other
	}
	node := stable
	for j := range c.sides {
		m := &c.sides[j]
		if m.phone == 0 || m.stable() != 0 {
			continue
		}
		owner := s.sideOwner(c, index, j)
		if owner == 0 && stable == 0 {
			owner = s.holder(s.line(m.phone), c.at)
		}
		node = cmp.Or(node, owner)
		if owner != 0 {
			s.person.union(node, owner)
		}
	}
}

// sideOwner returns the owner that the phone number on a side leads to, or 0.
func (s *solution) sideOwner(c *change, index int32, j int) int32 {
	l := s.line(c.sides[j].phone)
	counts := func(x *sighting) bool {
		return x.by != 0 && x.source != index && (!x.lent || x.at != c.at || int(x.side) != j)
	}
	if j == 0 {
		return l.latest(c.at, counts).owner()
	}
	return l.earliest(c.at, counts).owner()
}

// joinPhones applies an operator's statements about phone numbers.
func (s *solution) joinPhones(v *verdict) {
	if s.names[v.b].kind != KindPhone {
		return
	}
	if s.names[v.a].isStable() {
		if owner := s.joinedOwner(v.b, v.at); owner != 0 {
			s.person.union(v.a, owner)
		}
		return
	}
	var nodes [2]int32
	for i, phone := range [...]int32{v.a, v.b} {
		l := s.line(phone)
		if from, to := l.bounds(l.segment(v.at)); from == to {
			return
		}
		if nodes[i] = s.joinedOwner(phone, v.at); nodes[i] == 0 {
			nodes[i] = s.holder(l, v.at)
		}
	}
	s.person.union(nodes[0], nodes[1])
}

// joinedOwner returns the owner that a phone number in an operator's statement leads to, or 0.
func (s *solution) joinedOwner(phone int32, at int64) int32 {
	return s.line(phone).latest(at, func(x *sighting) bool {
		return x.by != 0 && (x.source != fromJoined || x.at != at)
	}).owner()
}

// holder returns a phone number's holder at a time: the owner by the latest owned sighting in the
// segment, otherwise by the earliest, otherwise the segment.
func (s *solution) holder(l *line, t int64) int32 {
	x := l.latest(t, isOwned)
	if x == nil {
		x = l.earliest(t, isOwned)
	}
	if x == nil {
		return l.nodes + int32(l.segment(t))
	}
	return x.by
}

package rules

import "math"

// EndOfTime is the last second of a period without an end.
const EndOfTime = math.MaxInt64

// A Node is a stable ID, or somebody unknown in one place of a number's line.
type Node struct {
	ID    Alias
	place int // in a number's line, from 1 on
}

// Nodes contains sets of nodes: what's one person's. The zero value isn't usable.
type nodes map[Node]Node

// find returns the representative of n's set.
func (u nodes) find(n Node) Node {
	root, known := u[n]
	if !known || root == n {
		return n
	}
	root = u.find(root)
	u[n] = root
	return root
}

// union makes one set of those of a and b. The lesser one represents it.
func (u nodes) union(a, b Node) {
	a, b = u.find(a), u.find(b)
	if a.compare(b) > 0 {
		a, b = b, a
	}
	u[a], u[b] = a, a
}

func (n Node) compare(m Node) int {
	if c := n.ID.Compare(m.ID); c != 0 {
		return c
	}
	return n.place - m.place
}

// A life is when a stable ID begins, or 0, and when it ends, or EndOfTime.
type life struct{ begin, end int64 }

// joinStable joins the stable IDs that one combination or announcement names, and those that an operator
// joined. Section 5, first item.
func (s *Solution) joinStable() {
	join := func(ids []Alias) {
		for i, a := range ids {
			for _, b := range ids[:i] {
				if !s.state.Withdrawn(a, b) {
					s.people.union(Node{ID: a}, Node{ID: b})
				}
			}
		}
	}
	for side := range s.cells {
		join(side.StableIDs())
	}
	for _, a := range s.announcements {
		join(append(a.sides[0].StableIDs(), a.sides[1].StableIDs()...))
	}
	s.eachJoined(func(p Pair, _ Verdict) {
		if p[1].IsStable() {
			s.people.union(Node{ID: p[0]}, Node{ID: p[1]})
		}
	})
}

// eachJoined calls f for each pair that an operator joined, without crowded IDs. A number is the greater
// ID of a pair.
func (s *Solution) eachJoined(f func(Pair, Verdict)) {
	s.state.EachJoined(func(p Pair, v Verdict) {
		if !s.crowded[p[0]] && !s.crowded[p[1]] {
			f(p, v)
		}
	})
}

// lives returns when stable IDs begin and end. Section 5, second item.
func lives(announcements []announcement) map[Alias]life {
	found := map[Alias]life{}
	of := func(a Alias) life {
		if l, known := found[a]; known {
			return l
		}
		return life{0, EndOfTime}
	}
	for _, a := range announcements { // in order of time
		for _, id := range a.sides[1].StableIDs() {
			if l := of(id); !a.sides[0].Has(id) && l.begin == 0 {
				l.begin = a.at
				found[id] = l
			}
		}
		for _, id := range a.sides[0].StableIDs() {
			if l := of(id); !a.sides[1].Has(id) {
				l.end = a.at
				found[id] = l
			}
		}
	}
	for id, l := range found {
		if l.begin >= l.end {
			delete(found, id)
		}
	}
	return found
}

// life returns an ID's life.
func (s *Solution) life(a Alias) life {
	if l, known := s.lives[a]; known {
		return l
	}
	return life{0, EndOfTime}
}

// Relived returns the stable IDs that begin or end at another time than in an earlier solution.
func (s *Solution) Relived(before *Solution) map[Alias]bool {
	found := map[Alias]bool{}
	for _, lives := range [...]map[Alias]life{before.lives, s.lives} {
		for a := range lives {
			if s.life(a) != before.life(a) {
				found[a] = true
			}
		}
	}
	return found
}

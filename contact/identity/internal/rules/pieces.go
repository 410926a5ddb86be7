package rules

import (
	"math"
	"slices"
)

// EndOfTime is the last second of a period without an end.
const EndOfTime = math.MaxInt64

// A Piece is a period in which one person holds a phone number.
type Piece struct {
	Since, Until int64 // Until is before Since if another person had the number in the same second
	Root         int32 // the node of the person
}

// Pieces returns who holds a phone number when, without unheld periods.
func (s *Solution) Pieces(l *line) []Piece {
	var found, hidden []Piece
	for m := range l.moments() {
		next := Piece{m.at, EndOfTime, s.person.find(m.holder)}
		if m.begins {
			next.Since = l.begin(m.segment)
		}
		if m.segment < len(l.cuts) {
			next.Until = l.begin(m.segment+1) - 1
		}
		for _, x := range m.sightings {
			if root := s.person.find(x.by); x.by != 0 && root != next.Root {
				hidden = append(hidden, Piece{m.at, m.at - 1, root})
			}
		}
		n := len(found) - 1
		if n >= 0 && found[n].Root == next.Root && found[n].Until >= next.Since-1 {
			found[n].Until = next.Until
			continue
		}
		if n >= 0 {
			found[n].Until = min(found[n].Until, next.Since-1)
		}
		found = append(found, next)
	}
	for _, h := range hidden {
		if !slices.ContainsFunc(found, func(p Piece) bool { return p.Root == h.Root }) {
			found = append(found, h)
		}
	}
	return found
}

// Periods returns who has an alias when.
func (s *Solution) Periods(n int32) []Piece {
	switch {
	case n == 0 || s.Crowded[n]:
		return nil
	case s.Names[n].IsStable():
		return []Piece{{0, EndOfTime, s.person.find(n)}}
	default:
		return s.Pieces(s.line(n))
	}
}

// IsCurrent reports whether whoever has an alias in a period uses it now.
func (s *Solution) IsCurrent(n int32, p Piece) bool {
	if !s.named(n) || s.Names[n].IsStable() {
		return s.named(n) && !s.ended[n]
	}
	return p.Until == EndOfTime && p.Root == s.user(s.line(n))
}

// HolderAt returns the node that has an alias at a time, or -1. Section 3.4.
func (s *Solution) HolderAt(a Alias, at int64) int32 {
	n := s.Numbers[a]
	switch {
	case n == 0 || int(n) >= len(s.lineOf) || s.Crowded[n]:
		return -1
	case s.Names[n].IsStable():
		return s.person.find(n)
	}
	l := s.line(n)
	if from, to := l.bounds(l.segment(at)); from == to {
		return -1
	}
	return s.person.find(s.holder(l, at))
}

// HolderOf is HolderAt for an alias's text.
func (s *Solution) HolderOf(text string, at int64) int32 {
	a, _ := ParseAlias(text)
	return s.HolderAt(a, at)
}

// LeastStable returns the least stable alias of a person's node, or the zero Alias.
func (s *Solution) LeastStable(root int32) (least Alias) {
	for n, a := range s.Names {
		if a.IsStable() && s.person.find(int32(n)) == root && (!least.IsValid() || a.Compare(least) < 0) {
			least = a
		}
	}
	return least
}

// Oldest returns the alias and time of a person's earliest sighting. At equal times, it prefers
// stable aliases. Section 7.
func (s *Solution) Oldest(p *Person, root int32) (Alias, int64) {
	var found *Holding
	for i := range p.Aliases {
		h := &p.Aliases[i]
		if s.HolderAt(h.Alias, h.First) == root && (found == nil || h.First < found.First) {
			found = h
		}
	}
	if found == nil { // others had the numbers in the same second; what an operator named leads to the person
		for n := int32(1); int(n) < len(s.Names); n++ {
			if s.Names[n].IsStable() && s.person.find(n) == root {
				return s.Names[n], p.Aliases[0].First
			}
		}
		found = &p.Aliases[0]
	}
	return found.Alias, found.First
}

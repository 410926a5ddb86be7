package identity

import (
	"math"
	"slices"
)

const endOfTime = math.MaxInt64

// A piece is a period in which one person holds a phone number.
type piece struct {
	since, until int64 // until is before since if another person had the number in the same second
	root         int32 // the node of the person
}

// pieces returns who holds a phone number when, without unheld periods.
func (s *solution) pieces(l *line) []piece {
	var found, hidden []piece
	for m := range l.moments() {
		next := piece{m.at, endOfTime, s.person.find(m.holder)}
		if m.begins {
			next.since = l.begin(m.segment)
		}
		if m.segment < len(l.cuts) {
			next.until = l.begin(m.segment+1) - 1
		}
		for _, x := range m.sightings {
			if root := s.person.find(x.by); x.by != 0 && root != next.root {
				hidden = append(hidden, piece{m.at, m.at - 1, root})
			}
		}
		n := len(found) - 1
		if n >= 0 && found[n].root == next.root && found[n].until >= next.since-1 {
			found[n].until = next.until
			continue
		}
		if n >= 0 {
			found[n].until = min(found[n].until, next.since-1)
		}
		found = append(found, next)
	}
	for _, h := range hidden {
		if !slices.ContainsFunc(found, func(p piece) bool { return p.root == h.root }) {
			found = append(found, h)
		}
	}
	return found
}

// periods returns who has an alias when.
func (s *solution) periods(n int32) []piece {
	switch {
	case n == 0 || s.crowded[n]:
		return nil
	case s.names[n].isStable():
		return []piece{{0, endOfTime, s.person.find(n)}}
	default:
		return s.pieces(s.line(n))
	}
}

// isCurrent reports whether whoever has an alias in a period uses it now.
func (s *solution) isCurrent(n int32, p piece) bool {
	if !s.named(n) || s.names[n].isStable() {
		return s.named(n) && !s.ended[n]
	}
	return p.until == endOfTime && p.root == s.user(s.line(n))
}

// holderAt returns the node that has an alias at a time, or -1.
func (s *solution) holderAt(a Alias, at int64) int32 {
	n := s.numbers[a]
	switch {
	case n == 0 || int(n) >= len(s.lineOf) || s.crowded[n]:
		return -1
	case s.names[n].isStable():
		return s.person.find(n)
	}
	l := s.line(n)
	if from, to := l.bounds(l.segment(at)); from == to {
		return -1
	}
	return s.person.find(s.holder(l, at))
}

func (s *solution) holderOf(text string, at int64) int32 {
	a, _ := parseAlias(text)
	return s.holderAt(a, at)
}

// oldest returns the alias and time of a person's earliest sighting. At equal times, it prefers
// stable aliases.
func (s *solution) oldest(p *Person, root int32) (Alias, int64) {
	var found *Holding
	for i := range p.Aliases {
		h := &p.Aliases[i]
		if s.holderAt(h.Alias, h.First) == root && (found == nil || h.First < found.First) {
			found = h
		}
	}
	if found == nil { // others had the numbers in the same second; what an operator named leads to the person
		for n := int32(1); int(n) < len(s.names); n++ {
			if s.names[n].isStable() && s.person.find(n) == root {
				return s.names[n], p.Aliases[0].First
			}
		}
		found = &p.Aliases[0]
	}
	return found.Alias, found.First
}

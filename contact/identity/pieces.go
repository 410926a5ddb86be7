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
	add := func(since, until int64, root int32) {
		if n := len(found); n > 0 && found[n-1].root == root && found[n-1].until == since-1 {
			found[n-1].until = until
		} else if since <= until {
			found = append(found, piece{since, until, root})
		}
	}
	for segment := range len(l.cuts) + 1 {
		from, to := l.bounds(segment)
		if from == to {
			continue
		}
		since, until := int64(0), int64(endOfTime)
		if segment > 0 {
			since = (l.cuts[segment-1] + 1) / 2
		}
		if segment < len(l.cuts) {
			until = (l.cuts[segment]+1)/2 - 1
		}
		holder := l.nodes + int32(segment)
		if x := l.first(from, to, isOwned); x != nil {
			holder = x.by
		}
		root := s.person.find(holder)
		for i := from; i < to; {
			at, next := l.sightings[i].at, root
			first := i
			for ; i < to && l.sightings[i].at == at; i++ {
				if by := l.sightings[i].by; by != 0 {
					next = s.person.find(by)
				}
			}
			for _, x := range l.sightings[first:i] {
				if x.by != 0 && s.person.find(x.by) != next {
					hidden = append(hidden, piece{at, at - 1, s.person.find(x.by)})
				}
			}
			if next != root {
				add(since, at-1, root)
				since, root = at, next
			}
		}
		add(since, until, root)
	}
	for _, h := range hidden {
		if !slices.ContainsFunc(found, func(p piece) bool { return p.root == h.root }) {
			found = append(found, h)
		}
	}
	return found
}

// holderAt returns the node that has an alias at a time, or -1.
func (s *solution) holderAt(a Alias, at int64) int32 {
	n, known := s.numbers[a]
	switch {
	case !known || int(n) >= len(s.lineOf) || s.crowded[n]:
		return -1
	case a.isStable():
		return s.person.find(n)
	}
	l := s.line(n)
	if from, to := l.bounds(l.segment(at)); from == to {
		return -1
	}
	return s.person.find(s.holder(l, at))
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

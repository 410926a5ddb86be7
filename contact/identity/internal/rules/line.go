package rules

import (
	"cmp"
	"iter"
	"slices"
	"sort"
)

// A sighting is a time at which somebody had a phone number. Section 3.3.
type sighting struct {
	at     int64
	by     int32 // the least of the stable aliases that name the owner, or 0 if it is alone
	beside int32 // the BSUID that the same combination or side names, or 0
	source int32 // the index of the change that it comes from, or one of the values below
	side   uint8 // the side of the change: 0 is previous, 1 is current
	lent   bool  // the owner is named by the other side of the change
}

// owner returns x.by, or 0 if x is nil.
func (x *sighting) owner() int32 {
	if x == nil {
		return 0
	}
	return x.by
}

// The sources of sightings that do not come from a change.
const (
	fromSeen   int32 = -1
	fromJoined int32 = -2
)

// A line is a phone number's history.
type line struct {
	phone     int32
	sightings []sighting // by time, then by the canonical text of the stable alias
	left      []int64    // the times of changes from this number to another or none
	received  Dated
	cuts      []position
	nodes     int32 // the node of the first segment; the others follow
}

func (l *line) upTo(t int64) int {
	return sort.Search(len(l.sightings), func(i int) bool { return l.sightings[i].at > t })
}

func (l *line) before(t int64) int {
	return sort.Search(len(l.sightings), func(i int) bool { return l.sightings[i].at >= t })
}

// segment returns the segment that contains second t.
func (l *line) segment(t int64) int {
	return sort.Search(len(l.cuts), func(i int) bool { return l.cuts[i] > 2*t })
}

// begin returns a segment's first second.
func (l *line) begin(segment int) int64 {
	if segment == 0 {
		return 0
	}
	return (l.cuts[segment-1] + 1) / 2
}

// bounds returns a segment's half-open range of sightings.
func (l *line) bounds(segment int) (from, to int) {
	to = len(l.sightings)
	if segment < len(l.cuts) {
		to = l.before(l.begin(segment + 1))
	}
	return l.before(l.begin(segment)), to
}

// latest returns the latest matching sighting not after t, in the same segment, or nil.
func (l *line) latest(t int64, counts func(*sighting) bool) *sighting {
	from, _ := l.bounds(l.segment(t))
	for i := l.upTo(t) - 1; i >= from; i-- {
		if counts(&l.sightings[i]) {
			return &l.sightings[i]
		}
	}
	return nil
}

// earliest returns the earliest matching sighting not before t, in the same segment, or nil.
func (l *line) earliest(t int64, counts func(*sighting) bool) *sighting {
	_, to := l.bounds(l.segment(t))
	return l.first(l.before(t), to, counts)
}

// first returns the first matching sighting in a range, or nil. At equal times, the greatest text
// wins.
func (l *line) first(from, to int, counts func(*sighting) bool) *sighting {
	var found *sighting
	for i := from; i < to; i++ {
		s := &l.sightings[i]
		if found != nil && s.at != found.at {
			break
		}
		if counts(s) {
			found = s
		}
	}
	return found
}

func isOwned(s *sighting) bool { return s.by != 0 }

// A moment is a second with sightings of a phone number.
type moment struct {
	at        int64
	segment   int
	begins    bool // it's the segment's first
	sightings []sighting
	holder    int32 // the node that has the number from now on
}

// moments returns a line's moments in order.
func (l *line) moments() iter.Seq[moment] {
	return func(yield func(moment) bool) {
		for segment := range len(l.cuts) + 1 {
			from, to := l.bounds(segment)
			holder := l.nodes + int32(segment)
			if x := l.first(from, to, isOwned); x != nil {
				holder = x.by
			}
			for i := from; i < to; {
				m, first := moment{at: l.sightings[i].at, segment: segment, begins: i == from}, i
				for ; i < to && l.sightings[i].at == m.at; i++ {
					if by := l.sightings[i].by; by != 0 {
						holder = by
					}
				}
				m.sightings, m.holder = l.sightings[first:i], holder
				if !yield(m) {
					return
				}
			}
		}
	}
}

// seenLastWith reports whether a BSUID accompanies the latest webhook sighting not after t. Section
// 3.2, first item of the first list.
func (l *line) seenLastWith(bsuid int32, t int64) bool {
	_, with := l.beginWith(bsuid, l.upTo(t)-1, -1)
	return with
}

// entersWith reports whether a BSUID accompanies the earliest webhook sighting not before t, and
// no change left the phone number first. Section 3.2, second item of the first list.
func (l *line) entersWith(bsuid int32, t int64) bool {
	at, with := l.beginWith(bsuid, l.before(t), 1)
	if !with {
		return false
	}
	i := sort.Search(len(l.left), func(i int) bool { return l.left[i] > t })
	return i == len(l.left) || l.left[i] >= at
}

// beginWith reports whether webhook sightings from i on, in steps of 1 or -1, begin with a BSUID,
// and when. Sightings at equal times have no order.
func (l *line) beginWith(bsuid int32, i, step int) (at int64, with bool) {
	first := int64(-1)
	for ; 0 <= i && i < len(l.sightings); i += step {
		s := &l.sightings[i]
		if first >= 0 && s.at != first {
			break
		}
		if s.source != fromSeen || s.by == 0 {
			continue
		}
		if s.beside == bsuid {
			return s.at, true
		}
		first = s.at
	}
	return 0, false
}

// findSightings fills s.lines. Section 3.3.
func (s *Solution) findSightings() {
	for phone := range s.Names {
		if s.Names[phone].Kind == Phone {
			s.lineOf[phone] = int32(len(s.lines))
			s.lines = append(s.lines, line{phone: int32(phone)})
		}
	}
	add := func(l *line, x sighting) { l.sightings = append(l.sightings, x) }
	for i := range s.Cells {
		c := &s.Cells[i]
		if c.Phone == 0 {
			continue
		}
		l := s.line(c.Phone)
		l.received.Raise(c.Received)
		l.sightings = slices.Grow(l.sightings, 2*len(c.Months))
		for _, m := range c.Months {
			x := sighting{at: m.First, by: c.Stable(), beside: c.BSUID, source: fromSeen}
			add(l, x)
			if m.Last != m.First {
				x.at = m.Last
				add(l, x)
			}
		}
	}
	for i := range s.Changes {
		c := &s.Changes[i]
		for j := range c.Sides {
			m := &c.Sides[j]
			if m.Phone == 0 {
				continue
			}
			l := s.line(m.Phone)
			l.received.Raise(Dated{c.At, c.Received[j]})
			if j == 0 && c.Sides[1].Phone != m.Phone {
				l.left = append(l.left, c.At)
			}
			x := sighting{at: c.At, by: m.Stable(), beside: m.BSUID, source: int32(i), side: uint8(j)}
			if x.by == 0 {
				x.by = c.Sides[1-j].Stable()
				x.lent = x.by != 0
			}
			add(l, x)
		}
	}
	for _, v := range s.Verdicts {
		// A phone is the greater of the two, unless both are phones.
		if v.Joined && s.Names[v.B].Kind == Phone && s.Names[v.A].IsStable() {
			add(s.line(v.B), sighting{at: v.At, by: v.A, source: fromJoined})
		}
	}
	for i := range s.lines {
		slices.Sort(s.lines[i].left)
		slices.SortFunc(s.lines[i].sightings, func(a, b sighting) int {
			if c := cmp.Compare(a.at, b.at); c != 0 || a.by == b.by {
				return c
			}
			return s.Names[a.by].Compare(s.Names[b.by])
		})
	}
}

package rules

import (
	"cmp"
	"maps"
	"slices"
	"sort"
)

// A line is a number's history. Section 6.
type line struct {
	phone     Alias
	stretches []stretch // between breaks, in order; at least one
}

// A stretch is the time from one break to the next.
type stretch struct {
	since int64 // the first second
	place int   // how many breaks and stays the line has before its first stay
	stays []stay
}

// A stay is the time in which a stable ID had a number.
type stay struct {
	id          Alias
	from, end   int64
	first, last int64 // seen
	announced   bool
}

// lastsLike reports whether two stays last equally long. When they were seen can differ.
func (x stay) lastsLike(y stay) bool {
	return x.id == y.id && x.from == y.from && x.end == y.end && x.announced == y.announced
}

// breaks returns the seconds before which each number's line breaks.
func (s *Solution) breaks() map[Alias]map[int64]bool {
	found := map[Alias]map[int64]bool{}
	add := func(phone Alias, at int64) {
		if found[phone] == nil {
			found[phone] = map[int64]bool{}
		}
		found[phone][at] = true
	}
	for _, a := range s.announcements {
		if a.sides[0].IsBare() {
			add(a.sides[0].Phone, a.at+1)
		}
		if a.sides[1].IsBare() {
			add(a.sides[1].Phone, a.at)
		}
	}
	for h, undone := range s.state.Handovers {
		if !undone && !s.crowded[h.Phone] {
			add(h.Phone, h.At)
		}
	}
	return found
}

// findLines fills s.lines. Section 6.
func (s *Solution) findLines() {
	for phone, breaks := range s.breaks() {
		l := s.line(phone)
		for _, at := range slices.Sorted(maps.Keys(breaks)) {
			l.stretches = append(l.stretches, stretch{since: at})
		}
	}
	for side, months := range s.cells {
		if side.Phone.IsValid() {
			l := s.line(side.Phone)
			for _, m := range months {
				s.stay(l, side.Stable(), m.First)
				s.stay(l, side.Stable(), m.Last)
			}
		}
	}
	for _, a := range s.announcements {
		for _, side := range a.sides {
			if side.Phone.IsValid() {
				s.stay(s.line(side.Phone), side.Stable(), a.at)
			}
		}
	}
	s.eachJoined(s.stayByStatement)
	for _, l := range s.lines {
		s.finish(l)
	}
}

// stayByStatement adds what an operator says of a number.
func (s *Solution) stayByStatement(p Pair, v Verdict) {
	for _, a := range p {
		if a.Kind == Phone {
			s.line(a)
		}
	}
	if p[0].IsStable() && p[1].Kind == Phone {
		s.stay(s.line(p[1]), p[0], v.Held[1])
	}
}

func (s *Solution) line(phone Alias) *line {
	l := s.lines[phone]
	if l == nil {
		l = &line{phone, []stretch{{}}}
		s.lines[phone] = l
	}
	return l
}

// stay adds a time at which a stable ID, if it's valid, was seen with a number.
func (s *Solution) stay(l *line, id Alias, at int64) {
	if !id.IsValid() {
		return
	}
	end := s.life(id).end
	at = min(at, end)
	stretch := l.at(at)
	for i := range stretch.stays {
		if x := &stretch.stays[i]; x.id == id {
			x.first, x.last = min(x.first, at), max(x.last, at)
			return
		}
	}
	stretch.stays = append(stretch.stays, stay{id: id, end: end, first: at, last: at})
}

// finish orders a line, and finds when its stays begin.
func (s *Solution) finish(l *line) {
	place := 0
	for i := range l.stretches {
		x := &l.stretches[i]
		for j := range x.stays {
			y := &x.stays[j]
			begin := s.life(y.id).begin
			y.from, y.announced = y.first, begin > 0 && x.since <= begin && begin <= y.first
			if y.announced {
				y.from = begin
			}
		}
		slices.SortFunc(x.stays, func(a, b stay) int {
			return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.end, b.end), a.id.Compare(b.id))
		})
		place++
		x.place = place
		place += len(x.stays)
	}
}

// at returns the stretch that contains a second.
func (l *line) at(t int64) *stretch {
	i := sort.Search(len(l.stretches), func(i int) bool { return l.stretches[i].since > t })
	return &l.stretches[max(i, 1)-1]
}

// until returns a stretch's last second.
func (l *line) until(i int) int64 {
	if i+1 == len(l.stretches) {
		return EndOfTime
	}
	return l.stretches[i+1].since - 1
}

// begun returns how many stays have begun by a time.
func (x *stretch) begun(t int64) int {
	return sort.Search(len(x.stays), func(i int) bool { return x.stays[i].from > t })
}

// holder returns who has a number at a time. Section 7.
func (l *line) holder(t int64) Node {
	x := l.at(t)
	return l.holderAmong(x, x.begun(t), t)
}

// holderBefore returns who has a number just before a time, but after a break there.
func (l *line) holderBefore(t int64) Node {
	x := l.at(t)
	return l.holderAmong(x, x.begun(t-1), t)
}

func (l *line) holderAmong(x *stretch, begun int, t int64) Node {
	if latest := latestStay(x.stays[:begun], t); latest != nil && t <= latest.end {
		return Node{ID: latest.id}
	}
	if begun < len(x.stays) && !x.stays[begun].announced {
		return Node{ID: x.stays[begun].id}
	}
	return Node{l.phone, x.place + begun}
}

// latestStay returns the latest stay that was seen at a time or later, otherwise the one seen last, or nil.
func latestStay(begun []stay, t int64) (found *stay) {
	for i := range begun {
		if x := &begun[i]; found == nil || x.last >= t || found.last < t && x.last >= found.last {
			found = x
		}
	}
	return found
}

// A Piece is a period in which one person has an ID.
type Piece struct {
	Since, Until int64 // Until is before Since if another person had the number in the same seconds
	Root         Node
}

// pieces returns who has a number when, without unknown people for which seen is false. Each piece's root
// is a holder.
func (l *line) pieces(seen map[Node]bool) (found []Piece) {
	for i := range l.stretches {
		x := &l.stretches[i]
		times := []int64{x.since}
		for _, y := range x.stays {
			for _, t := range [...]int64{y.from, y.last + 1, y.end + 1} {
				if x.since < t && t <= l.until(i) { // after the end of time comes no second
					times = append(times, t)
				}
			}
		}
		slices.Sort(times)
		times = slices.Compact(times)
		for j, t := range times {
			p := Piece{t, l.until(i), l.holder(t)}
			if j+1 < len(times) {
				p.Until = times[j+1] - 1
			}
			if p.Root.place == 0 || seen[p.Root] {
				found = appendPiece(found, p)
			}
		}
	}
	return found
}

// appendPiece adds a piece, or extends the last one if nothing separates them.
func appendPiece(pieces []Piece, p Piece) []Piece {
	if n := len(pieces) - 1; n >= 0 && pieces[n].Root == p.Root && pieces[n].Until == p.Since-1 {
		pieces[n].Until = p.Until
		return pieces
	}
	return append(pieces, p)
}

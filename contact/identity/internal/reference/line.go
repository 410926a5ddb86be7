package reference

import (
	"cmp"
	"slices"
)

type (
	// A stay is the time in which a number is used together with a stable ID.
	stay struct {
		id              ID
		from, last, end int64
		announced       bool
	}

	// An element of a number's line is a break or a stay. A second t has the position 2t, the
	// time just before it 2t-1, and the time just after it 2t+1.
	element struct {
		position int64
		stay     *stay // nil for a break
	}

	// A line has elements in order of time (section 6).
	line []element
)

const endOfTime = 2 * never

// times are when stable IDs were seen with a number.
type times map[ID]map[ID][]int64

func (t times) add(number, stable ID, at ...int64) {
	if number == (ID{}) || stable == (ID{}) {
		return
	}
	if t[number] == nil {
		t[number] = map[ID][]int64{}
	}
	t[number][stable] = append(t[number][stable], at...)
}

// lines returns the lines of all numbers that have one.
func (f *Facts) lines(e evidence, announcements []told, lives map[ID]life) map[ID]line {
	lines := map[ID]line{}
	for n, positions := range f.breaks(e, announcements) {
		slices.Sort(positions)
		for _, p := range slices.Compact(positions) {
			lines[n] = append(lines[n], element{position: p})
		}
	}
	for n, beside := range seenTogether(e, announcements) {
		breaks := lines[n]
		for id, at := range beside {
			l, found := lives[id]
			if !found {
				l = life{0, never}
			}
			for _, s := range stays(breaks, id, l, at) {
				lines[n] = append(lines[n], element{2 * s.from, s})
			}
		}
		slices.SortFunc(lines[n], compareElements)
	}
	return lines
}

func compareElements(a, b element) int {
	if c := cmp.Compare(a.position, b.position); c != 0 || a.stay == nil {
		return c // a break and a stay are never at one position
	}
	return cmp.Or(cmp.Compare(a.stay.end, b.stay.end), compareIDs(a.stay.id, b.stay.id))
}

func (f *Facts) breaks(e evidence, announcements []told) map[ID][]int64 {
	breaks := map[ID][]int64{}
	add := func(n ID, position int64, rule Rule) {
		if !f.off(rule) {
			breaks[n] = append(breaks[n], position)
		}
	}
	for _, a := range announcements {
		if a.sides[previous].bare() {
			add(a.sides[previous].number, 2*a.at+1, Leaving)
		}
		if a.sides[current].bare() {
			add(a.sides[current].number, 2*a.at-1, Entering)
		}
	}
	for _, h := range e.handovers {
		add(h.number, 2*h.at-1, HandingOver)
	}
	return breaks
}

func seenTogether(e evidence, announcements []told) times {
	t := times{}
	for _, c := range e.seen {
		t.add(c.ids.number, c.ids.least(), c.first, c.last)
	}
	for _, a := range announcements {
		for _, side := range a.sides {
			t.add(side.number, side.least(), a.at)
		}
	}
	for _, v := range e.joined {
		if v.pair[0].Kind != number && v.pair[1].Kind == number {
			t.add(v.pair[1], v.pair[0], v.times[1])
		}
	}
	return t
}

// stays returns the stays of one stable ID, at most one between two breaks.
func stays(breaks line, id ID, l life, at []int64) []*stay {
	list := map[int]*stay{}
	for _, t := range at {
		t = min(t, l.end)
		i := breaks.before(2 * t)
		s := list[i]
		if s == nil {
			s = &stay{id: id, from: t, last: t, end: l.end}
			list[i] = s
		}
		s.from, s.last = min(s.from, t), max(s.last, t)
	}
	var out []*stay
	for i, s := range list {
		since := int64(0)
		if i > 0 {
			since = breaks[i-1].position
		}
		if since < 2*l.begin && l.begin <= s.from {
			s.from, s.announced = l.begin, true
		}
		out = append(out, s)
	}
	return out
}

// before returns how many elements are at or before a position.
func (l line) before(position int64) int {
	i := slices.IndexFunc(l, func(e element) bool { return e.position > position })
	if i < 0 {
		return len(l)
	}
	return i
}

// holder returns the stay that has the number at a position, or nil and the place of somebody
// unknown (section 7).
func (f *Facts) holder(l line, position int64) (*stay, int) {
	place := l.before(position)
	if s := f.found(l[:place], position); s != nil && position <= 2*s.end {
		return s, place
	}
	if place < len(l) && l[place].stay != nil && !l[place].stay.announced && !f.off(Adopting) {
		return l[place].stay, place
	}
	return nil, place
}

// found returns the stay that began latest and was seen then or later, or otherwise the one seen
// last.
func (f *Facts) found(begun line, position int64) *stay {
	var last *stay
	for _, e := range slices.Backward(begun) {
		switch {
		case e.stay == nil:
			return last
		case 2*e.stay.last >= position && !f.off(SeenLater):
			return e.stay
		case last == nil || e.stay.last > last.last && !f.off(SeenLater):
			last = e.stay
		}
	}
	return last
}

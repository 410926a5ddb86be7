package rules

import (
	"cmp"
	"slices"
)

// A position lies between two seconds: 2t just before second t, 2t+1 just after it.
type position = int64

// sameNotice is the maximum distance between two announcements for one change, in seconds.
// Each business number that the person wrote to receives an announcement.
const sameNotice = 86_400

// A cut is a change that ends or begins somebody's use of a phone number.
type cut struct {
	at     position
	change int32
}

func (c cut) leaves() bool { return c.at&1 == 1 }

// findCuts adds each phone number's boundaries to s.lines. Section 3.2.
func (s *Solution) findCuts() {
	s.findNotices()
	if s.silence == 0 {
		return
	}
	for i := range s.lines {
		l := &s.lines[i]
		last := int64(0)
		for j := range l.sightings {
			x := &l.sightings[j]
			if x.source == fromJoined {
				continue
			}
			if last != 0 && x.at-last > s.silence {
				l.cuts = append(l.cuts, 2*x.at)
			}
			last = x.at
		}
		slices.Sort(l.cuts)
		l.cuts = slices.Compact(l.cuts)
	}
}

// findNotices adds the boundaries that announcements and operators make. Section 3.2, without the limit
// of silence.
func (s *Solution) findNotices() {
	if len(s.Changes) == 0 && len(s.Handovers) == 0 {
		return
	}
	s.seenWith = map[int32][]int32{}
	for i := range s.Cells {
		if c := &s.Cells[i]; c.BSUID != 0 && c.Phone != 0 {
			s.seenWith[c.BSUID] = append(s.seenWith[c.BSUID], c.Phone)
		}
	}
	cuts, handovers := make([][]cut, len(s.lines)), make([][]int64, len(s.lines))
	add := func(phones, except []int32, c cut) {
		for _, phone := range phones {
			if !slices.Contains(except, phone) {
				cuts[s.lineOf[phone]] = append(cuts[s.lineOf[phone]], c)
			}
		}
	}
	for i := range s.Changes {
		c := &s.Changes[i]
		left, entered := s.boundaries(c)
		add(left, entered, cut{2*c.At + 1, int32(i)})
		add(entered, left, cut{2 * c.At, int32(i)})
	}
	for _, h := range s.Handovers {
		if !h.Undone {
			handovers[s.lineOf[h.Phone]] = append(handovers[s.lineOf[h.Phone]], h.At)
		}
	}
	for i := range s.lines {
		slices.SortFunc(cuts[i], func(a, b cut) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.change, b.change)) })
		slices.Sort(handovers[i])
		s.lines[i].cuts = s.mergeCuts(cuts[i], handovers[i])
	}
}

// boundaries returns the phone numbers that a change leaves and enters. Section 3.2, first list. They include those last
// seen with its previous BSUID or next seen with its current BSUID, because a BSUID rotates when
// the number changes. A late status with the previous IDs is ignored: a sighting isn't included
// if another change left its number first.
func (s *Solution) boundaries(c *Change) (left, entered []int32) {
	previous, current := &c.Sides[0], &c.Sides[1]
	if previous.Phone != 0 {
		left = append(left, previous.Phone)
	}
	if current.Phone != 0 {
		entered = append(entered, current.Phone)
	}
	if previous.BSUID == current.BSUID {
		return left, entered
	}
	for _, phone := range s.seenWith[previous.BSUID] {
		if s.line(phone).seenLastWith(previous.BSUID, c.At) {
			left = append(left, phone)
		}
	}
	for _, phone := range s.seenWith[current.BSUID] {
		if s.line(phone).entersWith(current.BSUID, c.At) {
			entered = append(entered, phone)
		}
	}
	return left, entered
}

// mergeCuts returns a phone number's boundaries in order. Section 3.2, second list. Several cuts can announce one
// change, but a handover is always a boundary between others.
func (s *Solution) mergeCuts(cuts []cut, handovers []int64) (merged []position) {
	var named sideNames // by the run of cuts that is the last boundary
	var last position
	consistent := false
	for len(cuts) > 0 {
		n := 1
		for n < len(cuts) && cuts[n].at == cuts[0].at {
			n++
		}
		place, at := cuts[:n], cuts[0].at
		cuts = cuts[n:]
		joins := consistent && at&1 == last&1 && at/2-last/2 <= sameNotice &&
			!slices.ContainsFunc(handovers, func(h int64) bool { return last < 2*h && 2*h <= at })
		if joins {
			named, joins = s.addNames(named, place)
		}
		if !joins {
			named, consistent = s.addNames(sideNames{}, place)
			merged = append(merged, at)
		} else if place[0].leaves() {
			merged[len(merged)-1] = at
		}
		last = at
	}
	for _, h := range handovers {
		merged = append(merged, 2*h)
	}
	slices.Sort(merged)
	return slices.Compact(merged)
}

// sideNames contains the aliases in changes, by side and kind.
type sideNames [2]Side

// addNames adds the aliases in changes. It reports false if two of them differ in one kind and
// side.
func (s *Solution) addNames(named sideNames, cuts []cut) (sideNames, bool) {
	for _, c := range cuts {
		for i, m := range s.Changes[c.change].Sides {
			n := &named[i]
			if !sameOrAbsent(&n.BSUID, m.BSUID) || !sameOrAbsent(&n.Parent, m.Parent) || !sameOrAbsent(&n.Phone, m.Phone) {
				return named, false
			}
		}
	}
	return named, true
}

func sameOrAbsent(known *int32, alias int32) bool {
	if alias == 0 || alias == *known {
		return true
	}
	if *known != 0 {
		return false
	}
	*known = alias
	return true
}

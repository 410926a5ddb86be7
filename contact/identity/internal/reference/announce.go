package reference

import (
	"cmp"
	"slices"
)

// Told is what counts of a change, and the facts that told it.
type told struct {
	change
	facts []change
}

// announcements returns the changes, each told once (section 4).
func (f *Facts) announcements(changes []told) []told {
	changes = slices.SortedFunc(slices.Values(changes), func(a, b told) int {
		return cmp.Or(cmp.Compare(a.at, b.at), a.sides[previous].compare(b.sides[previous]), a.sides[current].compare(b.sides[current]))
	})
	var list []told
	for _, c := range changes {
		i := slices.IndexFunc(list, func(a told) bool { return c.at-a.at <= day && a.tells(c.change) && !a.rest && !c.rest })
		if i < 0 || f.off(Copies) {
			list = append(list, c)
			continue
		}
		for s := range c.sides {
			list[i].sides[s] = list[i].sides[s].union(c.sides[s])
		}
		list[i].facts = append(list[i].facts, c.facts...)
	}
	for i := range list {
		if n := list[i].sides[current].number; n == list[i].sides[previous].number {
			list[i].sides = [2]ids{list[i].sides[previous].without(n), list[i].sides[current].without(n)}
		}
	}
	return slices.DeleteFunc(list, func(c told) bool { return c.sides == [2]ids{} })
}

// tells reports whether c tells about the same change: both sides share an ID, and none has
// another ID of a kind.
func (a change) tells(c change) bool {
	for i, side := range a.sides {
		shared, others := 0, 0
		for _, p := range [][2]ID{{side.bsuid, c.sides[i].bsuid}, {side.parent, c.sides[i].parent}, {side.number, c.sides[i].number}} {
			switch {
			case len(present(p[0], p[1])) < 2:
			case p[0] == p[1]:
				shared++
			default:
				others++
			}
		}
		if shared == 0 || others > 0 {
			return false
		}
	}
	return true
}

func (s ids) union(t ids) ids {
	return ids{cmp.Or(s.bsuid, t.bsuid), cmp.Or(s.parent, t.parent), cmp.Or(s.number, t.number)}
}

// A life is the time from which and until which a stable ID is used (section 5).
type life struct{ begin, end int64 }

// lives returns the lives of the stable IDs that an announcement began or ended.
func (f *Facts) lives(announcements []told) map[ID]life {
	begin, end := map[ID]int64{}, map[ID]int64{}
	for _, a := range announcements {
		for _, id := range a.sides[current].stable() {
			if !a.sides[previous].has(id) && !f.off(Beginning) {
				begin[id] = min(a.at, cmp.Or(begin[id], never))
			}
		}
		for _, id := range a.sides[previous].stable() {
			if !a.sides[current].has(id) && !f.off(Ending) {
				end[id] = max(a.at, end[id])
			}
		}
	}
	lives := map[ID]life{}
	for _, times := range []map[ID]int64{begin, end} {
		for id := range times {
			l := life{begin[id], cmp.Or(end[id], never)}
			if l.begin >= l.end {
				l = life{0, never}
			}
			lives[id] = l
		}
	}
	return lives
}

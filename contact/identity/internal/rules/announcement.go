package rules

import (
	"cmp"
	"maps"
	"slices"
)

// Day is how long after its beginning an announcement can be told again, in seconds.
const Day = 86_400

// An announcement is a change, told once or more often. Its sides are the previous and the current IDs.
type announcement struct {
	at    int64
	sides [2]Side
	told  []Change
}

// announcements returns the announcements in order of time. Section 4.
func announcements(changes map[Change][]Change) (all []announcement) {
	list := slices.SortedFunc(maps.Keys(changes), func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.At, b.At), a.Sides[0].Compare(b.Sides[0]), a.Sides[1].Compare(b.Sides[1]))
	})
	begin := 0 // of those that can be told again
	for _, c := range list {
		for begin < len(all) && c.At-all[begin].at > Day {
			begin++
		}
		if i := slices.IndexFunc(all[begin:], func(a announcement) bool { return a.isToldBy(c) }); i >= 0 {
			all[begin+i].add(c)
		} else {
			all = append(all, announcement{c.At, c.Sides, []Change{c}})
		}
	}
	for i := range all {
		if sides := &all[i].sides; sides[0].Phone == sides[1].Phone {
			sides[0].Phone, sides[1].Phone = Alias{}, Alias{}
		}
	}
	return all
}

// isToldBy reports whether both sides of a change share an ID with a, and none has another ID of a kind.
func (a *announcement) isToldBy(c Change) bool {
	for i, side := range c.Sides {
		shares := false
		for _, id := range side.IDs() {
			if own := a.sides[i].Of(id.Kind); own == id {
				shares = true
			} else if own.IsValid() {
				return false
			}
		}
		if !shares {
			return false
		}
	}
	return true
}

func (a *announcement) add(c Change) {
	a.told = append(a.told, c)
	for i, side := range c.Sides {
		for _, id := range side.IDs() {
			a.sides[i].Set(id)
		}
	}
}

package rules

import "slices"

// Depends returns the IDs that decide, by their changes or by being crowded, about the people with one of
// some IDs: all that are in a fact with one of these, and those in the announcements that begin and end
// the stable IDs seen on their numbers.
func (s *State) Depends(near map[Alias]bool) map[Alias]bool {
	found, lives := map[Alias]bool{}, map[Alias]bool{}
	isNear := func(a Alias) bool { return near[a] }
	see := func(ids []Alias) {
		if !slices.ContainsFunc(ids, isNear) {
			return
		}
		for _, a := range ids {
			found[a] = true
			lives[a] = lives[a] || a.IsStable()
		}
	}
	for side := range s.Cells {
		see(side.IDs())
	}
	for p := range s.Verdicts {
		see(p[:])
	}
	var begin []Change
	for c := range s.Changes {
		ids := append(c.Sides[0].IDs(), c.Sides[1].IDs()...)
		see(ids)
		if slices.ContainsFunc(ids, func(a Alias) bool { return near[a] || lives[a] }) {
			begin = append(begin, c)
		}
	}
	for _, a := range s.Told(begin...) {
		found[a] = true
	}
	return found
}

// Told returns the IDs of changes, and of those that can be in one announcement with them: a chain of
// changes that share an ID, each within a day.
func (s *State) Told(begin ...Change) (ids []Alias) {
	if len(begin) == 0 {
		return nil
	}
	type within struct {
		id  Alias
		day int64
	}
	byDay := map[within][]Change{}
	for c := range s.Changes {
		for _, a := range append(c.Sides[0].IDs(), c.Sides[1].IDs()...) {
			k := within{a, c.At / Day}
			byDay[k] = append(byDay[k], c)
		}
	}
	done, known := map[within]bool{}, map[Alias]bool{}
	for queue := slices.Clone(begin); len(queue) > 0; queue = queue[1:] {
		c := queue[0]
		for _, a := range append(c.Sides[0].IDs(), c.Sides[1].IDs()...) {
			known[a] = true
			for day := c.At/Day - 1; day <= c.At/Day+1; day++ {
				if k := (within{a, day}); !done[k] {
					done[k] = true
					queue = append(queue, byDay[k]...)
				}
			}
		}
	}
	for a := range known {
		ids = append(ids, a)
	}
	return ids
}

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

// Interferes reports whether anything but sightings can decide who has the number of a combination since it
// was first seen: a crowded ID, a change that ends its stable ID or names the number, or an operator.
func (s *State) Interferes(side Side) bool {
	since := s.Cells[side].First()
	for _, a := range side.IDs() {
		if s.Crowded[a] {
			return true
		}
	}
	for p := range s.Verdicts {
		if p[0] == side.Phone || p[1] == side.Phone {
			return true
		}
	}
	for c := range s.Changes {
		if c.Sides[0].Has(side.Stable()) || c.At >= since && (c.Sides[0].Has(side.Phone) || c.Sides[1].Has(side.Phone)) {
			return true
		}
	}
	for h, undone := range s.Handovers {
		if h.Phone == side.Phone && h.At > since && !undone {
			return true
		}
	}
	return false
}

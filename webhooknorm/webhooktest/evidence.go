package webhooktest

import (
	"cmp"
	"slices"
)

// Evidence is what webhooks prove, given the truth about who is who.
//
// Two sightings of one person are in one component if a chain of webhooks names the
// ids of one and of the other. A sighting is uncertain if it has nothing but a phone
// number, and webhooks alone would give it to somebody else who had the number before
// or after, or cannot tell two such people apart.
type evidence struct {
	component []int32 // of each sighting; meaningful among those of one person
	uncertain []bool
}

func (e evidence) certain(i int) bool { return !e.uncertain[i] }

// evidence weighs the sightings that were delivered, or all.
func (j *judge) evidence(lost bool) evidence {
	e := evidence{component: make([]int32, len(j.sightings)), uncertain: make([]bool, len(j.sightings))}
	j.findUncertain(e.uncertain, lost)

	order := make([]int32, len(j.sightings))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(j.sightings[a].person, j.sightings[b].person) })
	for len(order) > 0 {
		n := slices.IndexFunc(order, func(i int32) bool { return j.sightings[i].person != j.sightings[order[0]].person })
		if n < 0 {
			n = len(order)
		}
		j.connect(order[:n], e, lost)
		order = order[n:]
	}
	return e
}

// An alias is one id of one person.
type alias struct {
	kind  byte   // 'b' BSUID, 'e' parent, 'p' phone
	scope uint8  // portfolio, or group of portfolios for a parent
	which uint32 // generation of a BSUID or parent, lease of a phone
}

// aliases appends what a sighting names.
func (s *sighting) aliases(dst []alias) []alias {
	if s.bsuid {
		dst = append(dst, alias{'b', s.portfolio, uint32(s.generation)})
	}
	if s.parent {
		dst = append(dst, alias{'e', s.linked, uint32(s.generation)})
	}
	if s.change && s.rotated {
		dst = append(dst, alias{'b', s.portfolio, uint32(s.generation) - 1})
		if s.parent {
			dst = append(dst, alias{'e', s.linked, uint32(s.generation) - 1})
		}
	}
	if s.number != 0 {
		dst = append(dst, alias{'p', s.portfolio, s.lease})
	}
	if s.lastNumber != 0 {
		dst = append(dst, alias{'p', s.portfolio, s.lastLease})
	}
	return dst
}

// connect finds the components of one person's sightings. What has no BSUID anywhere
// in its component is uncertain as a whole if it is anywhere.
func (j *judge) connect(of []int32, e evidence, lost bool) {
	var (
		nodes  = map[alias]int32{}
		parent []int32
		names  []alias
	)
	root := func(n int32) int32 {
		for parent[n] != n {
			parent[n] = parent[parent[n]]
			n = parent[n]
		}
		return n
	}
	for _, i := range of {
		s := &j.sightings[i]
		names = s.aliases(names[:0])
		for k, a := range names {
			if _, ok := nodes[a]; !ok {
				nodes[a] = int32(len(parent))
				parent = append(parent, nodes[a])
			}
			if k > 0 && (lost || !s.lost) {
				parent[root(nodes[a])] = root(nodes[names[0]])
			}
		}
		e.component[i] = -1
		if len(names) > 0 {
			e.component[i] = nodes[names[0]]
		}
	}
	stable, doubtful := map[int32]bool{}, map[int32]bool{}
	for _, i := range of {
		s := &j.sightings[i]
		if e.component[i] < 0 || s.lost && !lost {
			continue
		}
		c := root(e.component[i])
		e.component[i] = c
		if s.bsuid || s.parent {
			stable[c] = true
		}
		if e.uncertain[i] {
			doubtful[c] = true
		}
	}
	for _, i := range of {
		if c := e.component[i]; c >= 0 && doubtful[c] && !stable[c] {
			e.uncertain[i] = true
		}
	}
}

// A mark is a sighting of a phone number or a cut in its time.
type mark struct {
	at     int64
	place  int8 // -1 a cut just before at, 0 a sighting, 1 a cut just after at
	owned  bool // a BSUID stands beside it
	person int
	index  int32 // of the sighting
}

// findUncertain marks the sightings of phones alone that webhooks cannot give to the
// right person.
func (j *judge) findUncertain(uncertain []bool, lost bool) {
	type line struct {
		number    uint32
		portfolio uint8
	}
	// Only numbers that two people had are of interest.
	holder, shared := map[uint32]int{}, map[uint32]bool{}
	note := func(number uint32, person int) {
		if first, ok := holder[number]; !ok {
			holder[number] = person
		} else if first != person {
			shared[number] = true
		}
	}
	for i := range j.sightings {
		note(j.sightings[i].number, j.sightings[i].person)
		note(j.sightings[i].lastNumber, j.sightings[i].person)
	}
	delete(shared, 0)

	marks := map[line][]mark{}
	for i := range j.sightings {
		s := &j.sightings[i]
		if s.lost && !lost {
			continue
		}
		put := func(number uint32, owned bool, cut int8) {
			if !shared[number] {
				return
			}
			l := line{number, s.portfolio}
			marks[l] = append(marks[l], mark{s.at, 0, owned, s.person, int32(i)})
			if cut != 0 {
				marks[l] = append(marks[l], mark{at: s.at, place: cut})
			}
		}
		owned := s.bsuid || s.parent
		switch {
		case !s.change:
			put(s.number, owned, 0)
		case s.number != s.lastNumber:
			put(s.lastNumber, s.rotated, 1)
			put(s.number, owned, -1)
		}
	}
	for _, list := range marks {
		slices.SortStableFunc(list, func(a, b mark) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.place, b.place)) })
		for len(list) > 0 {
			n := slices.IndexFunc(list, func(m mark) bool { return m.place != 0 })
			if n < 0 {
				markSegment(list, uncertain)
				break
			}
			markSegment(list[:n], uncertain)
			list = list[n+1:]
		}
	}
}

// markSegment looks at the sightings of a number between two cuts. The evidence gives
// one of the phone alone to the owner of the last owned one before it, else of the
// first one after it, else to whoever else is alone there.
func markSegment(list []mark, uncertain []bool) {
	owner := slices.IndexFunc(list, func(m mark) bool { return m.owned })
	if owner < 0 {
		if slices.ContainsFunc(list, func(m mark) bool { return m.person != list[0].person }) {
			for _, m := range list {
				uncertain[m.index] = true
			}
		}
		return
	}
	person := list[owner].person
	for _, m := range list {
		if m.owned {
			person = m.person
		} else if m.person != person {
			uncertain[m.index] = true
		}
	}
}

package webhooktest

import (
	"cmp"
	"slices"
)

// Evidence describes what can be proved about sightings from webhooks.
//
// A person's sightings are in the same component if a chain of webhooks connects their IDs.
// A sighting is uncertain if it contains only a phone number, and the webhooks indicate
// another or several holders.
type evidence struct {
	component []int32 // by sighting, within its person
	uncertain []bool
}

func (e evidence) certain(i int) bool { return !e.uncertain[i] }

// evidence returns the evidence from the delivered events, including lost ones on request.
func (j *comparison) evidence(lost bool) evidence {
	e := evidence{component: make([]int32, len(j.sightings)), uncertain: make([]bool, len(j.sightings))}
	j.findUncertain(e.uncertain, lost)

	order := make([]int32, len(j.sightings))
	for i := range order {
		order[i] = int32(i)
	}
	// SortFunc with the index is faster than SortStableFunc.
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(j.sightings[a].person, j.sightings[b].person), cmp.Compare(a, b))
	})
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

// An alias is a person's ID.
type alias struct {
	kind  byte   // 'b' BSUID, 'e' parent, 'p' phone without a BSUID
	scope uint8  // portfolio, or group of portfolios for a parent
	which uint32 // generation of a BSUID or parent, lease of a phone
}

// stable appends a sighting's BSUIDs and parents.
func (s *sighting) stable(dst []alias) []alias {
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
	return dst
}

// components joins a person's aliases.
type components struct {
	nodes  map[alias]int32
	parent []int32
}

func (c *components) node(a alias) int32 {
	n, ok := c.nodes[a]
	if !ok {
		n = int32(len(c.parent))
		c.nodes[a] = n
		c.parent = append(c.parent, n)
	}
	for c.parent[n] != n {
		c.parent[n] = c.parent[c.parent[n]]
		n = c.parent[n]
	}
	return n
}

func (c *components) join(a, b alias) { c.parent[c.node(a)] = c.node(b) }

// connect finds the components among a person's sightings. A number doesn't connect two
// BSUIDs, because two people can have held it. A sighting that contains only the number
// belongs to the last BSUID seen with the number, otherwise to the next, unless the number
// may have changed hands in between. In a component without a BSUID, a single uncertain
// sighting makes all uncertain.
func (j *comparison) connect(of []int32, e evidence, lost bool) {
	c := components{nodes: map[alias]int32{}}
	type line struct {
		portfolio uint8
		lease     uint32
	}
	owned := map[line][]int32{} // sightings of a number with a BSUID, in order of time
	var rotations []int32       // announcements of another BSUID, in order of time
	var names []alias
	for _, i := range of {
		s := &j.sightings[i]
		if s.lost && !lost {
			continue
		}
		if s.change && s.rotated {
			rotations = append(rotations, i)
		}
		names = s.stable(names[:0])
		for k := 1; k < len(names); k++ {
			c.join(names[0], names[k])
		}
		if len(names) > 0 && s.number != 0 {
			l := line{s.portfolio, s.lease}
			owned[l] = append(owned[l], i)
		}
		if len(names) > 0 && s.lastNumber != 0 {
			l := line{s.portfolio, s.lastLease}
			owned[l] = append(owned[l], i)
		}
	}
	// entered reports whether a rotation between i and a number's first sighting with a BSUID
	// created that BSUID. A BSUID rotates because the number changes, so the webhooks then
	// suggest that the number is also new and belonged to somebody else at i.
	entered := func(i, first int32, lease uint32) bool {
		f := &j.sightings[first]
		return slices.ContainsFunc(rotations, func(r int32) bool {
			s := &j.sightings[r]
			return i < r && r <= first && s.portfolio == f.portfolio && s.generation == f.generation &&
				(r < first || s.number != 0 && s.lease == lease && (s.lastNumber == 0 || s.lastLease != lease))
		})
	}
	// holder returns an alias from the component that holds a number when i happens.
	holder := func(i int32, lease uint32) alias {
		s := &j.sightings[i]
		list := owned[line{s.portfolio, lease}]
		n, _ := slices.BinarySearch(list, i)
		switch {
		case n > 0:
			return j.sightings[list[n-1]].stable(nil)[0]
		case len(list) > 0 && !entered(i, list[0], lease):
			return j.sightings[list[0]].stable(nil)[0]
		}
		return alias{'p', s.portfolio, lease}
	}
	alias := func(i int32) alias {
		s := &j.sightings[i]
		if names = s.stable(names[:0]); len(names) > 0 {
			return names[0]
		}
		return holder(i, s.lease)
	}
	for _, i := range of {
		if s := &j.sightings[i]; s.change && !s.rotated && (lost || !s.lost) {
			c.join(holder(i, s.lastLease), holder(i, s.lease))
		}
	}
	stable, doubtful := map[int32]bool{}, map[int32]bool{}
	for _, i := range of {
		s := &j.sightings[i]
		e.component[i] = c.node(alias(i))
		if s.lost && !lost {
			continue
		}
		if s.bsuid || s.parent {
			stable[e.component[i]] = true
		}
		if e.uncertain[i] {
			doubtful[e.component[i]] = true
		}
	}
	for _, i := range of {
		if n := e.component[i]; doubtful[n] && !stable[n] {
			e.uncertain[i] = true
		}
	}
}

// A mark is a phone number's sighting, or a cut, which announces that the number changes
// hands.
type mark struct {
	at     int64
	place  int8 // -1 for a cut before at, 0 for a sighting, 1 for a cut after at
	owned  bool // whether the sighting contains a BSUID
	person int
	index  int32 // index of the sighting
}

// findUncertain finds the sightings with only a phone number that the webhooks don't
// attribute to the right person.
func (j *comparison) findUncertain(uncertain []bool, lost bool) {
	type line struct {
		number    uint32
		portfolio uint8
	}
	// A number with one holder is certain.
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

	type cut struct {
		line
		place int8
		lease uint32 // announcements of one change to several businesses are one cut
	}
	marks, cuts := map[line][]mark{}, map[cut]int64{}
	for i := range j.sightings {
		s := &j.sightings[i]
		if s.lost && !lost {
			continue
		}
		put := func(number, lease uint32, owned bool, place int8) {
			if !shared[number] {
				return
			}
			l := line{number, s.portfolio}
			marks[l] = append(marks[l], mark{s.at, 0, owned, s.person, int32(i)})
			if place == 0 {
				return
			}
			c := cut{l, place, lease}
			if at, ok := cuts[c]; !ok || place > 0 && s.at > at || place < 0 && s.at < at {
				cuts[c] = s.at
			}
		}
		if !s.change {
			put(s.number, s.lease, s.bsuid || s.parent, 0)
		} else if s.number != s.lastNumber {
			put(s.lastNumber, s.lastLease, s.rotated, 1)
			put(s.number, s.lease, s.bsuid || s.parent, -1)
		}
	}
	for c, at := range cuts {
		marks[c.line] = append(marks[c.line], mark{at: at, place: c.place})
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

// markSegment marks a number's uncertain sightings between two cuts. The webhooks attribute
// a sighting without a BSUID to the previous sighting with a BSUID, otherwise to the next.
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

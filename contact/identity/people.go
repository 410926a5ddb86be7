package identity

import (
	"cmp"
	"slices"
)

func (s *solution) people() ([]Person, []Conflict) {
	persons, _, index := s.persons()
	return persons, s.conflicts(persons, index)
}

// The result contains the people, sorted, and their root nodes. The index contains the place for each
// root node, or -1.
func (s *solution) persons() (persons []Person, roots, index []int32) {
	index = make([]int32, len(s.person))
	for i := range index {
		index[i] = -1
	}
	var drafts []draft
	add := func(node int32) *draft {
		root := s.person.find(node)
		if index[root] < 0 {
			index[root] = int32(len(drafts))
			drafts = append(drafts, draft{root: root})
		}
		return &drafts[index[root]]
	}
	for n := int32(1); int(n) < len(s.names); n++ {
		if s.named(n) && s.names[n].isStable() {
			p := add(n)
			p.Aliases = append(p.Aliases, Holding{Alias: s.names[n], First: s.first[n], Last: s.last[n], Current: !s.ended[n]})
		}
	}
	for i := range s.lines {
		l := &s.lines[i]
		if !s.named(l.phone) {
			continue
		}
		phone, user := s.names[l.phone], s.user(l)
		for m := range l.moments() {
			for _, x := range m.sightings {
				node := cmp.Or(x.by, m.holder)
				p := add(node)
				if n := len(p.Aliases) - 1; n >= 0 && p.Aliases[n].Alias == phone { // moments are in order
					p.Aliases[n].Last = m.at
					continue
				}
				h := Holding{Alias: phone, First: m.at, Last: m.at, Current: s.person.find(node) == user}
				if l.received.text != phone.value {
					h.Received = l.received.text
				}
				p.Aliases = append(p.Aliases, h)
			}
		}
	}
	s.label(drafts, index)
	for i := range drafts {
		markCurrent(drafts[i].Aliases)
		slices.SortFunc(drafts[i].Aliases, func(a, b Holding) int { return a.Alias.compare(b.Alias) })
	}
	current := func(h *Holding) int {
		if h.Current {
			return 1
		}
		return 0
	}
	slices.SortFunc(drafts, func(a, b draft) int { // the least alias of several people can be one number
		x, y := &a.Aliases[0], &b.Aliases[0]
		return cmp.Or(x.Alias.compare(y.Alias), cmp.Compare(x.First, y.First), cmp.Compare(x.Last, y.Last),
			current(x)-current(y), cmp.Compare(a.Username, b.Username), cmp.Compare(a.Name, b.Name))
	})
	persons, roots = make([]Person, len(drafts)), make([]int32, len(drafts))
	for i := range drafts {
		persons[i], roots[i] = drafts[i].Person, drafts[i].root
		index[roots[i]] = int32(i)
	}
	return persons, roots, index
}

// A draft is a person and their root node.
type draft struct {
	Person
	root int32
}

// user returns the root node of the person who uses a phone number now, or -1. A sighting with the
// IDs before a change doesn't show that.
func (s *solution) user(l *line) int32 {
	user := int32(-1)
	for m := range l.moments() {
		if m.segment < len(l.cuts) {
			continue
		}
		owned := false
		for _, x := range m.sightings {
			if x.by == 0 {
				continue
			}
			if !owned {
				owned, user = true, -1
			}
			previous := x.source >= 0 && x.side == 0
			if !previous && !s.ended[x.beside] && s.component.find(x.by) == s.component.find(m.holder) {
				user = s.person.find(m.holder)
			}
		}
		if int(m.holder) >= len(s.names) {
			user = s.person.find(m.holder)
		}
	}
	return user
}

// markCurrent leaves one current BSUID per portfolio and one parent BSUID per group: the latest
// that hasn't ended.
func markCurrent(aliases []Holding) {
	best := map[Alias]*Holding{} // by kind and scope
	for i := range aliases {
		h := &aliases[i]
		if !h.Current || !h.Alias.isStable() {
			continue
		}
		place := Alias{kind: h.Alias.kind, scope: h.Alias.scope}
		if b := best[place]; b != nil {
			if cmp.Or(cmp.Compare(h.Last, b.Last), cmp.Compare(h.Alias.value, b.Alias.value)) < 0 {
				h, b = b, h
			}
			b.Current = false
		}
		best[place] = h
	}
}

// label assigns each cell's labels to whoever the cell is about at that time, if anybody.
func (s *solution) label(persons []draft, index []int32) {
	latest := make([][2]dated, len(persons))
	for i := range s.cells {
		c := &s.cells[i]
		for _, m := range c.months {
			for j, label := range [...]dated{m.username, m.name} {
				if label.text == "" {
					continue
				}
				node := c.stable()
				if node == 0 {
					node = s.holder(s.line(c.phone), label.at)
				}
				if person := index[s.person.find(node)]; person >= 0 {
					latest[person][j].raise(label)
				}
			}
		}
	}
	for i := range persons {
		persons[i].Username, persons[i].Name = latest[i][0].text, latest[i][1].text
	}
}

// A step is a phone number that passed to another person within a segment.
type step struct {
	phone    int32
	segment  int
	from, to int32
	at       int64
}

// steps returns the last step for each segment and pair, sorted by phone number, time and people.
func (s *solution) steps(index []int32) []step {
	last := map[step]int64{} // by step without time
	for i := range s.lines {
		l := &s.lines[i]
		if !s.named(l.phone) {
			continue
		}
		holder := int32(-1)
		for m := range l.moments() {
			if m.begins {
				holder = -1
			}
			for _, x := range m.sightings {
				if x.by == 0 {
					continue
				}
				person := index[s.person.find(x.by)]
				if holder >= 0 && person != holder {
					last[step{phone: l.phone, segment: m.segment, from: holder, to: person}] = m.at
				}
				holder = person
			}
		}
	}
	var steps []step
	for x, at := range last {
		x.at = at
		steps = append(steps, x)
	}
	slices.SortFunc(steps, func(a, b step) int {
		return cmp.Or(s.names[a.phone].compare(s.names[b.phone]), cmp.Compare(a.at, b.at),
			cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	return steps
}

func (s *solution) conflicts(persons []Person, index []int32) []Conflict {
	var conflicts []Conflict
	for _, c := range s.steps(index) {
		conflicts = append(conflicts, Conflict{
			s.names[c.phone], persons[c.from].Aliases[0].Alias, persons[c.to].Aliases[0].Alias, c.at,
		})
	}
	return conflicts
}

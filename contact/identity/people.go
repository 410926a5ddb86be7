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
	s.eachStableHolding(func(node int32, h Holding) {
		p := add(node)
		p.Aliases = append(p.Aliases, h)
	})
	received := s.received()
	for i := range s.lines {
		l := &s.lines[i]
		if !s.named[l.phone] {
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
				if received[i].text != phone.value {
					h.Received = received[i].text
				}
				p.Aliases = append(p.Aliases, h)
			}
		}
	}
	markCurrent(drafts)
	s.label(drafts, index)
	for i := range drafts {
		slices.SortFunc(drafts[i].Aliases, func(a, b Holding) int { return a.Alias.compare(b.Alias) })
	}
	slices.SortFunc(drafts, func(a, b draft) int { return comparePersons(&a.Person, &b.Person) })
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

func comparePersons(p, q *Person) int {
	a, b := &p.Aliases[0], &q.Aliases[0]
	if c := cmp.Or(a.Alias.compare(b.Alias), cmp.Compare(a.First, b.First), cmp.Compare(a.Last, b.Last)); c != 0 {
		return c
	}
	if a.Current != b.Current {
		if b.Current {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(p.Username, q.Username), cmp.Compare(p.Name, q.Name))
}

// eachStableHolding calls add for stable aliases in sightings and ID changes. markCurrent decides
// which are current.
func (s *solution) eachStableHolding(add func(node int32, h Holding)) {
	first, last := make([]int64, len(s.names)), make([]int64, len(s.names))
	name := func(a int32, from, to int64) {
		if first[a] == 0 || from < first[a] {
			first[a] = from
		}
		last[a] = max(last[a], to)
	}
	s.eachSide(func(x, _ *side, from, to int64) {
		name(x.bsuid, from, to)
		name(x.parent, from, to)
	})
	for a := int32(1); int(a) < len(s.names); a++ {
		if s.named[a] && s.names[a].isStable() {
			add(a, Holding{Alias: s.names[a], First: first[a], Last: last[a], Current: !s.ended[a]})
		}
	}
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

// received returns each phone number's latest received text, by line.
func (s *solution) received() []dated {
	texts := make([]dated, len(s.lines))
	for i := range s.cells {
		if c := &s.cells[i]; c.phone != 0 {
			texts[s.lineOf[c.phone]].raise(c.received)
		}
	}
	for i := range s.changes {
		c := &s.changes[i]
		for j := range c.sides {
			if phone := c.sides[j].phone; phone != 0 {
				texts[s.lineOf[phone]].raise(dated{c.at, c.received[j]})
			}
		}
	}
	return texts
}

// markCurrent leaves one current BSUID per portfolio and one parent BSUID per group: the latest
// that hasn't ended.
func markCurrent(persons []draft) {
	type place struct {
		kind  Kind
		scope string
	}
	for i := range persons {
		aliases := persons[i].Aliases
		if len(aliases) < 2 {
			continue
		}
		best := map[place]int{}
		for j := range aliases {
			h := &aliases[j]
			if !h.Current || !h.Alias.isStable() {
				continue
			}
			where := place{h.Alias.kind, h.Alias.scope}
			k, several := best[where]
			if !several {
				best[where] = j
				continue
			}
			loser := j
			if b := &aliases[k]; cmp.Or(cmp.Compare(h.Last, b.Last), cmp.Compare(h.Alias.value, b.Alias.value)) > 0 {
				best[where], loser = j, k
			}
			aliases[loser].Current = false
		}
	}
}

func (s *solution) label(persons []draft, index []int32) {
	username, name := make([]dated, len(persons)), make([]dated, len(persons))
	for i := range s.cells {
		c := &s.cells[i]
		s.raise(username, index, c, c.username)
		s.raise(name, index, c, c.name)
	}
	for i := range persons {
		persons[i].Username, persons[i].Name = username[i].text, name[i].text
	}
}

// raise assigns a cell's label to whoever the cell is about at that time, if anybody.
func (s *solution) raise(labels []dated, index []int32, c *cell, label dated) {
	if label.text == "" {
		return
	}
	node := c.stable()
	if node == 0 {
		node = s.holder(s.line(c.phone), label.at)
	}
	if person := index[s.person.find(node)]; person >= 0 {
		labels[person].raise(label)
	}
}

// A step is a phone number that passed to another person within a segment.
type step struct {
	phone    int32
	from, to int32
	at       int64
}

// steps returns the last step for each segment and pair.
func (s *solution) steps(index []int32) []step {
	type move struct {
		segment  int
		from, to int32
	}
	var steps []step
	for i := range s.lines {
		l := &s.lines[i]
		if !s.named[l.phone] {
			continue
		}
		moves := map[move]int64{}
		var holder int32
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
					moves[move{m.segment, holder, person}] = m.at
				}
				holder = person
			}
		}
		for m, at := range moves {
			steps = append(steps, step{l.phone, m.from, m.to, at})
		}
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
	slices.SortStableFunc(conflicts, func(a, b Conflict) int {
		return cmp.Or(a.Phone.compare(b.Phone), cmp.Compare(a.At, b.At), a.From.compare(b.From), a.To.compare(b.To))
	})
	return conflicts
}

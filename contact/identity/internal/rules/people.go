package rules

import (
	"cmp"
	"slices"
)

// A Person contains a person's aliases, latest username and latest name. Sections 3.7 to 3.9.
type Person struct {
	Aliases        []Holding // sorted
	Username, Name string
}

// A Holding is an alias and the time in which a person had it.
type Holding struct {
	Alias       Alias
	First, Last int64 // when facts first and last contain it
	Current     bool
	Received    string // the phone number as last received, if it differs from the alias
}

// A Conflict reports that a phone number passed to another person without an announcement. Section 4.
type Conflict struct {
	Phone, From, To Alias // From and To are the least alias of each person
	At              int64
}

// Partition returns the people and conflicts in a state, sorted. silence is a limit in seconds, or 0.
func Partition(state *State, silence int64) ([]Person, []Conflict) {
	return Solve(state.Bounded(), silence).People()
}

// People returns the people and conflicts, sorted.
func (s *Solution) People() ([]Person, []Conflict) {
	persons, _, index := s.Persons()
	return persons, s.Conflicts(persons, index)
}

// Persons returns the people, sorted, and their root nodes. The index contains the place of each root
// node in them, or -1. Sections 3.6 to 3.9.
func (s *Solution) Persons() (persons []Person, roots, index []int32) {
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
	for n := int32(1); int(n) < len(s.Names); n++ {
		if s.named(n) && s.Names[n].IsStable() {
			p := add(n)
			p.Aliases = append(p.Aliases, Holding{Alias: s.Names[n], First: s.first[n], Last: s.last[n], Current: !s.ended[n]})
		}
	}
	for i := range s.lines {
		l := &s.lines[i]
		if !s.named(l.phone) {
			continue
		}
		phone, user := s.Names[l.phone], s.user(l)
		for m := range l.moments() {
			for _, x := range m.sightings {
				node := cmp.Or(x.by, m.holder)
				p := add(node)
				if n := len(p.Aliases) - 1; n >= 0 && p.Aliases[n].Alias == phone { // moments are in order
					p.Aliases[n].Last = m.at
					continue
				}
				h := Holding{Alias: phone, First: m.at, Last: m.at, Current: s.person.find(node) == user}
				if l.received.Text != phone.Value {
					h.Received = l.received.Text
				}
				p.Aliases = append(p.Aliases, h)
			}
		}
	}
	s.label(drafts, index)
	for i := range drafts {
		markCurrent(drafts[i].Aliases)
		slices.SortFunc(drafts[i].Aliases, func(a, b Holding) int { return a.Alias.Compare(b.Alias) })
	}
	current := func(h *Holding) int {
		if h.Current {
			return 1
		}
		return 0
	}
	slices.SortFunc(drafts, func(a, b draft) int { // the least alias of several people can be one number
		x, y := &a.Aliases[0], &b.Aliases[0]
		return cmp.Or(x.Alias.Compare(y.Alias), cmp.Compare(x.First, y.First), cmp.Compare(x.Last, y.Last),
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
// IDs before a change doesn't show that. Section 3.8, second paragraph.
func (s *Solution) user(l *line) int32 {
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
		if int(m.holder) >= len(s.Names) {
			user = s.person.find(m.holder)
		}
	}
	return user
}

// markCurrent leaves one current BSUID per portfolio and one parent BSUID per group: the latest
// that hasn't ended. Section 3.8, first paragraph.
func markCurrent(aliases []Holding) {
	best := map[Alias]*Holding{} // by kind and scope
	for i := range aliases {
		h := &aliases[i]
		if !h.Current || !h.Alias.IsStable() {
			continue
		}
		place := Alias{Kind: h.Alias.Kind, Scope: h.Alias.Scope}
		if b := best[place]; b != nil {
			if cmp.Or(cmp.Compare(h.Last, b.Last), cmp.Compare(h.Alias.Value, b.Alias.Value)) < 0 {
				h, b = b, h
			}
			b.Current = false
		}
		best[place] = h
	}
}

// label assigns each cell's labels to whoever the cell is about at that time, if anybody. Section 3.9.
func (s *Solution) label(persons []draft, index []int32) {
	latest := make([][2]Dated, len(persons))
	for i := range s.Cells {
		c := &s.Cells[i]
		for _, m := range c.Months {
			for j, label := range [...]Dated{m.Username, m.Name} {
				if label.Text == "" {
					continue
				}
				node := c.Stable()
				if node == 0 {
					node = s.holder(s.line(c.Phone), label.At)
				}
				if person := index[s.person.find(node)]; person >= 0 {
					latest[person][j].Raise(label)
				}
			}
		}
	}
	for i := range persons {
		persons[i].Username, persons[i].Name = latest[i][0].Text, latest[i][1].Text
	}
}

// A Step is a phone number that passed to another person within a segment. Section 4.
type Step struct {
	Phone    int32
	segment  int
	From, To int32 // the people, by number
	At       int64
}

// Steps returns the last step for each segment and pair, sorted by phone number, time and people.
// Section 4.
func (s *Solution) Steps(index []int32) []Step {
	last := map[Step]int64{} // by step without time
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
					last[Step{Phone: l.phone, segment: m.segment, From: holder, To: person}] = m.at
				}
				holder = person
			}
		}
	}
	var steps []Step
	for x, at := range last {
		x.At = at
		steps = append(steps, x)
	}
	slices.SortFunc(steps, func(a, b Step) int {
		return cmp.Or(s.Names[a.Phone].Compare(s.Names[b.Phone]), cmp.Compare(a.At, b.At),
			cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return steps
}

// Conflicts returns the conflicts between people, sorted. Section 4.
func (s *Solution) Conflicts(persons []Person, index []int32) []Conflict {
	var conflicts []Conflict
	for _, c := range s.Steps(index) {
		conflicts = append(conflicts, Conflict{
			s.Names[c.Phone], persons[c.From].Aliases[0].Alias, persons[c.To].Aliases[0].Alias, c.At,
		})
	}
	return conflicts
}

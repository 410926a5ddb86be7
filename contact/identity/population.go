package identity

import (
	"cmp"
	"math"
	"slices"
)

// A population is the persons of a cluster with their ids.
type population struct {
	*solution
	state   *State
	rows    []*AliasRow            // by alias
	records map[PersonID]PersonRow // all persons, also merged ones
	persons []Person
	index   []int32 // the person of each root node, or -1
	anchors []int32 // by person: a stable alias that only an operator named, or 0
	last    []int64 // by line: the greatest time of what is not a seen
	ids     []PersonID
	indexOf map[PersonID]int32 // the person who has an id
	pinned  map[PersonID]bool  // others were merged into the person
}

// newPopulation solves a cluster as it is stored.
func newPopulation(c *Cluster) *population {
	state := new(State)
	state.AddEvidence(&c.Evidence)
	p := &population{state: state, records: make(map[PersonID]PersonRow, len(c.Persons))}
	for i := range c.Aliases {
		n := state.number(c.Aliases[i].Alias)
		p.rows = slices.Grow(p.rows, len(state.names)-len(p.rows))[:len(state.names)]
		p.rows[n] = &c.Aliases[i]
	}
	p.solution = solve(state)
	p.persons, p.index = p.solution.persons()
	p.findAnchors()
	p.ids = make([]PersonID, len(p.persons))
	p.indexOf = make(map[PersonID]int32, len(p.persons))
	for n, row := range p.rows {
		if row != nil && row.Alias.IsStable() && !row.Person.IsZero() {
			if i := p.personOf(int32(n)); i >= 0 {
				p.ids[i], p.indexOf[row.Person] = row.Person, i
			}
		}
	}
	p.pinned = map[PersonID]bool{}
	for _, row := range c.Persons {
		p.records[row.ID] = row
		if !row.Into.IsZero() {
			p.pinned[row.Into] = true
		} else if _, known := p.indexOf[row.ID]; !known && row.Anchor.IsValid() {
			if i := p.holderAt(row.Anchor, row.At); i >= 0 && p.ids[i].IsZero() {
				p.ids[i], p.indexOf[row.ID] = row.ID, i
			}
		}
	}
	return p
}

// personOf returns the person of a node, or -1.
func (p *population) personOf(node int32) int32 { return p.index[p.person.find(node)] }

// findAnchors sets p.anchors.
func (p *population) findAnchors() {
	p.anchors = make([]int32, len(p.persons))
	for n := int32(1); int(n) < len(p.names); n++ {
		if p.named[n] || !p.names[n].IsStable() {
			continue
		}
		if i := p.personOf(n); i >= 0 {
			if a := &p.anchors[i]; *a == 0 || p.names[n].Compare(p.names[*a]) < 0 {
				*a = n
			}
		}
	}
}

// byAge returns the aliases that lead to a person, the one that they have had for the
// longest time first. Of several it is the one that was added first.
func (p *population) byAge(person int32) []Holding {
	holdings := slices.Clone(p.persons[person].Aliases)
	holdings = slices.DeleteFunc(holdings, func(h Holding) bool { // somebody else had it in the same second
		return !h.Alias.IsStable() && p.holderAt(h.Alias, h.First) != person
	})
	slices.SortStableFunc(holdings, func(a, b Holding) int {
		if c := cmp.Compare(a.First, b.First); c != 0 || a.Alias.IsStable() == b.Alias.IsStable() {
			return cmp.Or(c, cmp.Compare(p.added(a.Alias), p.added(b.Alias)))
		}
		return cmp.Compare(a.Alias.kind, b.Alias.kind) // a number comes last
	})
	return holdings
}

// oldest returns the anchor that is the alias which a person has had for the longest time.
func (p *population) oldest(person int32) (Alias, int64) {
	byAge := p.byAge(person)
	switch {
	case len(byAge) == 0 && p.anchors[person] != 0:
		return p.names[p.anchors[person]], 0
	case len(byAge) == 0:
		h := &p.persons[person].Aliases[0]
		return h.Alias, h.First
	case byAge[0].Alias.IsStable():
		return byAge[0].Alias, 0
	}
	return byAge[0].Alias, byAge[0].First
}

// anchor returns the anchor of a person: none if their stable aliases lead to them and no
// ids of others do.
func (p *population) anchor(person int32, pinned bool) (Alias, int64) {
	if !pinned && p.persons[person].Aliases[0].Alias.IsStable() {
		return Alias{}, 0
	}
	return p.oldest(person)
}

// added returns when an alias was added, as a number.
func (p *population) added(a Alias) int64 {
	if n := p.state.numberOf(a); int(n) < len(p.rows) && p.rows[n] != nil {
		return p.rows[n].Added
	}
	return math.MaxInt64
}

// holderAt returns the person who has a stable alias, or a phone number at a time, or -1.
func (p *population) holderAt(a Alias, at int64) int32 {
	n, known := p.state.find(a)
	if !known || int(n) >= len(p.lineOf) {
		return -1
	}
	if a.IsStable() {
		return p.personOf(n)
	}
	return p.personOf(p.holder(p.line(n), at))
}

// about returns the person that a fact is about, or -1.
func (p *population) about(f *Fact) int32 {
	for _, m := range [...]*members{&f.b, &f.a} {
		if f.kind != FactChanged {
			m = &f.a
		}
		if a := m.stable(); a.IsValid() {
			if n, known := p.state.find(a); known {
				return p.personOf(n)
			}
		}
	}
	phone := f.a.phone
	if f.kind == FactChanged {
		phone = f.b.phone
	}
	if !phone.IsValid() {
		return -1
	}
	return p.holderAt(phone, f.at)
}

// id returns the id of a person, or the zero PersonID for -1.
func (p *population) id(person int32) PersonID {
	if person < 0 {
		return PersonID{}
	}
	return p.ids[person]
}

// user returns the person who uses a phone number now, or -1.
func (p *population) user(phone int32) int32 {
	if !p.named[phone] {
		return -1
	}
	holder := p.currentHolder(p.line(phone))
	if holder == 0 {
		return -1
	}
	return p.personOf(holder)
}

// aliasRow returns the row of an alias that is to be stored.
func (p *population) aliasRow(n int32) AliasRow {
	var row AliasRow
	if int(n) < len(p.rows) && p.rows[n] != nil {
		row.Added = p.rows[n].Added
		row.Cluster = p.rows[n].Cluster
	}
	row.Alias = p.names[n]
	if row.Alias.IsStable() {
		if p.named[n] {
			row.Person = p.id(p.personOf(n))
		}
		row.Changed, row.Ended = p.rotated[n], p.ended[n]
		return row
	}
	row.Person = p.id(p.user(n))
	l := p.line(n)
	bounded := p.last[p.lineOf[n]]
	row.Alone = bounded == 0
	row.Settled = math.MaxInt64
	owner := int32(-1)
	for i := range l.sightings {
		x := &l.sightings[i]
		if x.by == 0 {
			continue
		}
		row.Alone = false
		if x.source == fromSeen && x.at > bounded && row.Settled == math.MaxInt64 {
			row.Settled = x.at
			if bounded == 0 {
				row.Settled = 0
			}
		}
		person := p.personOf(x.by)
		if owner >= 0 && person != owner {
			row.Shared = true
		}
		owner = person
		row.Latest = x.at
	}
	if !row.Shared {
		row.Latest = 0
	}
	return row
}

// findLast sets p.last: the greatest time of a fact other than a seen that concerns each
// phone number. That is one that names the number, or a changed that names a BSUID seen
// with it.
func (p *population) findLast() {
	p.last = make([]int64, len(p.lines))
	concern := func(phone int32, at int64) {
		if phone != 0 {
			last := &p.last[p.lineOf[phone]]
			*last = max(*last, at)
		}
	}
	for i := range p.changes {
		c := &p.changes[i]
		for _, m := range c.sides {
			concern(m.phone, c.at)
			for _, phone := range p.seenWith[m.bsuid] {
				concern(phone, c.at)
			}
		}
	}
	for _, v := range p.verdicts {
		for _, a := range [...]int32{v.a, v.b} {
			if p.names[a].kind == KindPhone {
				concern(a, v.at)
			}
		}
	}
	for _, h := range p.handovers {
		concern(h.phone, h.at)
	}
}

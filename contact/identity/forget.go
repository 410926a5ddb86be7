package identity

import (
	"context"
	"slices"
)

// Forget removes every trace of a person, in one transaction: their aliases, what the
// facts say about them, and the ids of persons that were merged into them. Facts that
// arrive later are about a new person. Where other persons had one of their phone numbers, it
// stays with those persons, and handovers keep the periods apart.
//
// It reports false if there is no person with that id. The changes are those of other
// persons.
func (e *Engine) Forget(ctx context.Context, id PersonID) (changes []Change, found bool, err error) {
	err = e.store.Update(ctx, func(tx Tx) error {
		changes, found, err = e.ForgetTx(ctx, tx, id)
		return err
	})
	if err != nil {
		return nil, false, err
	}
	return changes, found, nil
}

// ForgetTx is Forget within a transaction of the caller. If it returns an error, roll
// the transaction back.
func (e *Engine) ForgetTx(ctx context.Context, tx Tx, id PersonID) ([]Change, bool, error) {
	row, stored, found, err := lockPerson(ctx, tx, id)
	if err != nil || !found {
		return nil, false, err
	}
	if !row.Into.IsZero() {
		id = row.Into
	}
	before := newPopulation(&stored)
	person := slices.Index(before.ids, id)
	if person < 0 {
		return nil, false, nil
	}
	rest := before.without(int32(person))
	state := before.state.renewed()
	state.AddEvidence(&rest)
	after := before.next(state)
	t := transition{before: before, after: after, gone: int32(person), fallback: -1}
	if err := t.nameAll(e); err != nil {
		return nil, false, err
	}
	b := t.rewrite(rest)
	if err := t.number(ctx, tx, []int64{row.Cluster}, &b); err != nil {
		return nil, false, err
	}
	return t.changes(), true, tx.Write(ctx, &b)
}

// lockPerson locks the cluster of a person and returns its rows.
func lockPerson(ctx context.Context, tx Tx, id PersonID) (row PersonRow, stored Cluster, found bool, err error) {
	for locked := 0; ; {
		if row, found, err = tx.Person(ctx, id); err != nil || !found {
			return row, stored, false, err
		}
		if stored, err = tx.Load(ctx, []int64{row.Cluster}); err != nil {
			return row, stored, false, err
		}
		if locked == len(stored.Aliases) {
			return row, stored, true, nil
		}
		// Another transaction may add to the cluster until it is locked.
		aliases := make([]Alias, len(stored.Aliases))
		for i := range aliases {
			aliases[i] = stored.Aliases[i].Alias
		}
		slices.SortFunc(aliases, Alias.Compare)
		if err = tx.Lookup(ctx, aliases, make([]AliasRow, len(aliases)), nil); err != nil {
			return row, stored, false, err
		}
		locked = len(aliases)
	}
}

// without returns the evidence of a population without what is about one person.
func (p *population) without(person int32) Evidence {
	var rest Evidence
	for i := range p.cells {
		c := p.state.cell(int32(i))
		if p.keepCell(&c, person) {
			rest.Cells = append(rest.Cells, c)
		}
	}
	for i := range p.changes {
		c := &p.changes[i]
		if !p.isAbout(c, person) {
			rest.Changes = append(rest.Changes, p.state.change(int32(i)))
			continue
		}
		// An operator may have separated some of its aliases from the person.
		for _, m := range c.sides {
			for _, a := range [...]int32{m.bsuid, m.parent} {
				if a != 0 && p.personOf(a) != person {
					cell := Cell{CellKey: CellKey{Period: c.at / period}, First: c.at, Last: c.at}
					if p.names[a].kind == KindBSUID {
						cell.BSUID = p.names[a]
					} else {
						cell.Parent = p.names[a]
					}
					rest.Cells = append(rest.Cells, cell)
				}
			}
		}
	}
	for i, v := range p.verdicts {
		if !p.isOf(v.a, v.at, person) && !p.isOf(v.b, v.at, person) {
			rest.Verdicts = append(rest.Verdicts, p.state.verdict(int32(i)))
		}
	}
	kept := new(State)
	kept.AddEvidence(&rest)
	for i := range p.lines {
		l := &p.lines[i]
		if kept.numbers[p.names[l.phone]] == 0 {
			continue
		}
		for j, h := range p.handovers {
			if h.phone == l.phone {
				rest.Handovers = append(rest.Handovers, p.state.handover(int32(j)))
			}
		}
		rest.Handovers = append(rest.Handovers, p.bordersOf(l, person)...)
	}
	// Rows with equal keys become one.
	merged := new(State)
	merged.AddEvidence(&rest)
	return merged.Evidence()
}

// keepCell takes what is about a person out of a cell, and reports whether anything is
// left.
func (p *population) keepCell(c *Cell, person int32) bool {
	owner := c.stable()
	if !owner.IsValid() {
		return p.keepAlone(c, person)
	}
	if p.holderAt(owner, 0) == person {
		c.Phone, c.Received, c.Username, c.Name = Alias{}, Dated{}, Dated{}, Dated{}
	}
	if c.BSUID.IsValid() && p.holderAt(c.BSUID, 0) == person {
		c.BSUID = Alias{}
	}
	if c.Parent.IsValid() && p.holderAt(c.Parent, 0) == person {
		c.Parent = Alias{}
	}
	return c.stable().IsValid()
}

// keepAlone is keepCell for a phone number alone.
func (p *population) keepAlone(c *Cell, person int32) bool {
	first, last := p.holderAt(c.Phone, c.First) == person, p.holderAt(c.Phone, c.Last) == person
	switch {
	case first && last:
		return false
	case first:
		c.First = c.Last
	case last:
		c.Last = c.First
	}
	for _, d := range [...]*Dated{&c.Username, &c.Name, &c.Received} {
		if d.Text != "" && p.holderAt(c.Phone, d.At) == person {
			*d = Dated{}
		}
	}
	return true
}

// isAbout reports whether a change is about a person.
func (p *population) isAbout(c *change, person int32) bool {
	for _, m := range c.sides {
		for _, a := range [...]int32{m.bsuid, m.parent} {
			if a != 0 && p.personOf(a) == person {
				return true
			}
		}
	}
	if c.sides[0].stable() != 0 || c.sides[1].stable() != 0 {
		return false
	}
	return p.isOf(c.sides[0].phone, c.at, person) || p.isOf(c.sides[1].phone, c.at, person)
}

// isOf reports whether a person has an alias, or a phone number at a time.
func (p *population) isOf(a int32, at int64, person int32) bool {
	return p.holderAt(p.names[a], at) == person
}

// bordersOf returns handovers at the boundaries of the segments of a phone number in
// which a person held it.
func (p *population) bordersOf(l *line, person int32) []Handover {
	var borders []Handover
	for segment := range len(l.cuts) + 1 {
		from, to := l.bounds(segment)
		held := slices.ContainsFunc(l.sightings[from:to], func(x sighting) bool {
			if x.by != 0 {
				return p.personOf(x.by) == person
			}
			return p.personOf(p.holder(l, x.at)) == person
		})
		if !held {
			continue
		}
		if segment > 0 {
			borders = append(borders, Handover{Phone: p.names[l.phone], At: (l.cuts[segment-1] + 1) / 2})
		}
		if segment < len(l.cuts) {
			borders = append(borders, Handover{Phone: p.names[l.phone], At: (l.cuts[segment] + 1) / 2})
		}
	}
	return borders
}

// renewed returns a state without facts in which every alias has the number that it has
// in s.
func (s *State) renewed() *State {
	n := new(State)
	for _, a := range s.names {
		n.number(a)
	}
	return n
}

// rewrite returns the batch that replaces the cluster by the rest of its evidence.
func (t *transition) rewrite(rest Evidence) Batch {
	b := Batch{Clear: true, Evidence: rest}
	kept := new(State)
	kept.AddEvidence(&rest)
	for _, a := range kept.names {
		if a.IsValid() {
			b.Aliases = append(b.Aliases, t.after.aliasRow(t.after.state.numbers[a]))
		}
	}
	gone := t.before.ids[t.gone]
	alive := map[PersonID]bool{}
	for i, id := range t.after.ids {
		row := t.before.records[id]
		row.ID = id
		row.Anchor, row.At = t.after.anchor(int32(i))
		b.Persons = append(b.Persons, row)
		alive[id] = true
	}
	for id, row := range t.before.records {
		if !alive[id] && id != gone && row.Into != gone {
			b.Persons = append(b.Persons, row)
		}
	}
	sortPersons(b.Persons)
	return b
}

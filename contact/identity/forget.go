package identity

import (
	"context"
	"slices"
)

// Forget removes every trace of a person, in one transaction: their aliases, what the
// facts say about them, and the ids of persons who were merged into them. Facts that
// arrive later are about a new person. Where other persons had one of their phone numbers, it
// stays with those persons, and handovers keep the periods apart.
//
// It returns the ids that are gone, the one of the person first. There are none if no
// person has the id. The changes are those of other persons, whose rows stay in place.
func (e *Engine) Forget(ctx context.Context, id PersonID) (gone []PersonID, changes []Change, err error) {
	err = e.store.Update(ctx, func(tx Tx) error {
		gone, changes, err = e.ForgetTx(ctx, tx, id)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return gone, changes, nil
}

// ForgetTx is Forget within a transaction of the caller. If it returns an error, roll
// the transaction back.
func (e *Engine) ForgetTx(ctx context.Context, tx Tx, id PersonID) (gone []PersonID, changes []Change, err error) {
	row, known, err := tx.Person(ctx, id) // locks
	if err != nil || !known {
		return nil, nil, err
	}
	if !row.Into.IsZero() {
		id = row.Into
	}
	stored, err := tx.Load(ctx, []int64{row.Cluster})
	if err != nil {
		return nil, nil, err
	}
	var b Batch
	before := newPopulation(&stored)
	if person, used := before.indexOf[id]; used {
		if b, changes, err = before.forget(e, person); err != nil {
			return nil, nil, err
		}
	}
	gone = append(gone, id)
	for _, row := range stored.Persons {
		if row.Into == id {
			gone = append(gone, row.ID)
		}
	}
	for _, id := range gone {
		b.Delete.Persons = append(b.Delete.Persons, PersonRow{ID: id})
	}
	t := transition{before: before}
	if err := t.number(ctx, tx, []int64{row.Cluster}, &b); err != nil {
		return nil, nil, err
	}
	return gone, changes, tx.Write(ctx, &b)
}

// forget returns what to write so that a person is forgotten, and what that changes for
// others.
func (p *population) forget(e *Engine, person int32) (Batch, []Change, error) {
	rest := p.without(person)
	after := p.next(p.state.renewed(&rest))
	for {
		borders := p.missing(after)
		if len(borders) == 0 {
			break
		}
		// A handover that was taken back counts again.
		rest.Handovers = slices.DeleteFunc(rest.Handovers, func(h Handover) bool {
			return slices.Contains(borders, Handover{Phone: h.Phone, At: h.At})
		})
		rest.Handovers = append(rest.Handovers, borders...)
		after = p.next(p.state.renewed(&rest))
	}
	t := transition{before: p, after: after, gone: person}
	if err := t.nameAll(e); err != nil {
		return Batch{}, nil, err
	}
	all := p.state.Evidence()
	b := t.batch(Evidence{
		Cells:     minus(rest.Cells, all.Cells, func(c Cell) Cell { return c }),
		Changes:   minus(rest.Changes, all.Changes, func(c ChangeRow) ChangeRow { return c }),
		Verdicts:  minus(rest.Verdicts, all.Verdicts, func(v Verdict) Verdict { return v }),
		Handovers: minus(rest.Handovers, all.Handovers, func(h Handover) Handover { return h }),
	})
	b.Delete.Cells = minus(all.Cells, rest.Cells, func(c Cell) CellKey { return c.CellKey })
	b.Delete.Changes = minus(all.Changes, rest.Changes, func(c ChangeRow) ChangeKey { return c.ChangeKey })
	b.Delete.Verdicts = minus(all.Verdicts, rest.Verdicts, func(v Verdict) [2]Alias { return [2]Alias{v.A, v.B} })
	b.Delete.Handovers = minus(all.Handovers, rest.Handovers, func(h Handover) handoverID { return handoverID{h.Phone, h.At} })
	kept := NewState()
	kept.AddEvidence(&rest)
	for _, row := range p.rows {
		if row != nil && kept.numberOf(row.Alias) == 0 {
			b.Delete.Aliases = append(b.Delete.Aliases, *row)
		}
	}
	b.Aliases = slices.DeleteFunc(b.Aliases, func(r AliasRow) bool { return kept.numberOf(r.Alias) == 0 })
	return b, t.changes(), nil
}

// minus returns the rows whose key no other row has.
func minus[Row any, Key comparable](rows, others []Row, key func(Row) Key) []Row {
	known := make(map[Key]bool, len(others))
	for _, row := range others {
		known[key(row)] = true
	}
	return slices.DeleteFunc(slices.Clone(rows), func(row Row) bool { return known[key(row)] })
}

// missing returns handovers at the boundaries of p that another population does not have,
// for the phone numbers that the other one has.
func (p *population) missing(after *population) []Handover {
	var borders []Handover
	for i := range p.lines {
		l := &p.lines[i]
		m := after.line(l.phone)
		if len(m.sightings) == 0 {
			continue
		}
		for _, cut := range l.cuts {
			at := (cut + 1) / 2 // the first second after the cut
			if !slices.ContainsFunc(m.cuts, func(other position) bool { return (other+1)/2 == at }) {
				borders = append(borders, Handover{Phone: p.names[l.phone], At: at})
			}
		}
	}
	return borders
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
		if row, ok := p.strip(int32(i), person); ok {
			rest.Changes = append(rest.Changes, row)
			continue
		}
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
	for i, h := range p.handovers {
		if kept.numberOf(p.names[h.phone]) != 0 {
			rest.Handovers = append(rest.Handovers, p.state.handover(int32(i)))
		}
	}
	// Rows with equal keys become one.
	merged := new(State)
	merged.AddEvidence(&rest)
	return merged.Evidence()
}

// strip takes what is about a person out of a change, and reports whether it is still a
// change that joins the same others.
func (p *population) strip(i, person int32) (row ChangeRow, ok bool) {
	c := &p.changes[i]
	isTheirs := func(a int32) bool { return a != 0 && p.personOf(a) == person }
	stables := [...]int32{c.sides[0].stable(), c.sides[1].stable()}
	if isTheirs(stables[0]) || isTheirs(stables[1]) {
		return row, false // the phone numbers may be theirs
	}
	row = p.state.change(i)
	for j, side := range [...]*ChangeSide{&row.Previous, &row.Current} {
		if isTheirs(c.sides[j].parent) {
			side.Parent = Alias{}
		}
	}
	return row, row.Previous != row.Current
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

// renewed returns a state with evidence in which every alias has the number that it has
// in s.
func (s *State) renewed(e *Evidence) *State {
	n := new(State)
	for _, a := range s.names {
		n.number(a)
	}
	n.AddEvidence(e)
	return n
}

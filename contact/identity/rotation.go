package identity

import (
	"math"
	"slices"
)

// A rotation is a changed fact in which a BSUID is replaced by one that no fact names yet.
// If no fact about its aliases is as late, it can be added without loading the cluster.
type rotation struct {
	*observation
	tx       Tx
	fact     *Fact
	previous AliasRow // the row of the previous BSUID
	named    Evidence // the rows that name it
	phones   []lastSeen
}

// A lastSeen is a phone number with the greatest time at which it was seen with the
// previous BSUID, or 0.
type lastSeen struct {
	phone Alias
	at    int64
}

// addRotation adds a changed fact if it is a rotation whose effect follows from the rows
// that it concerns. It reports whether it did.
//
// The previous BSUID is ended, the current one is added to the person, and every phone
// number that was last seen with the previous one is left, unless it is the current number.
// The cuts and the sightings of the fact come after all others, so they change nothing else.
func (o *observation) addRotation(tx Tx, f *Fact) (person PersonID, done bool, err error) {
	if !f.a.bsuid.IsValid() || !f.b.bsuid.IsValid() || o.row(f.b.bsuid).Cluster != 0 {
		return PersonID{}, false, nil
	}
	r := rotation{observation: o, tx: tx, fact: f, previous: *o.row(f.a.bsuid)}
	person = r.previous.Person
	if person.IsZero() {
		return PersonID{}, false, nil
	}
	if r.named, err = tx.LoadNamed(o.ctx, r.previous.Cluster, f.a.bsuid); err != nil {
		return PersonID{}, false, err
	}
	if !r.areConnected() {
		return PersonID{}, false, nil
	}
	r.findPhones()
	isLast, err := r.isLast()
	if err != nil || !isLast {
		return PersonID{}, false, err
	}
	for _, p := range r.phones {
		o.aliases = append(o.aliases, p.phone)
	}
	if err = o.lookup(tx, nil); err != nil {
		return PersonID{}, false, err
	}
	if !r.areHeld() {
		return PersonID{}, false, nil
	}
	return person, true, r.write()
}

// areConnected reports whether the parent BSUIDs that are known stand beside the
// previous BSUID in a row, so that the fact connects no components.
func (r *rotation) areConnected() bool {
	for _, parent := range [...]Alias{r.fact.a.parent, r.fact.b.parent} {
		if !parent.IsValid() || r.row(parent).Cluster == 0 {
			continue
		}
		if !r.isBeside(parent) {
			return false
		}
	}
	return true
}

// isBeside reports whether a row connects a parent BSUID with the previous BSUID.
func (r *rotation) isBeside(parent Alias) bool {
	for i := range r.named.Verdicts {
		if v := &r.named.Verdicts[i]; v.A == parent || v.B == parent {
			return false
		}
	}
	for i := range r.named.Cells {
		if r.named.Cells[i].Parent == parent {
			return true
		}
	}
	for i := range r.named.Changes {
		if c := &r.named.Changes[i]; c.Previous.Parent == parent || c.Current.Parent == parent {
			return true
		}
	}
	return false
}

// findPhones sets r.phones: the phone numbers of the fact, and those beside the previous
// BSUID in a row.
func (r *rotation) findPhones() {
	bsuid := r.fact.a.bsuid
	r.raise(r.fact.a.phone, 0)
	r.raise(r.fact.b.phone, 0)
	for i := range r.named.Cells {
		r.raise(r.named.Cells[i].Phone, r.named.Cells[i].Last)
	}
	for i := range r.named.Changes {
		for _, side := range [...]*ChangeSide{&r.named.Changes[i].Previous, &r.named.Changes[i].Current} {
			if side.BSUID == bsuid {
				r.raise(side.Phone, 0)
			}
		}
	}
}

// raise adds a time at which a phone number was seen with the previous BSUID.
func (r *rotation) raise(phone Alias, at int64) {
	if !phone.IsValid() {
		return
	}
	if p := r.phone(phone); p != nil {
		p.at = max(p.at, at)
		return
	}
	r.phones = append(r.phones, lastSeen{phone, at})
}

func (r *rotation) phone(a Alias) *lastSeen {
	for i := range r.phones {
		if r.phones[i].phone == a {
			return &r.phones[i]
		}
	}
	return nil
}

// isLast reports whether the fact is later than all others about its phone numbers, the
// previous BSUID was the last one seen with them, and no other change can be the same
// notice.
func (r *rotation) isLast() (bool, error) {
	at := r.fact.at
	since := at - sameNotice
	for _, p := range r.phones {
		if p.at != 0 {
			since = min(since, p.at)
		}
	}
	recent, err := r.tx.LoadSince(r.ctx, r.previous.Cluster, since)
	if err != nil {
		return false, err
	}
	for i := range recent.Cells {
		c := &recent.Cells[i]
		p := r.phone(c.Phone)
		if p == nil {
			continue
		}
		if c.Last >= at || c.stable().IsValid() && c.BSUID != r.fact.a.bsuid && c.Last > p.at {
			return false, nil
		}
	}
	for i := range recent.Changes {
		if c := &recent.Changes[i]; c.At >= at || c.At >= at-sameNotice && !r.differs(c) {
			return false, nil
		}
	}
	for i := range recent.Verdicts {
		if recent.Verdicts[i].At >= at {
			return false, nil
		}
	}
	for i := range recent.Handovers {
		if recent.Handovers[i].At >= at {
			return false, nil
		}
	}
	return true, nil
}

// differs reports whether a change names another alias of one kind on one side.
func (r *rotation) differs(c *ChangeRow) bool {
	previous, current := r.fact.a.side(), r.fact.b.side()
	return c.Previous.differs(&previous) || c.Current.differs(&current)
}

func (s *ChangeSide) differs(t *ChangeSide) bool {
	differ := func(a, b Alias) bool { return a.IsValid() && b.IsValid() && a != b }
	return differ(s.BSUID, t.BSUID) || differ(s.Parent, t.Parent) || differ(s.Phone, t.Phone)
}

// areHeld reports whether every phone number is new, or was seen with the previous BSUID
// since the last fact of another kind, and is the person's.
func (r *rotation) areHeld() bool {
	for _, p := range r.phones {
		row := r.row(p.phone)
		if row.Cluster == 0 {
			continue
		}
		if row.Person != r.previous.Person || row.Settled == math.MaxInt64 || p.at == 0 {
			return false
		}
	}
	return true
}

// write writes the change and the rows of aliases that it changes.
func (r *rotation) write() error {
	aliases := r.fact.appendAliases(nil) // new ones are numbered in this order
	for _, p := range r.phones {
		aliases = append(aliases, p.phone)
	}
	b := Batch{Cluster: r.previous.Cluster, Evidence: Evidence{Changes: []ChangeRow{r.fact.change()}}}
	var added, ended []Alias
	for i, a := range aliases {
		if slices.Contains(aliases[:i], a) {
			continue
		}
		before, row := r.row(a), r.after(a)
		switch {
		case before.Cluster == 0:
			added = append(added, a)
		case row.Ended && !before.Ended, row.Person.IsZero():
			ended = append(ended, a)
		}
		if row != *before {
			b.Aliases = append(b.Aliases, row)
		}
	}
	next, err := r.tx.Sequence(r.ctx, len(added))
	if err != nil {
		return err
	}
	for i := range b.Aliases {
		if b.Aliases[i].Added == 0 {
			b.Aliases[i].Added = next
			next++
		}
	}
	slices.SortFunc(added, Alias.Compare)
	for _, a := range added {
		r.result.Changes = append(r.result.Changes, AliasAdded{Person: r.previous.Person, Alias: a})
	}
	slices.SortFunc(ended, Alias.Compare)
	for _, a := range ended {
		r.result.Changes = append(r.result.Changes, AliasEnded{r.previous.Person, a})
	}
	return r.tx.Write(r.ctx, &b)
}

// after returns the row of an alias after the fact, without the number of a new one.
func (r *rotation) after(a Alias) AliasRow {
	f := r.fact
	row := *r.row(a)
	row.Alias, row.Cluster, row.Person = a, r.previous.Cluster, r.previous.Person
	if a.IsStable() {
		row.Changed, row.Ended = true, a != f.b.bsuid && a != f.b.parent
		return row
	}
	row.Settled = math.MaxInt64
	if row.Shared && (a == f.a.phone || a == f.b.phone) {
		row.Latest = f.at
	}
	if a != f.b.phone {
		row.Person = PersonID{}
	}
	return row
}

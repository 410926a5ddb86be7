package identity

import (
	"math"
	"slices"
)

// A rotation is a change from one BSUID to another. Its methods add facts about it without
// loading the cluster, if no other fact about its phone numbers is as late. Then the facts
// add only to the end of the history of each number, and only its user can change.
type rotation struct {
	*observation
	tx      Tx
	cluster int64
	change  ChangeRow
	named   Evidence   // the rows that name the previous BSUID
	phones  []lastSeen // the phone numbers that the rotation concerns
}

// A lastSeen is a phone number with the greatest time at which it was seen with the
// previous BSUID, or 0.
type lastSeen struct {
	phone Alias
	at    int64
}

// addRotation adds a changed fact that replaces a BSUID by one that no fact names yet, or
// that announces such a change again. It reports whether it did.
//
// The previous BSUID is ended, the current one is added to the person, and every phone
// number that was last seen with the previous one is left, unless it is the current number.
func (o *observation) addRotation(tx Tx, f *Fact) (person PersonID, done bool, err error) {
	if !f.a.bsuid.IsValid() || !f.b.bsuid.IsValid() || f.a.bsuid == f.b.bsuid {
		return PersonID{}, false, nil
	}
	previous, current := *o.row(f.a.bsuid), *o.row(f.b.bsuid)
	person = previous.Person
	if person.IsZero() || current.Cluster != 0 && current.Person != person {
		return PersonID{}, false, nil
	}
	r := rotation{observation: o, tx: tx, cluster: previous.Cluster, change: f.change()}
	if current.Cluster != 0 {
		done, err = r.repeat(f)
		return person, done, err
	}
	if err = r.load(); err != nil {
		return PersonID{}, false, err
	}
	for _, parent := range [...]Alias{f.a.parent, f.b.parent} {
		if parent.IsValid() && o.row(parent).Cluster != 0 && !connects(&r.named, parent) {
			return PersonID{}, false, nil
		}
	}
	quiet, err := r.isQuiet(f.at, f.at)
	if err != nil || !quiet {
		return PersonID{}, false, err
	}
	for _, p := range r.phones {
		o.aliases = append(o.aliases, p.phone)
	}
	if err = o.lookup(tx, nil); err != nil {
		return PersonID{}, false, err
	}
	for _, p := range r.phones {
		// A number that is known must be the person's because of the previous BSUID.
		if row := o.row(p.phone); row.Cluster != 0 && (p.at == 0 || row.Person != person || row.Settled == math.MaxInt64) {
			return PersonID{}, false, nil
		}
	}
	return person, true, r.write(f, person)
}

// load sets r.named, and r.phones to the phone numbers of the change and those beside the
// previous BSUID.
func (r *rotation) load() (err error) {
	if r.named, err = r.tx.LoadNamed(r.ctx, r.cluster, r.change.Previous.BSUID); err != nil {
		return err
	}
	r.concern(r.change.Previous.Phone, 0)
	r.concern(r.change.Current.Phone, 0)
	for i := range r.named.Cells {
		r.concern(r.named.Cells[i].Phone, r.named.Cells[i].Last)
	}
	for i := range r.named.Changes {
		for _, side := range [...]*ChangeSide{&r.named.Changes[i].Previous, &r.named.Changes[i].Current} {
			if side.BSUID == r.change.Previous.BSUID {
				r.concern(side.Phone, 0)
			}
		}
	}
	return nil
}

// concern adds a phone number with a time at which it was seen with the previous BSUID.
func (r *rotation) concern(phone Alias, at int64) {
	if !phone.IsValid() {
		return
	}
	p := r.phone(phone)
	if p == nil {
		r.phones = append(r.phones, lastSeen{phone: phone})
		p = &r.phones[len(r.phones)-1]
	}
	p.at = max(p.at, at)
}

func (r *rotation) phone(a Alias) *lastSeen {
	for i := range r.phones {
		if r.phones[i].phone == a {
			return &r.phones[i]
		}
	}
	return nil
}

// connects reports whether rows that name a BSUID connect a parent BSUID with it.
func connects(named *Evidence, parent Alias) bool {
	for i := range named.Verdicts {
		if v := &named.Verdicts[i]; v.A == parent || v.B == parent {
			return false
		}
	}
	return slices.ContainsFunc(named.Cells, func(c Cell) bool { return c.Parent == parent }) ||
		slices.ContainsFunc(named.Changes, func(c ChangeRow) bool { return c.Previous.Parent == parent || c.Current.Parent == parent })
}

// isQuiet reports whether no other facts can interact with the rotation, which was first
// announced at first:
//   - no phone number of the rotation was seen from first on;
//   - before first no other stable alias was seen with one as late as the previous BSUID;
//   - the cluster has no other change, verdict or handover from since on;
//   - no other change within a day before first can be the same notice.
//
// since must not be after first.
func (r *rotation) isQuiet(first, since int64) (bool, error) {
	from := min(since, first-sameNotice)
	for _, p := range r.phones {
		if p.at != 0 {
			from = min(from, p.at)
		}
	}
	rows, err := r.tx.LoadSince(r.ctx, r.cluster, from)
	if err != nil {
		return false, err
	}
	for i := range rows.Cells {
		c := &rows.Cells[i]
		p := r.phone(c.Phone)
		if p == nil {
			continue
		}
		if c.Last >= first || c.Last >= p.at && c.stable().IsValid() && c.BSUID != r.change.Previous.BSUID {
			return false, nil
		}
	}
	for i := range rows.Changes {
		c := &rows.Changes[i]
		if r.isSame(c) {
			continue
		}
		if c.At >= since || c.At >= first-sameNotice && !r.differs(c) {
			return false, nil
		}
	}
	return !slices.ContainsFunc(rows.Verdicts, func(v Verdict) bool { return v.At >= since }) &&
		!slices.ContainsFunc(rows.Handovers, func(h Handover) bool { return h.At >= since }), nil
}

// isSame reports whether a change names the same aliases.
func (r *rotation) isSame(c *ChangeRow) bool {
	return c.Previous == r.change.Previous && c.Current == r.change.Current
}

// differs reports whether a change names another alias of one kind on one side.
func (r *rotation) differs(c *ChangeRow) bool {
	return differ(&c.Previous, &r.change.Previous) || differ(&c.Current, &r.change.Current)
}

func differ(s, t *ChangeSide) bool {
	other := func(a, b Alias) bool { return a.IsValid() && b.IsValid() && a != b }
	return other(s.BSUID, t.BSUID) || other(s.Parent, t.Parent) || other(s.Phone, t.Phone)
}

// write writes a rotation that was not announced before. o.rows has the rows of its
// aliases and of r.phones.
func (r *rotation) write(f *Fact, person PersonID) error {
	aliases := f.appendAliases(nil) // new ones are numbered in this order
	for _, p := range r.phones {
		aliases = append(aliases, p.phone)
	}
	b := Batch{Cluster: r.cluster, Evidence: Evidence{Changes: []ChangeRow{r.change}}}
	var added, ended []Alias
	for i, a := range aliases {
		if slices.Contains(aliases[:i], a) {
			continue
		}
		before, after := r.row(a), r.after(a, person)
		switch {
		case before.Cluster == 0:
			added = append(added, a)
		case after.Ended && !before.Ended, after.Person.IsZero():
			ended = append(ended, a)
		}
		if after != *before {
			b.Aliases = append(b.Aliases, after)
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
		r.result.Changes = append(r.result.Changes, AliasAdded{Person: person, Alias: a})
	}
	slices.SortFunc(ended, Alias.Compare)
	for _, a := range ended {
		r.result.Changes = append(r.result.Changes, AliasEnded{person, a})
	}
	return r.tx.Write(r.ctx, &b)
}

// after returns the row of an alias after the rotation, for a new alias without its number.
func (r *rotation) after(a Alias, person PersonID) AliasRow {
	row := *r.row(a)
	row.Alias, row.Cluster, row.Person = a, r.cluster, person
	if a.IsStable() {
		row.Changed, row.Ended = true, a != r.change.Current.BSUID && a != r.change.Current.Parent
		return row
	}
	row.Settled = math.MaxInt64
	if row.Shared && (a == r.change.Previous.Phone || a == r.change.Current.Phone) {
		row.Latest = r.change.At
	}
	if a != r.change.Current.Phone {
		row.Person = PersonID{}
	}
	return row
}

// announced returns the first and the last time of changes, and reports whether all of them
// announce the rotation.
func (r *rotation) announced(changes []ChangeRow) (first, last int64, all bool) {
	first = math.MaxInt64
	for i := range changes {
		if !r.isSame(&changes[i]) {
			return 0, 0, false
		}
		first, last = min(first, changes[i].At), max(last, changes[i].At)
	}
	return first, last, len(changes) > 0
}

// repeat adds a rotation that was announced before. Within a day both are one notice. It
// reports whether it did.
func (r *rotation) repeat(f *Fact) (done bool, err error) {
	named, err := r.tx.LoadNamed(r.ctx, r.cluster, f.b.bsuid)
	if err != nil {
		return false, err
	}
	for i := range named.Changes {
		if c := &named.Changes[i]; c.ChangeKey == r.change.ChangeKey {
			return !c.join(&r.change), nil
		}
	}
	first, last, all := r.announced(named.Changes)
	if !all || f.at < last || f.at-last > sameNotice {
		return false, nil
	}
	if slices.ContainsFunc(named.Cells, func(c Cell) bool { return c.Phone.IsValid() }) {
		return false, nil
	}
	if err := r.load(); err != nil {
		return false, err
	}
	if quiet, err := r.isQuiet(first, first); err != nil || !quiet {
		return false, err
	}
	b := Batch{Cluster: r.cluster, Evidence: Evidence{Changes: []ChangeRow{r.change}}}
	for i := range r.rows {
		if row := &r.rows[i]; row.Shared {
			row.Latest = f.at
			b.Aliases = append(b.Aliases, *row)
		}
	}
	return true, r.tx.Write(r.ctx, &b)
}

// addSighting adds a seen fact with a BSUID and a phone number that makes a new cell, if
// its BSUID is known and the number is the next one of its person. It reports whether it
// did.
func (o *observation) addSighting(tx Tx, f *Fact) (person PersonID, done bool, err error) {
	if !f.a.bsuid.IsValid() || !f.a.phone.IsValid() || o.stored.first != 0 {
		return PersonID{}, false, nil
	}
	row, phone := *o.row(f.a.bsuid), *o.row(f.a.phone)
	person = row.Person
	if person.IsZero() || row.Ended || phone.Cluster != 0 && phone.Cluster != row.Cluster {
		return PersonID{}, false, nil
	}
	named, err := tx.LoadNamed(o.ctx, row.Cluster, f.a.bsuid)
	if err != nil {
		return PersonID{}, false, err
	}
	if f.a.parent.IsValid() && !connects(&named, f.a.parent) {
		return PersonID{}, false, nil
	}
	o.cell = f.cell()
	switch {
	case phone.Cluster == 0:
		done, err = o.addNumber(tx, f, &named, person, row.Cluster)
		return person, done, err
	case slices.ContainsFunc(named.Cells, func(c Cell) bool { return c.Phone == f.a.phone }):
		if !o.isSettled(&phone, f, false) {
			return PersonID{}, false, nil
		}
		done, err = o.addNext(tx, &phone, person, f.at)
		return person, done, err
	case len(named.Changes) == 0 || phone.Settled != math.MaxInt64:
		return PersonID{}, false, nil
	}
	r := rotation{observation: o, tx: tx, cluster: row.Cluster, change: named.Changes[0]}
	if previous := r.change.Previous.BSUID; !previous.IsValid() || previous == f.a.bsuid {
		return PersonID{}, false, nil
	}
	first, last, all := r.announced(named.Changes)
	if !all || f.at <= last {
		return PersonID{}, false, nil
	}
	keeps, err := r.keeps(&phone, person, first)
	if err != nil || !keeps {
		return PersonID{}, false, err
	}
	phone.Person, phone.Settled = person, f.at
	if phone.Shared {
		phone.Latest = f.at
	}
	return person, true, o.write(tx, row.Cluster, true, &phone)
}

// keeps reports whether a phone number stays with the person if it is now seen with the
// current BSUID: the rotation names it as current and it was not seen since, or the person
// left it only because of the rotation.
func (r *rotation) keeps(phone *AliasRow, person PersonID, first int64) (bool, error) {
	if phone.Person == person {
		if r.change.Current.Phone != phone.Alias {
			return false, nil
		}
		r.concern(phone.Alias, 0)
		return r.isQuiet(first, first)
	}
	if !phone.Person.IsZero() {
		return false, nil
	}
	if err := r.load(); err != nil {
		return false, err
	}
	p := r.phone(phone.Alias)
	if p == nil || p.at == 0 {
		return false, nil
	}
	r.aliases = append(r.aliases, r.change.Previous.BSUID)
	if err := r.lookup(r.tx, nil); err != nil || r.row(r.change.Previous.BSUID).Person != person {
		return false, err
	}
	return r.isQuiet(first, p.at)
}

// addNumber adds the first sighting of a phone number that no fact names yet.
func (o *observation) addNumber(tx Tx, f *Fact, named *Evidence, person PersonID, cluster int64) (bool, error) {
	row := AliasRow{Alias: f.a.phone, Person: person}
	for i := range named.Changes {
		c := &named.Changes[i]
		if c.At >= f.at {
			return false, nil
		}
		if c.Previous.BSUID != c.Current.BSUID {
			row.Settled = f.at
		}
	}
	var err error
	if row.Added, err = tx.Sequence(o.ctx, 1); err != nil {
		return false, err
	}
	o.result.Changes = append(o.result.Changes, AliasAdded{Person: person, Alias: f.a.phone})
	return true, o.write(tx, cluster, true, &row)
}

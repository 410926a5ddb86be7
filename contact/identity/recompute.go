package identity

import (
	"cmp"
	"context"
	"slices"
)

// recompute adds a fact by partitioning its cluster before and after, and returns its
// person. o.rows has the rows of its aliases.
func (o *observation) recompute(tx Tx, f *Fact) (PersonID, error) {
	var clusters []int64
	for i := range o.rows {
		if id := o.rows[i].Cluster; id != 0 && !slices.Contains(clusters, id) {
			clusters = append(clusters, id)
		}
	}
	var stored Cluster
	if len(clusters) > 0 {
		var err error
		if stored, err = tx.Load(o.ctx, clusters); err != nil {
			return PersonID{}, err
		}
	}
	before := newPopulation(&stored)
	if !before.state.Add(*f) {
		return before.id(before.about(f)), nil
	}
	after := before.next(before.state)
	t := transition{before: before, after: after, gone: -1}
	if err := t.nameAll(o.engine); err != nil {
		return PersonID{}, err
	}
	o.result.Changes = append(o.result.Changes, t.changes()...)
	b := t.batch(after.state.row(f))
	if err := t.number(o.ctx, tx, clusters, &b); err != nil {
		return PersonID{}, err
	}
	if err := tx.Write(o.ctx, &b); err != nil {
		return PersonID{}, err
	}
	o.recomputed = true
	return after.id(after.about(f)), nil
}

// next returns the population of a later state, in which every alias has the number
// that it has in p's. Its persons have no ids yet.
func (p *population) next(state *State) *population {
	q := &population{state: state, records: p.records, rows: p.rows, solution: solve(state)}
	q.persons, q.index = q.solution.persons()
	q.findAnchors()
	q.ids = make([]PersonID, len(q.persons))
	q.findLast()
	return q
}

// A transition is the step from one population of a cluster to the next.
type transition struct {
	before, after *population
	gone          int32              // the person before who is forgotten, or -1
	heir          []int32            // by person before: the person after who continues them, or -1
	isNew         []bool             // by person after: no person before continues as them
	leads         map[PersonID]int32 // where each id that was ever returned leads: a person after, or -1
}

// nameAll gives the persons after their ids.
//
// Each id leads to whoever has what was the oldest alias of its person, or for persons who
// were merged, what was the oldest alias of each before. If several ids lead to one person,
// an id that was in use goes before one that was not, and then the one that was created
// first.
func (t *transition) nameAll(e *Engine) error {
	t.heir = make([]int32, len(t.before.persons))
	t.isNew = make([]bool, len(t.after.persons))
	t.leads = make(map[PersonID]int32, len(t.before.records))
	for i := range t.isNew {
		t.isNew[i] = true
	}
	for i, id := range t.before.ids {
		to := t.findHeir(int32(i))
		t.heir[i] = to
		if int32(i) == t.gone || id.IsZero() {
			continue
		}
		t.leads[id] = to
		if to < 0 {
			continue
		}
		if t.isNew[to] || t.born(id) < t.born(t.after.ids[to]) {
			t.after.ids[to] = id
		}
		t.isNew[to] = false
	}
	for id, row := range t.before.records {
		if _, used := t.before.indexOf[id]; used || t.isForgotten(&row) {
			continue
		}
		to := t.after.holderAt(row.Anchor, row.At)
		if to < 0 {
			to = -1
			if into, merged := t.leads[row.Into]; merged {
				to = into
			}
		}
		t.leads[id] = to
		if to >= 0 && t.isNew[to] && (t.after.ids[to].IsZero() || t.born(id) < t.born(t.after.ids[to])) {
			t.after.ids[to] = id
		}
	}
	for i := range t.after.ids {
		if t.after.ids[i].IsZero() {
			id, err := e.newID()
			if err != nil {
				return err
			}
			t.after.ids[i] = id
		}
	}
	return nil
}

func (t *transition) born(id PersonID) int64 { return t.before.records[id].Born }

// isForgotten reports whether a row is that of the person who is forgotten, or of one who
// was merged into them.
func (t *transition) isForgotten(row *PersonRow) bool {
	return t.gone >= 0 && (row.ID == t.before.ids[t.gone] || row.Into == t.before.ids[t.gone])
}

// findHeir returns the person after who continues a person before, or -1.
func (t *transition) findHeir(person int32) int32 {
	if person == t.gone {
		return -1
	}
	found := int32(-1)
	leads := func(a Alias, at int64) bool {
		to := t.after.holderAt(a, at)
		if found < 0 {
			found = to
		}
		if to < 0 || t.isOthers(to, person) {
			return false
		}
		found = to
		return true
	}
	if id := t.before.ids[person]; t.before.pinned[id] {
		if row := t.before.records[id]; leads(row.Anchor, row.At) {
			return found
		}
	}
	for _, h := range t.before.byAge(person) {
		if leads(h.Alias, h.First) {
			return found
		}
	}
	for _, h := range t.before.persons[person].Aliases {
		if leads(h.Alias, h.First) {
			return found
		}
	}
	return found
}

// isOthers reports whether a person after continues others, who had their stable aliases
// before, rather than a person before.
func (t *transition) isOthers(to, person int32) bool {
	others := false
	for _, h := range t.after.persons[to].Aliases {
		if n := t.before.state.numberOf(h.Alias); h.Alias.IsStable() && int(n) < len(t.before.lineOf) && t.before.named[n] {
			if t.before.personOf(n) == person {
				return false
			}
			others = true
		}
	}
	return others
}

// personRows returns the rows of persons to write.
func (t *transition) personRows() []PersonRow {
	pinned := map[PersonID]bool{}
	for id, to := range t.leads {
		if to >= 0 && t.after.ids[to] != id {
			pinned[t.after.ids[to]] = true
		}
	}
	var rows []PersonRow
	for id, old := range t.before.records {
		to, kept := t.leads[id]
		if !kept {
			continue
		}
		row := old
		i, used := t.before.indexOf[id]
		if used && !t.before.pinned[id] && (to < 0 || t.after.ids[to] != id || pinned[id]) {
			row.Anchor, row.At = t.before.oldest(i)
		}
		switch {
		case to < 0:
			// Facts may lead to the person again.
		case t.after.ids[to] != id:
			row.Into = t.after.ids[to]
		default:
			row.Into = PersonID{}
			if !pinned[id] || t.after.holderAt(row.Anchor, row.At) != to {
				row.Anchor, row.At = t.after.anchor(to, pinned[id])
			}
		}
		if row != old {
			rows = append(rows, row)
		}
	}
	for i, id := range t.after.ids {
		if _, known := t.before.records[id]; !known {
			row := PersonRow{ID: id}
			row.Anchor, row.At = t.after.anchor(int32(i), false)
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, func(p, q PersonRow) int { return slices.Compare(p.ID[:], q.ID[:]) })
	return rows
}

// origin returns the person after who continues the person before that had the alias of
// h, or -1 if it is new.
func (t *transition) origin(h *Holding) int32 {
	n := t.before.state.numberOf(h.Alias)
	if int(n) >= len(t.before.lineOf) {
		return -1 // the fact adds the alias
	}
	var from int32
	if h.Alias.IsStable() {
		from = t.before.personOf(n)
	} else {
		from = t.before.personOf(t.before.holder(t.before.line(n), h.First))
	}
	if from < 0 {
		return -1
	}
	return t.heir[from]
}

// changes lists what changed from before to after.
func (t *transition) changes() []Change {
	var changes []Change
	had := t.inherited()
	var splits []Split
	var added []Change
	for i := range t.after.persons {
		p := &t.after.persons[i]
		var fresh []Alias
		wasSplit := false
		for j := range p.Aliases {
			h := &p.Aliases[j]
			if had[holdingKey{int32(i), h.Alias}] {
				continue
			}
			from := t.origin(h)
			if from < 0 || from == int32(i) || !h.Alias.IsStable() && (!t.isNew[i] || p.Aliases[0].Alias.IsStable()) {
				fresh = append(fresh, h.Alias)
				continue
			}
			wasSplit = true
			splits = addSplit(splits, t.after.ids[from], t.after.ids[i], h.Alias)
		}
		if t.isNew[i] && !wasSplit {
			changes = append(changes, Created{t.after.ids[i], fresh})
			continue
		}
		for _, a := range fresh {
			added = append(added, AliasAdded{t.after.ids[i], a, t.silence(int32(i))})
		}
	}
	for i, to := range t.heir {
		if to >= 0 && t.after.ids[to] != t.before.ids[i] {
			silence := t.silenceOf(&t.before.persons[i])
			if silence == (Silence{}) {
				silence = t.silence(to)
			}
			changes = append(changes, Merged{t.before.ids[i], t.after.ids[to], silence})
		}
	}
	for _, s := range splits {
		changes = append(changes, s)
	}
	changes = append(changes, added...)
	changes = append(changes, t.newConflicts()...)
	return append(changes, t.ended()...)
}

func addSplit(splits []Split, from, to PersonID, a Alias) []Split {
	for i := range splits {
		if s := &splits[i]; s.From == from && s.To == to {
			s.Aliases = append(s.Aliases, a)
			return splits
		}
	}
	return append(splits, Split{from, to, []Alias{a}})
}

type holdingKey struct {
	person int32 // after
	alias  Alias
}

// inherited returns what each person after had before.
func (t *transition) inherited() map[holdingKey]bool {
	had := map[holdingKey]bool{}
	for i := range t.before.persons {
		if t.heir[i] < 0 {
			continue
		}
		for _, h := range t.before.persons[i].Aliases {
			had[holdingKey{t.heir[i], h.Alias}] = true
		}
	}
	return had
}

// silence returns the silence of a person before without stable aliases who continues
// as a person after.
func (t *transition) silence(person int32) Silence {
	for i, to := range t.heir {
		if to == person {
			if s := t.silenceOf(&t.before.persons[i]); s != (Silence{}) {
				return s
			}
		}
	}
	return Silence{}
}

// silenceOf returns the silence on a phone number of a person before without stable
// aliases, if the number was seen with a stable alias later.
func (t *transition) silenceOf(p *Person) Silence {
	if p.Aliases[0].Alias.IsStable() {
		return Silence{}
	}
	for i := range p.Aliases {
		h := &p.Aliases[i]
		l := t.after.line(t.after.state.numberOf(h.Alias))
		from, to := l.bounds(l.segment(h.First))
		last := int64(0)
		for _, x := range l.sightings[from:to] {
			if x.by != 0 {
				if last != 0 {
					return Silence{h.Alias, last, x.at}
				}
				break
			}
			last = x.at
		}
	}
	return Silence{}
}

// newConflicts reports the conflicts after that were not there before.
func (t *transition) newConflicts() []Change {
	before := map[Conflicted]bool{}
	for _, c := range t.before.steps(t.before.index) {
		from, to := t.heir[c.from], t.heir[c.to]
		if from >= 0 && to >= 0 {
			before[Conflicted{t.before.names[c.phone], t.after.ids[from], t.after.ids[to], c.at}] = true
		}
	}
	var changes []Change
	for _, c := range t.after.steps(t.after.index) {
		conflict := Conflicted{t.after.names[c.phone], t.after.ids[c.from], t.after.ids[c.to], c.at}
		if !before[conflict] {
			changes = append(changes, conflict)
		}
	}
	return changes
}

// ended reports the aliases that their persons no longer use, sorted by alias.
func (t *transition) ended() []Change {
	var changes []Change
	for n := int32(1); int(n) < len(t.before.lineOf); n++ {
		a := t.before.names[n]
		if !t.before.named[n] {
			continue
		}
		if a.IsStable() {
			if t.after.ended[n] && !t.before.ended[n] {
				changes = append(changes, AliasEnded{t.after.id(t.after.personOf(n)), a})
			}
			continue
		}
		user := t.before.user(n)
		if user < 0 || user == t.gone {
			continue
		}
		from, to := t.before.ids[user], t.after.id(t.after.user(n))
		if t.heir[user] >= 0 {
			from = t.after.ids[t.heir[user]]
		}
		switch {
		case to.IsZero():
			changes = append(changes, AliasEnded{from, a})
		case to != from:
			changes = append(changes, Moved{a, from, to})
		}
	}
	slices.SortFunc(changes, func(a, b Change) int { return aliasOf(a).Compare(aliasOf(b)) })
	return changes
}

// aliasOf returns the alias of an AliasEnded or Moved.
func aliasOf(c Change) Alias {
	if moved, is := c.(Moved); is {
		return moved.Phone
	}
	return c.(AliasEnded).Alias
}

// batch returns the rows to write with rows of evidence, without the numbers that come from the store.
func (t *transition) batch(evidence Evidence) Batch {
	b := Batch{Evidence: evidence}
	for n := int32(1); int(n) < len(t.after.names); n++ {
		row := t.after.aliasRow(n)
		if int(n) >= len(t.before.rows) || t.before.rows[n] == nil || *t.before.rows[n] != row {
			b.Aliases = append(b.Aliases, row)
		}
	}
	b.Persons = t.personRows()
	return b
}

// number sets the numbers in b that come from the store, and its cluster.
func (t *transition) number(ctx context.Context, tx Tx, clusters []int64, b *Batch) error {
	needed := 0
	for i := range b.Aliases {
		if b.Aliases[i].Added == 0 {
			needed++
		}
	}
	for i := range b.Persons {
		if b.Persons[i].Born == 0 {
			needed++
		}
	}
	if len(clusters) == 0 {
		needed++
	}
	var next int64
	if needed > 0 {
		var err error
		if next, err = tx.Sequence(ctx, needed); err != nil {
			return err
		}
	}
	if len(clusters) == 0 {
		b.Cluster = next
		next++
	} else {
		b.Cluster, b.Merge = t.largest(clusters)
	}
	for i := range b.Aliases {
		if b.Aliases[i].Added == 0 {
			b.Aliases[i].Added = next
			next++
		}
		b.Aliases[i].Cluster = b.Cluster
	}
	for i := range b.Persons {
		if b.Persons[i].Born == 0 {
			b.Persons[i].Born = next
			next++
		}
		b.Persons[i].Cluster = b.Cluster
	}
	return nil
}

// largest returns the cluster with the most aliases, and the others.
func (t *transition) largest(clusters []int64) (int64, []int64) {
	sizes := map[int64]int{}
	for _, row := range t.before.rows {
		if row != nil {
			sizes[row.Cluster]++
		}
	}
	slices.SortFunc(clusters, func(a, b int64) int {
		return cmp.Or(cmp.Compare(sizes[b], sizes[a]), cmp.Compare(a, b))
	})
	return clusters[0], clusters[1:]
}

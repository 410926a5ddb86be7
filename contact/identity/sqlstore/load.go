package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"github.com/hailmark/hailmark/contact/identity"
)

// Load implements [identity.Tx]. The tables of aliases and persons have no index by
// cluster, because a new person would have to write it. The evidence names the aliases,
// and they lead to the persons.
func (tx *Tx) Load(ctx context.Context, clusters []int64) (identity.Cluster, error) {
	var c identity.Cluster
	if err := tx.check(ctx, false); err != nil {
		return c, err
	}
	for _, id := range clusters {
		for _, err := range [...]error{
			load(ctx, tx, id, &cellTable, &c.Cells, scanCell),
			load(ctx, tx, id, &changeTable, &c.Changes, scanChange),
			load(ctx, tx, id, &verdictTable, &c.Verdicts, scanVerdict),
			load(ctx, tx, id, &handoverTable, &c.Handovers, scanHandover),
			load(ctx, tx, id, &personTable, &c.Persons, scanPerson),
		} {
			if err != nil {
				return identity.Cluster{}, err
			}
		}
	}
	aliases := namedIn(&c.Evidence)
	if len(aliases) == 0 {
		return c, nil
	}
	c.Aliases = make([]identity.AliasRow, len(aliases))
	if err := tx.read(ctx, aliases, c.Aliases, nil); err != nil {
		return identity.Cluster{}, err
	}
	c.Aliases = slices.DeleteFunc(c.Aliases, func(r identity.AliasRow) bool { return r.Cluster == 0 })
	err := tx.loadPersons(ctx, &c)
	return c, err
}

// LoadNamed implements [identity.Tx].
func (tx *Tx) LoadNamed(ctx context.Context, cluster int64, bsuid identity.Alias) (identity.Evidence, error) {
	var e identity.Evidence
	if err := tx.check(ctx, false); err != nil {
		return e, err
	}
	kind, scope, value := bsuid.Kind().String(), bsuid.Scope(), bsuid.Value()
	err := cmp.Or(
		load(ctx, tx, cluster, &cellTable, &e.Cells, scanCell, " AND portfolio = ", scope, " AND bsuid = ", value),
		load(ctx, tx, cluster, &changeTable, &e.Changes, scanChange,
			" AND (previous_portfolio = ", scope, " AND previous_bsuid = ", value,
			" OR current_portfolio = ", scope, " AND current_bsuid = ", value, ")"),
		load(ctx, tx, cluster, &verdictTable, &e.Verdicts, scanVerdict,
			" AND (a_kind = ", kind, " AND a_scope = ", scope, " AND a_value = ", value,
			" OR b_kind = ", kind, " AND b_scope = ", scope, " AND b_value = ", value, ")"),
	)
	return e, err
}

// period is the length of the period of a cell, in seconds.
const period = 2_592_000

// LoadSince implements [identity.Tx].
func (tx *Tx) LoadSince(ctx context.Context, cluster int64, at int64) (identity.Evidence, error) {
	var e identity.Evidence
	if err := tx.check(ctx, false); err != nil {
		return e, err
	}
	err := cmp.Or(
		load(ctx, tx, cluster, &cellTable, &e.Cells, scanCell, " AND period >= ", at/period, " AND last_at >= ", at),
		load(ctx, tx, cluster, &changeTable, &e.Changes, scanChange, " AND at >= ", at),
		load(ctx, tx, cluster, &verdictTable, &e.Verdicts, scanVerdict, " AND at >= ", at),
		load(ctx, tx, cluster, &handoverTable, &e.Handovers, scanHandover, " AND at >= ", at),
	)
	return e, err
}

// namedIn returns the aliases that rows of evidence name, sorted.
func namedIn(e *identity.Evidence) []identity.Alias {
	var aliases []identity.Alias
	for i := range e.Cells {
		k := &e.Cells[i].CellKey
		aliases = append(aliases, k.BSUID, k.Parent, k.Phone)
	}
	for i := range e.Changes {
		for _, s := range [...]*identity.ChangeSide{&e.Changes[i].Previous, &e.Changes[i].Current} {
			aliases = append(aliases, s.BSUID, s.Parent, s.Phone)
		}
	}
	for i := range e.Verdicts {
		aliases = append(aliases, e.Verdicts[i].A, e.Verdicts[i].B)
	}
	for i := range e.Handovers {
		aliases = append(aliases, e.Handovers[i].Phone)
	}
	slices.SortFunc(aliases, identity.Alias.Compare)
	aliases = slices.Compact(aliases)
	return slices.DeleteFunc(aliases, func(a identity.Alias) bool { return !a.IsValid() })
}

// loadPersons adds the persons of the aliases in c. It has those already that an index
// finds by their cluster.
func (tx *Tx) loadPersons(ctx context.Context, c *identity.Cluster) error {
	known := map[identity.PersonID]bool{{}: true}
	for i := range c.Persons {
		known[c.Persons[i].ID] = true
	}
	var ids []string
	for i := range c.Aliases {
		if id := c.Aliases[i].Person; !known[id] {
			known[id] = true
			ids = append(ids, id.String())
		}
	}
	for len(ids) > 0 {
		q := tx.query()
		q.add(tx.store.text.persons)
		ids = q.addIDs(ids)
		if err := appendRows(ctx, q, &c.Persons, scanPerson); err != nil {
			return err
		}
	}
	return nil
}

// load appends the rows of a cluster. The conditions are texts and arguments in turn.
func load[Row any](ctx context.Context, tx *Tx, cluster int64, t *table, rows *[]Row, scanRow func(func(...any) error) (Row, error), where ...any) error {
	q := tx.query()
	q.add(tx.store.text.selects[t])
	q.arg(cluster)
	q.add(t.indexed)
	for i, part := range where {
		if i%2 == 0 {
			q.add(part.(string))
		} else {
			q.arg(part)
		}
	}
	return appendRows(ctx, q, rows, scanRow)
}

// appendRows appends the rows that q selects.
func appendRows[Row any](ctx context.Context, q *query, rows *[]Row, scanRow func(func(...any) error) (Row, error)) error {
	return q.each(ctx, func(scan func(...any) error) error {
		row, err := scanRow(scan)
		*rows = append(*rows, row)
		return err
	})
}

// An aliasScan receives the columns of an alias.
type aliasScan struct{ kind, scope, value string }

// alias returns the alias, or the zero Alias if its columns are empty.
func (a *aliasScan) alias() (identity.Alias, error) {
	if a.kind == "" {
		return identity.Alias{}, nil
	}
	var kind identity.Kind
	if err := kind.UnmarshalText([]byte(a.kind)); err != nil {
		return identity.Alias{}, err
	}
	return identity.NewAlias(kind, a.scope, a.value)
}

func scanPerson(scan func(...any) error) (r identity.PersonRow, err error) {
	var id, into sql.NullString
	var anchor aliasScan
	err = scan(&id, &r.Cluster, &r.Born, &into, &anchor.kind, &anchor.scope, &anchor.value, &r.At)
	if err == nil {
		r.ID, err = parsePerson(id)
	}
	if err == nil {
		r.Into, err = parsePerson(into)
	}
	if err == nil {
		r.Anchor, err = anchor.alias()
	}
	return r, err
}

// A sideScan receives the columns of aliases that one fact names together.
type sideScan struct{ portfolio, group, bsuid, parent, phone string }

func (s *sideScan) side() (side identity.ChangeSide, err error) {
	for _, column := range [...]struct {
		to           *identity.Alias
		kind         identity.Kind
		scope, value string
	}{
		{&side.BSUID, identity.KindBSUID, s.portfolio, s.bsuid},
		{&side.Parent, identity.KindParent, s.group, s.parent},
		{&side.Phone, identity.KindPhone, s.portfolio, s.phone},
	} {
		if column.value == "" {
			continue
		}
		if *column.to, err = identity.NewAlias(column.kind, column.scope, column.value); err != nil {
			return side, err
		}
	}
	return side, nil
}

func scanCell(scan func(...any) error) (r identity.Cell, err error) {
	var cluster int64
	var ids sideScan
	err = scan(&cluster, &r.Period, &ids.portfolio, &ids.group, &ids.bsuid, &ids.parent, &ids.phone, &r.First, &r.Last,
		&r.Username.Text, &r.Username.At, &r.Name.Text, &r.Name.At, &r.Received.Text, &r.Received.At)
	if err != nil {
		return r, err
	}
	side, err := ids.side()
	r.BSUID, r.Parent, r.Phone = side.BSUID, side.Parent, side.Phone
	return r, err
}

func scanChange(scan func(...any) error) (r identity.ChangeRow, err error) {
	var cluster int64
	var p, c sideScan
	err = scan(&cluster, &r.At, &p.portfolio, &p.group, &p.bsuid, &p.parent, &p.phone,
		&c.portfolio, &c.group, &c.bsuid, &c.parent, &c.phone, &r.PreviousReceived, &r.CurrentReceived)
	if err == nil {
		r.Previous, err = p.side()
	}
	if err == nil {
		r.Current, err = c.side()
	}
	return r, err
}

func scanVerdict(scan func(...any) error) (r identity.Verdict, err error) {
	var cluster int64
	var a, b aliasScan
	err = scan(&cluster, &a.kind, &a.scope, &a.value, &b.kind, &b.scope, &b.value, &r.At, &r.Joined)
	if err == nil {
		r.A, err = a.alias()
	}
	if err == nil {
		r.B, err = b.alias()
	}
	return r, err
}

func scanHandover(scan func(...any) error) (r identity.Handover, err error) {
	var cluster int64
	var portfolio, phone string
	err = scan(&cluster, &portfolio, &phone, &r.At, &r.Undone)
	if err == nil {
		r.Phone, err = identity.NewAlias(identity.KindPhone, portfolio, phone)
	}
	return r, err
}

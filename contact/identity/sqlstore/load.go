package sqlstore

import (
	"context"
	"database/sql"

	"github.com/hailmark/hailmark/contact/identity"
)

// Load implements [identity.Tx].
func (tx *Tx) Load(ctx context.Context, clusters []int64) (identity.Cluster, error) {
	var c identity.Cluster
	if err := tx.check(ctx, false); err != nil {
		return c, err
	}
	for _, id := range clusters {
		for _, err := range [...]error{
			load(ctx, tx, id, &aliasTable, &c.Aliases, scanAlias),
			load(ctx, tx, id, &personTable, &c.Persons, scanPerson),
			load(ctx, tx, id, &cellTable, &c.Cells, scanCell),
			load(ctx, tx, id, &changeTable, &c.Changes, scanChange),
			load(ctx, tx, id, &verdictTable, &c.Verdicts, scanVerdict),
			load(ctx, tx, id, &handoverTable, &c.Handovers, scanHandover),
		} {
			if err != nil {
				return identity.Cluster{}, err
			}
		}
	}
	return c, nil
}

func load[Row any](ctx context.Context, tx *Tx, cluster int64, t *table, rows *[]Row, scanRow func(func(...any) error) (Row, error)) error {
	q := tx.query()
	q.add(tx.store.text.selects[t])
	q.arg(cluster)
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

func scanAlias(scan func(...any) error) (r identity.AliasRow, err error) {
	var alias aliasScan
	var person sql.NullString
	err = scan(&alias.kind, &alias.scope, &alias.value, &r.Cluster, &r.Added, &person,
		&r.Changed, &r.Ended, &r.Alone, &r.Shared, &r.Settled, &r.Latest)
	if err == nil {
		r.Alias, err = alias.alias()
	}
	if err == nil {
		r.Person, err = parsePerson(person)
	}
	return r, err
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

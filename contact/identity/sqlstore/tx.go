package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/hailmark/hailmark/contact/identity"
)

// A Tx is a transaction of a [Store], and of the tables of the caller. It implements
// [identity.Tx]. Use it as a [sql.Tx] for statements about other tables.
type Tx struct {
	*sql.Tx
	store   *Store
	locks   bool // Lookup locks
	repeats bool // the store runs the transaction again if it loses a race
	late    bool // SQLite: the first write locks the database
	writing bool // SQLite: the database is locked
	ended   bool

	// Postgres: what is locked until the transaction ends. An alias is locked by name
	// as long as it has no cluster.
	clusters map[int64]bool
	aliases  map[identity.Alias]bool
}

var (
	errRace       = errors.New("sqlstore: another transaction moved the persons meanwhile: roll back and run the transaction again")
	errEnded      = errors.New("sqlstore: the transaction has ended: use a Tx only until its function returns")
	errRead       = errors.New("sqlstore: View must not write: use Update")
	errPortfolios = errors.New("sqlstore: a BSUID and a phone number that one fact names together must have one portfolio")
)

func (tx *Tx) end() {
	if !tx.ended {
		tx.ended = true
		_ = tx.Rollback() // sql.ErrTxDone after a commit
	}
}

// check returns an error if tx must not be used, and locks before the first write.
func (tx *Tx) check(ctx context.Context, writes bool) error {
	switch {
	case tx.ended:
		return errEnded
	case writes && !tx.locks:
		return errRead
	case tx.locks && !tx.store.postgres && !tx.late:
		return tx.lockDatabase(ctx)
	}
	return nil
}

// lockDatabase makes tx the only transaction that writes in SQLite. It must be the first
// statement of the transaction: a transaction that read before can lose a race then.
func (tx *Tx) lockDatabase(ctx context.Context) error {
	if tx.writing {
		return nil
	}
	q := tx.query()
	q.add(tx.store.text.write)
	if err := q.exec(ctx); err != nil {
		return err
	}
	tx.writing = true
	return nil
}

// Sequence implements [identity.Tx].
func (tx *Tx) Sequence(ctx context.Context, n int) (int64, error) {
	if err := tx.check(ctx, true); err != nil {
		return 0, err
	}
	if !tx.store.postgres {
		return tx.take(ctx, n)
	}
	first, err := tx.nextval(ctx)
	for had := block; had < n && err == nil; had += block {
		var next int64
		if next, err = tx.nextval(ctx); next != first+int64(had) {
			first, had = next, 0 // another transaction took a block in between
		}
	}
	return first, err
}

// block is how many numbers one call of nextval in Postgres takes: see the migrations.
// In SQLite it is how many a store takes at least.
const block = 64

// nextval takes a block of numbers in Postgres.
func (tx *Tx) nextval(ctx context.Context) (first int64, err error) {
	q := tx.query()
	q.add(tx.store.text.sequence)
	err = q.each(ctx, func(scan func(...any) error) error { return scan(&first) })
	return first, err
}

// numbers are the rest of the last block that a store took from the sequence in SQLite.
// To take from the block writes nothing.
type numbers struct {
	mu        sync.Mutex
	owner     int64 // as in the row of the sequence until another store takes a block
	next, end int64
}

// take takes n numbers in SQLite. A block is of use only while the sequence still has its
// owner. Otherwise another store took a later one, or the transaction that took the block
// was rolled back.
func (tx *Tx) take(ctx context.Context, n int) (first int64, err error) {
	s := &tx.store.numbers
	s.mu.Lock()
	defer s.mu.Unlock()
	q := tx.query()
	q.add(tx.store.text.sequence)
	var owner int64
	if err := q.each(ctx, func(scan func(...any) error) error { return scan(&owner) }); err != nil {
		return 0, err
	}
	if owner != s.owner || s.end-s.next < int64(n) {
		size, us := int64(max(n, block)), 1+rand.Int64N(math.MaxInt64)
		q = tx.query()
		q.add(tx.store.text.reserve)
		q.args = append(q.args, size, us)
		var end int64
		if err := q.each(ctx, func(scan func(...any) error) error { return scan(&end) }); err != nil {
			return 0, err
		}
		s.owner, s.next, s.end = us, end-size, end
	}
	first = s.next
	s.next += int64(n)
	return first, nil
}

// maxRows is how many rows one statement writes, or aliases one statement reads. It
// bounds the number of different statements.
const maxRows = 16

// Write implements [identity.Tx].
func (tx *Tx) Write(ctx context.Context, b *identity.Batch) error {
	if err := tx.check(ctx, true); err != nil {
		return err
	}
	if tx.clusters != nil {
		tx.clusters[b.Cluster] = true // locked, or new and so not visible to others
	}
	if err := tx.remove(ctx, b.Cluster, &b.Delete); err != nil {
		return err
	}
	for _, from := range b.Merge {
		if err := tx.merge(ctx, from, b.Cluster); err != nil {
			return err
		}
	}
	w := writer{q: tx.query()}
	w.aliases(ctx, b.Cluster, b.Aliases)
	w.persons(ctx, b.Cluster, b.Persons)
	for i := range b.Cells {
		w.row(ctx, &cellTable, func(args []any) ([]any, error) { return appendCell(args, b.Cluster, &b.Cells[i]) })
	}
	for i := range b.Changes {
		w.row(ctx, &changeTable, func(args []any) ([]any, error) { return appendChange(args, b.Cluster, &b.Changes[i]) })
	}
	for i := range b.Verdicts {
		w.row(ctx, &verdictTable, func(args []any) ([]any, error) { return appendVerdict(args, b.Cluster, &b.Verdicts[i]), nil })
	}
	for i := range b.Handovers {
		w.row(ctx, &handoverTable, func(args []any) ([]any, error) { return appendHandover(args, b.Cluster, &b.Handovers[i]), nil })
	}
	return w.end(ctx)
}

// remove deletes rows by key.
func (tx *Tx) remove(ctx context.Context, cluster int64, rows *identity.Cluster) error {
	return cmp.Or(
		remove(ctx, tx, &cellTable, rows.Cells, func(args []any, c *identity.Cell) ([]any, error) { return appendCell(args, cluster, c) }),
		remove(ctx, tx, &changeTable, rows.Changes, func(args []any, c *identity.ChangeRow) ([]any, error) { return appendChange(args, cluster, c) }),
		remove(ctx, tx, &verdictTable, rows.Verdicts, func(args []any, v *identity.Verdict) ([]any, error) { return appendVerdict(args, cluster, v), nil }),
		remove(ctx, tx, &handoverTable, rows.Handovers, func(args []any, h *identity.Handover) ([]any, error) { return appendHandover(args, cluster, h), nil }),
		remove(ctx, tx, &aliasTable, rows.Aliases, func(args []any, r *identity.AliasRow) ([]any, error) { return appendAliasRow(args, cluster, r), nil }),
		remove(ctx, tx, &personTable, rows.Persons, func(args []any, r *identity.PersonRow) ([]any, error) { return appendPersonRow(args, cluster, r), nil }),
	)
}

// remove deletes rows of a table. appendTo appends all columns of a row, the key first.
func remove[Row any](ctx context.Context, tx *Tx, t *table, rows []Row, appendTo func([]any, *Row) ([]any, error)) error {
	q := tx.query()
	for chunk := range slices.Chunk(rows, maxRows) {
		q.add(tx.store.text.deletes[t])
		for i := range chunk {
			columns, err := appendTo(nil, &chunk[i])
			if err != nil {
				return err
			}
			q.add([]string{"(", " OR ("}[min(i, 1)])
			for j, column := range t.keys {
				q.add([]string{"", " AND "}[min(j, 1)] + column + " = ")
				q.arg(columns[j])
			}
			q.add(")")
		}
		if err := q.exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// merge moves the rows of a cluster to another one.
func (tx *Tx) merge(ctx context.Context, from, into int64) error {
	c, err := tx.Load(ctx, []int64{from})
	if err != nil {
		return err
	}
	w := writer{q: tx.query()}
	w.aliases(ctx, into, c.Aliases)
	w.persons(ctx, into, c.Persons)
	if err := w.end(ctx); err != nil {
		return err
	}
	q := w.q
	for _, text := range tx.store.text.moves {
		if err := q.next(ctx); err != nil {
			return err
		}
		q.add(text)
		q.arg(into)
		q.add(" WHERE cluster = ")
		q.arg(from)
	}
	return q.exec(ctx)
}

// A writer inserts or replaces rows, several of one table in one statement.
type writer struct {
	q     *query
	table *table
	n     int // rows of the statement
	err   error
}

func (w *writer) aliases(ctx context.Context, cluster int64, rows []identity.AliasRow) {
	for i := range rows {
		w.row(ctx, &aliasTable, func(args []any) ([]any, error) { return appendAliasRow(args, cluster, &rows[i]), nil })
	}
}

func (w *writer) persons(ctx context.Context, cluster int64, rows []identity.PersonRow) {
	for i := range rows {
		w.row(ctx, &personTable, func(args []any) ([]any, error) { return appendPersonRow(args, cluster, &rows[i]), nil })
	}
}

func (w *writer) row(ctx context.Context, t *table, appendTo func([]any) ([]any, error)) {
	if w.err != nil {
		return
	}
	if w.table != t || w.n == maxRows {
		if w.endTable(); w.err == nil && w.table != nil {
			// A statement of Postgres must not write one table twice.
			if w.table == t {
				w.err = w.q.exec(ctx)
			} else {
				w.err = w.q.next(ctx)
			}
		}
		if w.err != nil {
			return
		}
		w.table, w.n = t, 0
		w.q.add(w.q.tx.store.text.upserts[t].head)
	}
	if w.n > 0 {
		w.q.add(", ")
	}
	from := len(w.q.args)
	if w.q.args, w.err = appendTo(w.q.args); w.err == nil {
		w.q.addPlaceholders(len(w.q.args) - from)
		w.n++
	}
}

// endTable ends the statement that inserts rows.
func (w *writer) endTable() {
	if w.table != nil {
		w.q.add(w.q.tx.store.text.upserts[w.table].tail)
	}
}

func (w *writer) end(ctx context.Context) error {
	if w.err != nil || w.table == nil {
		return w.err
	}
	w.endTable()
	return w.q.exec(ctx)
}

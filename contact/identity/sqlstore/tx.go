package sqlstore

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"hash/fnv"
	"strings"

	"github.com/hailmark/hailmark/contact/identity/store"
)

type rows interface {
	Next() bool
	Scan(to ...any) error
	Err() error
}

// SQL returns the caller's transaction for Engine.WithTx.
//
// If the transaction loses a race, [Store.Repeatable] reports true for the error; roll back and
// run it again.
//
// Postgres requires the isolation level read committed, which is the default. In SQLite, a
// transaction fails if it reads first and another transaction then writes. To prevent that,
// configure the driver to begin with BEGIN IMMEDIATE.
//
// In a transaction of gorm that doesn't prepare statements, tx.Statement.ConnPool is the *sql.Tx.
func SQL(s *Store, tx *sql.Tx) store.Tx {
	return newTransaction(s, tx, nil)
}

func newTransaction(s *Store, tx *sql.Tx, prepared map[string]*sql.Stmt) *transaction {
	return &transaction{
		store: s, writes: true,
		query: func(ctx context.Context, text string, args ...any) (rows, error) {
			if stmt := prepared[text]; stmt != nil {
				return tx.StmtContext(ctx, stmt).QueryContext(ctx, args...)
			}
			return tx.QueryContext(ctx, text, args...)
		},
		exec: func(ctx context.Context, text string, args ...any) (err error) {
			if stmt := prepared[text]; stmt != nil {
				_, err = tx.StmtContext(ctx, stmt).ExecContext(ctx, args...)
			} else {
				_, err = tx.ExecContext(ctx, text, args...)
			}
			return withCause(ctx, err)
		},
	}
}

// PGX is like [SQL] for pgx.Tx. It doesn't import pgx.
func PGX[Tag any, R rows](s *Store, tx interface {
	Exec(ctx context.Context, query string, args ...any) (Tag, error)
	Query(ctx context.Context, query string, args ...any) (R, error)
},
) store.Tx {
	return &transaction{
		store: s, writes: true,
		query: func(ctx context.Context, text string, args ...any) (rows, error) { return tx.Query(ctx, text, args...) },
		exec: func(ctx context.Context, text string, args ...any) error {
			_, err := tx.Exec(ctx, text, args...)
			return withCause(ctx, err)
		},
	}
}

// A Tx is a transaction that covers a [Store] and the caller's own tables. Pass it to
// Engine.WithTx, and use its [sql.Tx] for other statements.
type Tx struct {
	*sql.Tx
	storeTx
}

type storeTx = store.Tx

// A transaction implements [store.Tx].
type transaction struct {
	store  *Store
	query  func(ctx context.Context, text string, args ...any) (rows, error)
	exec   func(ctx context.Context, text string, args ...any) error
	writes bool
	began  bool // the tables have the version that this package knows, and keep it until the end
	ended  bool

	// Postgres: the advisory locks, the greatest one, and those to acquire first if the store
	// has run the transaction before. wanted is nil if the caller runs it.
	locked map[int64]bool
	most   int64
	wanted map[int64]bool
}

var (
	errRace  = errors.New("sqlstore: another transaction has locked these people; roll back and run the transaction again")
	errEnded = errors.New("sqlstore: the transaction has ended; use a Tx only until its function returns")
	errRead  = errors.New("sqlstore: the transaction is View's, which can't write; use Update")
)

// check returns an error if tx must not be used. It first makes a transaction that writes the only one in
// SQLite, because one that has only read can lose a race then, and requires the version of the tables that
// this package knows.
func (tx *transaction) check(ctx context.Context, writes bool) error {
	switch {
	case tx.ended:
		return errEnded
	case writes && !tx.writes:
		return errRead
	case tx.began:
		return nil
	}
	if begin := tx.store.text.begin; tx.writes && begin != "" {
		if err := tx.exec(ctx, begin); err != nil {
			return err
		}
	}
	number := 0
	err := tx.each(ctx, func(rows rows) error { return rows.Scan(&number) }, tx.store.text.version)
	if err == nil {
		err = checkVersion(number)
	}
	tx.began = err == nil
	return err
}

func (tx *transaction) Lock(ctx context.Context, aliases []string) (stale bool, err error) {
	if err := tx.check(ctx, false); err != nil || !tx.writes {
		return false, err
	}
	return tx.store.dialect.lock(ctx, tx, aliases)
}

func hash(text string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text))
	return h.Sum32()
}

// each runs a query and calls scan for each row. It reads all rows, which closes them.
func (tx *transaction) each(ctx context.Context, scan func(rows) error, text string, args ...any) error {
	result, err := tx.query(ctx, text, args...)
	if err == nil {
		for result.Next() {
			err = cmp.Or(err, scan(result))
		}
		err = cmp.Or(result.Err(), err)
	}
	return withCause(ctx, err)
}

// rows runs a query whose rows begin with their table's number.
func (tx *transaction) rows(ctx context.Context, text string, args ...any) (found store.Rows, err error) {
	if err := tx.check(ctx, false); err != nil {
		return found, err
	}
	err = tx.each(ctx, func(rows rows) error {
		var table int
		var name, value, id string
		var a, b int64
		var current bool
		if err := rows.Scan(&table, &name, &value, &id, &a, &b, &current); err != nil {
			return err
		}
		if table == 0 {
			found.Facts = append(found.Facts, store.Fact{Key: name, Value: value})
			return nil
		}
		if table == 3 {
			found.Doubtful = append(found.Doubtful, name)
			return nil
		}
		person, err := parseID(id)
		if table == 1 {
			found.Holdings = append(found.Holdings, store.Holding{Alias: name, Since: a, Until: b, Person: person, Current: current})
		} else {
			found.Persons = append(found.Persons, store.Person{ID: person, Born: a, Anchor: name, At: b})
		}
		return err
	}, text, args...)
	return found, err
}

func (tx *transaction) Load(ctx context.Context, aliases []string, wide bool, others []string) (store.Rows, error) {
	return tx.rows(ctx, tx.store.text.load, list(aliases), list(others), wide)
}

func (tx *transaction) Holdings(ctx context.Context, aliases []string) ([]store.Holding, error) {
	found, err := tx.rows(ctx, tx.store.text.holdings, list(aliases))
	return found.Holdings, err
}

func (tx *transaction) Get(ctx context.Context, ids []store.ID) ([]store.Person, error) {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = id.String()
	}
	found, err := tx.rows(ctx, tx.store.text.get, list(texts))
	return found.Persons, err
}

func (tx *transaction) Persons(ctx context.Context, after int64, n int) ([]store.Person, error) {
	found, err := tx.rows(ctx, tx.store.text.persons, after, n)
	return found.Persons, err
}

func (tx *transaction) Doubtful(ctx context.Context, after string, n int) (found []string, err error) {
	if err := tx.check(ctx, false); err != nil {
		return nil, err
	}
	err = tx.each(ctx, func(rows rows) error {
		var alias string
		err := rows.Scan(&alias)
		found = append(found, alias)
		return err
	}, tx.store.text.doubtful, after, n)
	return found, err
}

func (tx *transaction) Write(ctx context.Context, remove, put *store.Rows) error {
	if err := tx.check(ctx, true); err != nil {
		return err
	}
	return tx.store.dialect.write(ctx, tx, tx.store.text.batches(remove, put))
}

// A batch contains the rows that a statement writes.
type batch struct {
	text string
	rows [][]any
}

func (b *batch) add(values ...any) { b.rows = append(b.rows, values) }

// batches returns what deletes and inserts rows, in this order.
func (s *statements) batches(remove, put *store.Rows) []batch {
	deleteFacts, deleteEntries := batch{text: s.deleteFact}, batch{text: s.deleteEntry}
	for i := range remove.Facts {
		id := factID(remove.Facts[i].Key)
		deleteFacts.add(id)
		for _, alias := range remove.Facts[i].Aliases {
			deleteEntries.add(alias, id)
		}
	}
	for _, e := range remove.Entries {
		deleteEntries.add(e.Alias, factID(e.Key))
	}
	deleteHoldings := batch{text: s.deleteHolding}
	for _, h := range remove.Holdings {
		deleteHoldings.add(h.Alias, h.Since, h.Person.String())
	}
	deletePersons := batch{text: s.deletePerson}
	for _, p := range remove.Persons {
		deletePersons.add(p.ID.String())
	}
	deleteDoubtful, insertDoubtful := batch{text: s.deleteDoubtful}, batch{text: s.insertDoubtful}
	for _, alias := range remove.Doubtful {
		deleteDoubtful.add(alias)
	}
	for _, alias := range put.Doubtful {
		insertDoubtful.add(alias)
	}
	insertFacts, insertEntries := batch{text: s.insertFact}, batch{text: s.insertEntry}
	for i := range put.Facts {
		f := &put.Facts[i]
		id := factID(f.Key)
		insertFacts.add(id, f.Key, f.Value)
		for _, alias := range f.Aliases {
			insertEntries.add(alias, id, f.Seen)
		}
	}
	insertHoldings := batch{text: s.insertHolding}
	for _, h := range put.Holdings {
		insertHoldings.add(h.Alias, h.Since, h.Person.String(), h.Until, h.Current)
	}
	insertPersons := batch{text: s.insertPerson}
	for _, p := range put.Persons {
		insertPersons.add(p.ID.String(), p.Anchor, p.At)
	}
	return []batch{
		deleteFacts, deleteEntries, deleteHoldings, deletePersons, deleteDoubtful,
		insertFacts, insertEntries, insertHoldings, insertPersons, insertDoubtful,
	}
}

// factID returns a row's ID, because its key can be too long for an index.
func factID(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:16])
}

func parseID(text string) (id store.ID, err error) {
	if n, err := hex.Decode(id[:], []byte(strings.ReplaceAll(text, "-", ""))); err != nil || n != len(id) {
		return id, cmp.Or(err, errors.New("sqlstore: a person has no UUID"))
	}
	return id, nil
}

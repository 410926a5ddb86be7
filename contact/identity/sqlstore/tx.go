package sqlstore

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/hailmark/hailmark/contact/identity/store"
)

// A querier runs statements in a transaction.
type querier interface {
	Exec(ctx context.Context, query string, args ...any) error
	Query(ctx context.Context, query string, args ...any) (rows, error)
}

type rows interface {
	Next() bool
	Scan(to ...any) error
	Err() error
	Close()
}

// SQL returns the caller's transaction for Engine.WithTx.
//
// If the transaction loses a race, [Store.Repeatable] reports true for the error; roll back and
// run it again.
//
// Postgres requires the isolation level read committed, which is the default. In SQLite, a
// transaction fails if it reads first and another transaction then writes. To prevent that,
// configure the driver to begin with BEGIN IMMEDIATE.
func SQL(s *Store, tx *sql.Tx) store.Tx {
	return &transaction{store: s, query: sqlQuerier{tx, nil}, writes: true}
}

type sqlQuerier struct {
	tx       *sql.Tx
	prepared map[string]*sql.Stmt
}

func (q sqlQuerier) Exec(ctx context.Context, query string, args ...any) error {
	if stmt := q.prepared[query]; stmt != nil {
		_, err := q.tx.StmtContext(ctx, stmt).ExecContext(ctx, args...)
		return err
	}
	_, err := q.tx.ExecContext(ctx, query, args...)
	return err
}

func (q sqlQuerier) Query(ctx context.Context, query string, args ...any) (rows, error) {
	var rows *sql.Rows
	var err error
	if stmt := q.prepared[query]; stmt != nil {
		rows, err = q.tx.StmtContext(ctx, stmt).QueryContext(ctx, args...)
	} else {
		rows, err = q.tx.QueryContext(ctx, query, args...)
	}
	return sqlRows{rows}, err
}

type sqlRows struct{ *sql.Rows }

func (r sqlRows) Close() { _ = r.Rows.Close() } // Err has the error

// PGX is like [SQL] for pgx.Tx. It doesn't import pgx.
func PGX[Tag any, R rows](s *Store, tx interface {
	Exec(ctx context.Context, query string, args ...any) (Tag, error)
	Query(ctx context.Context, query string, args ...any) (R, error)
},
) store.Tx {
	return &transaction{store: s, query: pgxQuerier[Tag, R]{tx.Exec, tx.Query}, writes: true}
}

type pgxQuerier[Tag any, R rows] struct {
	exec  func(ctx context.Context, query string, args ...any) (Tag, error)
	query func(ctx context.Context, query string, args ...any) (R, error)
}

func (q pgxQuerier[Tag, R]) Exec(ctx context.Context, query string, args ...any) error {
	_, err := q.exec(ctx, query, args...)
	return err
}

func (q pgxQuerier[Tag, R]) Query(ctx context.Context, query string, args ...any) (rows, error) {
	return q.query(ctx, query, args...)
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
	store   *Store
	query   querier
	writes  bool
	writing bool // SQLite: the database is locked
	ended   bool

	// For Postgres. locked contains advisory locks. wanted contains those to acquire first when
	// the store runs the transaction again; it's nil if the caller runs it.
	locked map[int64]bool
	most   int64
	wanted *[]int64
}

var (
	errRace  = errors.New("sqlstore: another transaction has locked these people; roll back and run the transaction again")
	errEnded = errors.New("sqlstore: the transaction has ended; use a Tx only until its function returns")
	errRead  = errors.New("sqlstore: View must not write; use Update")
)

// check returns an error if tx must not be used, and locks SQLite before anything else.
func (tx *transaction) check(ctx context.Context, writes bool) error {
	switch {
	case tx.ended:
		return errEnded
	case writes && !tx.writes:
		return errRead
	case tx.writes && !tx.store.postgres:
		return tx.lockDatabase(ctx)
	}
	return nil
}

// lockDatabase makes tx the only transaction that writes in SQLite. It must be the first
// statement of the transaction: a transaction that read before can lose a race then.
func (tx *transaction) lockDatabase(ctx context.Context) error {
	if tx.writing {
		return nil
	}
	if err := tx.exec(ctx, tx.store.text.write); err != nil {
		return err
	}
	tx.writing = true
	return nil
}

// maxLocks is how many advisory locks a transaction takes at most in Postgres. All
// transactions of a server share a table of a few thousand.
const maxLocks = 512

func (tx *transaction) Lock(ctx context.Context, aliases []string) (stale bool, err error) {
	if err := tx.check(ctx, false); err != nil || !tx.writes || !tx.store.postgres {
		return false, err
	}
	var keys []int64
	add := func(key int64) {
		if !tx.locked[key] {
			keys = append(keys, key)
		}
	}
	names := fnv.New32a()
	_, _ = names.Write([]byte(tx.store.config.Schema + "." + tx.store.config.Prefix))
	space := int64(names.Sum32()) * maxLocks
	for _, alias := range aliases {
		h := fnv.New32a()
		_, _ = h.Write([]byte(alias))
		add(space + int64(h.Sum32()%maxLocks))
	}
	if tx.wanted != nil {
		for _, key := range *tx.wanted {
			add(key)
		}
	}
	slices.Sort(keys)
	if keys = slices.Compact(keys); len(keys) == 0 {
		return false, nil
	}
	// Whoever takes locks in order can wait for them. A lock out of order may be held by
	// somebody who waits for this transaction.
	text := tx.store.text.lock
	if tx.wanted != nil && keys[0] < tx.most {
		text = tx.store.text.try
	}
	got, isolation := true, ""
	err = tx.each(ctx, func(rows rows) error {
		var one bool
		err := rows.Scan(&isolation, &one)
		got = got && one
		return err
	}, text, array(len(keys), func(i int) any { return keys[i] }))
	switch {
	case err != nil:
		return false, err
	case isolation != "read committed":
		return false, fmt.Errorf("sqlstore: the transaction has the isolation level %s; begin it with sql.LevelReadCommitted", isolation)
	case !got:
		for key := range tx.locked {
			keys = append(keys, key)
		}
		*tx.wanted = keys
		return false, errRace
	}
	if tx.locked == nil {
		tx.locked = map[int64]bool{}
	}
	for _, key := range keys {
		tx.locked[key] = true
	}
	tx.most = max(tx.most, keys[len(keys)-1])
	return true, nil
}

// each runs a query and calls scan for each row.
func (tx *transaction) each(ctx context.Context, scan func(rows) error, text string, args ...any) error {
	result, err := tx.query.Query(ctx, text, args...)
	if err != nil {
		return withCause(ctx, err)
	}
	defer result.Close()
	for result.Next() {
		if err := scan(result); err != nil {
			return err
		}
	}
	return withCause(ctx, result.Err())
}

func (tx *transaction) exec(ctx context.Context, text string, args ...any) error {
	return withCause(ctx, tx.query.Exec(ctx, text, args...))
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
	return tx.rows(ctx, tx.store.text.load, tx.store.list(aliases), tx.store.list(others), wide)
}

func (tx *transaction) Holdings(ctx context.Context, aliases []string) ([]store.Holding, error) {
	found, err := tx.rows(ctx, tx.store.text.holdings, tx.store.list(aliases))
	return found.Holdings, err
}

func (tx *transaction) Get(ctx context.Context, ids []store.ID) ([]store.Person, error) {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = id.String()
	}
	found, err := tx.rows(ctx, tx.store.text.get, tx.store.list(texts))
	return found.Persons, err
}

func (tx *transaction) Persons(ctx context.Context, after int64, n int) ([]store.Person, error) {
	found, err := tx.rows(ctx, tx.store.text.persons, after, n)
	return found.Persons, err
}

func (tx *transaction) Shared(ctx context.Context, after string, n int) (found []string, err error) {
	if err := tx.check(ctx, false); err != nil {
		return nil, err
	}
	err = tx.each(ctx, func(rows rows) error {
		var alias string
		err := rows.Scan(&alias)
		found = append(found, alias)
		return err
	}, tx.store.text.shared, after, n)
	return found, err
}

func (tx *transaction) Write(ctx context.Context, remove, put *store.Rows) error {
	if err := tx.check(ctx, true); err != nil {
		return err
	}
	var rows [8][]any // by statement, one row after the other
	add := func(statement int, values ...any) { rows[statement] = append(rows[statement], values...) }
	for i := range remove.Facts {
		id := factID(remove.Facts[i].Key)
		add(0, id)
		for _, alias := range remove.Facts[i].Aliases {
			add(1, alias, id)
		}
	}
	for _, h := range remove.Holdings {
		add(2, h.Alias, h.Since, h.Person.String())
	}
	for _, p := range remove.Persons {
		add(3, p.ID.String())
	}
	for i := range put.Facts {
		f := &put.Facts[i]
		id := factID(f.Key)
		add(4, id, f.Key, f.Value)
		for _, alias := range f.Aliases {
			add(5, alias, id, f.Seen)
		}
	}
	for _, h := range put.Holdings {
		add(6, h.Alias, h.Since, h.Person.String(), h.Until, h.Current)
	}
	for _, p := range put.Persons {
		add(7, p.ID.String(), p.Anchor, p.At)
	}
	var joined strings.Builder
	var args []any
	for i, values := range rows {
		s := &tx.store.text.change[i]
		switch {
		case len(values) == 0:
		case !tx.store.postgres:
			if err := tx.writeRows(ctx, s, values); err != nil {
				return err
			}
		default: // Postgres runs all in one statement. Each sees the same snapshot, and writes rows of its own.
			fmt.Fprintf(&joined, "%sp%d AS (%s)", []string{"WITH ", ", "}[min(len(args), 1)], i, s.arrays(len(args)+1))
			args = append(args, s.columns(values)...)
		}
	}
	if len(args) == 0 {
		return nil
	}
	return tx.exec(ctx, joined.String()+" SELECT 1", args...)
}

// writeRows runs a statement for all rows in SQLite. The numbers of rows are powers of two, so
// that few statements need to be prepared.
func (tx *transaction) writeRows(ctx context.Context, s *rowsStatement, values []any) error {
	width := len(s.types)
	for n := maxRows; len(values) > 0; n /= 2 {
		for ; len(values) >= n*width; values = values[n*width:] {
			if err := tx.exec(ctx, s.values(n), values[:n*width]...); err != nil {
				return err
			}
		}
	}
	return nil
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

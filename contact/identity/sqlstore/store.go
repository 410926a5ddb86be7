package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"sync"
	"time"

	"github.com/hailmark/hailmark/contact/identity/store"
)

const defaultPrefix = "hailmark_"

// A Config configures a [Store]. The zero Config is usable.
type Config struct {
	// Prefix begins all table and index names. It contains 1 to 32 characters from a-z, 0-9
	// and _, and doesn't begin with a digit. "" means hailmark_.
	Prefix string

	// Schema is an existing Postgres schema, with the same characters as Prefix. "" means
	// search_path's first schema.
	Schema string
}

var validPrefix = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,31}$`)

// check validates c and sets a missing prefix.
func (c *Config) check(d dialect) error {
	if c.Prefix == "" {
		c.Prefix = defaultPrefix
	}
	switch {
	case !validPrefix.MatchString(c.Prefix):
		return fmt.Errorf("sqlstore: Config.Prefix is %q; use 1-32 characters from a-z, 0-9 and _, and don't begin with a digit", c.Prefix)
	case c.Schema != "" && (!d.hasSchemas() || !validPrefix.MatchString(c.Schema)):
		return fmt.Errorf("sqlstore: Config.Schema is %q; it's for Postgres, so omit it in SQLite; use 1-32 characters from a-z, 0-9 and _, and don't begin with a digit", c.Schema)
	}
	return nil
}

// table returns what begins a table's name.
func (c *Config) table() string {
	if c.Schema == "" {
		return c.Prefix
	}
	return c.Schema + "." + c.Prefix
}

// A Store keeps an identity engine's data in a database. It implements [store.Store]. Several
// goroutines can use it, and several stores and processes can share the tables.
type Store struct {
	db      *sql.DB
	config  Config
	dialect dialect
	text    *statements
	locks   int64         // Postgres: the first advisory lock
	writer  chan struct{} // SQLite: holds a value while this store writes

	mu       sync.Mutex
	prepared map[string]*sql.Stmt // SQLite: by text
}

// NewPostgres returns a store in Postgres 12 or later. It doesn't use the database; [Store.Migrate]
// or [Store.Migrations] should create the tables first. If the caller runs all transactions with
// [SQL] or [PGX], db can be nil.
func NewPostgres(db *sql.DB, config Config) (*Store, error) { return open(db, config, postgres{}) }

// NewSQLite returns a store in SQLite 3.38 or later. It's otherwise like [NewPostgres].
func NewSQLite(db *sql.DB, config Config) (*Store, error) { return open(db, config, sqlite{}) }

func open(db *sql.DB, config Config, d dialect) (*Store, error) {
	if err := config.check(d); err != nil {
		return nil, err
	}
	return &Store{
		db: db, config: config, dialect: d,
		text: d.statements().named(&config), writer: make(chan struct{}, 1),
		locks: int64(hash(config.Schema+"."+config.Prefix)) * maxLocks,
	}, nil
}

// Update implements [store.Store]. It repeats f like [Store.Transact].
func (s *Store) Update(ctx context.Context, f func(store.Tx) error) error {
	return s.Transact(ctx, func(tx *Tx) error { return f(tx.storeTx) })
}

// View implements [store.Store].
func (s *Store) View(ctx context.Context, f func(store.Tx) error) error {
	return s.repeat(ctx, func() error { return s.once(ctx, nil, func(tx *Tx) error { return f(tx.storeTx) }) })
}

// Transact runs f in a transaction. It commits if f returns nil; otherwise it rolls back and
// returns the error. If the transaction lost a race, it runs f again until ctx ends, so f
// shouldn't have other effects.
//
// Within f, use tx with [github.com/hailmark/hailmark/contact/identity.Engine.WithTx], and tx.Tx
// for the caller's own tables. f must not commit tx or roll it back.
func (s *Store) Transact(ctx context.Context, f func(tx *Tx) error) error {
	wanted := map[int64]bool{}
	return s.repeat(ctx, func() error { return s.once(ctx, wanted, f) })
}

// Repeatable reports whether err indicates a lost race, for example a Postgres deadlock or
// serialization failure, or a locked SQLite database. Running the transaction again can succeed.
func (s *Store) Repeatable(err error) bool {
	return err != nil && (errors.Is(err, errRace) || s.dialect.isRace(err))
}

// repeat runs a transaction again after lost races, until ctx ends.
func (s *Store) repeat(ctx context.Context, run func() error) error {
	for delay := time.Millisecond; ; delay = min(2*delay, 50*time.Millisecond) {
		err := run()
		if !s.Repeatable(err) {
			return withCause(ctx, err)
		}
		select {
		case <-time.After(rand.N(delay)):
		case <-ctx.Done():
			return withCause(ctx, err)
		}
	}
}

// withCause adds the context's error to an error after its end, because drivers return their own.
func withCause(ctx context.Context, err error) error {
	if end := ctx.Err(); err != nil && end != nil && !errors.Is(err, end) {
		return errors.Join(end, err)
	}
	return err
}

// once runs f in a transaction. It writes if wanted isn't nil.
func (s *Store) once(ctx context.Context, wanted map[int64]bool, f func(*Tx) error) error {
	writes := wanted != nil
	if writes && s.text.begin != "" { // waiting here is fairer than the database's polling
		select {
		case s.writer <- struct{}{}:
			defer func() { <-s.writer }()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	prepared := s.prepare(ctx)
	sqlTx, err := s.db.BeginTx(ctx, s.dialect.options(writes))
	if err != nil {
		return err
	}
	tx := newTransaction(s, sqlTx, prepared)
	tx.writes, tx.wanted = writes, wanted
	defer func() {
		tx.ended = true
		_ = sqlTx.Rollback() // sql.ErrTxDone after a commit
	}()
	if err := tx.check(ctx, writes); err != nil {
		return err
	}
	if err := f(&Tx{sqlTx, tx}); err != nil {
		return err
	}
	return sqlTx.Commit()
}

// prepare returns prepared statements for SQLite, or nil before the tables exist. Postgres drivers
// prepare statements themselves if the connection supports it.
func (s *Store) prepare(ctx context.Context) map[string]*sql.Stmt {
	if s.text.begin == "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.prepared != nil {
		return s.prepared
	}
	prepared := map[string]*sql.Stmt{}
	for _, text := range []string{
		s.text.deleteFact, s.text.deleteEntry, s.text.deleteHolding, s.text.deletePerson, s.text.deleteDoubtful,
		s.text.insertFact, s.text.insertEntry, s.text.insertHolding, s.text.insertPerson, s.text.insertDoubtful,
		s.text.begin, s.text.version, s.text.load, s.text.holdings,
	} {
		stmt, err := s.db.PrepareContext(ctx, text)
		if err != nil {
			for _, stmt := range prepared {
				_ = stmt.Close()
			}
			return nil
		}
		prepared[text] = stmt
	}
	s.prepared = prepared
	return prepared
}

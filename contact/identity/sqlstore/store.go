package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/hailmark/hailmark/contact/identity"
)

// A Dialect is the kind of a database.
type Dialect uint8

const (
	SQLite   Dialect = iota + 1 // 3.37 or later
	Postgres                    // 12 or later
)

var dialectNames = [...]string{SQLite: "sqlite", Postgres: "postgres"}

// String returns "sqlite" or "postgres", and "" for the zero Dialect.
func (d Dialect) String() string {
	if int(d) >= len(dialectNames) {
		return ""
	}
	return dialectNames[d]
}

// DefaultPrefix begins the names of all tables unless a [Config] has another prefix.
const DefaultPrefix = "hailmark_"

// A Config configures a [Store].
type Config struct {
	// Dialect is the kind of the database. It is required.
	Dialect Dialect

	// Prefix begins the names of all tables, indexes and sequences. It has 1 to 32
	// characters of a-z, 0-9 and _, and does not begin with a digit. "" means DefaultPrefix.
	Prefix string
}

var validPrefix = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,31}$`)

// check returns an error for a config that cannot be used, and fills in the prefix.
func (c *Config) check() error {
	if c.Prefix == "" {
		c.Prefix = DefaultPrefix
	}
	switch {
	case c.Dialect != SQLite && c.Dialect != Postgres:
		return errors.New("sqlstore: Config.Dialect must be SQLite or Postgres")
	case !validPrefix.MatchString(c.Prefix):
		return errors.New("sqlstore: Config.Prefix must be 1-32 of a-z, 0-9 and _, and must not begin with a digit")
	}
	return nil
}

// A Store keeps the data of an [identity.Engine] in a database. It implements
// [identity.Store] and may be used by several goroutines at the same time. Several
// stores, also of other processes, may share the tables.
type Store struct {
	db       *sql.DB
	config   Config
	postgres bool
	text     statements
	prepared prepared      // SQLite only
	numbers  numbers       // SQLite only
	writer   chan struct{} // SQLite only: holds a value while this store writes
}

// New returns a store in a database. The tables must exist before it is used: see
// [Store.Migrate] and [Migrations]. New does not use the database.
func New(db *sql.DB, config Config) (*Store, error) {
	if err := config.check(); err != nil {
		return nil, err
	}
	s := &Store{db: db, config: config, postgres: config.Dialect == Postgres}
	s.text = newStatements(config)
	if !s.postgres {
		s.writer = make(chan struct{}, 1)
	}
	return s, nil
}

// Close closes the statements that the store prepared. It does not close the database.
func (s *Store) Close() error { return s.prepared.close() }

// Update implements [identity.Store]. It repeats f as [Store.Transact] does.
func (s *Store) Update(ctx context.Context, f func(identity.Tx) error) error {
	return s.repeat(ctx, s.writes(), func(tx *Tx) error { return f(tx) })
}

// View implements [identity.Store].
func (s *Store) View(ctx context.Context, f func(identity.Tx) error) error {
	return s.repeat(ctx, s.reads(), func(tx *Tx) error { return f(tx) })
}

// Transact runs f in a transaction and commits it if f returns nil. Otherwise it rolls
// the transaction back and returns the error of f. If the transaction lost a race
// against another one, Transact rolls it back and runs f again, until ctx ends.
//
// Inside f, pass tx to [identity.Engine.ObserveTx], and use its methods as a [sql.Tx]
// for the caller's own tables. f must not commit tx or roll it back.
func (s *Store) Transact(ctx context.Context, f func(tx *Tx) error) error {
	return s.repeat(ctx, s.writes(), f)
}

// Tx returns tx for use with [identity.Engine.ObserveTx]. The caller begins the
// transaction and commits it.
//
// The transaction can lose a race against another one. If [Store.Repeatable] reports true
// for an error, roll back and run the transaction again. [Store.Transact] does that.
//
// In Postgres the isolation level must be read committed, which is the default. In
// SQLite, a transaction that reads before it first uses the store fails if another one
// writes in between. To prevent that, configure the driver to begin with BEGIN IMMEDIATE.
func (s *Store) Tx(tx *sql.Tx) *Tx { return &Tx{Tx: tx, store: s, locks: true} }

// Repeatable reports whether err means that a transaction lost a race against another
// one, and can succeed if it is run again. In Postgres the cause is a deadlock or a
// serialization failure, in SQLite a locked database.
func (s *Store) Repeatable(err error) bool {
	switch {
	case err == nil:
		return false
	case errors.Is(err, errRace):
		return true
	case s.postgres:
		var e interface{ SQLState() string }
		return errors.As(err, &e) && (e.SQLState() == "40001" || e.SQLState() == "40P01")
	}
	// The text of SQLite for SQLITE_BUSY. The drivers have no method in common that returns
	// the code. SQLITE_LOCKED has another text: it is a fault within one connection.
	return strings.Contains(err.Error(), "database is locked")
}

// A mode is how a transaction begins.
type mode struct {
	options *sql.TxOptions
	writes  bool
	first   bool // SQLite: the transaction locks the database before anything else
}

// A transaction that writes in Postgres must see what others committed before it got
// their locks, so each statement has a snapshot of its own.
func (s *Store) writes() mode {
	if s.postgres {
		return mode{options: &sql.TxOptions{Isolation: sql.LevelReadCommitted}, writes: true}
	}
	return mode{writes: true}
}

// A transaction that reads in SQLite has one snapshot. Not every driver accepts options.
func (s *Store) reads() mode {
	if s.postgres {
		return mode{options: &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}}
	}
	return mode{}
}

func (s *Store) repeat(ctx context.Context, m mode, f func(*Tx) error) error {
	for delay := time.Millisecond; ; delay = min(2*delay, 50*time.Millisecond) {
		err := s.once(ctx, m, f)
		if !s.Repeatable(err) {
			return err
		}
		m.first = m.writes
		timer := time.NewTimer(rand.N(delay))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return errors.Join(ctx.Err(), err)
		}
	}
}

func (s *Store) once(ctx context.Context, m mode, f func(*Tx) error) error {
	if !s.postgres {
		s.prepared.prepare(ctx, s.db)
		if m.writes {
			// SQLite has one writer at a time. Waiting here is fairer than its polling.
			select {
			case s.writer <- struct{}{}:
				defer func() { <-s.writer }()
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	sqlTx, err := s.db.BeginTx(ctx, m.options)
	if err != nil {
		return err
	}
	// In SQLite the first attempt locks when it writes. SQLite refuses the write if
	// another transaction wrote since this one read. The next attempt locks first.
	tx := &Tx{Tx: sqlTx, store: s, locks: m.writes, repeats: true, late: !m.first}
	defer tx.end()
	if m.first && !s.postgres {
		if err := tx.lockDatabase(ctx); err != nil {
			return err
		}
	}
	if err := f(tx); err != nil {
		return err
	}
	return sqlTx.Commit()
}

// prepared are the prepared statements of a store. A statement that is used for the
// first time runs unprepared, and is prepared before the next transaction begins: to
// prepare it within a transaction needs a second connection, and a pool may have one only.
type prepared struct {
	mu     sync.RWMutex
	byText map[string]*sql.Stmt // nil until the statement is prepared
	wanted []string
}

// get returns a prepared statement, or nil.
func (p *prepared) get(text []byte) *sql.Stmt {
	p.mu.RLock()
	stmt, known := p.byText[string(text)]
	p.mu.RUnlock()
	if !known {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.byText == nil {
			p.byText = map[string]*sql.Stmt{}
		}
		if _, known = p.byText[string(text)]; !known {
			p.byText[string(text)] = nil
			p.wanted = append(p.wanted, string(text))
		}
	}
	return stmt
}

// prepare prepares what get was asked for. A statement that cannot be prepared, because
// its table does not exist yet, runs unprepared and is tried again later.
func (p *prepared) prepare(ctx context.Context, db *sql.DB) {
	p.mu.RLock()
	n := len(p.wanted)
	p.mu.RUnlock()
	if n == 0 {
		return
	}
	p.mu.Lock()
	wanted := p.wanted
	p.wanted = nil
	p.mu.Unlock()
	for _, text := range wanted {
		stmt, err := db.PrepareContext(ctx, text)
		p.mu.Lock()
		switch {
		case err != nil:
			delete(p.byText, text)
		case p.byText == nil: // closed meanwhile
			_ = stmt.Close()
		default:
			p.byText[text] = stmt
		}
		p.mu.Unlock()
	}
}

func (p *prepared) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for _, stmt := range p.byText {
		if stmt != nil {
			errs = append(errs, stmt.Close())
		}
	}
	p.byText, p.wanted = nil, nil
	return errors.Join(errs...)
}

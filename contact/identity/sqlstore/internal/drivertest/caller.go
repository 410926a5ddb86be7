package drivertest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/contact/identity/internal/streams"
	"github.com/hailmark/hailmark/contact/identity/sqlstore"
	rows "github.com/hailmark/hailmark/contact/identity/store"
)

func seen(t *testing.T, at int64, bsuid, phone string) identity.Fact {
	f, err := identity.Seen(at, identity.Scope{}, contact.Person{IDs: contact.IDs{BSUID: bsuid, Phone: phone}})
	require.NoError(t, err)
	return f
}

// testCaller stores the caller's messages next to the people.
func (d Driver) testCaller(t *testing.T) {
	ctx := context.Background()
	store, db := d.NewStore(t)
	e := identity.NewEngine(store, identity.Config{})
	_, err := db.Exec("CREATE TABLE message (id INTEGER PRIMARY KEY, person VARCHAR(36) NOT NULL)")
	require.NoError(t, err)

	receive := func(joined rows.Tx, tx *sql.Tx, id int, f identity.Fact) error {
		sightings, changes, err := e.WithTx(joined).Observe(ctx, f)
		if err != nil {
			return err
		}
		for _, c := range changes {
			if c.Kind == identity.Merged {
				if _, err := tx.ExecContext(ctx, fmt.Sprintf("UPDATE message SET person = '%s' WHERE person = '%s'", c.To, c.From)); err != nil {
					return err
				}
			}
		}
		_, err = tx.ExecContext(ctx, fmt.Sprintf("INSERT INTO message VALUES (%d, '%s')", id, sightings[0].Person))
		return err
	}
	persons := func() (ids []string) {
		rows, err := db.Query("SELECT person FROM message ORDER BY id")
		require.NoError(t, err)
		defer rows.Close()
		for rows.Next() {
			var id string
			require.NoError(t, rows.Scan(&id))
			ids = append(ids, id)
		}
		require.NoError(t, rows.Err())
		return ids
	}
	transact := func(id int, f identity.Fact) {
		require.NoError(t, store.Transact(ctx, func(tx *sqlstore.Tx) error { return receive(tx, tx.Tx, id, f) }))
	}
	transact(1, seen(t, 1786000000, "", "16505550001"))
	transact(2, seen(t, 1786000001, "US.1", ""))
	before := persons()
	require.NotEqual(t, before[0], before[1])

	// The caller's error rolls the merge back.
	failed := errors.New("failed")
	merge := seen(t, 1786000002, "US.1", "16505550001")
	err = store.Transact(ctx, func(tx *sqlstore.Tx) error {
		require.NoError(t, receive(tx, tx.Tx, 3, merge))
		return failed
	})
	require.ErrorIs(t, err, failed)
	require.Equal(t, before, persons())
	id, found, err := e.Find(ctx, mustAlias(identity.KindBSUID, "US.1"))
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, before[1], id.String())

	// A transaction that the caller began.
	tx, err := db.BeginTx(ctx, nil)
	require.NoError(t, err)
	require.NoError(t, receive(sqlstore.SQL(store, tx), tx, 3, merge))
	require.NoError(t, tx.Commit())
	require.Equal(t, []string{before[0], before[0], before[0]}, persons())
	streams.Expect(t, store, []identity.Fact{
		seen(t, 1786000000, "", "16505550001"), seen(t, 1786000001, "US.1", ""), merge,
	})

	// A Tx that a caller kept.
	var kept *sqlstore.Tx
	require.NoError(t, store.Transact(ctx, func(tx *sqlstore.Tx) error { kept = tx; return nil }))
	_, _, err = e.WithTx(kept).Observe(ctx, merge)
	require.ErrorContains(t, err, "has ended")
	require.ErrorContains(t, store.View(ctx, func(tx rows.Tx) error {
		_, _, err := e.WithTx(tx).Observe(ctx, seen(t, 1786000003, "US.9", ""))
		return err
	}), "can't write; use Update")

	if !d.isSQLite() {
		tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
		require.NoError(t, err)
		defer func() { require.NoError(t, tx.Rollback()) }()
		_, _, err = e.WithTx(sqlstore.SQL(store, tx)).Observe(ctx, merge)
		require.ErrorContains(t, err, "begin it with sql.LevelReadCommitted")
	}
}

// testForget forgets one of two people without a common number.
func (d Driver) testForget(t *testing.T) {
	ctx := context.Background()
	store, db := d.NewStore(t)
	e := identity.NewEngine(store, identity.Config{})
	other := seen(t, 1786000001, "US.2", "16505550002")
	sightings, _, err := e.Observe(ctx, seen(t, 1786000000, "US.1", "16505550001"), other)
	require.NoError(t, err)
	gone, _, err := e.Forget(ctx, sightings[0].Person)
	require.NoError(t, err)
	require.NotEmpty(t, gone)
	for table, want := range map[string]int{"fact": 1, "entry": 2, "holding": 2, "person": 1} {
		require.Equal(t, want, count(t, db, "hailmark_"+table), table)
	}
	streams.Expect(t, store, []identity.Fact{other})
}

// testForeignKey inserts caller rows that refer to people who share a number. When one
// of them is forgotten, only their rows are deleted, or block that.
func (d Driver) testForeignKey(t *testing.T) {
	ctx := context.Background()
	store, db := d.NewStore(t)
	id := "UUID"
	if d.isSQLite() {
		id = "TEXT"
		db.SetMaxOpenConns(1) // the setting is one of the connection
		_, err := db.Exec("PRAGMA foreign_keys = ON")
		require.NoError(t, err)
	}
	for table, action := range map[string]string{"note": "ON DELETE CASCADE", "bill": ""} {
		_, err := db.Exec("CREATE TABLE " + table + " (person " + id + " NOT NULL REFERENCES hailmark_person (id) " + action + ")")
		require.NoError(t, err)
	}
	e := identity.NewEngine(store, identity.Config{})
	sightings, _, err := e.Observe(ctx, seen(t, 1786000000, "", "16505550001"))
	require.NoError(t, err)
	jane := sightings[0].Person
	insert := func(table string, person identity.PersonID) {
		_, err := db.Exec("INSERT INTO " + table + " VALUES ('" + person.String() + "')")
		require.NoError(t, err)
	}
	insert("note", jane)
	sightings, _, err = e.Observe(ctx, seen(t, 1786000001, "US.1", "16505550001"), seen(t, 1786000002, "US.2", "16505550001"))
	require.NoError(t, err)
	require.Equal(t, jane, sightings[0].Person)
	joe := sightings[1].Person
	insert("note", joe)
	insert("bill", joe)
	gone, _, err := e.Forget(ctx, jane)
	require.NoError(t, err)
	require.Equal(t, []identity.PersonID{jane}, gone)
	require.Equal(t, 1, count(t, db, "note"), "Joe keeps his")
	_, found, err := e.Person(ctx, joe)
	require.NoError(t, err)
	require.True(t, found)

	_, _, err = e.Forget(ctx, joe)
	require.Error(t, err)
	require.Regexp(t, "(?i)foreign key", err.Error(), "the caller keeps a bill of Joe")
	_, err = db.Exec("DELETE FROM bill")
	require.NoError(t, err)
	_, _, err = e.Forget(ctx, joe)
	require.NoError(t, err)
	require.Equal(t, 0, count(t, db, "note"))
}

// testManyLocks locks more aliases than a server's lock table can contain.
func (d Driver) testManyLocks(t *testing.T) {
	if d.isSQLite() {
		t.Skip("SQLite has one lock")
	}
	ctx := context.Background()
	store, db := d.NewStore(t)
	aliases := make([]string, 30_000)
	for i := range aliases {
		aliases[i] = mustAlias(identity.KindBSUID, fmt.Sprintf("US.%05d", i)).String()
	}
	require.NoError(t, store.Update(ctx, func(tx rows.Tx) error {
		if _, err := tx.Lock(ctx, aliases); err != nil {
			return err
		}
		require.LessOrEqual(t, count(t, db, "pg_locks WHERE locktype = 'advisory'"), 512)
		return nil
	}))
}

func count(t *testing.T, db *sql.DB, table string) (n int) {
	require.NoError(t, db.QueryRow("SELECT count(*) FROM "+table).Scan(&n))
	return n
}

// testShared merges and forgets people who share two numbers.
func (d Driver) testShared(t *testing.T) {
	ctx := context.Background()
	store, db := d.NewStore(t)
	e := identity.NewEngine(store, identity.Config{})
	bsuid := func(i int) identity.Alias {
		return mustAlias(identity.KindBSUID, fmt.Sprintf("US.%d", i))
	}
	var facts []identity.Fact
	for i := range 70 {
		facts = append(facts, seen(t, 1786000000+int64(i), fmt.Sprintf("US.%d", i), fmt.Sprintf("1650555000%d", i%2)))
	}
	joined, err := identity.Joined(1786001000, identity.Sighting{Alias: bsuid(0)}, identity.Sighting{Alias: bsuid(69)})
	require.NoError(t, err)
	facts = append(facts, joined)
	for _, f := range facts {
		_, _, err := e.Observe(ctx, f)
		require.NoError(t, err)
	}
	streams.Expect(t, store, facts)

	ids := map[identity.PersonID]bool{}
	for i := range 70 {
		id, found, err := e.Find(ctx, bsuid(i))
		require.NoError(t, err)
		require.True(t, found)
		ids[id] = true
	}
	require.Len(t, ids, 69)
	for id := range ids {
		gone, _, err := e.Forget(ctx, id)
		require.NoError(t, err)
		require.NotEmpty(t, gone)
	}
	for _, table := range []string{"holding", "person", "fact WHERE key NOT LIKE 'handed_over%'"} {
		require.Zero(t, count(t, db, "hailmark_"+table), table)
	}
}

// testReplay observes a day's facts twice. The second time writes nothing.
func (d Driver) testReplay(t *testing.T) {
	ctx := context.Background()
	store, db := d.NewStore(t)
	db.SetMaxOpenConns(1) // SQLite counts per connection, and Postgres counts after a connection is idle
	e := identity.NewEngine(store, identity.Config{})
	var facts []identity.Fact
	for i := range 20 {
		scope := identity.Scope{Portfolio: fmt.Sprint(i), Group: fmt.Sprint(i)}
		facts = append(facts, streams.Facts(uint64(i), scope, 25)...)
	}
	for chunk := range slices.Chunk(facts, 7) {
		_, _, err := e.Observe(ctx, chunk...)
		require.NoError(t, err)
	}
	before := d.written(t, db)
	require.Greater(t, before, int64(500))
	for chunk := range slices.Chunk(facts, 7) {
		_, changes, err := e.Observe(ctx, chunk...)
		require.NoError(t, err)
		require.Empty(t, changes)
	}
	require.Equal(t, before, d.written(t, db))
}

// written returns how many rows the database's only connection wrote.
func (d Driver) written(t *testing.T, db *sql.DB) (n int64) {
	query := "SELECT total_changes()"
	if !d.isSQLite() {
		_, err := db.Exec("SELECT pg_stat_force_next_flush()")
		require.NoError(t, err)
		query = "SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_user_tables"
	}
	require.NoError(t, db.QueryRow(query).Scan(&n))
	return n
}

// testOneConnection uses a single connection, as is usual for SQLite.
func (d Driver) testOneConnection(t *testing.T) {
	store, db := d.NewStore(t)
	db.SetMaxOpenConns(1)
	streams.Test(t, store, 0, 10)
}

// testMigrate migrates several times at once, next to tables with another prefix, and
// runs the files as another tool does.
func (d Driver) testMigrate(t *testing.T) {
	ctx := context.Background()
	dsn := d.NewDatabase(t)
	config := sqlstore.Config{Prefix: "other_"}
	errs := make([]error, 8)
	var done sync.WaitGroup
	for i := range errs {
		done.Go(func() {
			store, err := d.New(d.Open(t, dsn), config)
			if err == nil {
				err = store.Migrate(ctx)
			}
			errs[i] = err
		})
	}
	done.Wait()
	require.NoError(t, errors.Join(errs...))

	// A store that was used too early works once its tables exist.
	config.Prefix = "late_"
	late, err := d.New(d.Open(t, dsn), config)
	require.NoError(t, err)
	for range 2 {
		_, _, err = identity.NewEngine(late, identity.Config{}).Observe(ctx, seen(t, 1786000000, "US.1", ""))
		require.ErrorContains(t, err, "late_")
	}
	require.NoError(t, late.Migrate(ctx))
	streams.Test(t, late, 0, 3)

	// A program that doesn't know the tables' version refuses them, whether or not it migrates.
	_, err = d.Open(t, dsn).Exec("INSERT INTO late_migration (number) VALUES (7)")
	require.NoError(t, err)
	config.Prefix = "late_"
	older, err := d.New(d.Open(t, dsn), config)
	require.NoError(t, err)
	require.ErrorContains(t, older.Migrate(ctx), "version 7")
	_, _, err = identity.NewEngine(older, identity.Config{}).Observe(ctx, seen(t, 1786000000, "US.1", ""))
	require.ErrorContains(t, err, "version 7")

	config.Prefix = ""
	db := d.Open(t, dsn)
	plain, err := d.New(db, config)
	require.NoError(t, err)
	files, err := plain.Migrations()
	require.NoError(t, err)
	require.NoError(t, fstest.TestFS(files, "0001_people.up.sql"))
	names, err := fs.Glob(files, "*.sql")
	require.NoError(t, err)
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		require.NoError(t, err)
		_, err = db.Exec(string(text))
		require.NoError(t, err)
	}
	for _, prefix := range []string{"", "other_"} {
		config.Prefix = prefix
		store, err := d.New(db, config)
		require.NoError(t, err)
		require.NoError(t, store.Migrate(ctx), "after another tool")
		streams.Test(t, store, 0, 3)
	}
}

func mustAlias(kind identity.Kind, value string) identity.Alias {
	a, err := identity.NewAlias(kind, "", value)
	if err != nil {
		panic(err)
	}
	return a
}

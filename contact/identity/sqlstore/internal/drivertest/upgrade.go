package drivertest

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/contact/identity/internal/streams"
	"github.com/hailmark/hailmark/contact/identity/sqlstore"
)

// The facts of 12 streams, and the rows that the code of version 1 stored for them. A line of rows
// contains a table, and its columns' values.
var (
	//go:embed testdata/version1.facts.jsonl
	version1Facts []byte
	//go:embed testdata/version1.rows.jsonl
	version1Rows []byte
)

// eachLine decodes lines of JSON.
func eachLine[T any](t *testing.T, text []byte, f func(T)) {
	for line := range bytes.Lines(text) {
		var value T
		require.NoError(t, json.Unmarshal(line, &value))
		f(value)
	}
}

// insertVersion1 inserts rows of version 1 into its tables. It returns the people's IDs.
func insertVersion1(t *testing.T, db *sql.DB) (people []string) {
	quote := func(values []string) string {
		for i, value := range values {
			values[i] = "'" + strings.ReplaceAll(value, "'", "''") + "'"
		}
		return strings.Join(values, ", ")
	}
	columns := map[string]string{
		"fact": "id, key, value", "entry": "alias, fact, seen",
		"holding": "alias, since_at, person, until_at, is_current", "person": "id, anchor, anchor_at",
	}
	var persons [][]string
	eachLine(t, version1Rows, func(row []string) {
		if row[0] == "person" {
			persons = append(persons, row)
			return
		}
		_, err := db.Exec("INSERT INTO hailmark_" + row[0] + " (" + columns[row[0]] + ") VALUES (" + quote(row[1:]) + ")")
		require.NoError(t, err)
	})
	slices.SortFunc(persons, func(a, b []string) int { // born is a number that the database counts
		return slices.Compare([]string{fmt.Sprintf("%9s", a[2])}, []string{fmt.Sprintf("%9s", b[2])})
	})
	for _, row := range persons {
		people = append(people, row[1])
		_, err := db.Exec("INSERT INTO hailmark_person (" + columns["person"] + ") VALUES (" + quote([]string{row[1], row[3], row[4]}) + ")")
		require.NoError(t, err)
	}
	return people
}

// testUpgrade upgrades rows that version 1 stored. Before, this version stores nothing. Afterwards, the
// people are those of the facts, and each ID that version 1 returned leads to one.
func (d Driver) testUpgrade(t *testing.T) {
	ctx := context.Background()
	db := d.Open(t, d.NewDatabase(t))
	store, err := d.New(db, sqlstore.Config{})
	require.NoError(t, err)
	files, err := store.Migrations()
	require.NoError(t, err)
	text, err := fs.ReadFile(files, "0001_people.up.sql")
	require.NoError(t, err)
	_, err = db.Exec(string(text))
	require.NoError(t, err)
	people := insertVersion1(t, db)
	var facts []identity.Fact
	eachLine(t, version1Facts, func(f identity.Fact) { facts = append(facts, f) })

	e := identity.NewEngine(store, identity.Config{})
	_, _, err = e.Observe(ctx, facts[0])
	require.ErrorContains(t, err, "call Store.Migrate")
	require.NoError(t, store.Migrate(ctx))
	for next := int64(0); ; {
		next, _, err = e.Recompute(ctx, next)
		require.NoError(t, err)
		if next == 0 {
			break
		}
	}
	streams.Expect(t, store, facts)
	require.Len(t, people, 28)
	for _, text := range people {
		var id identity.PersonID
		require.NoError(t, id.UnmarshalText([]byte(text)))
		_, found, err := e.Person(ctx, id)
		require.NoError(t, err)
		require.True(t, found, id)
	}
	for _, f := range facts { // WhatsApp sends webhooks again
		_, _, err = e.Observe(ctx, f)
		require.NoError(t, err)
	}
	streams.Expect(t, store, facts)
	streams.Test(t, store, 20, 10)
}

// olderPhase makes a writer process one that observes facts until the tables have another version.
const olderPhase = "older"

// olderFacts returns what an older process observes. It stops long before the end.
func olderFacts() (facts []identity.Fact) {
	for i := range 2000 {
		scope := identity.Scope{Portfolio: fmt.Sprint("older ", i), Group: fmt.Sprint("older ", i)}
		facts = append(facts, streams.Facts(uint64(i), scope, 10)...)
	}
	return facts
}

// writeUntilMigrated observes facts, prints the number of each that is stored, and returns when the
// tables have version 3.
func (d Driver) writeUntilMigrated(dsn, _ string) error {
	store, closeStore, err := d.openStore(dsn)
	if err != nil {
		return err
	}
	defer closeStore()
	e := identity.NewEngine(store, identity.Config{})
	for i, f := range olderFacts() {
		_, _, err := e.Observe(context.Background(), f)
		switch {
		case err == nil:
			fmt.Fprintln(os.Stdout, i)
		case strings.Contains(err.Error(), "version 3"):
			return nil
		default:
			return err
		}
	}
	return errors.New("nobody has migrated")
}

// tables are all that contain what an engine writes.
var tables = []string{"fact", "entry", "holding", "person", "doubtful"}

// dump returns all rows, as texts.
func (d Driver) dump(t *testing.T, db interface {
	Query(query string, args ...any) (*sql.Rows, error)
},
) (all []string) {
	for _, table := range tables {
		result, err := db.Query("SELECT * FROM hailmark_" + table)
		require.NoError(t, err)
		columns, err := result.Columns()
		require.NoError(t, err)
		for result.Next() {
			values, to := make([]any, len(columns)), make([]any, len(columns))
			for i := range values {
				to[i] = &values[i]
			}
			require.NoError(t, result.Scan(to...))
			all = append(all, fmt.Sprintf("%s %q", table, values))
		}
		require.NoError(t, result.Err())
		require.NoError(t, result.Close())
	}
	slices.Sort(all)
	return all
}

// TestRollingUpgrade lets two processes write while a newer program migrates. From then on, neither
// writes, both return an error for what they're given, and what they had reported as stored is there.
// The package must call Main.
func (d Driver) TestRollingUpgrade(t *testing.T) {
	ctx := context.Background()
	dsn := d.NewDatabase(t)
	db := d.Open(t, dsn)
	store, err := d.New(db, sqlstore.Config{})
	require.NoError(t, err)
	require.NoError(t, store.Migrate(ctx))
	const processes, enough = 2, 30 // facts before the migration
	stored := map[int]bool{}
	lines := make(chan int)
	ended := make(chan error)
	for range processes {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), writerDSN+"="+dsn, writerPhase+"="+olderPhase)
		c.Stderr = os.Stderr
		out, err := c.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, c.Start())
		go func() {
			for s := bufio.NewScanner(out); s.Scan(); {
				var i int
				if _, err := fmt.Sscan(s.Text(), &i); err == nil {
					lines <- i
				}
			}
			ended <- c.Wait()
		}()
	}
	migrated := make(chan []string, 1)
	for n, left := 0, processes; left > 0; {
		select {
		case i := <-lines:
			stored[i] = true
			if n++; n == enough {
				go func() { migrated <- d.migrateTo3(t, db) }()
			}
		case err := <-ended:
			require.NoError(t, err)
			left--
		}
	}
	require.Equal(t, <-migrated, d.dump(t, db), "the older processes wrote after the migration")

	// The migration's only change is the number, so without it, this program is the newer one.
	_, err = db.Exec("DELETE FROM hailmark_migration WHERE number = 3")
	require.NoError(t, err)
	all := olderFacts()
	last := 0
	for i := range stored {
		last = max(last, i)
	}
	require.Less(t, last, len(all)-1)
	e := identity.NewEngine(store, identity.Config{})
	for i, f := range all[:last+10] { // what had an error is delivered again
		before := d.dump(t, db)
		_, _, err := e.Observe(ctx, f)
		require.NoError(t, err)
		if stored[i] { // what is known writes nothing
			require.Equal(t, before, d.dump(t, db), "fact %d was lost", i)
		}
	}
	streams.Expect(t, store, all[:last+10])
}

// migrateTo3 is a newer program's migration, and returns the rows at its end. Like the files of
// migrations, it waits for transactions that write, and lets no other begin.
func (d Driver) migrateTo3(t *testing.T, db *sql.DB) []string {
	tx, err := db.Begin()
	require.NoError(t, err)
	lock := "LOCK TABLE hailmark_migration IN ACCESS EXCLUSIVE MODE"
	if d.isSQLite() {
		lock = "DELETE FROM hailmark_migration WHERE number < 0"
	}
	_, err = tx.Exec(lock)
	require.NoError(t, err)
	rows := d.dump(t, tx)
	_, err = tx.Exec("INSERT INTO hailmark_migration (number) VALUES (3)")
	require.NoError(t, err)
	require.NoError(t, tx.Commit())
	return rows
}

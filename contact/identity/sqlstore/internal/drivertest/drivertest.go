// Package drivertest tests sqlstore with drivers of SQLite and Postgres. There is one
// folder for each driver. The package is in another module than sqlstore, so that users of
// sqlstore download only the driver that they import.
package drivertest

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact/identity/internal/storetest"
	"github.com/hailmark/hailmark/contact/identity/internal/streams"
	"github.com/hailmark/hailmark/contact/identity/sqlstore"
	rows "github.com/hailmark/hailmark/contact/identity/store"
)

// A Driver is a driver with its database.
type Driver struct {
	Name string // as registered with database/sql
	New  func(*sql.DB, sqlstore.Config) (*sqlstore.Store, error)

	// DSN returns a SQLite file's data source name. It's nil for Postgres.
	DSN func(file string) string
}

func (d Driver) isSQLite() bool { return d.DSN != nil }

// Synchronous is how SQLite waits for the disk: SQLSTORE_SYNCHRONOUS or NORMAL.
func Synchronous() string {
	return cmp.Or(os.Getenv("SQLSTORE_SYNCHRONOUS"), "NORMAL")
}

// Open opens a database that NewDatabase made.
func (d Driver) Open(t testing.TB, dsn string) *sql.DB {
	db, err := sql.Open(d.Name, dsn)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// NewDatabase makes an empty database and returns its data source name.
func (d Driver) NewDatabase(t testing.TB) string {
	if d.isSQLite() {
		return d.DSN(filepath.Join(t.TempDir(), "people.db"))
	}
	server := startServer(t)
	admin := d.Open(t, dsn(server, "postgres"))
	name := fmt.Sprintf("test%d", rand.Uint64())
	_, err := admin.Exec("CREATE DATABASE " + name)
	require.NoError(t, err)
	return dsn(server, name)
}

// NewStore returns a store in an empty database, and the database.
func (d Driver) NewStore(t testing.TB) (*sqlstore.Store, *sql.DB) {
	db := d.Open(t, d.NewDatabase(t))
	store, err := d.New(db, sqlstore.Config{})
	require.NoError(t, err)
	require.NoError(t, store.Migrate(context.Background()))
	return store, db
}

// Main runs a package's tests. The writer processes of TestCrash and
// TestRollingUpgrade are the same program with the driver d.
func Main(m *testing.M, d Driver) {
	if dsn := os.Getenv(writerDSN); dsn != "" {
		write := d.writeFacts
		if os.Getenv(writerPhase) == olderPhase {
			write = d.writeUntilMigrated
		}
		if err := write(dsn, os.Getenv(writerPhase)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	status := m.Run()
	if err := stopServer(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(status)
}

// openStore opens a store with its tables.
func (d Driver) openStore(dsn string) (store *sqlstore.Store, closeStore func(), err error) {
	db, err := sql.Open(d.Name, dsn)
	if err != nil {
		return nil, nil, err
	}
	store, err = d.New(db, sqlstore.Config{})
	if err != nil {
		return nil, nil, err
	}
	return store, func() { _ = db.Close() }, nil
}

// Test runs all driver tests except TestCrash and TestRollingUpgrade.
func (d Driver) Test(t *testing.T) {
	t.Run("store", func(t *testing.T) {
		storetest.TestStore(t, func(t *testing.T) rows.Store {
			store, _ := d.NewStore(t)
			return store
		})
	})
	t.Run("streams", d.testStreams)
	t.Run("caller", d.testCaller)
	t.Run("forget", d.testForget)
	t.Run("foreign key", d.testForeignKey)
	t.Run("many locks", d.testManyLocks)
	t.Run("shared", d.testShared)
	t.Run("replay", d.testReplay)
	t.Run("one connection", d.testOneConnection)
	t.Run("support", d.testSupport)
	t.Run("migrate", d.testMigrate)
	t.Run("upgrade", d.testUpgrade)
}

// testStreams tests random streams: SQLSTORE_STREAMS or 20.
func (d Driver) testStreams(t *testing.T) {
	n := 20
	if text := os.Getenv("SQLSTORE_STREAMS"); text != "" {
		var err error
		n, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	store, _ := d.NewStore(t)
	streams.Test(t, store, 20, n)
}

package sqlstore

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestConfig(t *testing.T) {
	for _, c := range []Config{
		{},
		{Dialect: Postgres + 1},
		{Dialect: SQLite, Prefix: "1a"},
		{Dialect: SQLite, Prefix: "A"},
		{Dialect: SQLite, Prefix: "schema.a"},
		{Dialect: SQLite, Prefix: "a'"},
		{Dialect: SQLite, Schema: "a"},
		{Dialect: Postgres, Schema: "a.b"},
		{Dialect: SQLite, Prefix: strings.Repeat("a", 33)},
	} {
		_, err := New(nil, c)
		require.Error(t, err, c)
		_, err = Migrations(c)
		require.Error(t, err, c)
	}
	for _, prefix := range []string{"", "_", "a1_", strings.Repeat("a", 32)} {
		_, err := New(nil, Config{Dialect: Postgres, Prefix: prefix})
		require.NoError(t, err, prefix)
	}
}

// Every name in a migration has the prefix, and both dialects have the same tables.
func TestMigrations(t *testing.T) {
	var names [2][]string
	for i, dialect := range []Dialect{SQLite, Postgres} {
		files, err := Migrations(Config{Dialect: dialect, Prefix: "other_"})
		require.NoError(t, err)
		require.NoError(t, fstest.TestFS(files, "0001_people.up.sql"))
		names[i], err = fs.Glob(files, "*.sql")
		require.NoError(t, err)
		for _, name := range names[i] {
			text, err := fs.ReadFile(files, name)
			require.NoError(t, err)
			require.NotContains(t, string(text), defaultPrefix)
			for _, table := range []string{"fact", "entry", "holding", "person"} {
				require.Contains(t, string(text), "CREATE TABLE other_"+table+" (")
			}
		}
	}
	require.Equal(t, names[0], names[1])
}

type stateError string

func (e stateError) Error() string    { return "ERROR" }
func (e stateError) SQLState() string { return string(e) }

func TestRepeatable(t *testing.T) {
	lite, err := New(nil, Config{Dialect: SQLite})
	require.NoError(t, err)
	pg, err := New(nil, Config{Dialect: Postgres})
	require.NoError(t, err)
	require.False(t, lite.Repeatable(nil))
	require.False(t, pg.Repeatable(nil))
	require.True(t, pg.Repeatable(fmt.Errorf("commit: %w", stateError("40001"))))
	require.True(t, pg.Repeatable(stateError("40P01")))
	require.False(t, pg.Repeatable(stateError("23505")), "a unique violation is one of the caller's tables")
	require.False(t, pg.Repeatable(errors.New("database is locked")))
	require.True(t, lite.Repeatable(errors.New("database is locked (5) (SQLITE_BUSY)")))
	require.True(t, lite.Repeatable(errors.New("sqlite3: database is locked")))
	require.False(t, lite.Repeatable(errors.New("database table is locked (6) (SQLITE_LOCKED)")), "it would be locked again")
	require.False(t, lite.Repeatable(stateError("40001")))
}

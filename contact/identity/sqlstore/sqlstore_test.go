package sqlstore

import (
	"database/sql"
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
		{Prefix: "1a"}, {Prefix: "A"}, {Prefix: "schema.a"}, {Prefix: "a'"}, {Schema: "a.b"}, {Prefix: strings.Repeat("a", 33)},
	} {
		_, err := NewSQLite(nil, c)
		require.Error(t, err, c)
		_, err = NewPostgres(nil, c)
		require.Error(t, err, c)
	}
	_, err := NewSQLite(nil, Config{Schema: "a"})
	require.Error(t, err)
	for _, prefix := range []string{"", "_", "a1_", strings.Repeat("a", 32)} {
		_, err := NewPostgres(nil, Config{Prefix: prefix, Schema: "a"})
		require.NoError(t, err, prefix)
	}
}

// Every name in a migration has the prefix, and both dialects have the same tables.
func TestMigrations(t *testing.T) {
	var names [2][]string
	for i, open := range []func(*sql.DB, Config) (*Store, error){NewSQLite, NewPostgres} {
		store, err := open(nil, Config{Prefix: "other_"})
		require.NoError(t, err)
		files, err := store.Migrations()
		require.NoError(t, err)
		require.NoError(t, fstest.TestFS(files, "0001_people.up.sql", "0002_rules.up.sql"))
		names[i], err = fs.Glob(files, "*.sql")
		require.NoError(t, err)
		all := ""
		for _, name := range names[i] {
			text, err := fs.ReadFile(files, name)
			require.NoError(t, err)
			all += string(text)
			if i == 1 && name != names[i][0] {
				require.Contains(t, string(text), "LOCK TABLE other_migration IN ACCESS EXCLUSIVE MODE;", "%s must wait for older programs", name)
			}
		}
		require.NotContains(t, all, defaultPrefix)
		for _, table := range []string{"fact", "entry", "holding", "person", "doubtful"} {
			require.Contains(t, all, "CREATE TABLE other_"+table+" (")
		}
	}
	require.Equal(t, names[0], names[1])
}

type stateError string

func (e stateError) Error() string    { return "ERROR" }
func (e stateError) SQLState() string { return string(e) }

func TestRepeatable(t *testing.T) {
	lite, err := NewSQLite(nil, Config{})
	require.NoError(t, err)
	pg, err := NewPostgres(nil, Config{})
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

//go:build drivers

package postgres

import (
	"testing"

	native "github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "github.com/lib/pq"
	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/contact/identity/identitytest"
	"github.com/hailmark/hailmark/contact/identity/sqlstore"
	"github.com/hailmark/hailmark/contact/identity/sqlstore/internal/drivertest"
	"github.com/hailmark/hailmark/internal/testenv"
)

var (
	pgx = drivertest.Driver{Name: "pgx", Dialect: sqlstore.Postgres}
	pq  = drivertest.Driver{Name: "postgres", Dialect: sqlstore.Postgres}
)

// The drivers share one server.
func TestMain(m *testing.M) { drivertest.Main(m, pgx) }

func TestPgx(t *testing.T) {
	testenv.Slow(t)
	pgx.Test(t)
	t.Run("crash", pgx.TestCrash)
}

func TestPq(t *testing.T) {
	testenv.Slow(t)
	pq.Test(t)
}

// A transaction of pgx itself, with tables in a schema.
func TestNative(t *testing.T) {
	testenv.Slow(t)
	ctx := t.Context()
	dsn := pgx.New(t)
	db := pgx.Open(t, dsn)
	_, err := db.Exec("CREATE SCHEMA people")
	require.NoError(t, err)
	store, err := sqlstore.New(db, sqlstore.Config{Dialect: sqlstore.Postgres, Schema: "people", Prefix: "p_"})
	require.NoError(t, err)
	require.NoError(t, store.Migrate(ctx))
	conn, err := native.Connect(ctx, dsn)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(ctx)) }()
	e := identity.NewEngine(store, identity.Config{})
	facts := identitytest.RandomFacts(1, identity.Scope{}, 40)
	for _, f := range facts {
		tx, err := conn.Begin(ctx)
		require.NoError(t, err)
		_, _, err = e.WithTx(store.Join(sqlstore.PGX(tx))).Observe(ctx, f)
		require.NoError(t, err)
		require.NoError(t, tx.Commit(ctx))
	}
	identitytest.Expect(t, store, facts)
	var n int
	require.NoError(t, db.QueryRow("SELECT count(*) FROM people.p_fact").Scan(&n))
	require.Positive(t, n)
}

func BenchmarkPgx(b *testing.B) { pgx.Benchmark(b) }

func BenchmarkPq(b *testing.B) { pq.Benchmark(b) }

//go:build drivers

package postgres

import (
	"fmt"
	"testing"

	native "github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "github.com/lib/pq"
	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/contact/identity/internal/streams"
	"github.com/hailmark/hailmark/contact/identity/sqlstore"
	"github.com/hailmark/hailmark/contact/identity/sqlstore/internal/drivertest"
	"github.com/hailmark/hailmark/internal/check/testenv"
)

var (
	pgx = drivertest.Driver{Name: "pgx", New: sqlstore.NewPostgres}
	pq  = drivertest.Driver{Name: "postgres", New: sqlstore.NewPostgres}
)

// The drivers share one server.
func TestMain(m *testing.M) { drivertest.Main(m, pgx) }

func TestPgx(t *testing.T) {
	testenv.Slow(t)
	pgx.Test(t)
	t.Run("crash", pgx.TestCrash)
	t.Run("rolling upgrade", pgx.TestRollingUpgrade)
}

func TestPq(t *testing.T) {
	testenv.Slow(t)
	pq.Test(t)
}

// A transaction of pgx itself, with tables in a schema, and the caller's messages in the table
// that sqlstore documents.
func TestNative(t *testing.T) {
	testenv.Slow(t)
	ctx := t.Context()
	dsn := pgx.NewDatabase(t)
	db := pgx.Open(t, dsn)
	_, err := db.Exec("CREATE SCHEMA people")
	require.NoError(t, err)
	store, err := sqlstore.NewPostgres(db, sqlstore.Config{Schema: "people", Prefix: "p_"})
	require.NoError(t, err)
	require.NoError(t, store.Migrate(ctx))
	conn, err := native.Connect(ctx, dsn)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(ctx)) }()
	e := identity.NewEngine(store, identity.Config{})
	_, err = conn.Exec(ctx, `CREATE TABLE message (id text PRIMARY KEY, person uuid, alias text COLLATE "C" NOT NULL, at bigint NOT NULL);
		CREATE INDEX ON message (alias, at)`)
	require.NoError(t, err)
	facts := streams.Facts(1, identity.Scope{}, 40)
	unknown, err := identity.HandedOver(1786000000, "", "16505559999")
	require.NoError(t, err)
	facts = append(facts, unknown)
	for i, f := range facts {
		require.NoError(t, native.BeginFunc(ctx, conn, func(tx native.Tx) error {
			sightings, changes, err := e.WithTx(sqlstore.PGX(store, tx)).Observe(ctx, f)
			require.NoError(t, err)
			for _, c := range changes {
				if c.Kind == identity.Moved {
					_, err := tx.Exec(ctx, "UPDATE message SET person = $1 WHERE alias = $2 AND at BETWEEN $3 AND $4",
						c.To.String(), c.Alias.String(), c.Since, c.Until)
					require.NoError(t, err)
				}
			}
			s := sightings[0]
			_, err = tx.Exec(ctx, "INSERT INTO message (id, person, alias, at) VALUES ($1, nullif($2, '')::uuid, $3, $4)",
				fmt.Sprint(i), s.Person.String(), s.Alias.String(), s.At)
			return err
		}))
	}
	streams.Expect(t, store, facts)
	var nobody bool
	require.NoError(t, conn.QueryRow(ctx, "SELECT person IS NULL FROM message ORDER BY id::int DESC LIMIT 1").Scan(&nobody))
	require.True(t, nobody)
	var n int
	require.NoError(t, db.QueryRow("SELECT count(*) FROM people.p_fact").Scan(&n))
	require.Positive(t, n)
}

// Load searches by index, whatever statistics a prepared statement's plan is based on.
func TestLoadPlan(t *testing.T) {
	testenv.Slow(t)
	ctx := t.Context()
	store, db := pgx.NewStore(t)
	for _, statistics := range []string{"SELECT", "ANALYZE"} { // none, and those for empty tables
		_, err := db.Exec(statistics)
		require.NoError(t, err)
		require.NoError(t, store.Transact(ctx, func(tx *sqlstore.Tx) error {
			scans := func() (n int) { // so far, also those of migrations
				require.NoError(t, tx.QueryRowContext(ctx, `SELECT sum(seq_scan) FROM pg_stat_xact_user_tables
					WHERE relname IN ('hailmark_fact', 'hailmark_entry', 'hailmark_holding', 'hailmark_person')`).Scan(&n))
				return n
			}
			before := scans()
			for i := range 20 { // the sixth run can use a generic plan
				_, err := tx.Load(ctx, []string{"a", "b"}, i%2 == 0, []string{"c"})
				require.NoError(t, err)
			}
			require.Equal(t, before, scans())
			var n int
			require.NoError(t, tx.QueryRowContext(ctx, "SELECT count(*) FROM hailmark_fact").Scan(&n))
			require.Less(t, before, scans(), "scans are counted")
			return nil
		}))
	}
}

func BenchmarkPgx(b *testing.B) { pgx.Benchmark(b) }

func BenchmarkPq(b *testing.B) { pq.Benchmark(b) }

//go:build drivers

package postgres

import (
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "github.com/lib/pq"

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

func BenchmarkPgx(b *testing.B) { pgx.Benchmark(b) }

func BenchmarkPq(b *testing.B) { pq.Benchmark(b) }

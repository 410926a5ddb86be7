package pgx

import (
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/hailmark/hailmark/contact/identity/sqlstore"
	"github.com/hailmark/hailmark/contact/identity/sqlstore/internal/drivertest"
)

var driver = drivertest.Driver{Name: "pgx", Dialect: sqlstore.Postgres}

func TestMain(m *testing.M) { driver.Main(m) }

func Test(t *testing.T) { driver.Test(t) }

func Benchmark(b *testing.B) { driver.Benchmark(b) }

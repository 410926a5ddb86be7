package pq

import (
	"testing"

	_ "github.com/lib/pq"

	"github.com/hailmark/hailmark/contact/identity/sqlstore"
	"github.com/hailmark/hailmark/contact/identity/sqlstore/internal/drivertest"
)

var driver = drivertest.Driver{Name: "postgres", Dialect: sqlstore.Postgres}

func TestMain(m *testing.M) { driver.Main(m) }

func Test(t *testing.T) { driver.Test(t) }

func Benchmark(b *testing.B) { driver.Benchmark(b) }

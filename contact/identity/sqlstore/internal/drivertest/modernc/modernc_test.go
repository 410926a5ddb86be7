package modernc

import (
	"testing"

	_ "modernc.org/sqlite"

	"github.com/hailmark/hailmark/contact/identity/sqlstore"
	"github.com/hailmark/hailmark/contact/identity/sqlstore/internal/drivertest"
	"github.com/hailmark/hailmark/internal/check/testenv"
)

var driver = drivertest.Driver{Name: "sqlite", New: sqlstore.NewSQLite, DSN: func(file string) string {
	return "file:" + file + "?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(" + drivertest.Synchronous() + ")"
}}

func TestMain(m *testing.M) { drivertest.Main(m, driver) }

func Test(t *testing.T) { driver.Test(t) }

func TestCrash(t *testing.T) {
	testenv.Slow(t)
	driver.TestCrash(t)
}

func TestRollingUpgrade(t *testing.T) { driver.TestRollingUpgrade(t) }

func Benchmark(b *testing.B) { driver.Benchmark(b) }

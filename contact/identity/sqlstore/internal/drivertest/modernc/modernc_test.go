package modernc

import (
	"testing"

	_ "modernc.org/sqlite"

	"github.com/hailmark/hailmark/contact/identity/sqlstore"
	"github.com/hailmark/hailmark/contact/identity/sqlstore/internal/drivertest"
)

var driver = drivertest.Driver{Name: "sqlite", Dialect: sqlstore.SQLite, DSN: func(file string) string {
	return "file:" + file + "?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(" + drivertest.Synchronous() + ")"
}}

func TestMain(m *testing.M) { driver.Main(m) }

func Test(t *testing.T) { driver.Test(t) }

func Benchmark(b *testing.B) { driver.Benchmark(b) }

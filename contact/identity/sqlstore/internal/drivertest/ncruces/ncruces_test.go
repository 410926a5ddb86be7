//go:build drivers

package ncruces

import (
	"testing"

	_ "github.com/ncruces/go-sqlite3/driver"

	"github.com/hailmark/hailmark/contact/identity/sqlstore"
	"github.com/hailmark/hailmark/contact/identity/sqlstore/internal/drivertest"
	"github.com/hailmark/hailmark/internal/check/testenv"
)

var driver = drivertest.Driver{Name: "sqlite3", New: sqlstore.NewSQLite, DSN: func(file string) string {
	return "file:" + file + "?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(" + drivertest.Synchronous() + ")"
}}

func Test(t *testing.T) {
	testenv.Slow(t)
	driver.Test(t)
}

func Benchmark(b *testing.B) { driver.Benchmark(b) }

package sqlstore_test

import (
	"fmt"
	"io/fs"
	"log"

	"github.com/hailmark/hailmark/contact/identity/sqlstore"
)

// The migrations as files, for a migration tool.
func ExampleMigrations() {
	files, err := sqlstore.Migrations(sqlstore.Config{Dialect: sqlstore.Postgres, Prefix: "people_"})
	if err != nil {
		log.Fatal(err)
	}
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(names)
	// Output: [0001_people.up.sql]
}

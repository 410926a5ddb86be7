package modernc

import (
	"context"
	"database/sql"
	"fmt"
	"log"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/contact/identity/sqlstore"
)

// Messages of the caller follow a merge in the same commit.
func Example() {
	ctx := context.Background()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // another connection has another database in memory
	store, err := sqlstore.NewSQLite(db, sqlstore.Config{})
	if err != nil {
		log.Fatal(err)
	}
	if err := store.Migrate(ctx); err != nil {
		log.Fatal(err)
	}
	if _, err := db.Exec("CREATE TABLE message (text TEXT, person TEXT, alias TEXT, at INTEGER)"); err != nil {
		log.Fatal(err)
	}
	engine := identity.NewEngine(store, identity.Config{})
	receive := func(text string, at int64, ids contact.IDs) error {
		fact, err := identity.Seen(at, identity.Scope{}, contact.Person{IDs: ids})
		if err != nil {
			return err
		}
		return store.Transact(ctx, func(tx *sqlstore.Tx) error {
			sightings, changes, err := engine.WithTx(tx).Observe(ctx, fact)
			if err != nil {
				return err
			}
			for _, c := range changes {
				if c.Kind == identity.Moved {
					_, err := tx.ExecContext(ctx, "UPDATE message SET person = ? WHERE alias = ? AND at BETWEEN ? AND ?",
						c.To.String(), c.Alias.String(), c.Since, c.Until)
					if err != nil {
						return err
					}
				}
			}
			sighting := sightings[0]
			_, err = tx.ExecContext(ctx, "INSERT INTO message VALUES (?, ?, ?, ?)",
				text, sighting.Person.String(), sighting.Alias.String(), sighting.At)
			return err
		})
	}
	for i, err := range []error{
		receive("by number", 1786000000, contact.IDs{Phone: "16505550001"}),
		receive("by BSUID", 1786000001, contact.IDs{BSUID: "US.1"}),
		receive("by both", 1786000002, contact.IDs{BSUID: "US.1", Phone: "16505550001"}),
	} {
		if err != nil {
			log.Fatal(i, err)
		}
	}
	var messages, persons int
	if err := db.QueryRow("SELECT count(*), count(DISTINCT person) FROM message").Scan(&messages, &persons); err != nil {
		log.Fatal(err)
	}
	fmt.Println(messages, "messages of", persons, "person")
	// Output: 3 messages of 1 person
}

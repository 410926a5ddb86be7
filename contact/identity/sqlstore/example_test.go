package sqlstore_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"io/fs"
	"log"
	"time"

	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/contact/identity/sqlstore"
	"github.com/hailmark/hailmark/webhooknorm"
)

// A handler stores a webhook's messages with their people in Postgres. The text of the zero PersonID
// is empty, which isn't a UUID, so it's stored as NULL. In SQLite, use the types TEXT and INTEGER,
// and ? instead of $1.
func ExampleStore_Transact() {
	const schema = `
		CREATE TABLE message (
			key    text PRIMARY KEY,          -- Event.Key
			person uuid,                      -- NULL if nobody is known
			alias  text COLLATE "C" NOT NULL, -- Sighting.Alias
			at     bigint NOT NULL,           -- Sighting.At, in Unix seconds
			raw    text NOT NULL              -- Event.Raw
		);
		CREATE INDEX message_alias ON message (alias, at);`
	db, err := sql.Open("pgx", "postgres://localhost/shop")
	if err != nil {
		return // this program doesn't import the driver
	}
	store, err := sqlstore.NewPostgres(db, sqlstore.Config{})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	if _, err := db.ExecContext(ctx, schema); err != nil {
		log.Fatal(err)
	}
	if err := store.Migrate(ctx); err != nil {
		log.Fatal(err)
	}
	engine := identity.NewEngine(store, identity.Config{})

	receive := func(ctx context.Context, body []byte) error {
		webhook, err := webhooknorm.Read(body)
		if err != nil {
			return err
		}
		return store.Transact(ctx, func(tx *sqlstore.Tx) error {
			sightings, changes, err := engine.WithTx(tx).ObserveWebhook(ctx, webhook, time.Now())
			if err != nil {
				return err
			}
			for _, c := range changes {
				if c.Kind != identity.Moved {
					continue
				}
				_, err := tx.ExecContext(ctx, "UPDATE message SET person = $1 WHERE alias = $2 AND at BETWEEN $3 AND $4",
					c.To.String(), c.Alias.String(), c.Since, c.Until)
				if err != nil {
					return err
				}
			}
			for i, s := range sightings {
				event := &webhook.Events[i]
				if event.Kind != webhooknorm.KindMessage || event.Type == "system" {
					continue // not written by a person
				}
				_, err := tx.ExecContext(ctx, `INSERT INTO message (key, person, alias, at, raw)
					VALUES ($1, nullif($2, '')::uuid, $3, $4, $5) ON CONFLICT DO NOTHING`,
					cmp.Or(event.Key(), rand.Text()), s.Person.String(), s.Alias.String(), s.At, string(event.Raw))
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := receive(ctx, []byte(`{"entry":[]}`)); err != nil {
		log.Fatal(err)
	}
}

// A person's data is deleted. Other people's messages can move, because facts about the person are gone.
func ExampleStore_Transact_forget() {
	db, err := sql.Open("pgx", "postgres://localhost/shop")
	if err != nil {
		return // this program doesn't import the driver
	}
	store, err := sqlstore.NewPostgres(db, sqlstore.Config{})
	if err != nil {
		log.Fatal(err)
	}
	engine := identity.NewEngine(store, identity.Config{})

	forget := func(ctx context.Context, id identity.PersonID) error {
		return store.Transact(ctx, func(tx *sqlstore.Tx) error {
			gone, changes, err := engine.WithTx(tx).Forget(ctx, id)
			if err != nil {
				return err
			}
			for _, id := range gone {
				if _, err := tx.ExecContext(ctx, "DELETE FROM message WHERE person = $1", id.String()); err != nil {
					return err
				}
			}
			for _, c := range changes {
				if c.Kind != identity.Moved {
					continue
				}
				_, err := tx.ExecContext(ctx, "UPDATE message SET person = $1 WHERE alias = $2 AND at BETWEEN $3 AND $4",
					c.To.String(), c.Alias.String(), c.Since, c.Until)
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	var id identity.PersonID
	if err := id.UnmarshalText([]byte("419aaa57-0061-4372-b292-8d2cf251c908")); err != nil {
		log.Fatal(err)
	}
	if err := forget(context.Background(), id); err != nil {
		log.Fatal(err)
	}
}

// The migrations as files, for a migration tool.
func ExampleStore_Migrations() {
	store, err := sqlstore.NewPostgres(nil, sqlstore.Config{Prefix: "people_"})
	if err != nil {
		log.Fatal(err)
	}
	files, err := store.Migrations()
	if err != nil {
		log.Fatal(err)
	}
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(names)
	// Output: [0001_people.up.sql 0002_rules.up.sql]
}

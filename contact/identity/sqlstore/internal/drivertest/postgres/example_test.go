//go:build drivers

package postgres

import (
	"context"
	"log"

	native "github.com/jackc/pgx/v5"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/contact/identity/sqlstore"
)

// The caller begins the transaction, and runs it again after a lost race.
func Example_native() {
	ctx := context.Background()
	conn, err := native.Connect(ctx, "postgres://localhost/shop")
	if err != nil {
		log.Fatal(err)
	}
	store, err := sqlstore.NewPostgres(nil, sqlstore.Config{Schema: "people"})
	if err != nil {
		log.Fatal(err)
	}
	engine := identity.NewEngine(store, identity.Config{})
	fact, err := identity.Seen(1_786_000_000, identity.Scope{}, contact.Person{IDs: contact.IDs{BSUID: "US.1"}})
	if err != nil {
		log.Fatal(err)
	}
	observe := func() error {
		return native.BeginFunc(ctx, conn, func(tx native.Tx) error {
			_, _, err := engine.WithTx(sqlstore.PGX(store, tx)).Observe(ctx, fact)
			return err
		})
	}
	err = observe()
	for store.Repeatable(err) {
		err = observe()
	}
	if err != nil {
		log.Fatal(err)
	}
}

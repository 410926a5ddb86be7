// Package sqlstore stores identity data in Postgres or SQLite:
//
//	db, err := sql.Open("pgx", "postgres://localhost/shop") // of github.com/jackc/pgx/v5/stdlib
//	store, err := sqlstore.NewPostgres(db, sqlstore.Config{})
//	err = store.Migrate(ctx)
//	engine := identity.NewEngine(store, identity.Config{})
//	sightings, changes, err := engine.ObserveWebhook(ctx, webhook, time.Now())
//
// The program must import a database/sql driver. The package is tested with
// github.com/jackc/pgx/v5 and github.com/lib/pq for Postgres, and with modernc.org/sqlite,
// github.com/ncruces/go-sqlite3 and github.com/mattn/go-sqlite3 for SQLite.
//
// # The caller's tables
//
// Store the person, alias and time of a sighting with each message. [Store.Transact] runs a
// function in a transaction that covers your tables, so that messages follow a change in the same
// commit. Its example shows a table for Postgres and a webhook handler.
//
// The person column can reference hailmark_person (id). A merge deletes no row of that table. Forget
// deletes a person's rows, so with ON DELETE CASCADE, their messages are deleted too.
//
// # The caller's transactions
//
// [SQL] and [PGX] support transactions that the caller begins with database/sql or pgx:
//
//	db := stdlib.OpenDBFromPool(pool) // for sqlstore.NewPostgres
//
//	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
//		engine := engine.WithTx(sqlstore.PGX(store, tx))
//		sightings, changes, err := engine.ObserveWebhook(ctx, webhook, time.Now())
//		// Update and insert messages with tx.
//		return err
//	})
//	if store.Repeatable(err) {
//		// Run it again.
//	}
//
// # Concurrency
//
// Several goroutines and processes can write about the same people at the same time. After a
// deadlock, serialization failure or lock error, a transaction is rolled back and run again until
// ctx ends, so pass a context with a deadline. Then the error is returned, joined with that of ctx.
// If the connection fails during a commit, the outcome is unknown; observe the facts again,
// because known facts write nothing.
//
// In Postgres, a transaction acquires advisory locks on the aliases involved. All aliases share
// 512 locks, so that a large call doesn't fill the server's lock table. SQLite supports only a
// single writer at a time.
//
// # SQLite
//
// SQLite 3.38 or later is required. Specify these settings in the data source name, for example
// for modernc.org/sqlite:
//
//	file:people.db?_pragma=journal_mode(WAL)&_pragma=busy_timeout(5000)&_pragma=synchronous(FULL)
//
// Without WAL, readers and writers wait for each other. busy_timeout makes SQLite wait for other
// processes, which is faster than running the transaction again. With synchronous FULL, no commit
// is lost. With NORMAL, a commit doesn't wait for the disk, so a webhook from a known person takes
// about a third of the time. However, a power failure can lose the last commits; it doesn't
// corrupt the file.
//
// # Postgres
//
// Postgres 12 or later and the encoding UTF8 are required. Tables are in Config.Schema, or
// otherwise in search_path's first schema. The driver decides whether to prepare statements. pgx
// does, unless it's configured for a connection pooler. lib/pq doesn't, so a call takes about
// twice as long.
//
// # Migrations
//
// [Store.Migrate] creates the tables, and a PL/pgSQL function in Postgres. [Store.Migrations] returns
// the same migrations as files for goose, golang-migrate and similar tools. Stores with different
// values of Config.Prefix can share a database.
//
// # Privacy
//
// Stores contain IDs, times, usernames, profile names and received phone numbers, which are
// personal data. [github.com/hailmark/hailmark/contact/identity.Engine.Forget] deletes a person's
// rows. However, copies can remain in free pages, the write-ahead log and backups. Errors don't
// contain row values.
package sqlstore

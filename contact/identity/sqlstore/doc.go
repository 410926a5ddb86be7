// Package sqlstore stores identity data in SQLite or Postgres:
//
//	db, err := sql.Open("sqlite", "file:people.db?_pragma=journal_mode(WAL)&_pragma=busy_timeout(5000)&_pragma=synchronous(FULL)")
//	store, err := sqlstore.New(db, sqlstore.Config{Dialect: sqlstore.SQLite})
//	err = store.Migrate(ctx)
//	engine := identity.NewEngine(store, identity.Config{})
//
//	sightings, changes, err := engine.ObserveWebhook(ctx, webhook, time.Now())
//
// It uses database/sql, and the program should import a driver. It's tested with
// modernc.org/sqlite, github.com/ncruces/go-sqlite3, github.com/mattn/go-sqlite3,
// github.com/jackc/pgx/v5 and github.com/lib/pq.
//
// # The caller's tables
//
// [Store.Transact] runs a function in a transaction that covers the caller's tables too, so
// that messages follow a change in the same commit:
//
//	err = store.Transact(ctx, func(tx *sqlstore.Tx) error {
//		sightings, changes, err := engine.WithTx(tx).ObserveWebhook(ctx, webhook, time.Now())
//		if err != nil {
//			return err
//		}
//		for _, c := range changes {
//			if c.Kind == identity.Moved {
//				_, err := tx.ExecContext(ctx, "UPDATE message SET person = ? WHERE alias = ? AND at BETWEEN ? AND ?",
//					c.To.String(), c.Alias.String(), c.Since, c.Until)
//				if err != nil {
//					return err
//				}
//			}
//		}
//		return insert(ctx, tx, webhook.Events, sightings)
//	})
//
// The function can run several times, so it must not affect anything outside the database.
// [Store.Join] supports transactions that the caller begins, for example with pgx:
//
//	sightings, changes, err := engine.WithTx(store.Join(sqlstore.PGX(tx))).ObserveWebhook(ctx, webhook, time.Now())
//
// # Concurrency
//
// Several goroutines and processes can write about the same people at the same time. If a
// transaction loses a race, it's rolled back and run again until ctx ends, so a context should
// specify a deadline. [identity.Engine.Observe] doesn't return deadlocks, serialization
// failures or lock errors. If the connection fails during a commit, the outcome is unknown;
// observe the facts again, because known facts write nothing.
//
// In Postgres, a transaction acquires advisory locks on the aliases involved. All aliases share
// 512 locks, so that a large call doesn't fill the server's lock table. SQLite supports only a
// single writer at a time.
//
// # SQLite
//
// SQLite 3.38 or later is required. Use journal_mode WAL; otherwise, readers and writers wait
// for each other. busy_timeout makes SQLite wait for other processes, which is faster than
// running the transaction again. With synchronous FULL, no commit is lost. With NORMAL, a power
// failure can lose the last commits but doesn't corrupt the file.
//
// # Postgres
//
// Postgres 12 or later and the encoding UTF8 are required. Tables are in Config.Schema, or
// otherwise in search_path's first schema. The driver decides whether to prepare statements. pgx
// does, and supports connection poolers that can't. lib/pq doesn't, so it requires twice as many
// round trips.
//
// # Migrations
//
// [Store.Migrate] creates the tables. [Migrations] returns the same migrations as files for
// goose, golang-migrate and similar tools. Stores with different prefixes can share a database.
//
// # Privacy
//
// Stores contain IDs, times, usernames, profile names and received phone numbers, which are
// personal data. [identity.Engine.Forget] deletes a person's rows. However, copies can remain in
// free pages, the write-ahead log and backups. Errors don't contain row values.
package sqlstore

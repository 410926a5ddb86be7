// Package sqlstore keeps the data of an identity engine in SQLite or Postgres:
//
//	db, err := sql.Open("sqlite", "file:people.db?_pragma=journal_mode(WAL)&_pragma=busy_timeout(5000)&_pragma=synchronous(FULL)")
//	store, err := sqlstore.New(db, sqlstore.Config{Dialect: sqlstore.SQLite})
//	err = store.Migrate(ctx)
//	engine := identity.NewEngine(store, identity.Config{})
//
//	result, err := engine.ObserveWebhook(ctx, webhook, time.Now())
//
// It uses database/sql and does not import a driver: the program does. It is tested with
// modernc.org/sqlite, github.com/ncruces/go-sqlite3 and github.com/mattn/go-sqlite3 for
// SQLite, and with github.com/jackc/pgx/v5 and github.com/lib/pq for Postgres.
//
// # The tables of the caller
//
// [Store.Transact] runs a function in a transaction that has the people and the tables
// of the caller, so that messages follow a change in the same commit:
//
//	err = store.Transact(ctx, func(tx *sqlstore.Tx) error {
//		result, err := engine.WithTx(tx).ObserveWebhook(ctx, webhook, time.Now())
//		if err != nil {
//			return err
//		}
//		for _, c := range result.Changes {
//			if c.Kind == identity.Moved {
//				_, err := tx.ExecContext(ctx, "UPDATE message SET person = ? WHERE alias = ? AND at BETWEEN ? AND ?",
//					c.To.String(), c.Alias.String(), c.Since, c.Until)
//				if err != nil {
//					return err
//				}
//			}
//		}
//		return insert(ctx, tx, webhook.Events, result.Sightings)
//	})
//
// The function may run several times: it must not have effects outside the database.
// [Store.Join] is for a transaction that the caller begins, also with pgx:
//
//	result, err := engine.WithTx(store.Join(sqlstore.PGX(tx))).ObserveWebhook(ctx, webhook, time.Now())
//
// # Writers at the same time
//
// Several goroutines and processes may write at the same time, also about the same
// people. A transaction that loses a race is rolled back and run again until ctx ends, so
// [identity.Engine.Observe] does not return deadlocks, serialization failures, violated
// unique constraints or a locked database. Pass a context with a deadline to limit the
// wait. If the connection fails during a commit, the result is unknown: observe the facts
// again. Facts that are known already write nothing.
//
// In Postgres a transaction takes advisory locks with [pg_advisory_xact_lock], on the
// aliases of the people whom its facts concern. These share 512 locks, so that a large call
// doesn't fill the lock table of the server. SQLite has one writer at a time.
//
// # What SQLite needs
//
// Version 3.38 or later. Use journal_mode WAL: without it, readers and writers wait for
// each other. busy_timeout makes SQLite wait for writers of other processes, which is
// faster than running the transaction again. With synchronous NORMAL, a power failure can
// lose the last commits but does not corrupt the file; with FULL, no commit is lost.
//
// # What Postgres needs
//
// Version 12 or later and the encoding UTF8. Tables are in Config.Schema, or
// in the first schema of search_path. Statements are sent as text, so that the driver decides whether to prepare
// them: pgx does, and has a mode for connection poolers that cannot. lib/pq does not, and
// needs twice as many round trips.
//
// # Migrations
//
// [Store.Migrate] creates the tables. [Migrations] returns the same migrations as files,
// for goose, golang-migrate or another tool. With different prefixes, several stores can share a
// database.
//
// # What is stored
//
// Ids, times and labels: usernames, names and phone numbers as received. All of it is
// personal data. [identity.Engine.Forget] deletes the rows of a person. Copies can remain
// in free pages, the write-ahead log and backups. The errors of this package have no
// values of rows.
//
// [pg_advisory_xact_lock]: https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS
package sqlstore

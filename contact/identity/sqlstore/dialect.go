package sqlstore

import (
	"context"
	"database/sql"
)

// A dialect is a database. sqlite.go and postgres.go implement one each.
type dialect interface {
	statements() statements

	// hasSchemas reports whether tables can be in a schema.
	hasSchemas() bool

	// options returns how a transaction begins.
	options(writes bool) *sql.TxOptions

	// isRace reports whether an error says that a transaction lost a race.
	isRace(err error) bool

	// lock locks the aliases in a transaction that writes. See [store.Tx].
	lock(ctx context.Context, tx *transaction, aliases []string) (stale bool, err error)

	// write runs statements, each for a list of rows.
	write(ctx context.Context, tx *transaction, batches []batch) error

	// migrations returns the folder of the migrations, and a statement that makes a transaction the only
	// one that migrates tables with a name, after the one that creates the table of migrations.
	migrations(table string) (folder, lock string)
}

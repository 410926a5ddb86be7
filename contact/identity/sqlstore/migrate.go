package sqlstore

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"testing/fstest"
)

//go:embed migrations
var migrations embed.FS

// Migrations returns the migrations as files such as 0001_people.up.sql, for goose,
// golang-migrate and similar tools. Otherwise, use [Store.Migrate]. Table names contain the
// configured prefix. Run each file once, in file name order. A file contains several statements.
// Released files don't change.
func (s *Store) Migrations() (fs.FS, error) {
	name := "migrations/sqlite"
	if s.postgres {
		name = "migrations/postgres"
	}
	folder, err := fs.Sub(migrations, name)
	if err != nil {
		return nil, err
	}
	names, err := fs.Glob(folder, "*.sql")
	files := fstest.MapFS{}
	for _, name := range names {
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, err
		}
		files[name] = &fstest.MapFile{Data: []byte(rename(string(text), &s.config)), Mode: 0o444}
	}
	return files, err
}

// rename replaces table and index names. An index is in its table's schema, so its name must not
// contain it.
func rename(text string, config *Config) string {
	return strings.NewReplacer("INDEX "+defaultPrefix, "INDEX "+config.Prefix, defaultPrefix, config.table()).Replace(text)
}

// Migrate creates or updates the store's tables in one transaction. Several processes can call it
// at the same time. The migration table contains completed migrations' numbers.
func (s *Store) Migrate(ctx context.Context) error {
	files, err := s.Migrations()
	if err != nil {
		return err
	}
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return err
	}
	return s.repeat(ctx, func() error {
		tx, err := s.db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }() // sql.ErrTxDone after a commit
		done, err := s.migrated(ctx, tx)
		if err != nil {
			return err
		}
		for _, name := range names {
			digits, _, _ := strings.Cut(name, "_")
			number, err := strconv.Atoi(digits)
			if err != nil {
				return err
			}
			if number <= done {
				continue
			}
			text, err := fs.ReadFile(files, name)
			if err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, string(text)); err != nil {
				return fmt.Errorf("sqlstore: migration %s: %w", name, err)
			}
		}
		return tx.Commit()
	})
}

// migrated returns the last migration's number. It blocks other migrations until tx ends.
func (s *Store) migrated(ctx context.Context, tx *sql.Tx) (done int, err error) {
	table := s.config.table() + "migration"
	texts := []string{"CREATE TABLE IF NOT EXISTS " + table + " (number bigint NOT NULL PRIMARY KEY)"}
	if s.postgres {
		texts = slices.Insert(texts, 0, "SELECT pg_advisory_xact_lock(hashtextextended('"+table+"', 0))")
	} else {
		texts = append(texts, s.text.begin)
	}
	for _, text := range texts {
		if _, err := tx.ExecContext(ctx, text); err != nil {
			return 0, err
		}
	}
	err = tx.QueryRowContext(ctx, "SELECT coalesce(max(number), 0) FROM "+table).Scan(&done)
	return done, err
}

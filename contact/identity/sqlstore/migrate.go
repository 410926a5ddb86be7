package sqlstore

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing/fstest"
)

//go:embed migrations
var migrations embed.FS

// Migrations returns the migrations as files such as 0001_people.up.sql, for goose,
// golang-migrate and similar tools. Otherwise, use [Store.Migrate]. Table names contain the
// configured prefix. Run each file once, in file name order. A file contains several statements,
// and a function whose text contains semicolons, so don't set x-multi-statement in golang-migrate.
// Released files don't change.
func (s *Store) Migrations() (fs.FS, error) { return s.files() }

func (s *Store) files() (fstest.MapFS, error) {
	folder, _ := s.dialect.migrations("")
	// An index is in its table's schema, so its name must not contain it.
	names := strings.NewReplacer("INDEX "+defaultPrefix, "INDEX "+s.config.Prefix, defaultPrefix, s.config.table())
	entries, err := migrations.ReadDir(folder)
	files := fstest.MapFS{}
	for _, entry := range entries {
		text, err := migrations.ReadFile(folder + "/" + entry.Name())
		if err != nil {
			return nil, err
		}
		files[entry.Name()] = &fstest.MapFile{Data: []byte(names.Replace(string(text))), Mode: 0o444}
	}
	return files, err
}

// Migrate creates or updates the store's tables in one transaction. Several processes can call it
// at the same time. The migration table contains completed migrations' numbers. If a later version of
// this package has changed the tables, Migrate and every transaction return an error, because this
// one could misread them. So during a rolling upgrade, older programs stop writing when the first new one
// migrates, and what they return as errors can be delivered again. After a migration from version 1, call
// [github.com/hailmark/hailmark/contact/identity.Engine.Recompute].
func (s *Store) Migrate(ctx context.Context) error {
	files, err := s.files()
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
		for _, name := range slices.Sorted(maps.Keys(files)) {
			digits, _, _ := strings.Cut(name, "_")
			number, err := strconv.Atoi(digits)
			if err != nil {
				return err
			}
			if number <= done {
				continue
			}
			if _, err := tx.ExecContext(ctx, string(files[name].Data)); err != nil {
				return fmt.Errorf("sqlstore: migration %s: %w", name, err)
			}
		}
		return tx.Commit()
	})
}

// migrated returns the last migration's number. It blocks other migrations until tx ends.
func (s *Store) migrated(ctx context.Context, tx *sql.Tx) (done int, err error) {
	table := s.config.table()
	_, lock := s.dialect.migrations(table + "migration")
	lock = strings.ReplaceAll(lock, defaultPrefix, table)
	texts := []string{"CREATE TABLE IF NOT EXISTS " + table + "migration (number bigint NOT NULL PRIMARY KEY)", lock}
	if s.text.begin == "" { // several can write, so they could create the table at once
		slices.Reverse(texts)
	}
	for _, text := range texts {
		if _, err := tx.ExecContext(ctx, text); err != nil {
			return 0, err
		}
	}
	err = tx.QueryRowContext(ctx, s.text.version).Scan(&done)
	if err == nil && done > newest {
		err = checkVersion(done)
	}
	return done, err
}

// newest is the number of the last migration that this package knows.
const newest = 2

// checkVersion returns an error if tables have another version than this package's.
func checkVersion(number int) error {
	switch {
	case number > newest:
		return fmt.Errorf("sqlstore: the tables have version %d, and this program knows versions up to %d: update the program", number, newest)
	case number < newest:
		return fmt.Errorf("sqlstore: the tables have version %d, and this program needs version %d: call Store.Migrate", number, newest)
	}
	return nil
}

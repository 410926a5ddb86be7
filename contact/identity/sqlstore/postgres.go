package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

type postgres struct{}

func (postgres) statements() statements { return postgresStatements }

func (postgres) hasSchemas() bool { return true }

// options gives each statement a snapshot of its own in a transaction that writes, because it must see
// what others committed before it got their locks.
func (postgres) options(writes bool) *sql.TxOptions {
	if writes {
		return &sql.TxOptions{Isolation: sql.LevelReadCommitted}
	}
	return &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
}

// isRace accepts a serialization failure and a deadlock.
func (postgres) isRace(err error) bool {
	var e interface{ SQLState() string }
	return errors.As(err, &e) && (e.SQLState() == "40001" || e.SQLState() == "40P01")
}

// migrations' lock is an advisory one, because the tables don't exist at first.
func (postgres) migrations(table string) (folder, lock string) {
	return "migrations/postgres", "SELECT pg_advisory_xact_lock(hashtextextended('" + table + "', 0))"
}

// maxLocks limits the advisory locks of all stores' transactions in Postgres. The server has a
// lock table of a few thousand entries.
const maxLocks = 512

func (postgres) lock(ctx context.Context, tx *transaction, aliases []string) (stale bool, err error) {
	missing := maps.Clone(tx.wanted)
	if missing == nil {
		missing = map[int64]bool{}
	}
	for _, alias := range aliases {
		missing[tx.store.locks+int64(hash(alias)%maxLocks)] = true
	}
	maps.DeleteFunc(missing, func(key int64, _ bool) bool { return tx.locked[key] })
	if len(missing) == 0 {
		return false, nil
	}
	keys := slices.Sorted(maps.Keys(missing))
	// It's safe to wait for locks in order. Another transaction can hold a lock out of order
	// while it waits for this one.
	text := lockKeys
	if tx.wanted != nil && keys[0] < tx.most {
		text = tryKeys
	}
	got, isolation := true, ""
	err = tx.each(ctx, func(rows rows) error {
		var one bool
		err := rows.Scan(&isolation, &one)
		got = got && one
		return err
	}, text, list(keys))
	switch {
	case err != nil:
		return false, err
	case isolation != "read committed":
		return false, fmt.Errorf("sqlstore: the transaction has the isolation level %s; begin it with sql.LevelReadCommitted", isolation)
	case !got:
		maps.Copy(tx.wanted, tx.locked)
		maps.Copy(tx.wanted, missing)
		return false, errRace
	}
	if tx.locked == nil {
		tx.locked = map[int64]bool{}
	}
	maps.Copy(tx.locked, missing)
	tx.most = max(tx.most, keys[len(keys)-1])
	return true, nil
}

// write writes all batches in one statement. Its parts see the same snapshot, and write
// different rows.
func (postgres) write(ctx context.Context, tx *transaction, batches []batch) error {
	var parts []string
	var args []any
	for i, b := range batches {
		if len(b.rows) > 0 {
			args = append(args, list(b.rows))
			text := strings.ReplaceAll(b.text, "$1", fmt.Sprintf("$%d", len(args)))
			parts = append(parts, fmt.Sprintf("p%d AS (%s)", i, text))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return tx.exec(ctx, "WITH "+strings.Join(parts, ", ")+" SELECT 1", args...)
}

// lockKeys locks a list of keys in their order, and tryKeys tries to.
const (
	lockKeys = `SELECT current_setting('transaction_isolation'), pg_advisory_xact_lock(l.key) IS NOT NULL
FROM (SELECT CAST(value AS bigint) AS key FROM json_array_elements_text($1::text::json) ORDER BY 1) l`

	tryKeys = `SELECT current_setting('transaction_isolation'), pg_try_advisory_xact_lock(l.key)
FROM (SELECT CAST(value AS bigint) AS key FROM json_array_elements_text($1::text::json) ORDER BY 1) l`
)

// The planner assumes that the arrays below are short, and searches by index. JSON is an argument of
// type text, so that each driver sends it alike.
var postgresStatements = statements{
	load: `SELECT * FROM hailmark_near($1::text::json, $2::text::json, $3)`,

	holdings: `SELECT 1, alias, '', CAST(person AS text), since_at, until_at, is_current
FROM hailmark_holding
WHERE alias = ANY (ARRAY(SELECT CAST(value AS text) FROM json_array_elements_text($1::text::json)))`,

	get: `SELECT 2, anchor, '', CAST(id AS text), born, anchor_at, false
FROM hailmark_person
WHERE id = ANY (ARRAY(SELECT CAST(value AS uuid) FROM json_array_elements_text($1::text::json)))`,

	persons: `SELECT 2, anchor, '', CAST(id AS text), born, anchor_at, false
FROM hailmark_person WHERE born > $1 ORDER BY born LIMIT $2`,

	doubtful: `SELECT alias FROM hailmark_doubtful WHERE alias > $1 ORDER BY alias LIMIT $2`,

	version: `SELECT coalesce(max(number), 0) FROM hailmark_migration`,

	deleteFact: `DELETE FROM hailmark_fact WHERE id IN (
	SELECT CAST(value->>0 AS uuid)
	FROM unnest(ARRAY(SELECT json_array_elements($1::text::json))) value)`,

	deleteEntry: `DELETE FROM hailmark_entry WHERE (alias, fact) IN (
	SELECT CAST(value->>0 AS text), CAST(value->>1 AS uuid)
	FROM unnest(ARRAY(SELECT json_array_elements($1::text::json))) value)`,

	deleteHolding: `DELETE FROM hailmark_holding WHERE (alias, since_at, person) IN (
	SELECT CAST(value->>0 AS text), CAST(value->>1 AS bigint), CAST(value->>2 AS uuid)
	FROM unnest(ARRAY(SELECT json_array_elements($1::text::json))) value)`,

	deletePerson: `DELETE FROM hailmark_person WHERE id IN (
	SELECT CAST(value->>0 AS uuid)
	FROM unnest(ARRAY(SELECT json_array_elements($1::text::json))) value)`,

	deleteDoubtful: `DELETE FROM hailmark_doubtful WHERE alias IN (
	SELECT CAST(value->>0 AS text)
	FROM unnest(ARRAY(SELECT json_array_elements($1::text::json))) value)`,

	insertDoubtful: `INSERT INTO hailmark_doubtful (alias)
SELECT CAST(value->>0 AS text)
FROM unnest(ARRAY(SELECT json_array_elements($1::text::json))) value
ON CONFLICT DO NOTHING`,

	insertFact: `INSERT INTO hailmark_fact (id, key, value)
SELECT CAST(value->>0 AS uuid), CAST(value->>1 AS text), CAST(value->>2 AS text)
FROM unnest(ARRAY(SELECT json_array_elements($1::text::json))) value
ON CONFLICT (id) DO UPDATE SET value = excluded.value`,

	insertEntry: `INSERT INTO hailmark_entry (alias, fact, is_seen)
SELECT CAST(value->>0 AS text), CAST(value->>1 AS uuid), CAST(value->>2 AS boolean)
FROM unnest(ARRAY(SELECT json_array_elements($1::text::json))) value
ON CONFLICT DO NOTHING`,

	insertHolding: `INSERT INTO hailmark_holding (alias, since_at, person, until_at, is_current)
SELECT CAST(value->>0 AS text), CAST(value->>1 AS bigint), CAST(value->>2 AS uuid), CAST(value->>3 AS bigint), CAST(value->>4 AS boolean)
FROM unnest(ARRAY(SELECT json_array_elements($1::text::json))) value
ON CONFLICT (alias, since_at, person) DO UPDATE SET until_at = excluded.until_at, is_current = excluded.is_current`,

	insertPerson: `INSERT INTO hailmark_person (id, anchor, anchor_at)
SELECT CAST(value->>0 AS uuid), CAST(value->>1 AS text), CAST(value->>2 AS bigint)
FROM unnest(ARRAY(SELECT json_array_elements($1::text::json))) value
ON CONFLICT (id) DO UPDATE SET anchor = excluded.anchor, anchor_at = excluded.anchor_at`,
}

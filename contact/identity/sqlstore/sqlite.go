package sqlstore

import (
	"context"
	"database/sql"
	"strings"
)

type sqlite struct{}

func (sqlite) statements() statements { return sqliteStatements }

func (sqlite) hasSchemas() bool { return false }

// options returns nothing, because not every driver accepts options.
func (sqlite) options(bool) *sql.TxOptions { return nil }

// isRace compares the text of SQLite for SQLITE_BUSY. The drivers have no method in common that returns
// the code. SQLITE_LOCKED, whose text differs, is an error within one connection.
func (sqlite) isRace(err error) bool { return strings.Contains(err.Error(), "database is locked") }

// lock does nothing, because only one transaction writes at a time.
func (sqlite) lock(context.Context, *transaction, []string) (stale bool, err error) {
	return false, nil
}

func (sqlite) write(ctx context.Context, tx *transaction, batches []batch) error {
	for _, b := range batches {
		for _, row := range b.rows {
			if err := tx.exec(ctx, b.text, row...); err != nil {
				return err
			}
		}
	}
	return nil
}

func (sqlite) migrations(string) (folder, lock string) {
	return "migrations/sqlite", sqliteStatements.begin
}

var sqliteStatements = statements{
	// CROSS JOIN keeps the tables in this order. In Postgres, a migration contains the same query.
	load: `WITH near(alias) AS MATERIALIZED (
	SELECT value FROM json_each(?1)
	UNION SELECT h.alias FROM json_each(?1) l
		CROSS JOIN hailmark_holding o ON o.alias = l.value
		CROSS JOIN hailmark_holding h ON h.person = o.person WHERE ?3
)
SELECT 0, key, value, '', 0, 0, false FROM (
	SELECT DISTINCT fact FROM near CROSS JOIN hailmark_entry e ON e.alias = near.alias
	UNION SELECT fact FROM json_each(?2) l CROSS JOIN hailmark_entry e ON e.alias = l.value AND NOT is_seen
) e CROSS JOIN hailmark_fact ON id = e.fact
UNION ALL SELECT 1, h.alias, '', person, since_at, until_at, is_current
	FROM near CROSS JOIN hailmark_holding h ON h.alias = near.alias
UNION ALL SELECT 2, anchor, '', id, born, anchor_at, false
	FROM near CROSS JOIN hailmark_person ON anchor = near.alias
UNION ALL SELECT 3, d.alias, '', '', 0, 0, false
	FROM near CROSS JOIN hailmark_doubtful d ON d.alias = near.alias`,

	holdings: `SELECT 1, alias, '', CAST(person AS text), since_at, until_at, is_current
FROM hailmark_holding WHERE alias IN (SELECT value FROM json_each(?1))`,

	get: `SELECT 2, anchor, '', CAST(id AS text), born, anchor_at, false
FROM hailmark_person WHERE id IN (SELECT value FROM json_each(?1))`,

	persons: `SELECT 2, anchor, '', CAST(id AS text), born, anchor_at, false
FROM hailmark_person WHERE born > ?1 ORDER BY born LIMIT ?2`,

	doubtful: `SELECT alias FROM hailmark_doubtful WHERE alias > ?1 ORDER BY alias LIMIT ?2`,

	version: `SELECT coalesce(max(number), 0) FROM hailmark_migration`,

	deleteFact:    `DELETE FROM hailmark_fact WHERE id IN (VALUES (?))`,
	deleteEntry:   `DELETE FROM hailmark_entry WHERE (alias, fact) IN (VALUES (?, ?))`,
	deleteHolding: `DELETE FROM hailmark_holding WHERE (alias, since_at, person) IN (VALUES (?, ?, ?))`,
	deletePerson:  `DELETE FROM hailmark_person WHERE id IN (VALUES (?))`,

	deleteDoubtful: `DELETE FROM hailmark_doubtful WHERE alias IN (VALUES (?))`,
	insertDoubtful: `INSERT INTO hailmark_doubtful (alias) VALUES (?) ON CONFLICT DO NOTHING`,

	insertFact: `INSERT INTO hailmark_fact (id, key, value) VALUES (?, ?, ?)
ON CONFLICT (id) DO UPDATE SET value = excluded.value`,

	insertEntry: `INSERT INTO hailmark_entry (alias, fact, is_seen) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`,

	insertHolding: `INSERT INTO hailmark_holding (alias, since_at, person, until_at, is_current) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (alias, since_at, person) DO UPDATE SET until_at = excluded.until_at, is_current = excluded.is_current`,

	insertPerson: `INSERT INTO hailmark_person (id, anchor, anchor_at) VALUES (?, ?, ?)
ON CONFLICT (id) DO UPDATE SET anchor = excluded.anchor, anchor_at = excluded.anchor_at`,

	begin: `DELETE FROM hailmark_migration WHERE number < 0`,
}

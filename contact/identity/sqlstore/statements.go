package sqlstore

import (
	"encoding/json"
	"fmt"
	"strings"
)

// statements contains a dialect's statements. Lists are arguments in JSON.
type statements struct {
	load, holdings, get, persons string // their rows begin with a table: 0 facts, 1 holdings, 2 people
	shared                       string
	write                        [8]string // delete and insert facts, entries, holdings and people: a row, or in Postgres a list

	lock, try string // Postgres: locks a list of keys, or tries to
	begin     string // SQLite: begins writing
}

// CROSS JOIN keeps the tables in this order. In Postgres, a migration contains the same query.
const loadSQLite = `WITH near(alias) AS MATERIALIZED (SELECT value FROM json_each(?1) UNION
SELECT h.alias FROM json_each(?1) l CROSS JOIN $holding o ON o.alias = l.value CROSS JOIN $holding h ON h.person = o.person WHERE ?3)
SELECT 0, key, value, '', 0, 0, false
FROM (SELECT DISTINCT fact FROM near CROSS JOIN $entry e ON e.alias = near.alias
	UNION SELECT fact FROM json_each(?2) l CROSS JOIN $entry e ON e.alias = l.value AND NOT seen) e CROSS JOIN $fact ON id = e.fact
UNION ALL SELECT 1, h.alias, '', person, since_at, until_at, is_current FROM near CROSS JOIN $holding h ON h.alias = near.alias
UNION ALL SELECT 2, anchor, '', id, born, anchor_at, false FROM near CROSS JOIN $person ON anchor = near.alias`

// newStatements returns a dialect's statements. In the texts below, $name is a table, and AMONG(type)
// compares with a list.
func newStatements(config *Config, postgres bool) *statements {
	among := "IN (SELECT value FROM json_each(?1))"
	amongIDs := among
	load := loadSQLite
	if postgres {
		// An array in place of a subquery makes an index scan more likely without statistics.
		among = "= ANY (ARRAY(SELECT json_array_elements_text($1::text::json)))"
		amongIDs = "= ANY (ARRAY(SELECT json_array_elements_text($1::text::json)::uuid))"
		load = "SELECT * FROM $load(?1::text::json, ?2::text::json, ?3)"
	}
	dialect := []string{"$", config.table(), "AMONG(text)", among, "AMONG(uuid)", amongIDs}
	if postgres {
		dialect = append(dialect, "?", "$")
	}
	r := strings.NewReplacer(dialect...)

	// rows returns a row's parameters in SQLite, and a query for a list of rows in Postgres.
	rows := func(types ...string) string {
		if !postgres {
			return "VALUES (?" + strings.Repeat(", ?", len(types)-1) + ")"
		}
		columns := make([]string, len(types))
		for i, name := range types {
			columns[i] = fmt.Sprintf("CAST(value->>%d AS %s)", i, name)
		}
		// The planner assumes that an array is short.
		return "SELECT " + strings.Join(columns, ", ") + " FROM unnest(ARRAY(SELECT json_array_elements($1::text::json))) value"
	}
	const lock = `SELECT current_setting('transaction_isolation'), %s
		FROM (SELECT CAST(value AS bigint) AS key FROM json_array_elements_text($1::text::json) ORDER BY 1) l`
	return &statements{
		load:     r.Replace(load),
		holdings: r.Replace("SELECT 1, alias, '', CAST(person AS text), since_at, until_at, is_current FROM $holding WHERE alias AMONG(text)"),
		get:      r.Replace("SELECT 2, anchor, '', CAST(id AS text), born, anchor_at, false FROM $person WHERE id AMONG(uuid)"),
		persons:  r.Replace("SELECT 2, anchor, '', CAST(id AS text), born, anchor_at, false FROM $person WHERE born > ?1 ORDER BY born LIMIT ?2"),
		shared: r.Replace(`SELECT alias FROM $holding WHERE alias > ?1
			GROUP BY alias HAVING count(DISTINCT person) > 1 ORDER BY alias LIMIT ?2`),
		write: [...]string{
			r.Replace("DELETE FROM $fact WHERE id IN (") + rows("uuid") + ")",
			r.Replace("DELETE FROM $entry WHERE (alias, fact) IN (") + rows("text", "uuid") + ")",
			r.Replace("DELETE FROM $holding WHERE (alias, since_at, person) IN (") + rows("text", "bigint", "uuid") + ")",
			r.Replace("DELETE FROM $person WHERE id IN (") + rows("uuid") + ")",
			r.Replace("INSERT INTO $fact (id, key, value) ") + rows("uuid", "text", "text") +
				" ON CONFLICT (id) DO UPDATE SET value = excluded.value",
			r.Replace("INSERT INTO $entry (alias, fact, seen) ") + rows("text", "uuid", "boolean") + " ON CONFLICT DO NOTHING",
			r.Replace("INSERT INTO $holding (alias, since_at, person, until_at, is_current) ") +
				rows("text", "bigint", "uuid", "bigint", "boolean") +
				" ON CONFLICT (alias, since_at, person) DO UPDATE SET until_at = excluded.until_at, is_current = excluded.is_current",
			r.Replace("INSERT INTO $person (id, anchor, anchor_at) ") + rows("uuid", "text", "bigint") +
				" ON CONFLICT (id) DO UPDATE SET anchor = excluded.anchor, anchor_at = excluded.anchor_at",
		},
		lock:  fmt.Sprintf(lock, "pg_advisory_xact_lock(l.key) IS NOT NULL"),
		try:   fmt.Sprintf(lock, "pg_try_advisory_xact_lock(l.key)"),
		begin: r.Replace("DELETE FROM $migration WHERE number < 0"),
	}
}

// list returns values as an argument.
func list[T any](values []T) string {
	text, _ := json.Marshal(append([]T{}, values...)) // texts, numbers and flags have no errors, and nil isn't a list
	return string(text)
}

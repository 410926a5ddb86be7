package sqlstore

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// statements contains a dialect's statements. Lists are arguments in JSON.
type statements struct {
	load, holdings, get, persons string // their rows begin with a table: 0 facts, 1 holdings, 2 people
	shared                       string
	write                        [8]string // delete and insert facts, entries, holdings and people: one row in SQLite

	lock, try string // Postgres: locks a list of keys, or tries to
	begin     string // SQLite: begins writing
	version   string // returns the number of the last migration
}

// CROSS JOIN keeps the tables in this order. In Postgres, a migration contains the same query.
const loadSQLite = `WITH near(alias) AS MATERIALIZED (SELECT value FROM json_each(?1) UNION
SELECT h.alias FROM json_each(?1) l CROSS JOIN $holding o ON o.alias = l.value CROSS JOIN $holding h ON h.person = o.person WHERE ?3)
SELECT 0, key, value, '', 0, 0, false
FROM (SELECT DISTINCT fact FROM near CROSS JOIN $entry e ON e.alias = near.alias
	UNION SELECT fact FROM json_each(?2) l CROSS JOIN $entry e ON e.alias = l.value AND NOT seen) e CROSS JOIN $fact ON id = e.fact
UNION ALL SELECT 1, h.alias, '', person, since_at, until_at, is_current FROM near CROSS JOIN $holding h ON h.alias = near.alias
UNION ALL SELECT 2, anchor, '', id, born, anchor_at, false FROM near CROSS JOIN $person ON anchor = near.alias`

var rowTypes = regexp.MustCompile(`ROWS\(([a-z, ]+)\)`)

// newStatements returns a dialect's statements. In the texts below, $name is a table, AMONG(type)
// compares with a list, and ROWS(types) returns the rows to write.
func newStatements(config *Config, postgres bool) *statements {
	load := loadSQLite
	list := "IN (SELECT value FROM json_each(?1))"
	replace := []string{"$", config.table(), "AMONG(text)", list, "AMONG(uuid)", list}
	rows := func(types []string) string { return "VALUES (?" + strings.Repeat(", ?", len(types)-1) + ")" }
	if postgres {
		load = "SELECT * FROM $load(?1::text::json, ?2::text::json, ?3)"
		// The planner assumes that arrays are short, and searches by index.
		list = "= ANY (ARRAY(SELECT CAST(value AS %s) FROM json_array_elements_text($1::text::json)))"
		replace = []string{"$", config.table(), "AMONG(text)", fmt.Sprintf(list, "text"), "AMONG(uuid)", fmt.Sprintf(list, "uuid"), "?", "$"}
		rows = func(types []string) string {
			for i, name := range types {
				types[i] = fmt.Sprintf("CAST(value->>%d AS %s)", i, name)
			}
			return "SELECT " + strings.Join(types, ", ") + " FROM unnest(ARRAY(SELECT json_array_elements($1::text::json))) value"
		}
	}
	replacer := strings.NewReplacer(replace...)
	text := func(template string) string {
		return rowTypes.ReplaceAllStringFunc(replacer.Replace(template), func(call string) string {
			return rows(strings.Split(rowTypes.FindStringSubmatch(call)[1], ", "))
		})
	}
	const lock = `SELECT current_setting('transaction_isolation'), %s
		FROM (SELECT CAST(value AS bigint) AS key FROM json_array_elements_text($1::text::json) ORDER BY 1) l`
	return &statements{
		load:     text(load),
		holdings: text("SELECT 1, alias, '', CAST(person AS text), since_at, until_at, is_current FROM $holding WHERE alias AMONG(text)"),
		get:      text("SELECT 2, anchor, '', CAST(id AS text), born, anchor_at, false FROM $person WHERE id AMONG(uuid)"),
		persons:  text("SELECT 2, anchor, '', CAST(id AS text), born, anchor_at, false FROM $person WHERE born > ?1 ORDER BY born LIMIT ?2"),
		shared: text(`SELECT alias FROM $holding WHERE alias > ?1
			GROUP BY alias HAVING count(DISTINCT person) > 1 ORDER BY alias LIMIT ?2`),
		write: [...]string{
			text("DELETE FROM $fact WHERE id IN (ROWS(uuid))"),
			text("DELETE FROM $entry WHERE (alias, fact) IN (ROWS(text, uuid))"),
			text("DELETE FROM $holding WHERE (alias, since_at, person) IN (ROWS(text, bigint, uuid))"),
			text("DELETE FROM $person WHERE id IN (ROWS(uuid))"),
			text(`INSERT INTO $fact (id, key, value) ROWS(uuid, text, text)
				ON CONFLICT (id) DO UPDATE SET value = excluded.value`),
			text("INSERT INTO $entry (alias, fact, seen) ROWS(text, uuid, boolean) ON CONFLICT DO NOTHING"),
			text(`INSERT INTO $holding (alias, since_at, person, until_at, is_current) ROWS(text, bigint, uuid, bigint, boolean)
				ON CONFLICT (alias, since_at, person) DO UPDATE SET until_at = excluded.until_at, is_current = excluded.is_current`),
			text(`INSERT INTO $person (id, anchor, anchor_at) ROWS(uuid, text, bigint)
				ON CONFLICT (id) DO UPDATE SET anchor = excluded.anchor, anchor_at = excluded.anchor_at`),
		},
		lock:  fmt.Sprintf(lock, "pg_advisory_xact_lock(l.key) IS NOT NULL"),
		try:   fmt.Sprintf(lock, "pg_try_advisory_xact_lock(l.key)"),
		begin: text("DELETE FROM $migration WHERE number < 0"),

		version: text("SELECT coalesce(max(number), 0) FROM $migration"),
	}
}

// list returns values as an argument.
func list[T any](values []T) string {
	text, _ := json.Marshal(append([]T{}, values...)) // texts, numbers and flags have no errors, and nil isn't a list
	return string(text)
}

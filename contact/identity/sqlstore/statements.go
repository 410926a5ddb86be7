package sqlstore

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// statements contains a dialect's statements. Lists are arguments: JSON in SQLite, and array
// literals in Postgres.
type statements struct {
	load, holdings, get, persons string // their rows begin with a table: 0 facts, 1 holdings, 2 people
	shared, lock, try, write     string
	change                       [8]rowsStatement // delete and insert facts, entries, holdings and people
}

// A rowsStatement writes rows, which are between its two texts.
type rowsStatement struct {
	before, after string
	types         []string // of the columns in Postgres
}

// maxRows limits the rows in one SQLite statement. It's a power of two.
const maxRows = 64

// values returns the statement for n rows in SQLite.
func (s *rowsStatement) values(n int) string {
	row := ", (?" + strings.Repeat(", ?", len(s.types)-1) + ")"
	return s.before + "VALUES " + strings.Repeat(row, n)[2:] + s.after
}

// arrays returns the statement in Postgres. Each column is an argument, and the first is $n.
func (s *rowsStatement) arrays(n int) string {
	var b strings.Builder
	for i, name := range s.types {
		fmt.Fprintf(&b, ", $%d::%s[]", n+i, name)
	}
	return s.before + "SELECT * FROM unnest(" + b.String()[2:] + ")" + s.after
}

// columns returns the columns as arguments in Postgres.
func (s *rowsStatement) columns(values []any) []any {
	width := len(s.types)
	args := make([]any, width)
	for column := range args {
		args[column] = array(len(values)/width, func(row int) any { return values[row*width+column] })
	}
	return args
}

const (
	loadPostgres = `WITH near(alias) AS (@1 UNION SELECT alias FROM $holding WHERE ?3 AND person AMONG«SELECT person FROM $holding WHERE alias AMONG«@1»»)
SELECT 0, key, value, '', 0, 0, false FROM $fact WHERE id AMONG«SELECT fact FROM $entry WHERE alias AMONG«SELECT alias FROM near»
	UNION SELECT fact FROM $entry WHERE alias AMONG«@2» AND NOT seen»
UNION ALL SELECT 1, alias, '', text(person), since_at, until_at, is_current FROM $holding WHERE alias AMONG«SELECT alias FROM near»
UNION ALL SELECT 2, anchor, '', text(id), born, anchor_at, false FROM $person WHERE anchor AMONG«SELECT alias FROM near»`

	// CROSS JOIN keeps the tables in this order.
	loadSQLite = `WITH near(alias) AS MATERIALIZED (@1 UNION
SELECT h.alias FROM json_each(?1) l CROSS JOIN $holding o ON o.alias = l.value CROSS JOIN $holding h ON h.person = o.person WHERE ?3)
SELECT 0, key, value, '', 0, 0, false
FROM (SELECT DISTINCT fact FROM near CROSS JOIN $entry e ON e.alias = near.alias
	UNION SELECT fact FROM json_each(?2) l CROSS JOIN $entry e ON e.alias = l.value AND NOT seen) e CROSS JOIN $fact ON id = e.fact
UNION ALL SELECT 1, h.alias, '', person, since_at, until_at, is_current FROM near CROSS JOIN $holding h ON h.alias = near.alias
UNION ALL SELECT 2, anchor, '', id, born, anchor_at, false FROM near CROSS JOIN $person ON anchor = near.alias`
)

// newStatements returns a dialect's statements. In the texts, $name is a table, @n a list, and
// AMONG« » a search by index.
func newStatements(config *Config, postgres bool) *statements {
	table := config.Prefix
	if config.Schema != "" {
		table = config.Schema + "." + table
	}
	load := loadSQLite
	r := strings.NewReplacer("$", table, "AMONG«", "IN (", "»", ")", "TEXT(", "(", "@1::uuid[]", "SELECT value FROM json_each(?1)",
		"@1", "SELECT value FROM json_each(?1)", "@2", "SELECT value FROM json_each(?2)")
	if postgres {
		load = loadPostgres
		// An array guarantees an index scan per element, whatever the statistics.
		r = strings.NewReplacer("$", table, "AMONG«", "= ANY (ARRAY(", "»", "))", "TEXT(", "text(", "@1::uuid[]", "SELECT unnest($1::uuid[])",
			"@1", "SELECT unnest($1::text[])", "@2", "SELECT unnest($2::text[])", "?", "$")
	}
	rows := func(before, after string, types ...string) rowsStatement {
		return rowsStatement{r.Replace(before), after, types}
	}
	const lock = `SELECT current_setting('transaction_isolation'), LOCK FROM (SELECT unnest($1::bigint[]) AS key ORDER BY 1) l`
	return &statements{
		load:     r.Replace(load),
		holdings: r.Replace(`SELECT 1, alias, '', TEXT(person), since_at, until_at, is_current FROM $holding WHERE alias AMONG«@1»`),
		get:      r.Replace(`SELECT 2, anchor, '', TEXT(id), born, anchor_at, false FROM $person WHERE id AMONG«@1::uuid[]»`),
		persons:  r.Replace(`SELECT 2, anchor, '', TEXT(id), born, anchor_at, false FROM $person WHERE born > ?1 ORDER BY born LIMIT ?2`),
		shared:   r.Replace(`SELECT alias FROM $holding WHERE alias > ?1 GROUP BY alias HAVING count(DISTINCT person) > 1 ORDER BY alias LIMIT ?2`),
		lock:     strings.Replace(lock, "LOCK", "pg_advisory_xact_lock(l.key) IS NOT NULL", 1),
		try:      strings.Replace(lock, "LOCK", "pg_try_advisory_xact_lock(l.key)", 1),
		write:    r.Replace(`DELETE FROM $migration WHERE number < 0`),
		change: [...]rowsStatement{
			rows("DELETE FROM $fact WHERE id IN (", ")", "uuid"),
			rows("DELETE FROM $entry WHERE (alias, fact) IN (", ")", "text", "uuid"),
			rows("DELETE FROM $holding WHERE (alias, since_at, person) IN (", ")", "text", "bigint", "uuid"),
			rows("DELETE FROM $person WHERE id IN (", ")", "uuid"),
			rows("INSERT INTO $fact (id, key, value) ", " ON CONFLICT (id) DO UPDATE SET value = excluded.value", "uuid", "text", "text"),
			rows("INSERT INTO $entry (alias, fact, seen) ", " ON CONFLICT DO NOTHING", "text", "uuid", "boolean"),
			rows("INSERT INTO $holding (alias, since_at, person, until_at, is_current) ",
				" ON CONFLICT (alias, since_at, person) DO UPDATE SET until_at = excluded.until_at, is_current = excluded.is_current",
				"text", "bigint", "uuid", "bigint", "boolean"),
			rows("INSERT INTO $person (id, anchor, anchor_at) ",
				" ON CONFLICT (id) DO UPDATE SET anchor = excluded.anchor, anchor_at = excluded.anchor_at", "uuid", "text", "bigint"),
		},
	}
}

// list returns a list as an argument.
func (s *Store) list(values []string) string {
	if s.postgres {
		return array(len(values), func(i int) any { return values[i] })
	}
	text, _ := json.Marshal(append([]string{}, values...)) // texts have no errors, and nil isn't a list
	return string(text)
}

var escapeElement = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// array returns a Postgres array literal.
func array(n int, value func(i int) any) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		switch v := value(i).(type) {
		case string:
			b.WriteByte('"')
			_, _ = escapeElement.WriteString(&b, v)
			b.WriteByte('"')
		case int64:
			b.WriteString(strconv.FormatInt(v, 10))
		case bool:
			b.WriteString(strconv.FormatBool(v))
		}
	}
	b.WriteByte('}')
	return b.String()
}

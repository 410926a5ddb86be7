package sqlstore

import "strings"

// Statement arguments are lists as JSON.
type statements struct {
	load, holdings, get, persons, shared, lock, try, write string
	delete, put                                            [4]string // facts, entries, holdings, people
}

// newStatements returns a dialect's statements. They're written for Postgres. In the
// texts, $name is a table, @n a list of texts, AMONG« » a search by index, and #n a list of rows r with fields from 0 on.
func newStatements(config *Config) *statements {
	s := &statements{
		load: `WITH near AS (SELECT alias FROM $holding WHERE person AMONG«SELECT person FROM $holding WHERE alias AMONG«SELECT value FROM @1»» UNION SELECT value FROM @1)
SELECT 0, key, value, '', 0, 0, false FROM $fact WHERE id AMONG«
SELECT fact FROM $entry WHERE alias AMONG«SELECT alias FROM near» UNION SELECT fact FROM $entry WHERE alias AMONG«SELECT value FROM @2» AND NOT seen»
UNION ALL SELECT 1, alias, '', TEXT(person), since_at, until_at, is_current FROM $holding WHERE alias AMONG«SELECT alias FROM near»
UNION ALL SELECT 2, anchor, '', TEXT(id), born, anchor_at, false FROM $person WHERE anchor AMONG«SELECT alias FROM near»`,
		holdings: `SELECT alias, since_at, until_at, TEXT(person), is_current FROM $holding WHERE alias AMONG«SELECT value FROM @1»`,
		get:      `SELECT TEXT(id), born, anchor, anchor_at FROM $person WHERE id AMONG«SELECT UUID(value) FROM @1»`,
		persons:  `SELECT TEXT(id), born, anchor, anchor_at FROM $person WHERE born > ?1 ORDER BY born LIMIT ?2`,
		shared:   `SELECT alias FROM $holding WHERE alias > ?1 GROUP BY alias HAVING count(DISTINCT person) > 1 ORDER BY alias LIMIT ?2`,
		lock: `SELECT current_setting('transaction_isolation'), pg_advisory_xact_lock(l.key) IS NOT NULL
FROM (SELECT CAST(value AS bigint) AS key FROM @1 ORDER BY 1) l`,
		write: `DELETE FROM $migration WHERE number < 0`,
		delete: [...]string{
			`DELETE FROM $fact WHERE id IN (SELECT UUID(value) FROM @1)`,
			`DELETE FROM $entry WHERE (alias, fact) IN (SELECT [0], UUID([1]) FROM #1)`,
			`DELETE FROM $holding WHERE (alias, since_at, person) IN (SELECT [0], INT([1]), UUID([2]) FROM #1)`,
			`DELETE FROM $person WHERE id IN (SELECT UUID(value) FROM @1)`,
		},
		put: [...]string{
			`INSERT INTO $fact (id, key, value) SELECT UUID([0]), [1], [2] FROM #1 WHERE true ON CONFLICT (id) DO UPDATE SET value = excluded.value`,
			`INSERT INTO $entry (alias, fact, seen) SELECT [0], UUID([1]), BOOL([2]) FROM #1 WHERE true ON CONFLICT DO NOTHING`,
			`INSERT INTO $holding (alias, since_at, person, until_at, is_current) SELECT [0], INT([1]), UUID([2]), INT([3]), BOOL([4]) FROM #1 WHERE true
ON CONFLICT (alias, since_at, person) DO UPDATE SET until_at = excluded.until_at, is_current = excluded.is_current`,
			`INSERT INTO $person (id, anchor, anchor_at) SELECT UUID([0]), [1], INT([2]) FROM #1 WHERE true
ON CONFLICT (id) DO UPDATE SET anchor = excluded.anchor, anchor_at = excluded.anchor_at`,
		},
	}
	s.try = strings.Replace(s.lock, "pg_advisory_xact_lock(l.key) IS NOT NULL", "pg_try_advisory_xact_lock(l.key)", 1)
	table := config.Prefix
	if config.Schema != "" {
		table = config.Schema + "." + table
	}
	pairs := []string{"$", table}
	if config.Dialect == Postgres {
		// An array guarantees an index scan per element, whatever the statistics.
		pairs = append(pairs,
			"AMONG«", "= ANY (ARRAY(", "»", "))", "@1", "json_array_elements_text($1::json)", "@2", "json_array_elements_text($2::json)",
			"#1", "json_array_elements($1::json) AS r", "?", "$", "TEXT(", "text(", "UUID(", "uuid(", "INT(", "int8(", "BOOL(", "bool(")
		for _, field := range []string{"0", "1", "2", "3", "4"} {
			pairs = append(pairs, "["+field+"]", "(r->>"+field+")")
		}
	} else {
		pairs = append(pairs, "AMONG«", "IN (", "»", ")", "@1", "json_each(?1)", "@2", "json_each(?2)", "#1", "json_each(?1) AS r", "TEXT(", "(", "UUID(", "(",
			"INT(", "(", "BOOL(", "(")
		for _, field := range []string{"0", "1", "2", "3", "4"} {
			pairs = append(pairs, "["+field+"]", "json_extract(r.value, '$["+field+"]')")
		}
	}
	r := strings.NewReplacer(pairs...)
	all := []*string{&s.load, &s.holdings, &s.get, &s.persons, &s.shared, &s.lock, &s.try, &s.write}
	for i := range s.put {
		all = append(all, &s.delete[i], &s.put[i])
	}
	for _, text := range all {
		*text = r.Replace(*text)
	}
	return s
}

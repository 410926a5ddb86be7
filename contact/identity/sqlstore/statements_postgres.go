package sqlstore

// The planner assumes that the arrays below are short, and searches by index. JSON is an argument of
// type text, so that each driver sends it alike.
var postgresStatements = statements{
	load: `SELECT * FROM hailmark_load($1::text::json, $2::text::json, $3)`,

	holdings: `SELECT 1, alias, '', CAST(person AS text), since_at, until_at, is_current
FROM hailmark_holding
WHERE alias = ANY (ARRAY(SELECT CAST(value AS text) FROM json_array_elements_text($1::text::json)))`,

	get: `SELECT 2, anchor, '', CAST(id AS text), born, anchor_at, false
FROM hailmark_person
WHERE id = ANY (ARRAY(SELECT CAST(value AS uuid) FROM json_array_elements_text($1::text::json)))`,

	persons: `SELECT 2, anchor, '', CAST(id AS text), born, anchor_at, false
FROM hailmark_person WHERE born > $1 ORDER BY born LIMIT $2`,

	shared: `SELECT alias FROM hailmark_holding WHERE alias > $1
GROUP BY alias HAVING count(DISTINCT person) > 1 ORDER BY alias LIMIT $2`,

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

	insertFact: `INSERT INTO hailmark_fact (id, key, value)
SELECT CAST(value->>0 AS uuid), CAST(value->>1 AS text), CAST(value->>2 AS text)
FROM unnest(ARRAY(SELECT json_array_elements($1::text::json))) value
ON CONFLICT (id) DO UPDATE SET value = excluded.value`,

	insertEntry: `INSERT INTO hailmark_entry (alias, fact, seen)
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

	lock: `SELECT current_setting('transaction_isolation'), pg_advisory_xact_lock(l.key) IS NOT NULL
FROM (SELECT CAST(value AS bigint) AS key FROM json_array_elements_text($1::text::json) ORDER BY 1) l`,

	try: `SELECT current_setting('transaction_isolation'), pg_try_advisory_xact_lock(l.key)
FROM (SELECT CAST(value AS bigint) AS key FROM json_array_elements_text($1::text::json) ORDER BY 1) l`,
}

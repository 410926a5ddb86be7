-- +goose Up
-- The tables of sqlstore for PostgreSQL 12 and later.

-- Evidence. The id is a hash of the key.
CREATE TABLE hailmark_fact (
	id    uuid NOT NULL PRIMARY KEY,
	key   text COLLATE "C" NOT NULL,
	value text COLLATE "C" NOT NULL
);

-- The facts that name an alias.
CREATE TABLE hailmark_entry (
	alias text COLLATE "C" NOT NULL,
	fact  uuid NOT NULL,
	seen  boolean NOT NULL,
	PRIMARY KEY (alias, fact)
);

-- Who had an alias when, in Unix seconds.
CREATE TABLE hailmark_holding (
	alias     text COLLATE "C" NOT NULL,
	since_at  bigint NOT NULL,
	person    uuid NOT NULL,
	until_at  bigint NOT NULL,
	is_current boolean NOT NULL,
	PRIMARY KEY (alias, since_at, person)
);

CREATE INDEX hailmark_holding_person ON hailmark_holding (person);

-- Every ID ever returned leads to whoever had the anchor at its time.
CREATE TABLE hailmark_person (
	id        uuid NOT NULL PRIMARY KEY,
	born      bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
	anchor    text COLLATE "C" NOT NULL,
	anchor_at bigint NOT NULL
);

CREATE INDEX hailmark_person_anchor ON hailmark_person (anchor);

-- All rows with one of the aliases and, if wide is set, all that their holders ever had. Also facts
-- other than sightings with one of the others. Rows begin with a table: 0 facts, 1 holdings, 2 people.
-- The settings are valid within the function only. They keep a prepared plan from scanning tables
-- that have grown since. OFFSET 0 searches each alias by index, so that no estimate matters.
-- +goose StatementBegin
CREATE FUNCTION hailmark_load(aliases json, others json, wide boolean)
RETURNS TABLE (tab integer, name text, value text, person text, a bigint, b bigint, is_current boolean)
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
	near text[] := ARRAY(SELECT DISTINCT json_array_elements_text(aliases));
BEGIN
	IF wide THEN
		near := ARRAY(
			SELECT unnest(near)
			UNION SELECT had.alias FROM unnest(near) n (alias),
				LATERAL (SELECT h.person FROM hailmark_holding h WHERE h.alias = n.alias OFFSET 0) holder,
				LATERAL (SELECT h.alias FROM hailmark_holding h WHERE h.person = holder.person OFFSET 0) had
		);
	END IF;
	RETURN QUERY
	SELECT 0, f.key, f.value, '', bigint '0', bigint '0', false FROM (
		SELECT e.fact FROM unnest(near) n (alias),
			LATERAL (SELECT e.fact FROM hailmark_entry e WHERE e.alias = n.alias OFFSET 0) e
		UNION SELECT e.fact FROM json_array_elements_text(others) o (alias),
			LATERAL (SELECT e.fact FROM hailmark_entry e WHERE e.alias = o.alias AND NOT e.seen OFFSET 0) e
	) e, LATERAL (SELECT f.key, f.value FROM hailmark_fact f WHERE f.id = e.fact OFFSET 0) f
	UNION ALL SELECT 1, h.alias, '', h.person::text, h.since_at, h.until_at, h.is_current FROM unnest(near) n (alias),
		LATERAL (SELECT * FROM hailmark_holding h WHERE h.alias = n.alias OFFSET 0) h
	UNION ALL SELECT 2, p.anchor, '', p.id::text, p.born, p.anchor_at, false FROM unnest(near) n (alias),
		LATERAL (SELECT * FROM hailmark_person p WHERE p.anchor = n.alias OFFSET 0) p;
END $$;
-- +goose StatementEnd

-- Which migrations ran, so that Store.Migrate and other tools can take turns.
CREATE TABLE IF NOT EXISTS hailmark_migration (number bigint NOT NULL PRIMARY KEY);
INSERT INTO hailmark_migration (number) VALUES (1);

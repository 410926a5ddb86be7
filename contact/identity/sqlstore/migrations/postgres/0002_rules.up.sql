-- +goose Up
-- The tables for the rules of 26 November 2026. Programs that know version 1 only fail from now on,
-- because the function and a column have another name. Afterwards, call Engine.Recompute.

LOCK TABLE hailmark_migration IN ACCESS EXCLUSIVE MODE;

ALTER TABLE hailmark_entry RENAME COLUMN seen TO is_seen;

-- The aliases about which there can be a conflict.
CREATE TABLE hailmark_doubtful (alias text COLLATE "C" NOT NULL PRIMARY KEY);

DROP FUNCTION hailmark_load(json, json, boolean);

-- All rows with one of the aliases and, if wide is set, all that their holders ever had. Also facts
-- other than sightings with one of the others. Rows begin with a table: 0 facts, 1 holdings, 2 people, 3 doubtful.
-- The settings are valid within the function only. They keep a prepared plan from scanning tables
-- that have grown since. OFFSET 0 searches each alias by index, so that no estimate matters.
-- +goose StatementBegin
CREATE FUNCTION hailmark_near(aliases json, others json, wide boolean)
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
			LATERAL (SELECT e.fact FROM hailmark_entry e WHERE e.alias = o.alias AND NOT e.is_seen OFFSET 0) e
	) e, LATERAL (SELECT f.key, f.value FROM hailmark_fact f WHERE f.id = e.fact OFFSET 0) f
	UNION ALL SELECT 1, h.alias, '', h.person::text, h.since_at, h.until_at, h.is_current FROM unnest(near) n (alias),
		LATERAL (SELECT * FROM hailmark_holding h WHERE h.alias = n.alias OFFSET 0) h
	UNION ALL SELECT 2, p.anchor, '', p.id::text, p.born, p.anchor_at, false FROM unnest(near) n (alias),
		LATERAL (SELECT * FROM hailmark_person p WHERE p.anchor = n.alias OFFSET 0) p
	UNION ALL SELECT 3, d.alias, '', '', bigint '0', bigint '0', false FROM unnest(near) n (alias),
		LATERAL (SELECT d.alias FROM hailmark_doubtful d WHERE d.alias = n.alias OFFSET 0) d;
END $$;
-- +goose StatementEnd

INSERT INTO hailmark_migration (number) VALUES (2);

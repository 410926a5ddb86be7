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

-- Which migrations ran, so that Store.Migrate and other tools can take turns.
CREATE TABLE IF NOT EXISTS hailmark_migration (number bigint NOT NULL PRIMARY KEY);
INSERT INTO hailmark_migration (number) VALUES (1);

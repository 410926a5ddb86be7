-- +goose Up
-- The tables of sqlstore for SQLite 3.38 and later.

-- Evidence. The id is a hash of the key.
CREATE TABLE hailmark_fact (
	id    TEXT NOT NULL PRIMARY KEY,
	key   TEXT NOT NULL,
	value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The facts that name an alias.
CREATE TABLE hailmark_entry (
	alias TEXT    NOT NULL,
	fact  TEXT    NOT NULL,
	seen  INTEGER NOT NULL,
	PRIMARY KEY (alias, fact)
) STRICT, WITHOUT ROWID;

-- Who had an alias when, in Unix seconds.
CREATE TABLE hailmark_holding (
	alias      TEXT    NOT NULL,
	since_at   INTEGER NOT NULL,
	person     TEXT    NOT NULL,
	until_at   INTEGER NOT NULL,
	is_current INTEGER NOT NULL,
	PRIMARY KEY (alias, since_at, person)
) STRICT, WITHOUT ROWID;

CREATE INDEX hailmark_holding_person ON hailmark_holding (person);

-- Every ID ever returned leads to whoever had the anchor at its time.
CREATE TABLE hailmark_person (
	id        TEXT    NOT NULL UNIQUE,
	born      INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	anchor    TEXT    NOT NULL,
	anchor_at INTEGER NOT NULL
) STRICT;

CREATE INDEX hailmark_person_anchor ON hailmark_person (anchor);

-- Which migrations ran, so that Store.Migrate and other tools can take turns.
CREATE TABLE IF NOT EXISTS hailmark_migration (number bigint NOT NULL PRIMARY KEY);
INSERT INTO hailmark_migration (number) VALUES (1);

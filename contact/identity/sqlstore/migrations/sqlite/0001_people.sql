-- The tables of sqlstore for SQLite 3.37 and later.
-- An empty text means that an id is absent, and 0 that a time or number is.

-- Numbers come in blocks. The owner is a random number of whoever took the last block.
CREATE TABLE hailmark_sequence (
	next  INTEGER NOT NULL,
	owner INTEGER NOT NULL
) STRICT;

INSERT INTO hailmark_sequence (next, owner) VALUES (1, 0);

CREATE TABLE hailmark_alias (
	kind    TEXT    NOT NULL, -- bsuid, parent or phone
	scope   TEXT    NOT NULL, -- the portfolio, or the group of a parent
	value   TEXT    NOT NULL,
	cluster INTEGER NOT NULL,
	added   INTEGER NOT NULL,
	person  TEXT,             -- who has the alias now
	changed INTEGER NOT NULL,
	ended   INTEGER NOT NULL,
	alone   INTEGER NOT NULL,
	shared  INTEGER NOT NULL,
	settled INTEGER NOT NULL,
	latest  INTEGER NOT NULL,
	PRIMARY KEY (kind, scope, value)
) STRICT, WITHOUT ROWID;

CREATE TABLE hailmark_person (
	id           TEXT    NOT NULL PRIMARY KEY,
	cluster      INTEGER NOT NULL,
	born         INTEGER NOT NULL,
	merged_into  TEXT, -- the person that this one turned out to be
	anchor_kind  TEXT    NOT NULL,
	anchor_scope TEXT    NOT NULL,
	anchor_value TEXT    NOT NULL,
	anchor_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Rows of aliases lead to the other persons of a cluster.
CREATE INDEX hailmark_person_cluster ON hailmark_person (cluster) WHERE merged_into IS NOT NULL OR anchor_kind <> '';

CREATE TABLE hailmark_cell (
	cluster      INTEGER NOT NULL,
	period       INTEGER NOT NULL, -- of 30 days
	portfolio    TEXT    NOT NULL,
	parent_group TEXT    NOT NULL,
	bsuid        TEXT    NOT NULL,
	parent       TEXT    NOT NULL,
	phone        TEXT    NOT NULL,
	first_at     INTEGER NOT NULL,
	last_at      INTEGER NOT NULL,
	username     TEXT    NOT NULL,
	username_at  INTEGER NOT NULL,
	name         TEXT    NOT NULL,
	name_at      INTEGER NOT NULL,
	received     TEXT    NOT NULL, -- the phone number as received
	received_at  INTEGER NOT NULL,
	PRIMARY KEY (cluster, period, portfolio, parent_group, bsuid, parent, phone)
) STRICT, WITHOUT ROWID;

CREATE TABLE hailmark_change (
	cluster            INTEGER NOT NULL,
	at                 INTEGER NOT NULL,
	previous_portfolio TEXT    NOT NULL,
	previous_group     TEXT    NOT NULL,
	previous_bsuid     TEXT    NOT NULL,
	previous_parent    TEXT    NOT NULL,
	previous_phone     TEXT    NOT NULL,
	current_portfolio  TEXT    NOT NULL,
	current_group      TEXT    NOT NULL,
	current_bsuid      TEXT    NOT NULL,
	current_parent     TEXT    NOT NULL,
	current_phone      TEXT    NOT NULL,
	previous_received  TEXT    NOT NULL,
	current_received   TEXT    NOT NULL,
	PRIMARY KEY (cluster, at, previous_portfolio, previous_group, previous_bsuid, previous_parent, previous_phone,
		current_portfolio, current_group, current_bsuid, current_parent, current_phone)
) STRICT, WITHOUT ROWID;

CREATE TABLE hailmark_verdict (
	cluster INTEGER NOT NULL,
	a_kind  TEXT    NOT NULL,
	a_scope TEXT    NOT NULL,
	a_value TEXT    NOT NULL,
	b_kind  TEXT    NOT NULL,
	b_scope TEXT    NOT NULL,
	b_value TEXT    NOT NULL,
	at      INTEGER NOT NULL,
	joined  INTEGER NOT NULL,
	PRIMARY KEY (cluster, a_kind, a_scope, a_value, b_kind, b_scope, b_value)
) STRICT, WITHOUT ROWID;

CREATE TABLE hailmark_handover (
	cluster   INTEGER NOT NULL,
	portfolio TEXT    NOT NULL,
	phone     TEXT    NOT NULL,
	at        INTEGER NOT NULL,
	undone    INTEGER NOT NULL,
	PRIMARY KEY (cluster, portfolio, phone, at)
) STRICT, WITHOUT ROWID;

-- Which migrations ran, so that Store.Migrate and other tools can take turns.
CREATE TABLE IF NOT EXISTS hailmark_migration (number bigint NOT NULL PRIMARY KEY);
INSERT INTO hailmark_migration (number) VALUES (1);

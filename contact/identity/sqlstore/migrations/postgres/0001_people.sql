-- The tables of sqlstore for PostgreSQL 12 and later.
-- An empty text means that an id is absent, and 0 that a time or number is.

-- Numbers come in blocks of 64 that follow each other.
CREATE SEQUENCE hailmark_sequence AS bigint INCREMENT BY 64;

CREATE TABLE hailmark_alias (
	kind    text COLLATE "C" NOT NULL, -- bsuid, parent or phone
	scope   text COLLATE "C" NOT NULL, -- the portfolio, or the group of a parent
	value   text COLLATE "C" NOT NULL,
	cluster bigint NOT NULL,
	added   bigint NOT NULL,
	person  uuid,             -- who has the alias now
	changed boolean NOT NULL,
	ended   boolean NOT NULL,
	alone   boolean NOT NULL,
	shared  boolean NOT NULL,
	settled bigint NOT NULL,
	latest  bigint NOT NULL,
	PRIMARY KEY (kind, scope, value)
);

CREATE TABLE hailmark_person (
	id           uuid NOT NULL PRIMARY KEY,
	cluster      bigint NOT NULL,
	born         bigint NOT NULL,
	merged_into  uuid, -- the person that this one turned out to be
	anchor_kind  text COLLATE "C" NOT NULL,
	anchor_scope text COLLATE "C" NOT NULL,
	anchor_value text COLLATE "C" NOT NULL,
	anchor_at    bigint NOT NULL
);

-- Rows of aliases lead to the other persons of a cluster.
CREATE INDEX hailmark_person_cluster ON hailmark_person (cluster) WHERE merged_into IS NOT NULL OR anchor_kind <> '';

CREATE TABLE hailmark_cell (
	cluster      bigint NOT NULL,
	period       bigint NOT NULL, -- of 30 days
	portfolio    text COLLATE "C" NOT NULL,
	parent_group text COLLATE "C" NOT NULL,
	bsuid        text COLLATE "C" NOT NULL,
	parent       text COLLATE "C" NOT NULL,
	phone        text COLLATE "C" NOT NULL,
	first_at     bigint NOT NULL,
	last_at      bigint NOT NULL,
	username     text COLLATE "C" NOT NULL,
	username_at  bigint NOT NULL,
	name         text COLLATE "C" NOT NULL,
	name_at      bigint NOT NULL,
	received     text COLLATE "C" NOT NULL, -- the phone number as received
	received_at  bigint NOT NULL,
	PRIMARY KEY (cluster, period, portfolio, parent_group, bsuid, parent, phone)
);

CREATE TABLE hailmark_change (
	cluster            bigint NOT NULL,
	at                 bigint NOT NULL,
	previous_portfolio text COLLATE "C" NOT NULL,
	previous_group     text COLLATE "C" NOT NULL,
	previous_bsuid     text COLLATE "C" NOT NULL,
	previous_parent    text COLLATE "C" NOT NULL,
	previous_phone     text COLLATE "C" NOT NULL,
	current_portfolio  text COLLATE "C" NOT NULL,
	current_group      text COLLATE "C" NOT NULL,
	current_bsuid      text COLLATE "C" NOT NULL,
	current_parent     text COLLATE "C" NOT NULL,
	current_phone      text COLLATE "C" NOT NULL,
	previous_received  text COLLATE "C" NOT NULL,
	current_received   text COLLATE "C" NOT NULL,
	PRIMARY KEY (cluster, at, previous_portfolio, previous_group, previous_bsuid, previous_parent, previous_phone,
		current_portfolio, current_group, current_bsuid, current_parent, current_phone)
);

CREATE TABLE hailmark_verdict (
	cluster bigint NOT NULL,
	a_kind  text COLLATE "C" NOT NULL,
	a_scope text COLLATE "C" NOT NULL,
	a_value text COLLATE "C" NOT NULL,
	b_kind  text COLLATE "C" NOT NULL,
	b_scope text COLLATE "C" NOT NULL,
	b_value text COLLATE "C" NOT NULL,
	at      bigint NOT NULL,
	joined  boolean NOT NULL,
	PRIMARY KEY (cluster, a_kind, a_scope, a_value, b_kind, b_scope, b_value)
);

CREATE TABLE hailmark_handover (
	cluster   bigint NOT NULL,
	portfolio text COLLATE "C" NOT NULL,
	phone     text COLLATE "C" NOT NULL,
	at        bigint NOT NULL,
	undone    boolean NOT NULL,
	PRIMARY KEY (cluster, portfolio, phone, at)
);

-- Which migrations ran, so that Store.Migrate and other tools can take turns.
CREATE TABLE IF NOT EXISTS hailmark_migration (number bigint NOT NULL PRIMARY KEY);
INSERT INTO hailmark_migration (number) VALUES (1);

-- +goose Up
-- The tables for the rules of 26 November 2026. Programs that know version 1 only fail from now on,
-- because a column has another name. Afterwards, call Engine.Recompute.

ALTER TABLE hailmark_entry RENAME COLUMN seen TO is_seen;

-- The aliases about which there can be a conflict.
CREATE TABLE hailmark_doubtful (alias TEXT NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID;

INSERT INTO hailmark_migration (number) VALUES (2);

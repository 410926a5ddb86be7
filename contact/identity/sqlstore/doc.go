// Package sqlstore keeps identity data in SQLite and Postgres.
package sqlstore

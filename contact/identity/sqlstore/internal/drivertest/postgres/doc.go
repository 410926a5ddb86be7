// Package postgres tests sqlstore, and the code of the guides, with Postgres. Its tests need the build tag drivers.
package postgres

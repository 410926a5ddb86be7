package sqlstore

import (
	"encoding/json"
	"strings"
)

// statements contains a dialect's statements. The dialects differ in how they read a list, which is an
// argument in JSON. A table's name begins with hailmark_, which named replaces.
type statements struct {
	load, holdings, get, persons string // their rows begin with a table: 0 facts, 1 holdings, 2 people, 3 doubtful aliases
	doubtful                     string // returns aliases
	version                      string // returns the number of the last migration

	// These write one row in SQLite, and a list of rows in Postgres.
	deleteFact, deleteEntry, deleteHolding, deletePerson, deleteDoubtful string
	insertFact, insertEntry, insertHolding, insertPerson, insertDoubtful string

	begin string // makes a transaction the only one that writes; empty if several can write
}

// named returns the statements with the configured names of tables.
func (s statements) named(config *Config) *statements {
	names := strings.NewReplacer(defaultPrefix, config.table())
	for _, text := range []*string{
		&s.load, &s.holdings, &s.get, &s.persons, &s.doubtful, &s.version,
		&s.deleteFact, &s.deleteEntry, &s.deleteHolding, &s.deletePerson, &s.deleteDoubtful,
		&s.insertFact, &s.insertEntry, &s.insertHolding, &s.insertPerson, &s.insertDoubtful,
		&s.begin,
	} {
		*text = names.Replace(*text)
	}
	return &s
}

// list returns values as an argument.
func list[T any](values []T) string {
	text, _ := json.Marshal(append([]T{}, values...)) // texts, numbers and flags have no errors, and nil isn't a list
	return string(text)
}

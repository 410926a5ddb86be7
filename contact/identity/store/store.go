// Package store specifies where an identity engine keeps its data. Most programs use package
// sqlstore, and [NewMemory] in tests.
//
// To write a store, implement [Store] and run storetest.TestStore. A store contains four
// tables. [Fact] rows are evidence, found by their aliases. [Holding] rows are an index, derived
// from evidence, of everybody's aliases and periods. [Person] rows make every person ID ever
// returned lead to a person. The fourth contains the doubtful aliases. Aliases are compared byte by byte.
package store

import (
	"context"
	"encoding/hex"
)

// An ID identifies a person.
type ID [16]byte

// String returns a lowercase UUID.
func (id ID) String() string {
	h := hex.EncodeToString(id[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// A Fact is an evidence row. Its key is Key.
type Fact struct {
	Key, Value string
	Aliases    []string // the distinct aliases by which the row is found; Load may omit them
	Seen       bool     // a sighting, which [Tx.Load] doesn't find by others; it may omit this
}

// A Holding is a period in which a person had an alias. Its key is Alias, Since and Person.
type Holding struct {
	Alias        string
	Since, Until int64 // Unix seconds; Until is before Since if another person had it in the same second
	Person       ID
	Current      bool
}

// A Person makes an ID lead to whoever had the alias Anchor at the time At. Its key is ID. Only
// forgetting the person deletes it.
type Person struct {
	ID     ID
	Born   int64 // assigned by the store: greater for a person inserted later, above 0
	Anchor string
	At     int64
}

// An Entry is an alias by which a fact's row is found.
type Entry struct{ Alias, Key string }

// Rows contains rows for the tables.
type Rows struct {
	Facts    []Fact
	Entries  []Entry // only removed; the fact remains
	Holdings []Holding
	Persons  []Person
	Doubtful []string // aliases about which there can be a conflict
}

// A Store runs transactions. Errors after a context's end match the context's error.
type Store interface {
	// Update runs f in a transaction. It commits if f returns nil, and otherwise rolls
	// everything back and returns the error of f. It may roll back and run f again if
	// the transaction lost a race against another one.
	Update(ctx context.Context, f func(Tx) error) error

	// View runs f in a transaction that reads one consistent state. f must not write.
	View(ctx context.Context, f func(Tx) error) error
}

// A Tx is a transaction. It sees its own writes. One goroutine at a time calls its methods, which
// must not keep slices passed to them. Returned rows have no order unless specified.
type Tx interface {
	// Lock locks aliases until the transaction ends, and waits for other transactions' locks.
	// Later reads include what their holders committed. It reports true if earlier reads can
	// be stale and must be repeated. It does nothing within View, or if a store supports only
	// a single writer at a time.
	Lock(ctx context.Context, aliases []string) (stale bool, err error)

	// Load returns all rows with an alias or anchor among the given aliases and, if wide is set,
	// all that their holders ever had. It also returns each Fact that contains one of the others
	// and isn't Seen. The rows are distinct.
	Load(ctx context.Context, aliases []string, wide bool, others []string) (Rows, error)

	// Holdings returns the holdings of aliases.
	Holdings(ctx context.Context, aliases []string) ([]Holding, error)

	// Get returns the rows for people, without those that aren't stored.
	Get(ctx context.Context, ids []ID) ([]Person, error)

	// Persons returns up to n rows with the least Born greater than after, in the order of Born.
	Persons(ctx context.Context, after int64, n int) ([]Person, error)

	// Doubtful returns up to n doubtful aliases greater than after, sorted.
	Doubtful(ctx context.Context, after string, n int) ([]string, error)

	// Write deletes the rows in remove, which contain keys and Aliases, and inserts those in put.
	// No two of them have the same key. An inserted row replaces a stored row with its key.
	// However, a replaced Person keeps Born, and a replaced Fact changes only Value and may omit
	// the rest.
	Write(ctx context.Context, remove, put *Rows) error
}

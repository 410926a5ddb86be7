package identity

import (
	"context"
	"encoding/hex"

	"github.com/hailmark/hailmark/problem"
)

// A PersonID permanently identifies a person. It is random, with the bits of a version 4
// UUID, and does not depend on any alias. The zero PersonID means that there is no person.
type PersonID [16]byte

// IsZero reports whether id is the zero PersonID.
func (id PersonID) IsZero() bool { return id == PersonID{} }

// String returns the id as a UUID in lower case, or "" for the zero PersonID.
func (id PersonID) String() string {
	if id.IsZero() {
		return ""
	}
	text, _ := id.AppendText(nil)
	return string(text)
}

// AppendText implements [encoding.TextAppender].
func (id PersonID) AppendText(dst []byte) ([]byte, error) {
	if id.IsZero() {
		return dst, nil
	}
	for i, b := range id {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, []byte{b})
	}
	return dst, nil
}

// MarshalText implements [encoding.TextMarshaler].
func (id PersonID) MarshalText() ([]byte, error) { return id.AppendText(nil) }

// UnmarshalText implements [encoding.TextUnmarshaler]. Empty text is the zero PersonID.
// The error is a [problem.Problem] with [CodePersonID].
func (id *PersonID) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*id = PersonID{}
		return nil
	}
	v, err := ParsePersonID(string(text))
	if err != nil {
		return err
	}
	*id = v
	return nil
}

// CodePersonID is reported for a text that is not a PersonID.
const CodePersonID problem.Code = "identity_invalid_person_id"

// ParsePersonID reads what [PersonID.String] returns. The error is a [problem.Problem]
// with [CodePersonID].
func ParsePersonID(s string) (PersonID, error) {
	var id PersonID
	if len(s) == 36 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-' {
		digits := s[:8] + s[9:13] + s[14:18] + s[19:23] + s[24:]
		if _, err := hex.Decode(id[:], []byte(digits)); err == nil && !id.IsZero() {
			return id, nil
		}
	}
	return PersonID{}, problem.New(CodePersonID, "a person id must be a UUID as PersonID.String returns it")
}

// A Store keeps what an [Engine] knows. [Memory] is one. A store is correct if it
// passes identitytest.TestStore.
//
// A store has six tables: the four of [Evidence], [AliasRow] and [PersonRow]. Every row
// belongs to one cluster. Two aliases that were ever named by one fact are in one
// cluster, so what a fact means depends on the rows of one cluster only.
//
// A store needs no index of all aliases and persons by cluster. The aliases of a cluster
// are those that its evidence names. Its persons are those in the rows of its aliases, and
// those that have Into or Anchor.
type Store interface {
	// Update runs f in a transaction. It commits if f returns nil, and otherwise rolls
	// everything back and returns the error of f. It may roll back and run f again if
	// the transaction lost a race against another one.
	Update(ctx context.Context, f func(Tx) error) error

	// View runs f in a transaction that reads one consistent state. f must not call
	// [Tx.Write] or [Tx.Sequence].
	View(ctx context.Context, f func(Tx) error) error
}

// A Tx is a transaction of a [Store]. It sees its own writes. A store over database/sql
// also makes one from a transaction of the caller, for [Engine.ObserveTx].
//
// The methods are called by one goroutine at a time. They must not keep the slices and
// pointers that they are given.
type Tx interface {
	// Lookup sets rows[i] to the row of aliases[i], or to the zero AliasRow if there is
	// none. The aliases are sorted by Compare and distinct. If cell is not nil and the
	// cell with the key cell.CellKey is stored, Lookup sets *cell to it; otherwise it
	// leaves *cell alone, with First equal to 0.
	//
	// Within Update, Lookup also locks: until the transaction ends, no other transaction
	// may write rows of the clusters of these aliases, or add one of these aliases.
	// Either it waits for others that hold such a lock, or the transaction is rolled
	// back and run again. The rows are those after the lock was taken. To avoid
	// deadlocks take locks in the order of the aliases. An Observe of several facts
	// first looks up the aliases of all of them.
	Lookup(ctx context.Context, aliases []Alias, rows []AliasRow, cell *Cell) error

	// Load returns all rows of clusters. Their order does not matter. The clusters are
	// those of rows that Lookup or Person returned in the same transaction, so within
	// Update they are locked.
	Load(ctx context.Context, clusters []int64) (Cluster, error)

	// LoadNamed returns the cells, changes and verdicts of a cluster that name a BSUID.
	// The cluster is as for Load.
	LoadNamed(ctx context.Context, cluster int64, bsuid Alias) (Evidence, error)

	// LoadSince returns the cells of a cluster whose Last is not before a time, and the
	// changes, verdicts and handovers whose At is not. The cluster is as for Load.
	LoadSince(ctx context.Context, cluster int64, at int64) (Evidence, error)

	// Person returns the row of a person. Within Update it also locks the cluster of the
	// person, as Lookup does, and the row is that after the lock was taken.
	Person(ctx context.Context, id PersonID) (row PersonRow, known bool, err error)

	// Sequence returns the first of n numbers that follow each other, are above 0 and
	// were never returned before. Later calls return greater numbers. Numbers of a
	// transaction that was rolled back may be lost.
	Sequence(ctx context.Context, n int) (first int64, err error)

	// Write stores a batch.
	Write(ctx context.Context, batch *Batch) error
}

// A Cluster has all rows of one or more clusters.
type Cluster struct {
	Evidence
	Aliases []AliasRow
	Persons []PersonRow
}

// A Batch is what a transaction writes. All rows belong to Cluster.
type Batch struct {
	Cluster int64

	// Delete has rows of Cluster to delete first. Only their keys count. All other rows
	// stay in place, because a caller may have foreign keys to them.
	Delete Cluster

	// Merge lists other clusters, of which all rows move to Cluster first.
	Merge []int64

	// Rows to insert. A stored row with the same key is replaced. The keys are: CellKey;
	// ChangeKey; the pair of aliases of a verdict; phone and time of a handover; the
	// alias of an AliasRow; the ID of a PersonRow.
	Evidence
	Aliases []AliasRow
	Persons []PersonRow
}

// An AliasRow is what a store keeps about an alias besides the evidence. Its key is
// Alias. Person, Cluster and Added are stored only here. The engine computes the other
// fields from the evidence, and with them it observes most facts without loading the
// cluster.
type AliasRow struct {
	Alias   Alias
	Cluster int64 // 0 in the zero AliasRow only
	Added   int64 // a number from Sequence: which alias was added first

	// Person is the person who has the alias. For a phone number that is the person who
	// uses it now. It is zero if there is no such person.
	Person PersonID

	// For a stable alias.
	Changed bool // a changed fact names it
	Ended   bool // the latest changed facts replaced it

	// For a phone number.
	Alone   bool  // every fact that names it is a seen without a stable alias
	Shared  bool  // it was seen with the stable aliases of several persons
	Settled int64 // a seen fact after this time cannot merge or split persons
	Latest  int64 // if Shared: the greatest time at which it was seen with a stable alias
}

// A PersonRow is what a store keeps about a person besides the evidence. Its key is ID. A
// row stays for ever, unless the person is forgotten.
type PersonRow struct {
	ID      PersonID
	Cluster int64
	Born    int64    // a number from Sequence: which person was created first
	Into    PersonID // the person that this one was merged into, or zero

	// Anchor and At lead to the person: to whoever has the alias Anchor, if it is a phone
	// number at the time At. Both are zero for a person with a stable alias into whom
	// nobody was merged. Otherwise they are the oldest alias of the person, for those who
	// were merged the oldest one before that, so that each gets their id back if later
	// facts separate them.
	Anchor Alias
	At     int64
}

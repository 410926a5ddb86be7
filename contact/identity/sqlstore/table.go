package sqlstore

import (
	"strconv"
	"strings"

	"github.com/hailmark/hailmark/contact/identity"
)

// A table is a table of the store with its columns. Each key begins with the cluster
// where that is possible, so that the rows of a cluster lie together.
type table struct {
	name   string // without the prefix
	keys   []string
	values []string

	// indexed is the condition of an index by cluster, or "" if the key begins with the
	// cluster. Only rows that no alias leads to need the index.
	indexed string
}

var (
	aliasTable = table{
		name:   "alias",
		keys:   []string{"kind", "scope", "value"},
		values: []string{"person", "cluster", "added", "changed", "ended", "alone", "shared", "settled", "latest"},
	}
	personTable = table{
		name:    "person",
		keys:    []string{"id"},
		values:  []string{"cluster", "born", "merged_into", "anchor_kind", "anchor_scope", "anchor_value", "anchor_at"},
		indexed: " AND (merged_into IS NOT NULL OR anchor_kind <> '')",
	}
	cellTable = table{
		name:   "cell",
		keys:   []string{"cluster", "period", "portfolio", "parent_group", "bsuid", "parent", "phone"},
		values: []string{"first_at", "last_at", "username", "username_at", "name", "name_at", "received", "received_at"},
	}
	changeTable = table{
		name: "change",
		keys: []string{
			"cluster", "at",
			"previous_portfolio", "previous_group", "previous_bsuid", "previous_parent", "previous_phone",
			"current_portfolio", "current_group", "current_bsuid", "current_parent", "current_phone",
		},
		values: []string{"previous_received", "current_received"},
	}
	verdictTable = table{
		name:   "verdict",
		keys:   []string{"cluster", "a_kind", "a_scope", "a_value", "b_kind", "b_scope", "b_value"},
		values: []string{"at", "joined"},
	}
	handoverTable = table{
		name:   "handover",
		keys:   []string{"cluster", "portfolio", "phone", "at"},
		values: []string{"undone"},
	}

	tables = [...]*table{&aliasTable, &personTable, &cellTable, &changeTable, &verdictTable, &handoverTable}
)

func (t *table) columns() []string {
	return append(append([]string(nil), t.keys...), t.values...)
}

// statements are the parts of statements that do not depend on the rows.
type statements struct {
	upserts     map[*table]upsert
	selects     map[*table]string // up to the number of the cluster
	moves       []string          // for each table of evidence, up to the new number of the cluster
	deletes     map[*table]string // up to the condition
	person      string            // up to the id
	persons     string            // up to the list of ids
	joined      string            // Postgres: SELECT with the columns of an alias
	joinedCell  string            // Postgres: more columns, those of a cell
	join        string            // Postgres: v, the aliases that are looked up, with their rows
	joinCell    []string          // Postgres: joins a cell: a text before each part of its key
	lock        [2]string         // Postgres: the texts before and after the aliases
	lockCluster string            // Postgres: up to the cluster
	sequence    string            // Postgres: takes a block of numbers; SQLite: selects who took the last one
	reserve     string            // SQLite: takes a block of numbers
	write       string            // SQLite: begins to write

	// SQLite: lookups[n] selects n+1 aliases, without and with a cell.
	lookups [maxRows][2]string
}

// An upsert inserts rows, and replaces those that have the same key.
type upsert struct{ head, tail string }

func newStatements(config Config) statements {
	p := config.Prefix
	s := statements{upserts: map[*table]upsert{}, selects: map[*table]string{}, deletes: map[*table]string{}}
	for _, t := range tables {
		name := p + t.name
		s.upserts[t] = t.upsert(config)
		s.deletes[t] = "DELETE FROM " + name + " WHERE "
		s.selects[t] = "SELECT " + strings.Join(t.columns(), ", ") + " FROM " + name + " WHERE cluster = "
		if t.keys[0] == "cluster" {
			s.moves = append(s.moves, "UPDATE "+name+" SET cluster = ")
		}
	}
	selectPerson := "SELECT " + strings.Join(personTable.columns(), ", ") + " FROM " + p + "person WHERE id "
	among := "IN "
	if config.Dialect == Postgres {
		among = "= ANY "
	}
	s.person, s.persons = selectPerson+"= ", selectPerson+among
	cellKey := make([]string, 0, len(cellTable.keys)-1)
	for _, column := range cellTable.keys[1:] {
		cellKey = append(cellKey, " AND c."+column+" = ")
	}
	if config.Dialect == SQLite {
		condition := p + "alias WHERE kind = ? AND scope = ? AND value = ?"
		columns := ", person, NULL, NULL, " + strings.Join(aliasTable.values[1:], ", ")
		cell := " UNION ALL SELECT -1, username, name, received, first_at, last_at, username_at, name_at, received_at, 0, 0, 0" +
			" FROM " + p + "cell c WHERE c.cluster = (SELECT cluster FROM " + condition + ")" + strings.Join(cellKey, "?") + "?"
		var selects []string
		for i := range s.lookups {
			selects = append(selects, "SELECT "+strconv.Itoa(i)+columns+" FROM "+condition)
			text := strings.Join(selects, " UNION ALL ")
			s.lookups[i] = [...]string{text, text + cell}
		}
		s.sequence = "SELECT owner FROM " + p + "sequence"
		s.reserve = "UPDATE " + p + "sequence SET next = next + ?, owner = ? RETURNING next"
		s.write = "UPDATE " + p + "sequence SET next = next WHERE next < 0"
		return s
	}
	s.joined = "SELECT v.n, a." + strings.Join(aliasTable.values, ", a.")
	s.joinedCell = ", c." + strings.Join(cellTable.values, ", c.")
	on := "JOIN " + p + "alias a ON a.kind = v.kind AND a.scope = v.scope AND a.value = v.value"
	s.join = " " + on
	cellKey[0] = " LEFT JOIN " + p + "cell c ON c.cluster = a.cluster" + cellKey[0]
	s.joinCell = cellKey
	s.lock = [...]string{
		"SELECT l.n, l.cluster, current_setting('transaction_isolation'), pg_advisory_xact_lock(l.key) IS NULL FROM (" +
			"SELECT v.n, coalesce(a.cluster, 0) AS cluster, " + lockKey(p, "CASE WHEN a.cluster IS NULL"+
			" THEN v.kind || chr(9) || v.scope || chr(9) || v.value ELSE a.cluster::text END") + " AS key FROM ",
		" LEFT " + on + " ORDER BY key) l",
	}
	s.lockCluster = "SELECT current_setting('transaction_isolation'), pg_advisory_xact_lock(" + lockKey(p, "l.cluster::text") +
		") IS NULL FROM (SELECT "
	s.sequence = "SELECT nextval('" + p + "sequence')"
	return s
}

// maxLocks is how many advisory locks a transaction takes at most in Postgres. All
// transactions of a server share a table of a few thousand.
const maxLocks = 256

// lockKey returns an expression for the advisory lock of a text, one of maxLocks.
func lockKey(prefix, text string) string {
	n := strconv.Itoa(maxLocks)
	return "((hashtextextended('" + prefix + "', 0) & -" + n + ") | (hashtextextended(" + text + ", 0) & (" + n + " - 1)))"
}

// upsert returns the upsert of a table.
//
// REPLACE of SQLite takes less time, because it does not look for the row first. But it
// deletes the row that it replaces, so it is only for the tables of evidence: a caller may
// have foreign keys to the others.
func (t *table) upsert(config Config) upsert {
	insert := "INSERT INTO "
	tail := ""
	if config.Dialect == SQLite && t.keys[0] == "cluster" {
		insert = "REPLACE INTO "
	} else {
		replace := make([]string, len(t.values))
		for i, column := range t.values {
			replace[i] = column + " = excluded." + column
		}
		tail = " ON CONFLICT (" + strings.Join(t.keys, ", ") + ") DO UPDATE SET " + strings.Join(replace, ", ")
	}
	return upsert{insert + config.Prefix + t.name + " (" + strings.Join(t.columns(), ", ") + ") VALUES ", tail}
}

// nullable returns what is stored for the id of a person.
func nullable(id identity.PersonID) any {
	if id.IsZero() {
		return nil
	}
	return id.String()
}

// appendAlias appends the three columns of an alias.
func appendAlias(args []any, a identity.Alias) []any {
	return append(args, a.Kind().String(), a.Scope(), a.Value())
}

func appendAliasRow(args []any, cluster int64, r *identity.AliasRow) []any {
	return append(appendAlias(args, r.Alias), nullable(r.Person), cluster, r.Added,
		r.Changed, r.Ended, r.Alone, r.Shared, r.Settled, r.Latest)
}

func appendPersonRow(args []any, cluster int64, r *identity.PersonRow) []any {
	args = append(args, r.ID.String(), cluster, r.Born, nullable(r.Into))
	return append(appendAlias(args, r.Anchor), r.At)
}

// appendSide appends the portfolio, the group and the ids of aliases that one fact names
// together. A BSUID and a phone number have one portfolio then.
func appendSide(args []any, bsuid, parent, phone identity.Alias) ([]any, error) {
	portfolio := bsuid.Scope()
	if !bsuid.IsValid() {
		portfolio = phone.Scope()
	} else if phone.IsValid() && phone.Scope() != portfolio {
		return nil, errPortfolios
	}
	return append(args, portfolio, parent.Scope(), bsuid.Value(), parent.Value(), phone.Value()), nil
}

func appendCellKey(args []any, k *identity.CellKey) ([]any, error) {
	return appendSide(append(args, k.Period), k.BSUID, k.Parent, k.Phone)
}

func appendCell(args []any, cluster int64, c *identity.Cell) ([]any, error) {
	args, err := appendCellKey(append(args, cluster), &c.CellKey)
	return append(args, c.First, c.Last, c.Username.Text, c.Username.At, c.Name.Text, c.Name.At, c.Received.Text, c.Received.At), err
}

func appendChange(args []any, cluster int64, c *identity.ChangeRow) ([]any, error) {
	args = append(args, cluster, c.At)
	for _, side := range [...]*identity.ChangeSide{&c.Previous, &c.Current} {
		var err error
		if args, err = appendSide(args, side.BSUID, side.Parent, side.Phone); err != nil {
			return nil, err
		}
	}
	return append(args, c.PreviousReceived, c.CurrentReceived), nil
}

func appendVerdict(args []any, cluster int64, v *identity.Verdict) []any {
	return append(appendAlias(appendAlias(append(args, cluster), v.A), v.B), v.At, v.Joined)
}

func appendHandover(args []any, cluster int64, h *identity.Handover) []any {
	return append(args, cluster, h.Phone.Scope(), h.Phone.Value(), h.At, h.Undone)
}

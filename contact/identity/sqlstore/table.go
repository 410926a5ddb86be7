package sqlstore

import (
	"strings"

	"github.com/hailmark/hailmark/contact/identity"
)

// A table is a table of the store with its columns. Each key begins with the cluster
// where that is possible, so that the rows of a cluster lie together.
type table struct {
	name   string // without the prefix
	keys   []string
	values []string
}

var (
	aliasTable = table{
		"alias",
		[]string{"kind", "scope", "value"},
		[]string{"cluster", "added", "person", "changed", "ended", "alone", "shared", "settled", "latest"},
	}
	personTable = table{
		"person",
		[]string{"id"},
		[]string{"cluster", "born", "merged_into", "anchor_kind", "anchor_scope", "anchor_value", "anchor_at"},
	}
	cellTable = table{
		"cell",
		[]string{"cluster", "period", "portfolio", "parent_group", "bsuid", "parent", "phone"},
		[]string{"first_at", "last_at", "username", "username_at", "name", "name_at", "received", "received_at"},
	}
	changeTable = table{
		"change",
		[]string{
			"cluster", "at",
			"previous_portfolio", "previous_group", "previous_bsuid", "previous_parent", "previous_phone",
			"current_portfolio", "current_group", "current_bsuid", "current_parent", "current_phone",
		},
		[]string{"previous_received", "current_received"},
	}
	verdictTable = table{
		"verdict",
		[]string{"cluster", "a_kind", "a_scope", "a_value", "b_kind", "b_scope", "b_value"},
		[]string{"at", "joined"},
	}
	handoverTable = table{
		"handover",
		[]string{"cluster", "portfolio", "phone", "at"},
		[]string{"undone"},
	}

	tables = [...]*table{&aliasTable, &personTable, &cellTable, &changeTable, &verdictTable, &handoverTable}
)

func (t *table) columns() []string {
	return append(append([]string(nil), t.keys...), t.values...)
}

// statements are the parts of statements that do not depend on the rows.
type statements struct {
	upserts  map[*table]upsert
	selects  map[*table]string // up to the number of the cluster
	moves    []string          // for each table, up to the new number of the cluster
	deletes  []string          // for each table, up to the number of the cluster
	person   string            // up to the id
	rows     string            // SELECT with the columns of an alias
	withCell string            // Postgres: more columns, those of a cell
	join     string            // v, the aliases that are looked up, with their rows
	cell     []string          // looks a cell up, in Postgres with a join: a text before each part of its key
	lock     [2]string         // Postgres: the texts before and after the aliases
	sequence string            // Postgres: takes a block of numbers; SQLite: selects who took the last one
	reserve  string            // SQLite: takes a block of numbers
	write    string            // SQLite: begins to write
}

// An upsert inserts rows, and replaces those that have the same key.
type upsert struct{ head, tail string }

func newStatements(config Config) statements {
	p := config.Prefix
	s := statements{upserts: map[*table]upsert{}, selects: map[*table]string{}}
	for _, t := range tables {
		name := p + t.name
		replace := make([]string, len(t.values))
		for i, column := range t.values {
			replace[i] = column + " = excluded." + column
		}
		s.upserts[t] = upsert{
			"INSERT INTO " + name + " (" + strings.Join(t.columns(), ", ") + ") VALUES ",
			" ON CONFLICT (" + strings.Join(t.keys, ", ") + ") DO UPDATE SET " + strings.Join(replace, ", "),
		}
		s.selects[t] = "SELECT " + strings.Join(t.columns(), ", ") + " FROM " + name + " WHERE cluster = "
		s.moves = append(s.moves, "UPDATE "+name+" SET cluster = ")
		s.deletes = append(s.deletes, "DELETE FROM "+name+" WHERE cluster = ")
	}
	s.person = "SELECT " + strings.Join(personTable.columns(), ", ") + " FROM " + p + "person WHERE id = "
	s.rows = "SELECT v.n, a." + strings.Join(aliasTable.values, ", a.")
	s.withCell = ", c." + strings.Join(cellTable.values, ", c.")
	on := "JOIN " + p + "alias a ON a.kind = v.kind AND a.scope = v.scope AND a.value = v.value"
	s.join = " " + on
	for _, column := range cellTable.keys {
		s.cell = append(s.cell, " AND c."+column+" = ")
	}
	if config.Dialect == Postgres {
		s.cell[0] = " LEFT JOIN " + p + "cell c ON c.cluster = "
	} else {
		s.cell[0] = "SELECT " + strings.Join(cellTable.values, ", ") + " FROM " + p + "cell c WHERE c.cluster = "
	}
	s.lock = [...]string{
		"SELECT l.n, l.cluster, current_setting('transaction_isolation'), pg_advisory_xact_lock(l.key) IS NULL FROM (" +
			"SELECT v.n, coalesce(a.cluster, 0) AS cluster, hashtextextended(CASE WHEN a.cluster IS NULL" +
			" THEN '" + p + "alias ' || v.kind || chr(9) || v.scope || chr(9) || v.value" +
			" ELSE '" + p + "cluster ' || a.cluster END, 0) AS key FROM ",
		" LEFT " + on + " ORDER BY key) l",
	}
	if config.Dialect == Postgres {
		s.sequence = "SELECT nextval('" + p + "sequence')"
	} else {
		s.join = " CROSS " + on // looks each alias up, instead of reading all
		s.sequence = "SELECT owner FROM " + p + "sequence"
		s.reserve = "UPDATE " + p + "sequence SET next = next + ?, owner = ? RETURNING next"
		s.write = "UPDATE " + p + "sequence SET next = next WHERE next < 0"
	}
	return s
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
	return append(appendAlias(args, r.Alias), cluster, r.Added, nullable(r.Person),
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

package sqlstore

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/hailmark/hailmark/contact/identity"
)

// Lookup implements [identity.Tx].
func (tx *Tx) Lookup(ctx context.Context, aliases []identity.Alias, rows []identity.AliasRow, cell *identity.Cell) error {
	if err := tx.check(ctx, false); err != nil {
		return err
	}
	if !tx.store.postgres {
		return tx.read(ctx, aliases, rows, cell)
	}
	for {
		if tx.locks && !tx.isLocked(aliases, nil) {
			if err := tx.lock(ctx, aliases); err != nil {
				return err
			}
		}
		if err := tx.read(ctx, aliases, rows, cell); err != nil {
			return err
		}
		switch {
		case !tx.locks || tx.isLocked(aliases, rows):
			return nil
		case tx.repeats:
			return errRace
		}
	}
}

// read reads the rows of aliases, and a cell if it is not nil.
func (tx *Tx) read(ctx context.Context, aliases []identity.Alias, rows []identity.AliasRow, cell *identity.Cell) error {
	clear(rows)
	if tx.store.postgres {
		return tx.readJoined(ctx, aliases, rows, cell)
	}
	return tx.readEach(ctx, aliases, rows, cell)
}

// readEach reads the rows of aliases, and a cell if it is not nil, in SQLite. It is a
// statement with a SELECT for each of them: joins of the same rows take up to 30 times as
// long with some builds of SQLite.
func (tx *Tx) readEach(ctx context.Context, aliases []identity.Alias, rows []identity.AliasRow, cell *identity.Cell) error {
	var scan eachScan
	for from := 0; from < len(aliases); from += maxRows {
		chunk := aliases[from:min(from+maxRows, len(aliases))]
		q := tx.query()
		for _, a := range chunk {
			q.args = appendAlias(q.args, a)
		}
		withCell := 0
		if cell != nil && from == 0 {
			var err error
			if q.args, withCell, err = appendCellOf(q.args, &cell.CellKey); err != nil {
				return err
			}
		}
		q.add(tx.store.text.lookups[len(chunk)-1][withCell])
		err := q.each(ctx, func(columns func(...any) error) error {
			if err := columns(scan.to()...); err != nil {
				return err
			}
			if scan.n < 0 {
				scan.setCell(cell)
				return nil
			}
			return scan.setRow(&rows[from+scan.n], chunk[scan.n])
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// appendCellOf appends the arguments that select a cell by one of its aliases, and the
// rest of its key. It returns 1, or 0 if the key has no alias.
func appendCellOf(args []any, key *identity.CellKey) ([]any, int, error) {
	for _, a := range [...]identity.Alias{key.BSUID, key.Parent, key.Phone} {
		if a.IsValid() {
			args, err := appendCellKey(appendAlias(args, a), key)
			return args, 1, err
		}
	}
	return args, 0, nil
}

// An eachScan receives one row of what readEach selects: that of an alias, or a cell.
type eachScan struct {
	n       int // the place of the alias in its chunk, or -1 for a cell
	texts   [3]sql.NullString
	numbers [8]int64
}

func (s *eachScan) to() []any {
	t, n := &s.texts, &s.numbers
	return []any{&s.n, &t[0], &t[1], &t[2], &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6], &n[7]}
}

func (s *eachScan) setRow(r *identity.AliasRow, a identity.Alias) (err error) {
	n := &s.numbers
	*r = identity.AliasRow{
		Alias: a, Cluster: n[0], Added: n[1],
		Changed: n[2] != 0, Ended: n[3] != 0, Alone: n[4] != 0, Shared: n[5] != 0, Settled: n[6], Latest: n[7],
	}
	r.Person, err = parsePerson(s.texts[0])
	return err
}

func (s *eachScan) setCell(c *identity.Cell) {
	t, n := &s.texts, &s.numbers
	c.First, c.Last = n[0], n[1]
	c.Username = identity.Dated{At: n[2], Text: t[0].String}
	c.Name = identity.Dated{At: n[3], Text: t[1].String}
	c.Received = identity.Dated{At: n[4], Text: t[2].String}
}

// readJoined reads the rows of aliases, and a cell if it is not nil, in Postgres.
func (tx *Tx) readJoined(ctx context.Context, aliases []identity.Alias, rows []identity.AliasRow, cell *identity.Cell) error {
	if len(aliases) == 0 {
		return nil
	}
	q, text := tx.query(), &tx.store.text
	q.add(text.joined)
	if cell != nil {
		q.add(text.joinedCell)
	}
	q.add(" FROM ")
	q.addAliases(aliases)
	q.add(text.join)
	if cell != nil {
		key, err := appendCellKey(nil, &cell.CellKey)
		if err != nil {
			return err
		}
		for i, arg := range key {
			q.add(text.joinCell[i])
			q.arg(arg)
		}
	}
	result, err := q.rows(ctx)
	if err != nil {
		return err
	}
	defer result.Close()
	scan := newJoinedScan(cell != nil)
	for result.Next() {
		if err := result.Scan(scan.to...); err != nil {
			return err
		}
		scan.row.Alias = aliases[scan.n]
		if scan.row.Person, err = parsePerson(scan.person); err != nil {
			return err
		}
		rows[scan.n] = scan.row
		if cell != nil && scan.first.Valid {
			scan.setCell(cell)
		}
	}
	return result.Err()
}

// A joinedScan receives one row of what readJoined selects.
type joinedScan struct {
	n                              int
	row                            identity.AliasRow
	person                         sql.NullString
	first, last                    sql.NullInt64
	username, name, received       sql.NullString
	usernameAt, nameAt, receivedAt sql.NullInt64
	to                             []any
}

func newJoinedScan(withCell bool) *joinedScan {
	l := new(joinedScan)
	r := &l.row
	l.to = []any{&l.n, &l.person, &r.Cluster, &r.Added, &r.Changed, &r.Ended, &r.Alone, &r.Shared, &r.Settled, &r.Latest}
	if withCell {
		l.to = append(l.to, &l.first, &l.last, &l.username, &l.usernameAt, &l.name, &l.nameAt, &l.received, &l.receivedAt)
	}
	return l
}

func (l *joinedScan) setCell(c *identity.Cell) {
	c.First, c.Last = l.first.Int64, l.last.Int64
	c.Username = identity.Dated{At: l.usernameAt.Int64, Text: l.username.String}
	c.Name = identity.Dated{At: l.nameAt.Int64, Text: l.name.String}
	c.Received = identity.Dated{At: l.receivedAt.Int64, Text: l.received.String}
}

func parsePerson(text sql.NullString) (identity.PersonID, error) {
	if !text.Valid {
		return identity.PersonID{}, nil
	}
	return identity.ParsePersonID(text.String)
}

// Person implements [identity.Tx].
func (tx *Tx) Person(ctx context.Context, id identity.PersonID) (row identity.PersonRow, known bool, err error) {
	if err := tx.check(ctx, false); err != nil {
		return identity.PersonRow{}, false, err
	}
	locked := false
	for {
		row, known, err = tx.readPerson(ctx, id)
		switch {
		case err != nil || !known || !tx.locks || !tx.store.postgres || tx.clusters[row.Cluster]:
			return row, known, err
		case locked && tx.repeats:
			return row, false, errRace
		}
		if err := tx.lockCluster(ctx, row.Cluster); err != nil {
			return row, false, err
		}
		locked = true
	}
}

func (tx *Tx) readPerson(ctx context.Context, id identity.PersonID) (row identity.PersonRow, known bool, err error) {
	q := tx.query()
	q.add(tx.store.text.person)
	q.arg(id.String())
	err = q.each(ctx, func(scan func(...any) error) error {
		known = true
		row, err = scanPerson(scan)
		return err
	})
	return row, known, err
}

// isLocked reports whether tx has locked aliases. If rows is nil, it reports whether it
// has tried to.
func (tx *Tx) isLocked(aliases []identity.Alias, rows []identity.AliasRow) bool {
	for i, a := range aliases {
		switch {
		case rows == nil:
			if _, tried := tx.aliases[a]; !tried {
				return false
			}
		case rows[i].Cluster == 0 && !tx.aliases[a], rows[i].Cluster != 0 && !tx.clusters[rows[i].Cluster]:
			delete(tx.aliases, a)
			return false
		}
	}
	return true
}

// lock locks the clusters of aliases, and the names of those that have none. Two
// transactions lock in the same order, so they cannot wait for each other. The lock is
// taken in a statement of its own: the snapshot of a statement is older than its locks.
func (tx *Tx) lock(ctx context.Context, aliases []identity.Alias) error {
	q := tx.query()
	q.add(tx.store.text.lock[0])
	q.addAliases(aliases)
	q.add(tx.store.text.lock[1])
	if tx.clusters == nil {
		tx.clusters, tx.aliases = map[int64]bool{}, map[identity.Alias]bool{}
	}
	return q.each(ctx, func(scan func(...any) error) error {
		var (
			n         int
			cluster   int64
			isolation string
			isNull    bool
		)
		if err := scan(&n, &cluster, &isolation, &isNull); err != nil {
			return err
		}
		tx.aliases[aliases[n]] = tx.aliases[aliases[n]] || cluster == 0
		if cluster != 0 {
			tx.clusters[cluster] = true
		}
		return checkIsolation(isolation)
	})
}

// lockCluster is lock for a cluster.
func (tx *Tx) lockCluster(ctx context.Context, cluster int64) error {
	q := tx.query()
	q.add(tx.store.text.lockCluster)
	q.arg(cluster)
	q.add("::bigint AS cluster) l")
	err := q.each(ctx, func(scan func(...any) error) error {
		var isolation string
		var isNull bool
		if err := scan(&isolation, &isNull); err != nil {
			return err
		}
		return checkIsolation(isolation)
	})
	if err != nil {
		return err
	}
	if tx.clusters == nil {
		tx.clusters, tx.aliases = map[int64]bool{}, map[identity.Alias]bool{}
	}
	tx.clusters[cluster] = true
	return nil
}

func checkIsolation(level string) error {
	if level != "read committed" {
		return fmt.Errorf("sqlstore: the transaction has the isolation level %s: begin it with sql.LevelReadCommitted", level)
	}
	return nil
}

package identity

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// Memory is a [Store] in memory. Transactions run one after the other. The zero Memory
// is empty and ready to use.
type Memory struct {
	mu        sync.Mutex
	cells     map[CellKey]*Cell
	changes   map[ChangeKey]*ChangeRow
	verdicts  map[[2]Alias]*Verdict
	handovers map[handoverID]*Handover
	aliases   map[Alias]*AliasRow
	persons   map[PersonID]*PersonRow
	clusters  map[int64]*memoryCluster
	sequence  int64
	tx        memoryTx
}

type handoverID struct {
	phone Alias
	at    int64
}

// A memoryCluster lists the rows of a cluster.
type memoryCluster struct {
	cells     []*Cell
	changes   []*ChangeRow
	verdicts  []*Verdict
	handovers []*Handover
	aliases   []*AliasRow
	persons   []*PersonRow
	index     *memoryIndex // nil until it is of use
}

// A memoryIndex finds the rows of a cluster that name a BSUID, among the first cells and
// changes.
type memoryIndex struct {
	cells, changes int
	cellsOf        map[Alias][]*Cell
	changesOf      map[Alias][]*ChangeRow
}

func (c *memoryCluster) isEmpty() bool {
	return len(c.cells)+len(c.changes)+len(c.verdicts)+len(c.handovers)+len(c.aliases)+len(c.persons) == 0
}

// minIndexed is how many cells and changes a cluster has before it gets an index.
const minIndexed = 64

// update adds the rows that a cluster got since the last call.
func (x *memoryIndex) update(c *memoryCluster) {
	for _, row := range c.cells[x.cells:] {
		x.cellsOf[row.BSUID] = append(x.cellsOf[row.BSUID], row)
	}
	for _, row := range c.changes[x.changes:] {
		previous, current := row.Previous.BSUID, row.Current.BSUID
		x.changesOf[previous] = append(x.changesOf[previous], row)
		if current != previous {
			x.changesOf[current] = append(x.changesOf[current], row)
		}
	}
	x.cells, x.changes = len(c.cells), len(c.changes)
}

// Update implements [Store].
func (m *Memory) Update(ctx context.Context, f func(Tx) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if m.clusters == nil {
		m.cells = map[CellKey]*Cell{}
		m.changes = map[ChangeKey]*ChangeRow{}
		m.verdicts = map[[2]Alias]*Verdict{}
		m.handovers = map[handoverID]*Handover{}
		m.aliases = map[Alias]*AliasRow{}
		m.persons = map[PersonID]*PersonRow{}
		m.clusters = map[int64]*memoryCluster{}
	}
	m.tx = memoryTx{Memory: m, writable: true, oldCells: m.tx.oldCells[:0], oldAliases: m.tx.oldAliases[:0]}
	committed := false
	defer func() {
		if !committed {
			m.tx.rollBack()
		}
		m.tx.end()
	}()
	if err := f(&m.tx); err != nil {
		return err
	}
	committed = true
	return nil
}

// View implements [Store].
func (m *Memory) View(ctx context.Context, f func(Tx) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	m.tx = memoryTx{Memory: m, oldCells: m.tx.oldCells[:0], oldAliases: m.tx.oldAliases[:0]}
	defer m.tx.end()
	return f(&m.tx)
}

// A memoryTx writes in place and remembers how to undo it.
type memoryTx struct {
	*Memory  // nil once the transaction has ended
	writable bool
	undo     []func() // undoes everything but the two most frequent writes

	oldCells   []oldRow[Cell]
	oldAliases []oldRow[AliasRow]
}

// An oldRow is a row before it was replaced.
type oldRow[Row any] struct {
	row *Row
	old Row
}

var (
	errEnded    = errors.New("identity: the transaction has ended: use a Tx only within Update or View")
	errReadOnly = errors.New("identity: View must not write: use Update")
)

func (tx *memoryTx) check(writes bool) error {
	if tx.Memory == nil {
		return errEnded
	}
	if writes && !tx.writable {
		return errReadOnly
	}
	return nil
}

func (tx *memoryTx) end() {
	clear(tx.oldCells)
	clear(tx.oldAliases)
	tx.Memory, tx.undo = nil, nil
}

func (tx *memoryTx) rollBack() {
	for _, c := range slices.Backward(tx.oldCells) {
		*c.row = c.old
	}
	for _, a := range slices.Backward(tx.oldAliases) {
		*a.row = a.old
	}
	for _, f := range slices.Backward(tx.undo) {
		f()
	}
}

// Lookup implements [Tx].
func (tx *memoryTx) Lookup(_ context.Context, aliases []Alias, rows []AliasRow, cell *Cell) error {
	if err := tx.check(false); err != nil {
		return err
	}
	for i, a := range aliases {
		rows[i] = AliasRow{}
		if row := tx.aliases[a]; row != nil {
			rows[i] = *row
		}
	}
	if cell != nil {
		if c := tx.cells[cell.CellKey]; c != nil {
			*cell = *c
		}
	}
	return nil
}

// Load implements [Tx].
func (tx *memoryTx) Load(_ context.Context, clusters []int64) (Cluster, error) {
	var all Cluster
	if err := tx.check(false); err != nil {
		return all, err
	}
	for _, id := range clusters {
		if c := tx.clusters[id]; c != nil {
			all.Cells = appendRows(all.Cells, c.cells)
			all.Changes = appendRows(all.Changes, c.changes)
			all.Verdicts = appendRows(all.Verdicts, c.verdicts)
			all.Handovers = appendRows(all.Handovers, c.handovers)
			all.Aliases = appendRows(all.Aliases, c.aliases)
			all.Persons = appendRows(all.Persons, c.persons)
		}
	}
	return all, nil
}

// LoadNamed implements [Tx].
func (tx *memoryTx) LoadNamed(_ context.Context, cluster int64, bsuid Alias) (Evidence, error) {
	var e Evidence
	if err := tx.check(false); err != nil {
		return e, err
	}
	c := tx.clusters[cluster]
	if c == nil {
		return e, nil
	}
	e.Verdicts = filter(c.verdicts, func(v *Verdict) bool { return v.A == bsuid || v.B == bsuid })
	if len(c.cells)+len(c.changes) < minIndexed {
		e.Cells = filter(c.cells, func(c *Cell) bool { return c.BSUID == bsuid })
		e.Changes = filter(c.changes, func(c *ChangeRow) bool { return c.Previous.BSUID == bsuid || c.Current.BSUID == bsuid })
		return e, nil
	}
	if c.index == nil {
		c.index = &memoryIndex{cellsOf: map[Alias][]*Cell{}, changesOf: map[Alias][]*ChangeRow{}}
	}
	c.index.update(c)
	tx.undo = append(tx.undo, func() { c.index = nil }) // it may have rows of the transaction
	e.Cells = appendRows(e.Cells, c.index.cellsOf[bsuid])
	e.Changes = appendRows(e.Changes, c.index.changesOf[bsuid])
	return e, nil
}

// LoadSince implements [Tx].
func (tx *memoryTx) LoadSince(_ context.Context, cluster int64, at int64) (Evidence, error) {
	var e Evidence
	if err := tx.check(false); err != nil {
		return e, err
	}
	if c := tx.clusters[cluster]; c != nil {
		e.Cells = filter(c.cells, func(c *Cell) bool { return c.Last >= at })
		e.Changes = filter(c.changes, func(c *ChangeRow) bool { return c.At >= at })
		e.Verdicts = filter(c.verdicts, func(v *Verdict) bool { return v.At >= at })
		e.Handovers = filter(c.handovers, func(h *Handover) bool { return h.At >= at })
	}
	return e, nil
}

// filter returns the rows that are wanted.
func filter[Row any](pointers []*Row, wanted func(*Row) bool) []Row {
	var rows []Row
	for _, p := range pointers {
		if wanted(p) {
			rows = append(rows, *p)
		}
	}
	return rows
}

func appendRows[Row any](rows []Row, pointers []*Row) []Row {
	rows = slices.Grow(rows, len(pointers))
	for _, p := range pointers {
		rows = append(rows, *p)
	}
	return rows
}

// Person implements [Tx].
func (tx *memoryTx) Person(_ context.Context, id PersonID) (PersonRow, bool, error) {
	if err := tx.check(false); err != nil {
		return PersonRow{}, false, err
	}
	row := tx.persons[id]
	if row == nil {
		return PersonRow{}, false, nil
	}
	return *row, true, nil
}

// Sequence implements [Tx].
func (tx *memoryTx) Sequence(_ context.Context, n int) (int64, error) {
	if err := tx.check(true); err != nil {
		return 0, err
	}
	first := tx.sequence + 1
	tx.sequence += int64(n)
	return first, nil
}

// Write implements [Tx].
func (tx *memoryTx) Write(_ context.Context, b *Batch) error {
	if err := tx.check(true); err != nil {
		return err
	}
	into := tx.clusters[b.Cluster]
	if into == nil {
		into = new(memoryCluster)
		tx.clusters[b.Cluster] = into
		tx.undo = append(tx.undo, func() { delete(tx.clusters, b.Cluster) })
	}
	tx.remove(&b.Delete, into)
	for _, id := range b.Merge {
		tx.merge(into, id, b.Cluster)
	}
	for i := range b.Cells {
		c := &b.Cells[i]
		if old := tx.cells[c.CellKey]; old != nil {
			tx.oldCells = append(tx.oldCells, oldRow[Cell]{old, *old})
			*old = *c
			continue
		}
		insert(tx, tx.cells, &into.cells, c.CellKey, *c)
	}
	for i := range b.Changes {
		put(tx, tx.changes, &into.changes, b.Changes[i].ChangeKey, b.Changes[i])
	}
	for _, v := range b.Verdicts {
		put(tx, tx.verdicts, &into.verdicts, [2]Alias{v.A, v.B}, v)
	}
	for _, h := range b.Handovers {
		put(tx, tx.handovers, &into.handovers, handoverID{h.Phone, h.At}, h)
	}
	for i := range b.Aliases {
		a := b.Aliases[i]
		a.Cluster = b.Cluster
		if old := tx.aliases[a.Alias]; old != nil {
			tx.oldAliases = append(tx.oldAliases, oldRow[AliasRow]{old, *old})
			*old = a
			continue
		}
		insert(tx, tx.aliases, &into.aliases, a.Alias, a)
	}
	for _, p := range b.Persons {
		p.Cluster = b.Cluster
		put(tx, tx.persons, &into.persons, p.ID, p)
	}
	if into.isEmpty() {
		delete(tx.clusters, b.Cluster)
		tx.undo = append(tx.undo, func() { tx.clusters[b.Cluster] = into })
	}
	return nil
}

// put inserts or replaces a row.
func put[Key comparable, Row any](tx *memoryTx, table map[Key]*Row, list *[]*Row, key Key, row Row) {
	old := table[key]
	if old == nil {
		insert(tx, table, list, key, row)
		return
	}
	before := *old
	tx.undo = append(tx.undo, func() { *old = before })
	*old = row
}

func insert[Key comparable, Row any](tx *memoryTx, table map[Key]*Row, list *[]*Row, key Key, row Row) {
	table[key] = &row
	n := len(*list)
	*list = append(*list, &row)
	tx.undo = append(tx.undo, func() {
		delete(table, key)
		*list = (*list)[:n]
	})
}

// merge moves the rows of a cluster to another one.
func (tx *memoryTx) merge(into *memoryCluster, id, intoID int64) {
	from := tx.clusters[id]
	if from == nil {
		return
	}
	into.index = nil
	before := *into
	into.cells = append(into.cells, from.cells...)
	into.changes = append(into.changes, from.changes...)
	into.verdicts = append(into.verdicts, from.verdicts...)
	into.handovers = append(into.handovers, from.handovers...)
	into.aliases = append(into.aliases, from.aliases...)
	into.persons = append(into.persons, from.persons...)
	setCluster := func(id int64) {
		for _, a := range from.aliases {
			a.Cluster = id
		}
		for _, p := range from.persons {
			p.Cluster = id
		}
	}
	setCluster(intoID)
	delete(tx.clusters, id)
	tx.undo = append(tx.undo, func() {
		*into = before
		setCluster(id)
		tx.clusters[id] = from
	})
}

// remove deletes rows by key.
func (tx *memoryTx) remove(rows *Cluster, c *memoryCluster) {
	c.index = nil
	for i := range rows.Cells {
		drop(tx, tx.cells, &c.cells, rows.Cells[i].CellKey)
	}
	for i := range rows.Changes {
		drop(tx, tx.changes, &c.changes, rows.Changes[i].ChangeKey)
	}
	for _, v := range rows.Verdicts {
		drop(tx, tx.verdicts, &c.verdicts, [2]Alias{v.A, v.B})
	}
	for _, h := range rows.Handovers {
		drop(tx, tx.handovers, &c.handovers, handoverID{h.Phone, h.At})
	}
	for i := range rows.Aliases {
		drop(tx, tx.aliases, &c.aliases, rows.Aliases[i].Alias)
	}
	for _, p := range rows.Persons {
		drop(tx, tx.persons, &c.persons, p.ID)
	}
}

// drop deletes a row.
func drop[Key comparable, Row any](tx *memoryTx, table map[Key]*Row, list *[]*Row, key Key) {
	row := table[key]
	if row == nil {
		return
	}
	before := *list
	delete(table, key)
	*list = slices.DeleteFunc(slices.Clone(before), func(other *Row) bool { return other == row })
	tx.undo = append(tx.undo, func() { table[key], *list = row, before })
}

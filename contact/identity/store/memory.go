package store

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
)

// memory runs transactions one after the other.
type memory struct {
	running  chan struct{} // holds a value during a transaction
	facts    table[string, Fact]
	holdings table[Holding, Holding]
	persons  table[ID, Person]
	doubtful table[string, string]
	born     int64
}

// NewMemory returns an empty store in memory.
func NewMemory() Store {
	return &memory{
		running: make(chan struct{}, 1),
		facts: newTable[string](func(f *Fact) (names []any) {
			for _, alias := range f.Aliases {
				names = append(names, alias)
			}
			return names
		}),
		holdings: newTable[Holding](func(h *Holding) []any { return []any{h.Alias, h.Person} }),
		persons:  newTable[ID](func(p *Person) []any { return []any{p.Anchor} }),
		doubtful: newTable[string](func(alias *string) []any { return []any{*alias} }),
	}
}

// A table contains rows by key, and finds them by names.
type table[K comparable, R any] struct {
	rows  map[K]*R
	named map[any]map[K]*R
	names func(*R) []any
}

func newTable[K comparable, R any](names func(*R) []any) table[K, R] {
	return table[K, R]{map[K]*R{}, map[any]map[K]*R{}, names}
}

// set replaces a row, or deletes it.
func (t *table[K, R]) set(key K, row *R) {
	if old := t.rows[key]; old != nil {
		delete(t.rows, key)
		for _, name := range t.names(old) {
			delete(t.named[name], key)
			if len(t.named[name]) == 0 {
				delete(t.named, name)
			}
		}
	}
	if row != nil {
		t.rows[key] = row
		for _, name := range t.names(row) {
			if t.named[name] == nil {
				t.named[name] = map[K]*R{}
			}
			t.named[name][key] = row
		}
	}
}

// write sets a row, and records how to undo that.
func write[K comparable, R any](tx *memoryTx, t *table[K, R], key K, row *R) {
	old := t.rows[key]
	t.set(key, row)
	tx.undo = append(tx.undo, func() { t.set(key, old) })
}

// key returns a holding's key.
func (h Holding) key() Holding { return Holding{Alias: h.Alias, Since: h.Since, Person: h.Person} }

var (
	errEnded    = errors.New("store: the transaction has ended; use a Tx only within Update or View")
	errReadOnly = errors.New("store: the transaction is View's, which can't write; use Update")
)

func (m *memory) Update(ctx context.Context, f func(Tx) error) error {
	return m.run(ctx, &memoryTx{memory: m}, f)
}

func (m *memory) View(ctx context.Context, f func(Tx) error) error {
	return m.run(ctx, &memoryTx{memory: m, errWrite: errReadOnly}, f)
}

func (m *memory) run(ctx context.Context, tx *memoryTx, f func(Tx) error) error {
	select {
	case m.running <- struct{}{}:
		defer func() { <-m.running }()
	case <-ctx.Done():
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	committed := false
	defer func() {
		if !committed {
			for _, undo := range slices.Backward(tx.undo) {
				undo()
			}
		}
		*tx = memoryTx{memory: &memory{}, err: errEnded, errWrite: errEnded}
	}()
	err := cmp.Or(f(tx), ctx.Err())
	committed = err == nil
	return err
}

// A memoryTx writes in place and records how to undo each write. Once it has ended, its memory is
// empty.
type memoryTx struct {
	*memory
	undo          []func()
	err, errWrite error // of each method; of Write
}

func (tx *memoryTx) Lock(context.Context, []string) (bool, error) { return false, tx.err }

func (tx *memoryTx) Load(_ context.Context, aliases []string, wide bool, others []string) (rows Rows, err error) {
	near := map[string]bool{}
	for _, alias := range aliases {
		near[alias] = true
		if !wide {
			continue
		}
		for _, h := range tx.holdings.named[alias] {
			for _, held := range tx.holdings.named[h.Person] {
				near[held.Alias] = true
			}
		}
	}
	facts := map[string]*Fact{}
	for alias := range near {
		maps.Copy(facts, tx.facts.named[alias])
		rows.Holdings = appendRows(rows.Holdings, tx.holdings.named[alias])
		rows.Persons = appendRows(rows.Persons, tx.persons.named[alias])
		rows.Doubtful = appendRows(rows.Doubtful, tx.doubtful.named[alias])
	}
	for _, alias := range others {
		for key, fact := range tx.facts.named[alias] {
			if !fact.Seen {
				facts[key] = fact
			}
		}
	}
	rows.Facts = appendRows(nil, facts)
	return rows, tx.err
}

func appendRows[K comparable, R any](to []R, rows map[K]*R) []R {
	for _, row := range rows {
		to = append(to, *row)
	}
	return to
}

func (tx *memoryTx) Holdings(_ context.Context, aliases []string) (rows []Holding, err error) {
	for _, alias := range aliases {
		rows = appendRows(rows, tx.holdings.named[alias])
	}
	return rows, tx.err
}

func (tx *memoryTx) Get(_ context.Context, ids []ID) (rows []Person, err error) {
	for _, id := range ids {
		if row := tx.persons.rows[id]; row != nil {
			rows = append(rows, *row)
		}
	}
	return rows, tx.err
}

func (tx *memoryTx) Persons(_ context.Context, after int64, n int) ([]Person, error) {
	rows := appendRows(nil, tx.persons.rows)
	rows = slices.DeleteFunc(rows, func(p Person) bool { return p.Born <= after })
	slices.SortFunc(rows, func(a, b Person) int { return cmp.Compare(a.Born, b.Born) })
	return rows[:min(n, len(rows))], tx.err
}

func (tx *memoryTx) Doubtful(_ context.Context, after string, n int) (aliases []string, err error) {
	aliases = slices.DeleteFunc(appendRows(nil, tx.doubtful.rows), func(alias string) bool { return alias <= after })
	slices.Sort(aliases)
	return aliases[:min(n, len(aliases))], tx.err
}

func (tx *memoryTx) Write(_ context.Context, remove, put *Rows) error {
	if tx.errWrite != nil {
		return tx.errWrite
	}
	for i := range remove.Facts {
		write(tx, &tx.facts, remove.Facts[i].Key, nil)
	}
	for _, e := range remove.Entries {
		if old := tx.facts.rows[e.Key]; old != nil {
			fact := *old
			fact.Aliases = slices.DeleteFunc(slices.Clone(old.Aliases), func(alias string) bool { return alias == e.Alias })
			write(tx, &tx.facts, e.Key, &fact)
		}
	}
	for _, alias := range remove.Doubtful {
		write(tx, &tx.doubtful, alias, nil)
	}
	for _, alias := range put.Doubtful {
		write(tx, &tx.doubtful, alias, &alias)
	}
	for _, h := range remove.Holdings {
		write(tx, &tx.holdings, h.key(), nil)
	}
	for i := range remove.Persons {
		write(tx, &tx.persons, remove.Persons[i].ID, nil)
	}
	for _, fact := range put.Facts {
		if old := tx.facts.rows[fact.Key]; old != nil {
			fact.Aliases, fact.Seen = old.Aliases, old.Seen
		} else {
			fact.Aliases = slices.Clone(fact.Aliases)
		}
		write(tx, &tx.facts, fact.Key, &fact)
	}
	for _, h := range put.Holdings {
		write(tx, &tx.holdings, h.key(), &h)
	}
	for _, p := range put.Persons {
		if old := tx.persons.rows[p.ID]; old != nil {
			p.Born = old.Born
		} else {
			tx.born++
			p.Born = tx.born
		}
		write(tx, &tx.persons, p.ID, &p)
	}
	return nil
}

// Rows returns all rows. Tests call it by a type assertion.
func (m *memory) Rows() (rows Rows) {
	m.running <- struct{}{}
	defer func() { <-m.running }()
	rows.Facts = appendRows(rows.Facts, m.facts.rows)
	slices.SortFunc(rows.Facts, func(a, b Fact) int { return cmp.Compare(a.Key, b.Key) })
	rows.Holdings = appendRows(rows.Holdings, m.holdings.rows)
	slices.SortFunc(rows.Holdings, func(a, b Holding) int { return cmp.Compare(a.Alias, b.Alias) })
	rows.Persons = appendRows(rows.Persons, m.persons.rows)
	slices.SortFunc(rows.Persons, func(a, b Person) int { return cmp.Compare(a.Born, b.Born) })
	rows.Doubtful = slices.Sorted(maps.Keys(m.doubtful.rows))
	return rows
}

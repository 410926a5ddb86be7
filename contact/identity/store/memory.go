package store

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
)

// memory runs transactions one after the other.
type memory struct {
	mu       sync.Mutex
	facts    map[string]*Fact
	entries  map[string]map[string]*Fact // alias: key: fact
	holdings map[string][]Holding        // by alias
	held     map[ID]map[string]int       // person: alias: number of holdings
	persons  map[ID]*Person
	anchored map[string]map[ID]*Person // by anchor
	born     int64
}

// NewMemory returns an empty store in memory.
func NewMemory() Store {
	return &memory{
		facts: map[string]*Fact{}, entries: map[string]map[string]*Fact{},
		holdings: map[string][]Holding{}, held: map[ID]map[string]int{},
		persons: map[ID]*Person{}, anchored: map[string]map[ID]*Person{},
	}
}

var (
	errEnded    = errors.New("store: the transaction has ended; use a Tx only within Update or View")
	errReadOnly = errors.New("store: View must not write; use Update")
)

func (m *memory) Update(ctx context.Context, f func(Tx) error) error { return m.run(ctx, true, f) }

func (m *memory) View(ctx context.Context, f func(Tx) error) error { return m.run(ctx, false, f) }

func (m *memory) run(ctx context.Context, writable bool, f func(Tx) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	tx := &memoryTx{memory: m, writable: writable}
	committed := false
	defer func() {
		if !committed {
			for _, undo := range slices.Backward(tx.undo) {
				undo()
			}
		}
		tx.memory = nil
	}()
	err := cmp.Or(f(tx), ctx.Err())
	committed = err == nil
	return err
}

// A memoryTx writes in place and records how to undo each write.
type memoryTx struct {
	*memory  // nil once the transaction has ended
	writable bool
	undo     []func()
}

func (tx *memoryTx) check() error {
	if tx.memory == nil {
		return errEnded
	}
	return nil
}

func (tx *memoryTx) Lock(context.Context, []string) (bool, error) { return false, tx.check() }

func (tx *memoryTx) Load(_ context.Context, aliases, others []string) (Rows, error) {
	var rows Rows
	if err := tx.check(); err != nil {
		return rows, err
	}
	near := make(map[string]bool, 2*len(aliases))
	var list []string
	add := func(alias string) {
		if !near[alias] {
			near[alias] = true
			list = append(list, alias)
		}
	}
	for _, alias := range aliases {
		add(alias)
		for i := range tx.holdings[alias] {
			for other := range tx.held[tx.holdings[alias][i].Person] {
				add(other)
			}
		}
	}
	known := map[string]bool{}
	find := func(alias string, all bool) {
		for key, fact := range tx.entries[alias] {
			if (all || !fact.Seen) && !known[key] {
				known[key] = true
				rows.Facts = append(rows.Facts, *fact)
			}
		}
	}
	for _, alias := range list {
		find(alias, true)
		rows.Holdings = append(rows.Holdings, tx.holdings[alias]...)
		for _, person := range tx.anchored[alias] {
			rows.Persons = append(rows.Persons, *person)
		}
	}
	for _, alias := range others {
		find(alias, false)
	}
	return rows, nil
}

func (tx *memoryTx) Holdings(_ context.Context, aliases []string) (rows []Holding, err error) {
	if err := tx.check(); err != nil {
		return nil, err
	}
	for _, alias := range aliases {
		rows = append(rows, tx.holdings[alias]...)
	}
	return rows, nil
}

func (tx *memoryTx) Get(_ context.Context, ids []ID) (rows []Person, err error) {
	if err := tx.check(); err != nil {
		return nil, err
	}
	for _, id := range ids {
		if row := tx.persons[id]; row != nil {
			rows = append(rows, *row)
		}
	}
	return rows, nil
}

func (tx *memoryTx) Persons(_ context.Context, after int64, n int) (rows []Person, err error) {
	if err := tx.check(); err != nil {
		return nil, err
	}
	for _, row := range tx.persons {
		if row.Born > after {
			rows = append(rows, *row)
		}
	}
	slices.SortFunc(rows, func(a, b Person) int { return cmp.Compare(a.Born, b.Born) })
	return rows[:min(n, len(rows))], nil
}

func (tx *memoryTx) Shared(_ context.Context, after string, n int) (aliases []string, err error) {
	if err := tx.check(); err != nil {
		return nil, err
	}
	for alias, rows := range tx.holdings {
		if alias > after && slices.ContainsFunc(rows, func(h Holding) bool { return h.Person != rows[0].Person }) {
			aliases = append(aliases, alias)
		}
	}
	slices.Sort(aliases)
	return aliases[:min(n, len(aliases))], nil
}

func (tx *memoryTx) Write(_ context.Context, remove, put *Rows) error {
	if err := tx.check(); err != nil {
		return err
	}
	if !tx.writable {
		return errReadOnly
	}
	for i := range remove.Facts {
		tx.setFact(remove.Facts[i].Key, nil)
	}
	for i := range remove.Holdings {
		tx.setHolding(remove.Holdings[i], false)
	}
	for i := range remove.Persons {
		tx.setPerson(remove.Persons[i].ID, nil)
	}
	for _, fact := range put.Facts {
		if old := tx.facts[fact.Key]; old != nil {
			fact.Aliases, fact.Seen = old.Aliases, old.Seen
		} else {
			fact.Aliases = slices.Clone(fact.Aliases)
		}
		tx.setFact(fact.Key, &fact)
	}
	for _, h := range put.Holdings {
		tx.setHolding(h, true)
	}
	for _, p := range put.Persons {
		if old := tx.persons[p.ID]; old != nil {
			p.Born = old.Born
		} else {
			tx.born++
			p.Born = tx.born
		}
		tx.setPerson(p.ID, &p)
	}
	return nil
}

// setFact replaces a fact, or deletes it.
func (tx *memoryTx) setFact(key string, fact *Fact) {
	m, old := tx.memory, tx.facts[key]
	m.replaceFact(key, old, fact)
	tx.undo = append(tx.undo, func() { m.replaceFact(key, fact, old) })
}

func (m *memory) replaceFact(key string, old, fact *Fact) {
	if old != nil {
		for _, alias := range old.Aliases {
			remove(m.entries, alias, key)
		}
		delete(m.facts, key)
	}
	if fact != nil {
		for _, alias := range fact.Aliases {
			insert(m.entries, alias, key, fact)
		}
		m.facts[key] = fact
	}
}

// setHolding replaces a holding, or deletes it.
func (tx *memoryTx) setHolding(h Holding, put bool) {
	m, old := tx.memory, tx.holdings[h.Alias]
	rows := slices.DeleteFunc(slices.Clone(old), func(o Holding) bool { return o.Since == h.Since && o.Person == h.Person })
	if put {
		rows = append(rows, h)
	}
	m.replaceHoldings(h.Alias, old, rows)
	tx.undo = append(tx.undo, func() { m.replaceHoldings(h.Alias, rows, old) })
}

func (m *memory) replaceHoldings(alias string, old, rows []Holding) {
	for i := range old {
		if held := m.held[old[i].Person]; held[alias] > 1 {
			held[alias]--
		} else {
			remove(m.held, old[i].Person, alias)
		}
	}
	for i := range rows {
		insert(m.held, rows[i].Person, alias, m.held[rows[i].Person][alias]+1)
	}
	if len(rows) == 0 {
		delete(m.holdings, alias)
	} else {
		m.holdings[alias] = rows
	}
}

// setPerson replaces a person, or deletes it.
func (tx *memoryTx) setPerson(id ID, row *Person) {
	m, old := tx.memory, tx.persons[id]
	m.replacePerson(id, old, row)
	tx.undo = append(tx.undo, func() { m.replacePerson(id, row, old) })
}

func (m *memory) replacePerson(id ID, old, row *Person) {
	if old != nil {
		remove(m.anchored, old.Anchor, id)
		delete(m.persons, id)
	}
	if row != nil {
		insert(m.anchored, row.Anchor, id, row)
		m.persons[id] = row
	}
}

func insert[K, L comparable, V any](in map[K]map[L]V, k K, l L, v V) {
	if in[k] == nil {
		in[k] = map[L]V{}
	}
	in[k][l] = v
}

func remove[K, L comparable, V any](in map[K]map[L]V, k K, l L) {
	delete(in[k], l)
	if len(in[k]) == 0 {
		delete(in, k)
	}
}

// Rows returns all rows. Tests call it by a type assertion.
func (m *memory) Rows() Rows {
	m.mu.Lock()
	defer m.mu.Unlock()
	var rows Rows
	for _, key := range slices.Sorted(maps.Keys(m.facts)) {
		rows.Facts = append(rows.Facts, *m.facts[key])
	}
	for _, alias := range slices.Sorted(maps.Keys(m.holdings)) {
		rows.Holdings = append(rows.Holdings, m.holdings[alias]...)
	}
	for _, p := range m.persons {
		rows.Persons = append(rows.Persons, *p)
	}
	slices.SortFunc(rows.Persons, func(a, b Person) int { return cmp.Compare(a.Born, b.Born) })
	return rows
}

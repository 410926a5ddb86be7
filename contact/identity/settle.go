package identity

import (
	"maps"
	"slices"

	"github.com/hailmark/hailmark/contact/identity/internal/rules"
	"github.com/hailmark/hailmark/contact/identity/store"
)

// An outcome is what a call has changed.
type outcome struct {
	changes  []Change
	near     map[string]bool // the aliases whose holdings it knows
	holdings []store.Holding // theirs, after the call
}

// add adds facts to what n contains, and loads more if it has to. seeds contains new people's IDs.
func (c *call) add(n *neighborhood, facts []rules.Fact, seeds []store.Person) (*outcome, error) {
	for {
		var err error
		if seeds, err = c.unknown(seeds); err != nil {
			return nil, err
		}
		after := n.state.Empty()
		after.AddRows(n.state)
		changed := false
		for i := range facts {
			changed = after.Add(&facts[i]) || changed
		}
		if !changed && len(seeds) == 0 {
			return &outcome{nil, n.near, n.rows.Holdings}, nil
		}
		p := c.solve(n, after.Bounded())
		roots := n.reach(p)
		if n.has(roots) {
			return c.settle(n, p, seeds, nil)
		}
		if n, err = c.load(roots, facts); err != nil {
			return nil, err
		}
	}
}

// unknown returns the seeds with new IDs, each ID once.
func (c *call) unknown(seeds []store.Person) (fresh []store.Person, err error) {
	if len(seeds) == 0 {
		return nil, nil
	}
	ids := make([]store.ID, len(seeds))
	for i := range seeds {
		ids[i] = seeds[i].ID
	}
	known, err := c.tx.Get(c.ctx, ids)
	for _, row := range seeds {
		if !slices.ContainsFunc(known, func(p store.Person) bool { return p.ID == row.ID }) {
			known, fresh = append(known, row), append(fresh, row)
		}
	}
	return fresh, err
}

// settle replaces the rows in n with those of p, and deletes the IDs in gone.
func (c *call) settle(n *neighborhood, p *population, seeds []store.Person, gone map[store.ID]bool) (*outcome, error) {
	names := p.name(n.rows.Persons, seeds, gone)
	var before, others []store.Holding
	for _, h := range n.rows.Holdings {
		if n.holders[h.Person] {
			before = append(before, h)
		} else {
			others = append(others, h)
		}
	}
	after := p.holdings(n.near, names)
	d := difference{n, p, names, seeds, gone, before, after}
	r := &outcome{c.changes(d), n.near, slices.Concat(others, after)}

	var remove, put store.Rows
	remove.Facts, put.Facts = compareFacts(n.rows.Facts, p.State)
	remove.Holdings, put.Holdings = compareHoldings(before, after)
	for id := range gone {
		remove.Persons = append(remove.Persons, store.Person{ID: id})
	}
	put.Persons = names.put
	return r, c.write(&remove, &put)
}

// compareFacts returns the rows to write if a state replaces stored rows.
func compareFacts(stored []store.Fact, next *rules.State) (remove, put []store.Fact) {
	rows := rowsOf(next)
	values := map[string]string{} // a row can be stored twice
	for _, f := range stored {
		values[f.Key] = f.Value
	}
	for key, value := range values {
		switch row, kept := rows[key]; {
		case !kept:
			remove = append(remove, store.Fact{Key: key, Aliases: keyAliases(key)})
		case row.Value == value:
			delete(rows, key)
		default:
			row.Aliases = nil // they're stored
			rows[key] = row
		}
	}
	return remove, slices.Collect(maps.Values(rows))
}

// compareHoldings returns the rows to write if some holdings replace others.
func compareHoldings(before, after []store.Holding) (remove, put []store.Holding) {
	key := func(h store.Holding) store.Holding {
		return store.Holding{Alias: h.Alias, Since: h.Since, Person: h.Person}
	}
	stored := map[store.Holding]store.Holding{}
	for _, h := range before {
		stored[key(h)] = h
	}
	for _, h := range after {
		if stored[key(h)] != h {
			put = append(put, h)
		}
		delete(stored, key(h))
	}
	return slices.Collect(maps.Values(stored)), put
}

func (c *call) write(remove, put *store.Rows) error {
	if countRows(remove)+countRows(put) == 0 {
		return nil
	}
	return c.tx.Write(c.ctx, remove, put)
}

func countRows(r *store.Rows) int { return len(r.Facts) + len(r.Holdings) + len(r.Persons) }

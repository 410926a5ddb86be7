package identity

import (
	"maps"
	"slices"

	"github.com/hailmark/hailmark/contact/identity/internal/rules"
	"github.com/hailmark/hailmark/contact/identity/store"
)

// An outcome is what a call has changed, and what it knows afterwards.
type outcome struct {
	changes  []Change
	near     map[string]bool // the aliases whose holdings it knows
	holdings []store.Holding // theirs
	crowded  map[rules.Alias]bool
}

// outcome returns that of a call that changes nobody.
func (n *neighborhood) outcome() *outcome {
	return &outcome{nil, n.near, n.rows.Holdings, n.state.Crowded}
}

// with adds what was known about other aliases before.
func (r *outcome) with(known *outcome) *outcome {
	both := outcome{r.changes, maps.Clone(r.near), slices.Clone(r.holdings), maps.Clone(r.crowded)}
	for _, h := range known.holdings {
		if !r.near[h.Alias] {
			both.holdings = append(both.holdings, h)
		}
	}
	maps.Copy(both.near, known.near)
	maps.Copy(both.crowded, known.crowded)
	return &both
}

// add adds facts to what n contains, and loads more if it has to. seeds contains new people's IDs.
func (c *call) add(n *neighborhood, facts []rules.Fact, seeds []store.Person) (*outcome, error) {
	for {
		var err error
		if seeds, err = c.unknown(seeds); err != nil {
			return nil, err
		}
		after := n.state.Clone()
		changed := false
		for i := range facts {
			changed = after.Add(&facts[i]) || changed
		}
		if !changed && len(seeds) == 0 {
			return n.outcome(), nil
		}
		p := n.solve(after)
		roots := n.reach(p)
		maps.Copy(roots, n.relived(p))
		if n.has(roots) {
			return c.settle(n, p, seeds, nil)
		}
		if n, err = c.load(roots); err != nil {
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
	r := &outcome{c.changes(d), n.near, slices.Concat(others, after), p.Crowded()}

	next := p.State().Clone()
	next.Bound(p.Crowded())
	var remove, put store.Rows
	remove.Facts, remove.Entries, put.Facts = compareFacts(n.rows.Facts, next)
	remove.Holdings, put.Holdings = compareHoldings(before, after)
	remove.Doubtful, put.Doubtful = compareSets(n.rows.Doubtful, p.doubtful(n.near))
	for id := range gone {
		remove.Persons = append(remove.Persons, store.Person{ID: id})
	}
	put.Persons = names.put
	return r, c.write(&remove, &put)
}

// compareFacts returns the rows to write if a state replaces stored rows, and the aliases by which rows
// that stay aren't found anymore, because they're crowded.
func compareFacts(stored []store.Fact, next *rules.State) (remove []store.Fact, entries []store.Entry, put []store.Fact) {
	rows := rowsOf(next)
	values := map[string]string{} // a row can be stored twice
	crowded := map[string]bool{}
	for _, f := range stored {
		values[f.Key] = f.Value
	}
	for a := range next.Crowded {
		if _, known := values[lines(rowCrowded, a.String())]; !known {
			crowded[a.String()] = true
		}
	}
	for key, value := range values {
		row, kept := rows[key]
		if !kept {
			remove = append(remove, store.Fact{Key: key, Aliases: keyAliases(key)})
			continue
		}
		for _, text := range keyAliases(key) {
			if crowded[text] && !slices.Contains(row.Aliases, text) {
				entries = append(entries, store.Entry{Alias: text, Key: key})
			}
		}
		if row.Value == value {
			delete(rows, key)
			continue
		}
		row.Aliases = nil // they're stored
		rows[key] = row
	}
	return remove, entries, slices.Collect(maps.Values(rows))
}

// compareSets returns what to remove and add if a set replaces stored elements.
func compareSets(stored []string, next map[string]bool) (remove, put []string) {
	next = maps.Clone(next)
	for _, x := range stored {
		if !next[x] {
			remove = append(remove, x)
		}
		delete(next, x)
	}
	return remove, slices.Collect(maps.Keys(next))
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

func countRows(r *store.Rows) int {
	return len(r.Facts) + len(r.Entries) + len(r.Holdings) + len(r.Persons) + len(r.Doubtful)
}

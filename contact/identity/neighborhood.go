package identity

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"github.com/hailmark/hailmark/contact/identity/internal/rules"
	"github.com/hailmark/hailmark/contact/identity/store"
)

// A call is one run of an [Engine] method in a transaction.
//
// A fact affects only inner people: those who ever had one of its aliases, or a phone number seen
// with a BSUID that it changes. They depend on facts with one of their aliases, and on changes and
// verdicts with a stable alias seen on one of their numbers. So a call reads these facts and locks
// the inner people's aliases.
//
// Most webhooks only contain a later time for a known combination of IDs. Then the facts with its
// aliases are enough to see that nothing else changes; see extend.
type call struct {
	engine *Engine
	ctx    context.Context
	tx     store.Tx

	locked   map[string]bool
	roots    map[string]bool // what the inner people are found by; all is known about these aliases
	near     map[string]bool // roots, and the other aliases of the inner people
	rows     store.Rows
	inner    map[store.ID]bool
	state    *rules.State    // of rows
	holdings []store.Holding // of near, in the end
}

func (e *Engine) newCall(ctx context.Context, tx store.Tx) *call {
	return &call{engine: e, ctx: ctx, tx: tx, locked: map[string]bool{}}
}

func sorted(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }

// lock locks more aliases. It reports whether earlier reads must be repeated.
func (c *call) lock(aliases map[string]bool) (stale bool, err error) {
	var list []string
	for text := range aliases {
		if !c.locked[text] {
			c.locked[text] = true
			list = append(list, text)
		}
	}
	if len(list) == 0 {
		return false, nil
	}
	slices.Sort(list)
	return c.tx.Lock(c.ctx, list)
}

// load reads and locks the neighborhood around c.roots, which grows by what facts concern.
func (c *call) load(facts []rules.Fact) error {
	for {
		if err := c.fetch(true); err != nil {
			return err
		}
		stale, err := c.lock(c.near)
		if err != nil {
			return err
		}
		if !c.concern(facts) && !stale {
			return c.fetchOthers()
		}
	}
}

// fetch locks and reads the rows with an alias in c.roots and, if wide is set, with one of their
// holders' aliases.
func (c *call) fetch(wide bool) error {
	if _, err := c.lock(c.roots); err != nil {
		return err
	}
	rows, err := c.tx.Load(c.ctx, sorted(c.roots), wide, nil)
	if err != nil {
		return err
	}
	c.rows, c.state, c.near, c.inner = rows, new(rules.State), maps.Clone(c.roots), map[store.ID]bool{}
	for i := range rows.Holdings {
		h := &rows.Holdings[i]
		c.near[h.Alias] = true
		if c.roots[h.Alias] {
			c.inner[h.Person] = true
		}
	}
	return loadRows(c.state, rows.Facts)
}

// fetchOthers reads the changes and verdicts with other people's stable aliases seen on numbers in
// c.near.
func (c *call) fetchOthers() error {
	found := map[string]bool{}
	see := func(phone int32, stables ...int32) {
		if phone == 0 || !c.near[c.state.Names[phone].String()] {
			return
		}
		for _, n := range stables {
			if text := c.state.Names[n].String(); n != 0 && !c.near[text] {
				found[text] = true
			}
		}
	}
	c.state.EachSide(func(x, other *rules.Side, _, _ int64) {
		if x.Stable() != 0 {
			other = x
		}
		see(x.Phone, other.BSUID, other.Parent)
	})
	for _, v := range c.state.Verdicts {
		see(v.B, v.A)
	}
	if len(found) == 0 {
		return nil
	}
	rows, err := c.tx.Load(c.ctx, nil, false, sorted(found))
	if err != nil {
		return err
	}
	c.rows.Facts = append(c.rows.Facts, rows.Facts...) // some of them twice
	return loadRows(c.state, rows.Facts)
}

// concern adds to c.roots the aliases that facts concern without containing them. It reports whether
// c.roots grew.
func (c *call) concern(facts []rules.Fact) bool {
	before := len(c.roots)
	rotating := map[int32]bool{}
	for i := range facts {
		if f := &facts[i]; f.Kind == rules.Changed {
			rotating[c.state.Numbers[f.A.BSUID]], rotating[c.state.Numbers[f.B.BSUID]] = true, true
		}
	}
	c.state.EachSide(func(x, _ *rules.Side, _, _ int64) {
		if x.Phone != 0 && x.BSUID != 0 && rotating[x.BSUID] {
			c.roots[c.state.Names[x.Phone].String()] = true
		}
	})
	for _, v := range c.state.Verdicts { // an operator joined a number that had no sighting
		a, b := c.state.Names[v.A].String(), c.state.Names[v.B].String()
		if c.roots[a] != c.roots[b] && (!c.near[a] || !c.near[b]) {
			c.roots[a], c.roots[b] = true, true
		}
	}
	return len(c.roots) > before
}

// add adds facts. seeds contains new people's IDs.
func (c *call) add(facts []rules.Fact, seeds []store.Person) (changes []Change, err error) {
	c.roots = aliasesOf(facts)
	isNew := c.state != nil && countRows(&c.rows) == 0 // extend has found nothing to load
	for ; ; isNew = false {
		if !isNew {
			if err := c.load(facts); err != nil {
				return nil, err
			}
		}
		if seeds, err = c.unknown(seeds); err != nil {
			return nil, err
		}
		after := c.state.Empty()
		after.AddRows(c.state)
		changed := false
		for i := range facts {
			changed = after.Add(&facts[i]) || changed
		}
		if !changed && len(seeds) == 0 {
			c.holdings = c.rows.Holdings
			return nil, nil
		}
		changes, done, err := c.settle(after.Bounded(), seeds, nil)
		if done || err != nil {
			return changes, err
		}
	}
}

// A population is a solution's people with their IDs.
type population struct {
	*rules.Solution
	persons []rules.Person
	index   []int32    // the person of each node that is a root, or -1
	roots   []int32    // by person
	ids     []store.ID // by person; zero for those who aren't inner
	inner   map[int32]bool
}

// settle replaces the rows with a later state's, and deletes the IDs in gone. It reports false if
// c.roots grew, so that load must run again.
func (c *call) settle(after *rules.State, seeds []store.Person, gone map[store.ID]bool) (changes []Change, done bool, err error) {
	p, done := c.solve(after)
	if !done {
		return nil, false, nil
	}
	var remove, put store.Rows
	leads := c.nameAll(p, seeds, gone, &put)
	c.holdings = nil
	held := c.held(p)
	key := func(h store.Holding) store.Holding {
		return store.Holding{Alias: h.Alias, Since: h.Since, Person: h.Person}
	}
	stored := map[store.Holding]store.Holding{}
	var before []store.Holding
	for _, h := range c.rows.Holdings {
		if c.inner[h.Person] {
			before = append(before, h)
			stored[key(h)] = h
		} else {
			c.holdings = append(c.holdings, h)
		}
	}
	c.holdings = append(c.holdings, held...)
	for _, h := range held {
		if stored[key(h)] != h {
			put.Holdings = append(put.Holdings, h)
		}
		delete(stored, key(h))
	}
	remove.Holdings = slices.Collect(maps.Values(stored))
	for id := range gone {
		remove.Persons = append(remove.Persons, store.Person{ID: id})
	}
	changes = c.changes(p, leads, seeds, before, held, gone)
	return changes, true, c.write(after, &remove, &put)
}

// write replaces the facts with another state's, and writes other rows.
func (c *call) write(next *rules.State, remove, put *store.Rows) error {
	rows := rowsOf(next)
	stored := map[string]string{}
	for _, f := range c.rows.Facts {
		stored[f.Key] = f.Value
	}
	for key, value := range stored {
		switch row, kept := rows[key]; {
		case !kept:
			remove.Facts = append(remove.Facts, store.Fact{Key: key, Aliases: keyAliases(key)})
		case row.Value == value:
			delete(rows, key)
		default:
			row.Aliases = nil // they're stored
			rows[key] = row
		}
	}
	put.Facts = slices.Collect(maps.Values(rows))
	n := countRows(remove) + countRows(put)
	if n == 0 {
		return nil
	}
	return c.tx.Write(c.ctx, remove, put)
}

func countRows(r *store.Rows) int { return len(r.Facts) + len(r.Holdings) + len(r.Persons) }

// solve reports false if c.roots grew, so that load must run again.
func (c *call) solve(of *rules.State) (p *population, done bool) {
	p = &population{Solution: rules.Solve(of, c.engine.config.silence()), inner: map[int32]bool{}}
	p.persons, p.roots, p.index = p.Persons()
	p.ids = make([]store.ID, len(p.persons))
	return p, !c.findInner(p)
}

// findInner finds the inner people. It reports whether c.roots grew, because they have other
// people's aliases or periods.
func (c *call) findInner(p *population) (grew bool) {
	for text := range c.near {
		if n := p.NumberOf(text); n != 0 && (p.Names[n].IsStable() || c.roots[text]) {
			for _, piece := range p.Periods(n) {
				p.inner[piece.Root] = true
			}
		}
	}
	for _, h := range c.rows.Holdings {
		if !c.inner[h.Person] || c.roots[h.Alias] {
			continue
		}
		for _, piece := range p.Periods(p.NumberOf(h.Alias)) { // whoever has it now
			if piece.Since <= h.Until && h.Since <= piece.Until {
				p.inner[piece.Root] = true
			}
		}
	}
	for n := int32(1); int(n) < len(p.Names); n++ {
		text := p.Names[n].String()
		if c.roots[text] {
			continue
		}
		for _, piece := range p.Periods(n) {
			if p.inner[piece.Root] && (!c.near[text] || c.othersHad(text, piece)) {
				c.roots[text], grew = true, true
			}
		}
	}
	return grew
}

// othersHad reports whether somebody other than inner people has a number in a period.
func (c *call) othersHad(text string, p rules.Piece) bool {
	until := max(p.Since, p.Until)
	return slices.ContainsFunc(c.rows.Holdings, func(h store.Holding) bool {
		return h.Alias == text && h.Since <= h.Until && h.Since <= until && p.Since <= h.Until && !c.inner[h.Person]
	})
}

// nameAll assigns to each inner person the oldest ID anchored in them. It returns where each ID
// leads.
//
// A person's only ID is anchored at their oldest sighting, so that this part keeps the ID after a
// split. After a merge, IDs keep their anchors, so that a later split returns them.
func (c *call) nameAll(p *population, seeds []store.Person, gone map[store.ID]bool, put *store.Rows) (leads map[store.ID]int32) {
	leads = map[store.ID]int32{}
	var rows []*store.Person
	for _, list := range [...][]store.Person{c.rows.Persons, seeds} {
		for i := range list {
			if !gone[list[i].ID] {
				rows = append(rows, &list[i])
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b *store.Person) int { // those not stored yet come last
		return cmp.Compare(cmp.Or(a.Born, math.MaxInt64), cmp.Or(b.Born, math.MaxInt64))
	})
	anchored := make([][]*store.Person, len(p.persons))
	for _, row := range rows {
		if root := p.HolderOf(row.Anchor, row.At); root >= 0 && p.index[root] >= 0 && p.inner[root] {
			i := p.index[root]
			anchored[i] = append(anchored[i], row)
			leads[row.ID] = i
		}
	}
	moved := map[*store.Person]bool{}
	for i := range p.persons {
		if !p.inner[p.roots[i]] {
			continue
		}
		if len(anchored[i]) == 0 {
			id := newID()
			rows = append(rows, &store.Person{ID: id})
			anchored[i] = rows[len(rows)-1:]
			leads[id] = int32(i)
		}
		p.ids[i] = anchored[i][0].ID
		if len(anchored[i]) == 1 {
			row := anchored[i][0]
			a, at := p.Oldest(&p.persons[i], p.roots[i])
			if text := a.String(); text != row.Anchor || at != row.At {
				row.Anchor, row.At, moved[row] = text, at, true
			}
		}
	}
	for _, row := range rows { // people are created in this order
		if row.Born == 0 || moved[row] {
			put.Persons = append(put.Persons, *row)
		}
	}
	return leads
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

func (c *call) held(p *population) (held []store.Holding) {
	for _, text := range sorted(c.near) {
		n := p.NumberOf(text)
		for _, piece := range p.Periods(n) {
			if i := p.index[piece.Root]; i >= 0 && p.inner[piece.Root] {
				held = append(held, store.Holding{
					Alias: text, Since: piece.Since, Until: piece.Until, Person: p.ids[i], Current: p.IsCurrent(n, piece),
				})
			}
		}
	}
	return held
}

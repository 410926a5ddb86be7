package identity

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/hailmark/hailmark/contact/identity/internal/rules"
	"github.com/hailmark/hailmark/contact/identity/store"
)

// Find returns the person who has a phone number now, or to whom a BSUID or parent BSUID belongs,
// even if another one has replaced it. It reports false if nobody is known.
func (e *Engine) Find(ctx context.Context, alias Alias) (id PersonID, found bool, err error) {
	rows, err := e.holdings(ctx, alias)
	for _, h := range rows {
		if h.Current || alias.id.IsStable() {
			return PersonID(h.Person), true, nil
		}
	}
	return PersonID{}, false, err
}

func (e *Engine) holdings(ctx context.Context, alias Alias) ([]store.Holding, error) {
	if !alias.id.IsValid() {
		return nil, nil
	}
	return view(e, ctx, func(c *call) ([]store.Holding, error) { return c.tx.Holdings(ctx, []string{alias.String()}) })
}

// A Holder is somebody who has or had an alias.
type Holder struct {
	Person  PersonID
	Since   int64 // the first second, or 0 if no earlier holder is known
	Until   int64 // the last second, or the greatest int64 if no later holder is known
	Current bool  // as in [Holding]; only a number's last holder can have it
}

// Holders returns everybody who ever had an alias, sorted by Since. If two people had a number in
// the same second, one of them can have an Until before Since.
func (e *Engine) Holders(ctx context.Context, alias Alias) ([]Holder, error) {
	rows, err := e.holdings(ctx, alias)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(rows, func(a, b store.Holding) int { return cmp.Compare(a.Since, b.Since) })
	holders := make([]Holder, len(rows))
	for i, h := range rows {
		holders[i] = Holder{PersonID(h.Person), h.Since, h.Until, h.Current}
		if !alias.id.IsStable() {
			continue
		}
		// Which of several BSUIDs a person uses depends on when each was last seen, which isn't stored
		// with the alias.
		person, _, err := e.Person(ctx, PersonID(h.Person))
		if err != nil {
			return nil, err
		}
		holders[i].Current = slices.ContainsFunc(person.Aliases, func(h Holding) bool { return h.Alias == alias && h.Current })
	}
	return holders, nil
}

// Person returns a person's aliases and latest names, and false for unknown and forgotten IDs. If
// the person was merged, the result contains the remaining ID. It contains no aliases if nobody has
// the number that led to the person anymore, for example because it's crowded. Person reads all
// facts about the person and about others who had the same numbers, whereas [Engine.Find] reads
// only the holders of an alias.
func (e *Engine) Person(ctx context.Context, id PersonID) (person Person, found bool, err error) {
	person, err = view(e, ctx, func(c *call) (Person, error) {
		p, root, own, err := c.person(store.ID(id), false)
		switch found = err == nil && p != nil; {
		case !found:
			return Person{}, err
		case root < 0 || p.index[root] < 0:
			return Person{ID: id}, nil
		}
		person := personOf(&p.persons[p.index[root]])
		person.ID = PersonID(own)
		return person, nil
	})
	return person, found, err
}

// IDs returns every ID that leads to a person, the person's own first and then the oldest. Rows that
// the caller stored under one of them are about this person, so an export selects by all of them. It
// returns none for unknown and forgotten IDs.
func (e *Engine) IDs(ctx context.Context, id PersonID) ([]PersonID, error) {
	return view(e, ctx, func(c *call) ([]PersonID, error) {
		p, root, own, err := c.person(store.ID(id), false)
		if err != nil || p == nil {
			return nil, err
		}
		ids := []PersonID{PersonID(cmp.Or(own, store.ID(id)))}
		rows := slices.SortedFunc(slices.Values(c.rows.Persons), func(a, b store.Person) int { return cmp.Compare(a.Born, b.Born) })
		for _, row := range rows {
			if root >= 0 && row.ID != own && p.HolderOf(row.Anchor, row.At) == root {
				ids = append(ids, PersonID(row.ID))
			}
		}
		return ids, nil
	})
}

// Facts returns the facts about a person, sorted by time, for an export or to explain a merge. They
// contain the first and the last sighting of the same IDs in each period of 30 days, and those with
// the latest names. They contain no other person's IDs or names: an ID change between two people is a
// sighting of the person's side, and an operator's statement about somebody else is missing.
func (e *Engine) Facts(ctx context.Context, id PersonID) ([]Fact, error) {
	return view(e, ctx, func(c *call) ([]Fact, error) {
		p, root, _, err := c.person(store.ID(id), true)
		if err != nil || p == nil || root < 0 {
			return nil, err
		}
		f := rules.NewRemoval(p.Solution, root, p.inner)
		about, _ := f.Split()
		facts := stateFacts(f.Own(about))
		slices.SortStableFunc(facts, func(a, b Fact) int { return cmp.Compare(a.At(), b.At()) })
		return facts, nil
	})
}

// A page contains rows, and the key after which the next page begins.
type page[K, R any] struct {
	rows []R
	last K
	more bool
}

// pages returns the rows in all pages, reading each in a transaction.
func pages[K, R any](e *Engine, ctx context.Context, read func(c *call, after K) (page[K, R], error)) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		for p := (page[K, R]{more: true}); p.more; {
			var err error
			p, err = view(e, ctx, func(c *call) (page[K, R], error) { return read(c, p.last) })
			if err != nil {
				var none R
				yield(none, err)
				return
			}
			for i := range p.rows {
				if !yield(p.rows[i], nil) {
					return
				}
			}
		}
	}
}

// Persons returns all people's IDs, in order of creation. It omits IDs that lead to other people.
func (e *Engine) Persons(ctx context.Context) iter.Seq2[PersonID, error] {
	const pageSize = 1000
	return pages(e, ctx, func(c *call, after int64) (p page[int64, PersonID], err error) {
		rows, err := c.tx.Persons(ctx, after, pageSize)
		if err != nil {
			return p, err
		}
		anchors := make([]string, len(rows))
		for i := range rows {
			anchors[i], p.last = rows[i].Anchor, rows[i].Born
		}
		holdings, err := c.holdingsOf(anchors)
		for i := range rows {
			if holderIn(holdings[rows[i].Anchor], rows[i].At) == rows[i].ID {
				p.rows = append(p.rows, PersonID(rows[i].ID))
			}
		}
		p.more = len(rows) == pageSize
		return p, err
	})
}

// Conflicts returns all conflicts, sorted by number.
func (e *Engine) Conflicts(ctx context.Context) iter.Seq2[Conflict, error] {
	const pageSize = 20 // numbers
	return pages(e, ctx, func(c *call, after string) (p page[string, Conflict], err error) {
		shared, err := c.tx.Shared(ctx, after, pageSize)
		for _, p.last = range shared {
			conflicts, err := e.newCall(ctx, c.tx).conflicts(p.last)
			if err != nil {
				return p, err
			}
			p.rows = append(p.rows, conflicts...)
		}
		p.more = len(shared) == pageSize
		return p, err
	})
}

func (c *call) conflicts(text string) (found []Conflict, err error) {
	c.roots = map[string]bool{text: true}
	var p *population
	for done := false; !done; {
		if err := c.load(nil); err != nil {
			return nil, err
		}
		p, done = c.solve(c.state)
	}
	for _, conflict := range p.Conflicts(p.persons, p.index) {
		if conflict.Phone.String() == text {
			found = append(found, conflictOf(conflict))
		}
	}
	return found, nil
}

// person reads and locks the neighborhood that an ID leads to. It returns the person's node, or
// -1 if there is none, and their own ID. With all set, it includes all their aliases.
func (c *call) person(of store.ID, all bool) (p *population, root int32, id store.ID, err error) {
	if c.roots == nil {
		c.roots = map[string]bool{}
	}
	for {
		rows, err := c.tx.Get(c.ctx, []store.ID{of})
		if err != nil || len(rows) == 0 {
			return nil, -1, id, err
		}
		anchor := rows[0]
		if c.locked[anchor.Anchor] {
			p, done := c.solve(c.state)
			holdings := map[string][]store.Holding{}
			addHoldings(holdings, c.rows.Holdings)
			id = holderIn(holdings[anchor.Anchor], anchor.At)
			for i := range c.rows.Holdings {
				if h := &c.rows.Holdings[i]; all && h.Person == id && !c.roots[h.Alias] {
					c.roots[h.Alias], done = true, false
				}
			}
			if done {
				return p, p.HolderOf(anchor.Anchor, anchor.At), id, nil
			}
		}
		c.roots[anchor.Anchor] = true
		if err := c.load(nil); err != nil { // locks, so that the anchor stays
			return nil, -1, id, err
		}
	}
}

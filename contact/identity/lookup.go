package identity

import (
	"cmp"
	"context"
	"iter"
	"maps"
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
		who, err := c.person(nil, store.ID(id), false)
		switch found = err == nil && who != nil; {
		case !found:
			return Person{}, err
		}
		i, listed := who.p.index[who.root]
		if !listed {
			return Person{ID: id}, nil
		}
		person := personOf(&who.p.persons[i])
		person.ID = PersonID(who.own)
		return person, nil
	})
	return person, found, err
}

// IDs returns every ID that leads to a person, the person's own first and then the oldest. Rows that
// the caller stored under one of them are about this person, so an export selects by all of them. It
// returns none for unknown and forgotten IDs.
func (e *Engine) IDs(ctx context.Context, id PersonID) ([]PersonID, error) {
	return view(e, ctx, func(c *call) ([]PersonID, error) {
		who, err := c.person(nil, store.ID(id), false)
		if err != nil || who == nil {
			return nil, err
		}
		ids := []PersonID{PersonID(cmp.Or(who.own, who.id))}
		rows := slices.SortedFunc(slices.Values(who.n.rows.Persons), func(a, b store.Person) int { return cmp.Compare(a.Born, b.Born) })
		for _, row := range rows {
			if root, known := who.p.rootOf(row); known && row.ID != who.own && root == who.root {
				ids = append(ids, PersonID(row.ID))
			}
		}
		return ids, nil
	})
}

// Facts returns the facts about a person, sorted by time, for an export or to explain a merge. They
// contain what the engine keeps, see [Condense]. They contain no other person's IDs or names: an ID change between two people is a
// sighting of the person's side, and an operator's statement about somebody else is missing.
func (e *Engine) Facts(ctx context.Context, id PersonID) ([]Fact, error) {
	return view(e, ctx, func(c *call) ([]Fact, error) {
		who, err := c.person(nil, store.ID(id), true)
		if err != nil || who == nil || who.root == (rules.Node{}) {
			return nil, err
		}
		about, _ := who.p.Split(who.root)
		return stateFacts(who.p.Own(who.root, about)), nil
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
		doubtful, err := c.tx.Doubtful(ctx, after, pageSize)
		for _, p.last = range doubtful {
			conflicts, err := e.newCall(ctx, c.tx).conflicts(p.last)
			if err != nil {
				return p, err
			}
			p.rows = append(p.rows, conflicts...)
		}
		p.more = len(doubtful) == pageSize
		return p, err
	})
}

func (c *call) conflicts(text string) (found []Conflict, err error) {
	var n *neighborhood
	var p *population
	for roots := map[string]bool{text: true}; n == nil || !n.has(roots); roots = n.reach(p) {
		if n, err = c.load(roots); err != nil {
			return nil, err
		}
		p = n.solve(n.state)
	}
	for _, conflict := range p.Conflicts(p.persons) {
		if conflict.Alias.String() == text {
			found = append(found, conflictOf(conflict))
		}
	}
	return found, nil
}

// A subject is the person to whom an ID leads, with what was read about them.
type subject struct {
	n    *neighborhood
	p    *population // of n
	id   store.ID
	root rules.Node // the person's, or zero if the ID leads to nobody
	own  store.ID   // the person's, or zero
}

// person reads and locks the neighborhood that an ID leads to, beginning with n if it isn't nil. It
// returns nil if the ID is unknown. With all set, it includes all the person's aliases.
func (c *call) person(n *neighborhood, id store.ID, all bool) (*subject, error) {
	roots := map[string]bool{}
	if n != nil {
		roots = maps.Clone(n.roots)
	}
	for {
		rows, err := c.tx.Get(c.ctx, []store.ID{id})
		if err != nil || len(rows) == 0 {
			return nil, err
		}
		anchor := rows[0]
		if c.locked[anchor.Anchor] { // so n contains it
			p := n.solve(n.state)
			own := holderIn(byAlias(n.rows.Holdings)[anchor.Anchor], anchor.At)
			roots = n.reach(p)
			if all {
				n.addHeld(roots, own)
			}
			if n.has(roots) {
				root, _ := p.rootOf(anchor)
				return &subject{n, p, id, root, own}, nil
			}
		}
		roots[anchor.Anchor] = true
		if n, err = c.load(roots); err != nil { // locks, so that the anchor stays
			return nil, err
		}
		roots = maps.Clone(n.roots)
	}
}

// addHeld adds the aliases that somebody ever had.
func (n *neighborhood) addHeld(roots map[string]bool, person store.ID) {
	for i := range n.rows.Holdings {
		if h := &n.rows.Holdings[i]; h.Person == person {
			roots[h.Alias] = true
		}
	}
}

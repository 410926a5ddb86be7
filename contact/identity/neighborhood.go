package identity

import (
	"context"
	"maps"
	"slices"

	"github.com/hailmark/hailmark/contact/identity/internal/rules"
	"github.com/hailmark/hailmark/contact/identity/store"
)

// A call is one run of an [Engine] method in a transaction.
//
// A fact affects only inner people: those who ever had one of its IDs, or a phone number seen with a
// stable ID that it changes. They depend on facts with one of their IDs, on the announcements that begin
// and end the stable IDs seen on their numbers, and on what's crowded. So a call reads these facts and
// locks the inner people's IDs.
//
// Most webhooks only contain a later time for a known combination of IDs. Then the facts with its IDs are
// enough to see that nothing else changes; see extend.
type call struct {
	ctx    context.Context
	tx     store.Tx
	locked map[string]bool // aliases
}

func (e *Engine) newCall(ctx context.Context, tx store.Tx) *call {
	return &call{ctx: ctx, tx: tx, locked: map[string]bool{}}
}

// A neighborhood is what a call has read. Once it's loaded, it doesn't change.
type neighborhood struct {
	roots   map[string]bool   // what the inner people are found by; all is known about these aliases
	near    map[string]bool   // roots, and the other aliases of their holders
	holders map[store.ID]bool // everybody who ever had a root
	rows    store.Rows
	state   *rules.State // of rows
}

// has reports whether roots, which contains n's, contains no others.
func (n *neighborhood) has(roots map[string]bool) bool { return len(roots) == len(n.roots) }

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

// load reads and locks the neighborhood around roots.
func (c *call) load(roots map[string]bool) (*neighborhood, error) {
	for {
		n, err := c.fetch(roots, true)
		if err != nil {
			return nil, err
		}
		if err := c.fetchOthers(n); err != nil {
			return nil, err
		}
		stale, err := c.lock(n.near)
		if err != nil {
			return nil, err
		}
		roots = n.concern()
		if n.has(roots) && !stale {
			return n, nil
		}
	}
}

// fetch locks roots, and reads the rows with one of them and, if wide is set, with one of their holders'
// aliases.
func (c *call) fetch(roots map[string]bool, wide bool) (*neighborhood, error) {
	if _, err := c.lock(roots); err != nil {
		return nil, err
	}
	rows, err := c.tx.Load(c.ctx, sorted(roots), wide, nil)
	if err != nil {
		return nil, err
	}
	n := &neighborhood{roots, maps.Clone(roots), map[store.ID]bool{}, rows, rules.NewState()}
	for i := range rows.Holdings {
		h := &rows.Holdings[i]
		n.near[h.Alias] = true
		if roots[h.Alias] {
			n.holders[h.Person] = true
		}
	}
	return n, loadRows(n.state, rows.Facts)
}

// fetchOthers adds to n what it depends on: the changes of others' IDs, and which of them are crowded.
func (c *call) fetchOthers(n *neighborhood) error {
	known := map[rules.Alias]bool{}
	for text := range n.near {
		known[parseAlias(text).id] = true
	}
	near := maps.Clone(known)
	for {
		var others []string
		for a := range n.state.Depends(near) {
			if !known[a] {
				known[a] = true
				others = append(others, a.String())
			}
		}
		if len(others) == 0 {
			return nil
		}
		slices.Sort(others)
		rows, err := c.tx.Load(c.ctx, nil, false, others)
		if err != nil {
			return err
		}
		n.rows.Facts = append(n.rows.Facts, rows.Facts...) // some of them twice
		if err := loadRows(n.state, rows.Facts); err != nil {
			return err
		}
	}
}

// concern returns n.roots, and what an operator stated about them and an ID without a sighting.
func (n *neighborhood) concern() (roots map[string]bool) {
	roots = maps.Clone(n.roots)
	for p := range n.state.Verdicts {
		a, b := p[0].String(), p[1].String()
		if roots[a] != roots[b] && (!n.near[a] || !n.near[b]) {
			roots[a], roots[b] = true, true
		}
	}
	return roots
}

func sorted(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }

// aliasesOf returns the texts of the aliases in facts.
func aliasesOf(facts []rules.Fact) map[string]bool {
	texts := map[string]bool{}
	for i := range facts {
		for _, a := range facts[i].Aliases() {
			texts[a.String()] = true
		}
	}
	return texts
}

// holdingsOf returns the stored holdings of aliases, by alias.
func (c *call) holdingsOf(aliases []string) (map[string][]store.Holding, error) {
	if len(aliases) == 0 {
		return nil, nil
	}
	slices.Sort(aliases)
	rows, err := c.tx.Holdings(c.ctx, slices.Compact(aliases))
	return byAlias(rows), err
}

func byAlias(rows []store.Holding) map[string][]store.Holding {
	holdings := map[string][]store.Holding{}
	for _, h := range rows {
		holdings[h.Alias] = append(holdings[h.Alias], h)
	}
	return holdings
}

// holderIn returns who had an alias at a time, given its holdings.
func holderIn(holdings []store.Holding, at int64) store.ID {
	for i := range holdings {
		if h := &holdings[i]; h.Since <= at && at <= h.Until {
			return h.Person
		}
	}
	return store.ID{}
}

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
// A fact affects only inner people: those who ever had one of its aliases, or a phone number seen
// with a BSUID that it changes. They depend on facts with one of their aliases, and on changes and
// verdicts with a stable alias seen on one of their numbers. So a call reads these facts and locks
// the inner people's aliases.
//
// Most webhooks only contain a later time for a known combination of IDs. Then the facts with its
// aliases are enough to see that nothing else changes; see extend.
type call struct {
	ctx     context.Context
	tx      store.Tx
	silence int64           // the limit in seconds, or 0
	locked  map[string]bool // aliases
}

func (e *Engine) newCall(ctx context.Context, tx store.Tx) *call {
	return &call{ctx: ctx, tx: tx, silence: e.config.silence(), locked: map[string]bool{}}
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

// load reads and locks the neighborhood around roots, and around what facts concern.
func (c *call) load(roots map[string]bool, facts []rules.Fact) (*neighborhood, error) {
	for {
		n, err := c.fetch(roots, true)
		if err != nil {
			return nil, err
		}
		stale, err := c.lock(n.near)
		if err != nil {
			return nil, err
		}
		roots = n.concern(facts)
		if n.has(roots) && !stale {
			return n, c.fetchOthers(n)
		}
	}
}

// fetch locks roots, and reads the rows with one of them and, if wide is set, with one of their
// holders' aliases.
func (c *call) fetch(roots map[string]bool, wide bool) (*neighborhood, error) {
	if _, err := c.lock(roots); err != nil {
		return nil, err
	}
	rows, err := c.tx.Load(c.ctx, sorted(roots), wide, nil)
	if err != nil {
		return nil, err
	}
	n := &neighborhood{roots, maps.Clone(roots), map[store.ID]bool{}, rows, new(rules.State)}
	for i := range rows.Holdings {
		h := &rows.Holdings[i]
		n.near[h.Alias] = true
		if roots[h.Alias] {
			n.holders[h.Person] = true
		}
	}
	return n, loadRows(n.state, rows.Facts)
}

// fetchOthers adds to n, which has just been fetched, the changes and verdicts with its others.
func (c *call) fetchOthers(n *neighborhood) error {
	others := n.others()
	if len(others) == 0 {
		return nil
	}
	rows, err := c.tx.Load(c.ctx, nil, false, sorted(others))
	if err != nil {
		return err
	}
	n.rows.Facts = append(n.rows.Facts, rows.Facts...) // some of them twice
	return loadRows(n.state, rows.Facts)
}

// others returns the other people's stable aliases seen on numbers in n.near.
func (n *neighborhood) others() map[string]bool {
	found := map[string]bool{}
	see := func(phone int32, stables ...int32) {
		if phone == 0 || !n.near[n.state.Names[phone].String()] {
			return
		}
		for _, stable := range stables {
			if text := n.state.Names[stable].String(); stable != 0 && !n.near[text] {
				found[text] = true
			}
		}
	}
	n.state.EachSide(func(x, other *rules.Side, _, _ int64) {
		if x.Stable() != 0 {
			other = x
		}
		see(x.Phone, other.BSUID, other.Parent)
	})
	for _, v := range n.state.Verdicts {
		see(v.B, v.A)
	}
	return found
}

// concern returns n.roots, and the aliases that facts concern without containing them.
func (n *neighborhood) concern(facts []rules.Fact) (roots map[string]bool) {
	roots = maps.Clone(n.roots)
	rotating := map[int32]bool{}
	for i := range facts {
		if f := &facts[i]; f.Kind == rules.Changed {
			rotating[n.state.Numbers[f.A.BSUID]], rotating[n.state.Numbers[f.B.BSUID]] = true, true
		}
	}
	n.state.EachSide(func(x, _ *rules.Side, _, _ int64) {
		if x.Phone != 0 && x.BSUID != 0 && rotating[x.BSUID] {
			roots[n.state.Names[x.Phone].String()] = true
		}
	})
	for _, v := range n.state.Verdicts { // an operator joined a number that had no sighting
		a, b := n.state.Names[v.A].String(), n.state.Names[v.B].String()
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

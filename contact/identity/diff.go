package identity

import (
	"maps"
	"slices"

	"github.com/hailmark/hailmark/contact/identity/internal/rules"
	"github.com/hailmark/hailmark/contact/identity/store"
)

// changes compares the holdings of inner people before and after.
func (c *call) changes(p *population, leads map[store.ID]int32, seeds []store.Person, before, after []store.Holding, gone map[store.ID]bool) []Change {
	type holds struct {
		person store.ID
		alias  string
	}
	lead := func(id store.ID) store.ID { // who continues a person
		if i, leads := leads[id]; leads {
			return p.ids[i]
		}
		return store.ID{}
	}
	had := map[holds]bool{}
	for i := range before {
		had[holds{lead(before[i].Person), before[i].Alias}] = true
	}
	moves := slices.DeleteFunc(moves(before, after), func(m Change) bool { return gone[store.ID(m.From)] })
	var changes, added []Change
	origins := map[PersonID][]PersonID{}
	for i := range moves {
		if m := &moves[i]; !m.From.IsZero() && !slices.Contains(origins[m.To], m.From) {
			origins[m.To] = append(origins[m.To], m.From)
		}
	}
	var splits []Change
	for i := range p.persons {
		if !p.inner[p.roots[i]] {
			continue
		}
		id := p.ids[i]
		if c.inner[id] {
			for _, h := range p.persons[i].Aliases {
				if !had[holds{id, h.Alias.String()}] {
					added = append(added, Change{Kind: AliasAdded, To: PersonID(id), Alias: Alias{h.Alias}})
				}
			}
			continue
		}
		split := false
		for _, from := range origins[PersonID(id)] {
			if to := lead(store.ID(from)); to != id && !gone[store.ID(from)] {
				splits, split = append(splits, Change{Kind: Split, From: from, To: PersonID(id)}), true
			}
		}
		if !split {
			changes = append(changes, Change{Kind: Created, To: PersonID(id)})
		}
	}
	unmerged := c.unmerged()
	for i := range seeds {
		unmerged = append(unmerged, seeds[i].ID)
	}
	for _, id := range unmerged {
		if to := lead(id); to != id && to != (store.ID{}) && !gone[id] {
			changes = append(changes, Change{Kind: Merged, From: PersonID(id), To: PersonID(to)})
		}
	}
	changes = append(append(changes, splits...), added...)
	uses := map[holds]bool{}
	for i := range after {
		if after[i].Current {
			uses[holds{after[i].Person, after[i].Alias}] = true
		}
	}
	for i := range before {
		h := &before[i]
		if to := lead(h.Person); h.Current && to != (store.ID{}) && !uses[holds{to, h.Alias}] {
			a := parseAlias(h.Alias)
			changes = append(changes, Change{Kind: AliasEnded, From: PersonID(to), Alias: a})
		}
	}
	return append(append(changes, moves...), c.newConflicts(p)...)
}

// unmerged returns the stored IDs, sorted, that led to their own person or to nobody.
func (c *call) unmerged() []store.ID {
	byAlias := map[string][]store.Holding{}
	addHoldings(byAlias, c.rows.Holdings)
	var ids []store.ID
	for i := range c.rows.Persons {
		row := &c.rows.Persons[i]
		if c.inner[row.ID] || holderIn(byAlias[row.Anchor], row.At) == (store.ID{}) {
			ids = append(ids, row.ID)
		}
	}
	slices.SortFunc(ids, func(a, b store.ID) int { return slices.Compare(a[:], b[:]) })
	return ids
}

// moves returns the periods whose person differs, sorted by alias and time.
func moves(before, after []store.Holding) (moves []Change) {
	old, current, starts := map[string][]store.Holding{}, map[string][]store.Holding{}, map[string][]int64{}
	addHoldings(old, before)
	addHoldings(current, after)
	for _, h := range slices.Concat(before, after) {
		starts[h.Alias] = append(starts[h.Alias], h.Since)
		if h.Until != rules.EndOfTime {
			starts[h.Alias] = append(starts[h.Alias], h.Until+1)
		}
	}
	for _, text := range slices.Sorted(maps.Keys(starts)) {
		a := parseAlias(text)
		slices.Sort(starts[text])
		times := slices.Compact(starts[text])
		for i, since := range times {
			from, to := PersonID(holderIn(old[text], since)), PersonID(holderIn(current[text], since))
			if to.IsZero() || from == to {
				continue
			}
			until := int64(rules.EndOfTime)
			if i+1 < len(times) {
				until = times[i+1] - 1
			}
			if n := len(moves); n > 0 && moves[n-1] == (Change{Moved, from, to, a, moves[n-1].Since, since - 1}) {
				moves[n-1].Until = until
				continue
			}
			moves = append(moves, Change{Moved, from, to, a, since, until})
		}
	}
	return moves
}

// newConflicts returns the inner people's conflicts that aren't stored yet.
func (c *call) newConflicts(p *population) (found []Change) {
	var after []rules.Step
	for _, s := range p.Steps(p.index) {
		if c.near[p.Names[s.Phone].String()] && p.inner[p.roots[s.From]] && p.inner[p.roots[s.To]] {
			after = append(after, s)
		}
	}
	if len(after) == 0 {
		return nil
	}
	old := rules.Solve(c.state, c.engine.config.silence())
	_, roots, index := old.Persons()
	now := func(i int32) int32 { // a person before is known by their least stable alias
		if root := p.HolderAt(old.LeastStable(roots[i]), 0); root >= 0 {
			return p.index[root]
		}
		return -1
	}
	type stepKey struct {
		phone, from, to int32
		at              int64
	}
	known := map[stepKey]bool{}
	for _, s := range old.Steps(index) {
		known[stepKey{p.Numbers[old.Names[s.Phone]], now(s.From), now(s.To), s.At}] = true
	}
	for _, s := range after {
		if !known[stepKey{s.Phone, s.From, s.To, s.At}] {
			found = append(found, Change{
				Kind: PhonePassed, From: PersonID(p.ids[s.From]), To: PersonID(p.ids[s.To]), Alias: Alias{p.Names[s.Phone]}, Since: s.At,
			})
		}
	}
	return found
}

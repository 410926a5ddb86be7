package identity

import (
	"maps"
	"slices"

	"github.com/hailmark/hailmark/contact/identity/internal/rules"
	"github.com/hailmark/hailmark/contact/identity/store"
)

// A difference is what becomes of the people in a neighborhood.
type difference struct {
	n             *neighborhood  // before
	p             *population    // after
	names         naming         // of p
	seeds         []store.Person // IDs that are new
	gone          map[store.ID]bool
	before, after []store.Holding // the inner people's
}

// changes reports a difference, one kind after the other.
func (c *call) changes(d difference) []Change {
	moves := d.moved()
	splits := d.split(moves)
	return slices.Concat(d.created(splits), d.merged(), splits, d.aliasesAdded(), d.aliasesEnded(), moves, d.conflicts())
}

// newcomers returns the IDs of inner people that nobody had before.
func (d *difference) newcomers() (ids []PersonID) {
	for i := range d.p.persons {
		if id := d.names.ids[i]; d.p.inner[d.p.persons[i].Root] && !d.n.holders[id] {
			ids = append(ids, PersonID(id))
		}
	}
	return ids
}

// created reports the newcomers who are no part of a split.
func (d *difference) created(splits []Change) (changes []Change) {
	for _, id := range d.newcomers() {
		if !slices.ContainsFunc(splits, func(s Change) bool { return s.To == id }) {
			changes = append(changes, Change{Kind: Created, To: id})
		}
	}
	return changes
}

// split reports the newcomers who get messages of people who go on under another ID.
func (d *difference) split(moves []Change) (changes []Change) {
	origins := map[PersonID][]PersonID{}
	for i := range moves {
		if m := &moves[i]; !m.From.IsZero() && !slices.Contains(origins[m.To], m.From) {
			origins[m.To] = append(origins[m.To], m.From)
		}
	}
	for _, id := range d.newcomers() {
		for _, from := range origins[id] {
			if PersonID(d.names.leads[store.ID(from)]) != id {
				changes = append(changes, Change{Kind: Split, From: from, To: id})
			}
		}
	}
	return changes
}

// merged reports the IDs that lead to another person from now on.
func (d *difference) merged() (changes []Change) {
	ids := d.unmerged()
	for i := range d.seeds {
		ids = append(ids, d.seeds[i].ID)
	}
	for _, id := range ids {
		if to, leads := d.names.leads[id]; leads && to != id && !d.gone[id] {
			changes = append(changes, Change{Kind: Merged, From: PersonID(id), To: PersonID(to)})
		}
	}
	return changes
}

// unmerged returns the stored IDs, sorted, that led to their own person or to nobody.
func (d *difference) unmerged() (ids []store.ID) {
	held := byAlias(d.n.rows.Holdings)
	for i := range d.n.rows.Persons {
		row := &d.n.rows.Persons[i]
		if d.n.holders[row.ID] || holderIn(held[row.Anchor], row.At) == (store.ID{}) {
			ids = append(ids, row.ID)
		}
	}
	slices.SortFunc(ids, func(a, b store.ID) int { return slices.Compare(a[:], b[:]) })
	return ids
}

// A use is an alias that a person has.
type use struct {
	person store.ID
	alias  string
}

// aliasesAdded reports the new aliases of people who aren't newcomers.
func (d *difference) aliasesAdded() (changes []Change) {
	had := map[use]bool{}
	for i := range d.before {
		had[use{d.names.leads[d.before[i].Person], d.before[i].Alias}] = true
	}
	for i, id := range d.names.ids {
		if !d.n.holders[id] {
			continue
		}
		for _, h := range d.p.persons[i].Aliases {
			if !had[use{id, h.Alias.String()}] {
				changes = append(changes, Change{Kind: AliasAdded, To: PersonID(id), Alias: Alias{h.Alias}})
			}
		}
	}
	return changes
}

// aliasesEnded reports the current aliases that whoever continues their person no longer uses.
func (d *difference) aliasesEnded() (changes []Change) {
	current := map[use]bool{}
	for i := range d.after {
		if h := &d.after[i]; h.Current {
			current[use{h.Person, h.Alias}] = true
		}
	}
	for i := range d.before {
		h := &d.before[i]
		if person, leads := d.names.leads[h.Person]; h.Current && leads && !current[use{person, h.Alias}] {
			changes = append(changes, Change{Kind: AliasEnded, From: PersonID(person), Alias: parseAlias(h.Alias)})
		}
	}
	return changes
}

// moved reports the periods whose person differs, sorted by alias and time, without those of forgotten
// people.
func (d *difference) moved() (changes []Change) {
	before, after := byAlias(d.before), byAlias(d.after)
	starts := startsByAlias(slices.Concat(d.before, d.after))
	for _, text := range slices.Sorted(maps.Keys(starts)) {
		for _, m := range compareHolders(starts[text], before[text], after[text]) {
			if !d.gone[store.ID(m.From)] {
				m.Alias = parseAlias(text)
				changes = append(changes, m)
			}
		}
	}
	return changes
}

// startsByAlias returns the seconds in which an alias's holder can change, sorted.
func startsByAlias(holdings []store.Holding) map[string][]int64 {
	starts := map[string][]int64{}
	for _, h := range holdings {
		starts[h.Alias] = append(starts[h.Alias], h.Since)
		if h.Until != rules.EndOfTime {
			starts[h.Alias] = append(starts[h.Alias], h.Until+1)
		}
	}
	for alias, times := range starts {
		slices.Sort(times)
		starts[alias] = slices.Compact(times)
	}
	return starts
}

// compareHolders returns the longest periods in which an alias passes from one person to another.
func compareHolders(starts []int64, before, after []store.Holding) (moves []Change) {
	for i, since := range starts {
		from, to := PersonID(holderIn(before, since)), PersonID(holderIn(after, since))
		if to.IsZero() || from == to {
			continue
		}
		until := int64(rules.EndOfTime)
		if i+1 < len(starts) {
			until = starts[i+1] - 1
		}
		if n := len(moves) - 1; n >= 0 && moves[n].Until == since-1 && moves[n].From == from && moves[n].To == to {
			moves[n].Until = until
			continue
		}
		moves = append(moves, Change{Kind: Moved, From: from, To: to, Since: since, Until: until})
	}
	return moves
}

// conflicts reports the inner people's conflicts, and the crowded aliases, that there weren't before.
func (d *difference) conflicts() (changes []Change) {
	for a := range d.p.Crowded() {
		if d.n.roots[a.String()] && !d.n.state.Crowded[a] {
			changes = append(changes, Change{Kind: Conflicted, Conflict: Crowded, Alias: Alias{a}})
		}
	}
	slices.SortFunc(changes, func(a, b Change) int { return a.Alias.id.Compare(b.Alias.id) })
	steps := d.steps()
	if len(steps) == 0 {
		return changes
	}
	known := d.stepsOf(rules.Solve(d.n.state))
	for _, s := range steps {
		if !known[s] {
			changes = append(changes, Change{
				Kind: Conflicted, Conflict: ConflictKind(s.Kind), From: d.idOf(s.From), To: d.idOf(s.To), Alias: Alias{s.Phone}, Since: s.At,
			})
		}
	}
	return changes
}

// steps returns the inner people's conflicts.
func (d *difference) steps() (steps []rules.Step) {
	for _, text := range sorted(d.n.near) {
		for _, s := range d.p.Steps(parseAlias(text).id) {
			if !d.idOf(s.To).IsZero() && (s.From == rules.Node{} || !d.idOf(s.From).IsZero()) {
				steps = append(steps, s)
			}
		}
	}
	return steps
}

// idOf returns an inner person's ID, or zero.
func (d *difference) idOf(root rules.Node) PersonID {
	if i, listed := d.p.index[root]; listed {
		return PersonID(d.names.ids[i])
	}
	return PersonID{}
}

// stepsOf returns the conflicts of an earlier solution, with the people's roots of now. Whoever is in a
// conflict is known by a stable ID.
func (d *difference) stepsOf(old *rules.Solution) map[rules.Step]bool {
	now := func(root rules.Node) rules.Node {
		root, _ = d.p.HolderAt(root.ID, 0)
		return root
	}
	listed := map[rules.Node]bool{{}: true}
	for _, p := range old.Persons() {
		listed[p.Root] = true
	}
	steps := map[rules.Step]bool{}
	for text := range d.n.near {
		for _, s := range old.Steps(parseAlias(text).id) {
			if !listed[s.From] || !listed[s.To] {
				continue
			}
			s.From, s.To = now(s.From), now(s.To)
			steps[s] = true
		}
	}
	return steps
}

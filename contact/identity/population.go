package identity

import (
	"cmp"
	"crypto/rand"
	"maps"
	"math"
	"slices"

	"github.com/hailmark/hailmark/contact/identity/internal/rules"
	"github.com/hailmark/hailmark/contact/identity/store"
)

// A population is a solution's people. A person is also identified by a root of the solution.
type population struct {
	*rules.Solution
	persons []rules.Person
	index   map[rules.Node]int  // by root
	inner   map[rules.Node]bool // the roots of the inner people
}

// solve solves the state of a neighborhood, or what follows it.
func (n *neighborhood) solve(state *rules.State) *population {
	p := &population{Solution: rules.Solve(state), index: map[rules.Node]int{}, inner: map[rules.Node]bool{}}
	p.persons = p.Persons()
	for i := range p.persons {
		p.index[p.persons[i].Root] = i
	}
	p.findInner(n)
	return p
}

// findInner finds the inner people: everybody who has a root or who has an alias of somebody who ever had
// a root, at the same time if it's a number.
func (p *population) findInner(n *neighborhood) {
	for text := range n.near {
		if alias := parseAlias(text).id; alias.IsStable() || n.roots[text] {
			for _, piece := range p.Periods(alias) {
				p.inner[piece.Root] = true
			}
		}
	}
	for _, h := range n.rows.Holdings {
		if !n.holders[h.Person] || n.roots[h.Alias] {
			continue
		}
		for _, piece := range p.Periods(parseAlias(h.Alias).id) { // whoever has it now
			if piece.Since <= h.Until && h.Since <= piece.Until {
				p.inner[piece.Root] = true
			}
		}
	}
}

// reach returns n.roots, and the aliases of inner people that must be roots: those that n doesn't
// contain, and numbers that others had in the same period.
func (n *neighborhood) reach(p *population) (roots map[string]bool) {
	roots = maps.Clone(n.roots)
	for _, alias := range p.IDs() {
		text := alias.String()
		if n.roots[text] {
			continue
		}
		for _, piece := range p.Periods(alias) {
			if p.inner[piece.Root] && (!n.near[text] || n.othersHad(text, piece)) {
				roots[text] = true
			}
		}
	}
	return roots
}

// relived returns n.roots, the stable aliases that begin or end at another time in p than before, the
// numbers seen with them, and what changes name with an alias that's crowded now. Whom a change is about
// needn't have had its number.
func (n *neighborhood) relived(p *population) (roots map[string]bool) {
	roots = maps.Clone(n.roots)
	stable := p.Relived(rules.Solve(n.state))
	for a := range stable {
		roots[a.String()] = true
	}
	see := func(a, phone rules.Alias) {
		if phone.IsValid() && stable[a] && !p.Crowded()[phone] {
			roots[phone.String()] = true
		}
	}
	p.State().EachSide(func(x, _ rules.Side, _, _ int64) {
		see(x.BSUID, x.Phone)
		see(x.Parent, x.Phone)
	})
	for pair := range p.State().Verdicts {
		see(pair[0], pair[1])
	}
	for c := range p.State().Changes {
		ids := append(c.Sides[0].IDs(), c.Sides[1].IDs()...)
		if slices.ContainsFunc(ids, func(a rules.Alias) bool { return p.Crowded()[a] && !n.state.Crowded[a] }) {
			for _, a := range ids {
				roots[a.String()] = true
			}
		}
	}
	return roots
}

// othersHad reports whether somebody other than the holders has a number in a period.
func (n *neighborhood) othersHad(text string, p rules.Piece) bool {
	until := max(p.Since, p.Until)
	return slices.ContainsFunc(n.rows.Holdings, func(h store.Holding) bool {
		return h.Alias == text && h.Since <= h.Until && h.Since <= until && p.Since <= h.Until && !n.holders[h.Person]
	})
}

// rootOf returns the root of whoever has the anchor of a row.
func (p *population) rootOf(row store.Person) (rules.Node, bool) {
	return p.HolderAt(parseAlias(row.Anchor).id, row.At)
}

// A naming assigns IDs to the inner people of a population.
type naming struct {
	ids   []store.ID            // by person; zero for those who aren't inner
	leads map[store.ID]store.ID // from each ID to that of the person to whom it leads
	put   []store.Person        // new rows and those with a new anchor
}

// name assigns to each inner person the oldest ID anchored in them, or a new one. stored and seeds
// contain the IDs until now, and gone those of them that nobody may have.
//
// A person's only ID is anchored at the stable ID that they had first, so that this part keeps the ID
// after a split. After a merge, IDs keep their anchors, so that a later split returns them.
func (p *population) name(stored, seeds []store.Person, gone map[store.ID]bool) naming {
	rows := slices.Concat(stored, seeds)
	rows = slices.DeleteFunc(rows, func(row store.Person) bool { return gone[row.ID] })
	slices.SortStableFunc(rows, func(a, b store.Person) int { // those not stored yet come last
		return cmp.Compare(cmp.Or(a.Born, math.MaxInt64), cmp.Or(b.Born, math.MaxInt64))
	})
	anchored := p.anchored(rows)
	names := naming{make([]store.ID, len(p.persons)), map[store.ID]store.ID{}, nil}
	moved := map[store.ID]bool{}
	for i := range p.persons {
		if !p.inner[p.persons[i].Root] {
			continue
		}
		if len(anchored[i]) == 0 {
			anchored[i] = []int{len(rows)}
			rows = append(rows, store.Person{ID: newID()})
		}
		names.ids[i] = rows[anchored[i][0]].ID
		for _, j := range anchored[i] {
			names.leads[rows[j].ID] = names.ids[i]
		}
		if len(anchored[i]) == 1 {
			row := &rows[anchored[i][0]]
			moved[row.ID] = anchor(&p.persons[i], row)
		}
	}
	for _, row := range rows { // people are created in this order
		if row.Born == 0 || moved[row.ID] {
			names.put = append(names.put, row)
		}
	}
	return names
}

// anchored returns the indexes of the rows that lead to each inner person.
func (p *population) anchored(rows []store.Person) [][]int {
	anchored := make([][]int, len(p.persons))
	for i, row := range rows {
		if root, known := p.rootOf(row); known && p.inner[root] {
			if person, listed := p.index[root]; listed {
				anchored[person] = append(anchored[person], i)
			}
		}
	}
	return anchored
}

// anchor anchors a row at a person's first stable ID, otherwise at their first number. It reports whether
// that changes the row. An anchor that's the best of its kind already stays.
func anchor(p *rules.Person, row *store.Person) (moved bool) {
	var found *rules.Holding
	for i := range p.Aliases {
		h := &p.Aliases[i]
		switch {
		case found == nil, h.Alias.IsStable() && !found.Alias.IsStable():
			found = h
		case h.Alias.IsStable() == found.Alias.IsStable() && h.First < found.First:
			found = h
		}
	}
	if row.Anchor != "" && (!found.Alias.IsStable() || parseAlias(row.Anchor).id.IsStable()) {
		return false
	}
	row.Anchor, row.At = found.Alias.String(), found.First
	return true
}

// holdings returns what the inner people hold of some aliases.
func (p *population) holdings(aliases map[string]bool, names naming) (held []store.Holding) {
	for _, text := range sorted(aliases) {
		alias := parseAlias(text).id
		for _, piece := range p.Periods(alias) {
			if i, listed := p.index[piece.Root]; listed && p.inner[piece.Root] {
				held = append(held, store.Holding{
					Alias: text, Since: piece.Since, Until: piece.Until, Person: names.ids[i], Current: p.IsCurrent(alias, piece),
				})
			}
		}
	}
	return held
}

// doubtful returns the aliases about which there can be a conflict. Others' people, who aren't all known,
// can turn out to be one.
func (p *population) doubtful(aliases map[string]bool) map[string]bool {
	found := map[string]bool{}
	for text := range aliases {
		if alias := parseAlias(text).id; p.Crowded()[alias] || len(p.Steps(alias)) > 0 {
			found[text] = true
		}
	}
	return found
}

func newID() (id store.ID) {
	_, _ = rand.Read(id[:])   // never fails
	id[6] = id[6]&0x0f | 0x40 // version 4
	id[8] = id[8]&0x3f | 0x80 // variant of RFC 9562
	return id
}

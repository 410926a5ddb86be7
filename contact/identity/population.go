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

// A population is a solution's people. A person is also identified by a node of the solution.
type population struct {
	*rules.Solution
	persons []rules.Person
	nodes   []int32        // by person
	index   []int32        // by node: the person, or -1
	inner   map[int32]bool // the nodes of the inner people
}

// solve solves the state of a neighborhood, or what follows it.
func (c *call) solve(n *neighborhood, state *rules.State) *population {
	p := &population{Solution: rules.Solve(state, c.silence)}
	p.persons, p.nodes, p.index = p.Persons()
	p.inner = n.findInner(p.Solution)
	return p
}

// findInner returns the nodes of the inner people: everybody who has a root or who has an alias of
// somebody who ever had a root, at the same time if it's a number.
func (n *neighborhood) findInner(s *rules.Solution) map[int32]bool {
	inner := map[int32]bool{}
	for text := range n.near {
		if alias := s.NumberOf(text); alias != 0 && (s.Names[alias].IsStable() || n.roots[text]) {
			for _, piece := range s.Periods(alias) {
				inner[piece.Root] = true
			}
		}
	}
	for _, h := range n.rows.Holdings {
		if !n.holders[h.Person] || n.roots[h.Alias] {
			continue
		}
		for _, piece := range s.Periods(s.NumberOf(h.Alias)) { // whoever has it now
			if piece.Since <= h.Until && h.Since <= piece.Until {
				inner[piece.Root] = true
			}
		}
	}
	return inner
}

// reach returns n.roots, and the aliases of inner people that must be roots: those that n doesn't
// contain, and numbers that others had in the same period.
func (n *neighborhood) reach(p *population) (roots map[string]bool) {
	roots = maps.Clone(n.roots)
	for alias := int32(1); int(alias) < len(p.Names); alias++ {
		text := p.Names[alias].String()
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

// othersHad reports whether somebody other than the holders has a number in a period.
func (n *neighborhood) othersHad(text string, p rules.Piece) bool {
	until := max(p.Since, p.Until)
	return slices.ContainsFunc(n.rows.Holdings, func(h store.Holding) bool {
		return h.Alias == text && h.Since <= h.Until && h.Since <= until && p.Since <= h.Until && !n.holders[h.Person]
	})
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
// A person's only ID is anchored at their oldest sighting, so that this part keeps the ID after a
// split. After a merge, IDs keep their anchors, so that a later split returns them.
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
		if !p.inner[p.nodes[i]] {
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
			moved[row.ID] = p.anchor(i, row)
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
		if node := p.HolderOf(row.Anchor, row.At); node >= 0 && p.index[node] >= 0 && p.inner[node] {
			person := p.index[node]
			anchored[person] = append(anchored[person], i)
		}
	}
	return anchored
}

// anchor anchors a row at a person's oldest sighting, and reports whether that changes it.
func (p *population) anchor(person int, row *store.Person) (moved bool) {
	a, at := p.Oldest(&p.persons[person], p.nodes[person])
	text := a.String()
	moved = text != row.Anchor || at != row.At
	row.Anchor, row.At = text, at
	return moved
}

// holdings returns what the inner people hold of some aliases.
func (p *population) holdings(aliases map[string]bool, names naming) (held []store.Holding) {
	for _, text := range sorted(aliases) {
		alias := p.NumberOf(text)
		for _, piece := range p.Periods(alias) {
			if i := p.index[piece.Root]; i >= 0 && p.inner[piece.Root] {
				held = append(held, store.Holding{
					Alias: text, Since: piece.Since, Until: piece.Until, Person: names.ids[i], Current: p.IsCurrent(alias, piece),
				})
			}
		}
	}
	return held
}

func newID() (id store.ID) {
	_, _ = rand.Read(id[:])   // never fails
	id[6] = id[6]&0x0f | 0x40 // version 4
	id[8] = id[8]&0x3f | 0x80 // variant of RFC 9562
	return id
}

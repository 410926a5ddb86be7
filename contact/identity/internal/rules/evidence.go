package rules

import (
	"cmp"
	"maps"
	"slices"
)

// The limits of section 3, above which an ID is crowded.
const (
	MaxOwners  = 50  // stable IDs beside a number
	maxNumbers = 10  // numbers beside a BSUID
	maxBSUIDs  = 10  // BSUIDs beside a parent
	maxFacts   = 100 // combinations, changes and handovers that name any ID; statements are dropped with either ID
)

// A crowd counts what's beside each ID: the other IDs by kind, with all stable IDs beside a number as one
// kind, and the facts.
type crowd struct {
	beside map[Alias]map[Kind]map[Alias]bool
	facts  map[Alias]int
}

func (c crowd) note(a Alias, kind Kind, b Alias) {
	if !a.IsValid() || !b.IsValid() {
		return
	}
	if c.beside[a] == nil {
		c.beside[a] = map[Kind]map[Alias]bool{}
	}
	if c.beside[a][kind] == nil {
		c.beside[a][kind] = map[Alias]bool{}
	}
	c.beside[a][kind][b] = true
}

// count counts one combination, or one side of a change with the other.
func (c crowd) count(x, other Side) {
	owner, bsuid := cmp.Or(x.Stable(), other.Stable()), cmp.Or(x.BSUID, other.BSUID)
	c.note(x.Phone, 0, owner)
	if owner.Kind == BSUID {
		c.note(owner, Phone, x.Phone)
	}
	c.note(x.Parent, BSUID, bsuid)
}

// countFact counts a fact with each of the IDs that it names, once.
func (c crowd) countFact(ids ...Alias) {
	for i, a := range ids {
		if !slices.Contains(ids[:i], a) {
			c.facts[a]++
		}
	}
}

// crowdedIDs returns the crowded IDs.
func (s *State) crowdedIDs() map[Alias]bool {
	c := crowd{map[Alias]map[Kind]map[Alias]bool{}, map[Alias]int{}}
	s.EachSide(func(x, other Side, _, _ int64) { c.count(x, other) })
	for side := range s.Cells {
		c.countFact(side.IDs()...)
	}
	for x := range s.Changes {
		c.countFact(append(x.Sides[0].IDs(), x.Sides[1].IDs()...)...)
	}
	for h := range s.Handovers {
		c.countFact(h.Phone)
	}
	crowded := maps.Clone(s.Crowded)
	for a, others := range c.beside {
		if len(others[0]) > MaxOwners || len(others[Phone]) > maxNumbers || len(others[BSUID]) > maxBSUIDs {
			crowded[a] = true
		}
	}
	for a, n := range c.facts {
		if n > maxFacts {
			crowded[a] = true
		}
	}
	return crowded
}

// Evidence is what's left of a state's sightings and changes. Section 3.
type evidence struct {
	cells    map[Side][]Month
	changes  map[Change][]Change // as told, by what's left
	received map[Alias]Dated     // by number
	crowded  map[Alias]bool
}

func (s *State) evidence() evidence {
	e := evidence{map[Side][]Month{}, map[Change][]Change{}, map[Alias]Dated{}, s.crowdedIDs()}
	for side, c := range s.Cells {
		s.addCombination(&e, side, c)
	}
	for c, r := range s.Changes {
		s.addChange(&e, c, r)
	}
	return e
}

// addCombination adds a combination without crowded IDs. A number that's withdrawn from a stable ID stands
// alone.
func (s *State) addCombination(e *evidence, side Side, c Cell) {
	if len(side.IDs()) > 1 || side.IsBare() {
		side = side.Without(e.isCrowded)
	}
	e.receive(side.Phone, c.Received)
	if stable := side; s.withdrawsNumber(side, side.Phone) {
		stable.Phone = Alias{}
		e.add(stable, c.Months)
		side, c.Months = Side{Phone: side.Phone}, withoutLabels(c.Months)
	}
	e.add(side, c.Months)
}

func (e *evidence) isCrowded(a Alias) bool { return e.crowded[a] }

func (e *evidence) add(side Side, months []Month) {
	if side != (Side{}) {
		e.cells[side] = append(e.cells[side], months...)
	}
}

func withoutLabels(months []Month) (bare []Month) {
	for _, m := range months {
		bare = append(bare, Month{First: m.First, Last: m.Last})
	}
	return bare
}

func (e *evidence) receive(phone Alias, text Dated) {
	if phone.IsValid() {
		d := e.received[phone]
		d.Raise(text)
		e.received[phone] = d
	}
}

// withdrawsNumber reports whether a number is withdrawn from one of a side's stable IDs.
func (s *State) withdrawsNumber(side Side, phone Alias) bool {
	for _, a := range side.StableIDs() {
		if phone.IsValid() && s.Withdrawn(a, phone) {
			return true
		}
	}
	return false
}

// addChange adds a change without crowded IDs, and without the numbers that are withdrawn from one of its
// stable IDs.
func (s *State) addChange(e *evidence, c Change, received Received) {
	told := c
	for i, side := range c.Sides {
		c.Sides[i] = side.Without(e.isCrowded)
	}
	sides := c.Sides
	for i, side := range sides {
		e.receive(side.Phone, Dated{c.At, received[i]})
		c.Sides[i] = side.Without(func(a Alias) bool {
			return a.Kind == Phone && (s.withdrawsNumber(sides[0], a) || s.withdrawsNumber(sides[1], a))
		})
	}
	if c.Sides != [2]Side{} {
		e.changes[c] = append(e.changes[c], told)
	}
}

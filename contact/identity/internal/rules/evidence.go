package rules

import "cmp"

// The limits of section 3, above which an ID is crowded.
const (
	MaxOwners  = 50  // stable IDs beside a number
	maxNumbers = 10  // numbers beside a BSUID
	maxBSUIDs  = 10  // BSUIDs beside a parent
	maxNamed   = 100 // IDs of one kind that facts name together with any ID
)

// A crowd contains the other IDs beside each ID, by their kind.
type crowd struct{ beside, named map[Alias]*[4]map[Alias]bool }

func note(in map[Alias]*[4]map[Alias]bool, a Alias, kind Kind, b Alias) {
	if !a.IsValid() || !b.IsValid() || a == b {
		return
	}
	if in[a] == nil {
		in[a] = new([4]map[Alias]bool)
	}
	if in[a][kind] == nil {
		in[a][kind] = map[Alias]bool{}
	}
	in[a][kind][b] = true
}

// count counts one combination, or one side of a change with the other.
func (c crowd) count(x, other Side) {
	owner, bsuid := cmp.Or(x.Stable(), other.Stable()), cmp.Or(x.BSUID, other.BSUID)
	note(c.beside, x.Phone, 0, owner)
	if owner.Kind == BSUID {
		note(c.beside, owner, Phone, x.Phone)
	}
	note(c.beside, x.Parent, BSUID, bsuid)
	for _, a := range x.IDs() {
		for _, b := range append(x.IDs(), other.IDs()...) {
			note(c.named, a, b.Kind, b)
		}
	}
}

// crowdedIDs returns the crowded IDs.
func (s *State) crowdedIDs() map[Alias]bool {
	c := crowd{map[Alias]*[4]map[Alias]bool{}, map[Alias]*[4]map[Alias]bool{}}
	s.EachSide(func(x, other Side, _, _ int64) { c.count(x, other) })
	crowded := map[Alias]bool{}
	for a := range s.Crowded {
		crowded[a] = true
	}
	for a, others := range c.beside {
		if len(others[0]) > MaxOwners || len(others[Phone]) > maxNumbers || len(others[BSUID]) > maxBSUIDs {
			crowded[a] = true
		}
	}
	for a, others := range c.named {
		for _, ids := range others {
			if len(ids) > maxNamed {
				crowded[a] = true
			}
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

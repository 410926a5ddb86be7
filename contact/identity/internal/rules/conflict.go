package rules

import (
	"cmp"
	"slices"
)

// A ConflictKind is the kind of a [Conflict].
type ConflictKind uint8

const ( // in the order of their names
	Crowded    ConflictKind = iota + 1 // an ID is beside too many others
	Inherited                          // a number's first stable ID gets what was seen long before
	PhoneMoved                         // a number passed to another person without an announcement
)

// maxSilence is how many seconds can pass before whoever has a number next is doubtful: 180 days.
const maxSilence = 180 * Day

// A Conflict reports what the rules don't decide. Section 10.
type Conflict struct {
	Kind     ConflictKind
	Alias    Alias
	From, To Alias // the least ID of each person
	At       int64
}

// A Step is a conflict of a number between people.
type Step struct {
	Kind     ConflictKind
	Phone    Alias
	From, To Node // roots; From is zero unless it's PhoneMoved
	At       int64
}

// Steps returns a number's steps. Section 10, first two items.
func (s *Solution) Steps(phone Alias) (steps []Step) {
	l := s.lines[phone]
	if l == nil || s.crowded[phone] {
		return nil
	}
	root := func(x stay) Node { return s.people.find(Node{ID: x.id}) }
	for _, x := range l.stretches {
		for i, y := range x.stays {
			if i > 0 && y.from < x.stays[i-1].end && root(x.stays[i-1]) != root(y) {
				steps = append(steps, Step{PhoneMoved, phone, root(x.stays[i-1]), root(y), y.from})
			}
		}
	}
	for _, x := range s.inherited(l) {
		steps = append(steps, Step{Kind: Inherited, Phone: phone, To: root(x), At: x.from})
	}
	slices.SortFunc(steps, Step.compare)
	return slices.Compact(steps)
}

func (s Step) compare(t Step) int {
	return cmp.Or(s.Phone.Compare(t.Phone), cmp.Compare(s.At, t.At), cmp.Compare(s.Kind, t.Kind), s.From.compare(t.From), s.To.compare(t.To))
}

// inherited returns the stays that get sightings of the number alone from long before they begin.
func (s *Solution) inherited(l *line) (found []stay) {
	last := map[*stay]int64{}
	for _, m := range s.cells[Side{Phone: l.phone}] {
		for _, t := range [...]int64{m.First, m.Last} {
			x := l.at(t)
			if next := x.begun(t); next < len(x.stays) && l.holder(t) == (Node{ID: x.stays[next].id}) {
				last[&x.stays[next]] = max(last[&x.stays[next]], t)
			}
		}
	}
	for i := range l.stretches {
		for j := range l.stretches[i].stays {
			x := &l.stretches[i].stays[j]
			if t, gets := last[x]; gets && x.from-t > maxSilence {
				found = append(found, *x)
			}
		}
	}
	return found
}

// Conflicts returns the conflicts, sorted. persons are those of s.
func (s *Solution) Conflicts(persons []Person) (conflicts []Conflict) {
	least := map[Node]Alias{}
	for i := range persons {
		least[persons[i].Root] = persons[i].Aliases[0].Alias
	}
	for phone := range s.lines {
		for _, x := range s.Steps(phone) {
			c := Conflict{x.Kind, x.Phone, least[x.From], least[x.To], x.At}
			if c.To.IsValid() && (c.From.IsValid() || x.Kind == Inherited) {
				conflicts = append(conflicts, c)
			}
		}
	}
	for a := range s.crowded {
		conflicts = append(conflicts, Conflict{Kind: Crowded, Alias: a})
	}
	slices.SortFunc(conflicts, func(a, b Conflict) int {
		return cmp.Or(a.Alias.Compare(b.Alias), cmp.Compare(a.At, b.At), cmp.Compare(a.Kind, b.Kind),
			a.From.Compare(b.From), a.To.Compare(b.To))
	})
	return slices.Compact(conflicts)
}

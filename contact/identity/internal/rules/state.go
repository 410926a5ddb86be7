package rules

import (
	"cmp"
	"maps"
	"slices"
)

// Period is the length of the periods in which a number seen alone is kept, in seconds: 30 days.
const Period = 2_592_000

// A Dated is a text with the time of its receipt. The later text wins, at equal times the greater.
type Dated struct {
	At   int64
	Text string
}

// Raise replaces d if e wins. Empty texts never win.
func (d *Dated) Raise(e Dated) {
	if e.Text != "" && (e.At > d.At || e.At == d.At && e.Text > d.Text) {
		*d = e
	}
}

// A State contains what's kept of facts, independently of their order and of repetitions. Section 2.
// NewState returns an empty one.
type State struct {
	Cells     map[Side]Cell
	Changes   map[Change]Received
	Verdicts  map[Pair][]Verdict // see [State.AddVerdict]
	Handovers map[Handover]bool  // true if it's undone
	Crowded   map[Alias]bool     // IDs that were crowded when facts about them weren't kept or were forgotten
}

type (
	// A Cell contains the sightings of one combination of IDs.
	Cell struct {
		Received Dated
		Months   []Month // by time, at least one, and one only unless it's a number alone; never changed in place
	}
	// A Month contains the first and last sighting: of a number alone in a period of 30 days, of other
	// combinations in all time.
	Month struct {
		First, Last    int64
		Username, Name Dated
	}
	// A Change is an announced change of IDs. Its sides are the previous and the current IDs.
	Change struct {
		At    int64
		Sides [2]Side
	}
	// Received contains the numbers of a change's sides as received.
	Received [2]string
	// A Pair is two IDs, the lesser one first.
	Pair [2]Alias
	// A Verdict is an operator's statement about a pair.
	Verdict struct {
		At     int64
		Joined bool
		Held   [2]int64 // in a joined, when each number was theirs
	}
	// A Handover is an operator's statement that from a time on somebody else has a number.
	Handover struct {
		Phone Alias
		At    int64
	}
)

// NewState returns an empty state.
func NewState() *State {
	return &State{map[Side]Cell{}, map[Change]Received{}, map[Pair][]Verdict{}, map[Handover]bool{}, map[Alias]bool{}}
}

// Clone returns a copy.
func (s *State) Clone() *State {
	return &State{maps.Clone(s.Cells), maps.Clone(s.Changes), maps.Clone(s.Verdicts), maps.Clone(s.Handovers), maps.Clone(s.Crowded)}
}

// NewPair returns a pair.
func NewPair(a, b Alias) Pair {
	if a.Compare(b) > 0 {
		a, b = b, a
	}
	return Pair{a, b}
}

// First returns the time of the first sighting.
func (c Cell) First() int64 { return c.Months[0].First }

// Last returns the time of the last sighting.
func (c Cell) Last() int64 { return c.Months[len(c.Months)-1].Last }

// Equal reports whether two cells contain the same.
func (c Cell) Equal(d Cell) bool { return c.Received == d.Received && slices.Equal(c.Months, d.Months) }

// add adds a month's sightings and labels.
func (m *Month) add(n *Month) {
	m.First, m.Last = min(m.First, n.First), max(m.Last, n.Last)
	m.Username.Raise(n.Username)
	m.Name.Raise(n.Name)
}

// merge returns sorted months: one for each period of a number alone, otherwise one.
func merge(months []Month, alone bool) (merged []Month) {
	months = slices.SortedStableFunc(slices.Values(months), func(a, b Month) int { return cmp.Compare(a.First, b.First) })
	for i := range months {
		n := len(merged) - 1
		if n >= 0 && (!alone || merged[n].First/Period == months[i].First/Period) {
			merged[n].add(&months[i])
			continue
		}
		merged = append(merged, months[i])
	}
	return merged
}

// Add reports whether the state changed.
func (s *State) Add(f *Fact) bool {
	switch f.Kind {
	case Seen:
		return s.AddCell(f.A.Side, CellOf(f))
	case Changed:
		return s.AddChange(Change{f.At, [2]Side{f.A.Side, f.B.Side}}, Received{f.A.Received, f.B.Received})
	case Joined, Withdrawn:
		v := Verdict{At: f.At, Joined: f.Kind == Joined}
		if v.Joined {
			v.Held = [2]int64{f.A.At, f.B.At}
		}
		return s.AddVerdict(Pair{f.A.Key(), f.B.Key()}, v)
	case HandedOver:
		return s.AddHandover(Handover{f.A.Phone, f.At}, f.Undo)
	default:
		return false
	}
}

// CellOf returns the cell of a sighting.
func CellOf(f *Fact) Cell {
	m := Month{First: f.At, Last: f.At}
	m.Username.Raise(Dated{f.At, f.Username})
	m.Name.Raise(Dated{f.At, f.Name})
	c := Cell{Months: []Month{m}}
	c.Received.Raise(Dated{f.At, f.A.Received})
	return c
}

// Extends reports whether a sighting is one of a combination that was seen before its time.
func (s *State) Extends(f *Fact) bool {
	c, known := s.Cells[f.A.Side]
	return f.Kind == Seen && known && c.First() <= f.At
}

// isLost reports whether all IDs are crowded, so that nothing can be learned.
func (s *State) isLost(ids []Alias) bool {
	return !slices.ContainsFunc(ids, func(a Alias) bool { return !s.Crowded[a] })
}

// AddCell adds a cell, and reports whether the state changed.
func (s *State) AddCell(side Side, c Cell) bool {
	if ids := side.IDs(); s.isLost(ids) && (len(ids) > 1 || side.Phone.IsValid()) {
		return false
	}
	old, known := s.Cells[side]
	next := Cell{old.Received, merge(slices.Concat(old.Months, c.Months), side.IsBare())}
	next.Received.Raise(c.Received)
	s.Cells[side] = next
	return !known || !old.Equal(next)
}

// AddChange adds a change, and reports whether the state changed.
func (s *State) AddChange(c Change, received Received) bool {
	if c.Sides[0] == c.Sides[1] || s.isLost(append(c.Sides[0].IDs(), c.Sides[1].IDs()...)) {
		return false
	}
	old, known := s.Changes[c]
	next := Received{max(old[0], received[0]), max(old[1], received[1])}
	s.Changes[c] = next
	return !known || old != next
}

// AddVerdict adds a statement, and reports whether the state changed. Of a pair's statements, it keeps the
// latest withdrawn and what was joined after it, for each pair of times at which numbers were theirs once.
func (s *State) AddVerdict(p Pair, v Verdict) bool {
	if s.Crowded[p[0]] || s.Crowded[p[1]] {
		return false
	}
	old := s.Verdicts[p]
	withdrawn, joined := v, map[[2]int64]int64{}
	if v.Joined {
		withdrawn = Verdict{}
	}
	for _, x := range slices.Concat(old, []Verdict{v}) {
		if x.Joined {
			joined[x.Held] = max(joined[x.Held], x.At)
		} else {
			withdrawn.At = max(withdrawn.At, x.At)
		}
	}
	var next []Verdict
	if withdrawn.At > 0 {
		next = append(next, withdrawn)
	}
	for held, at := range joined {
		if at > withdrawn.At {
			next = append(next, Verdict{at, true, held})
		}
	}
	slices.SortFunc(next, func(a, b Verdict) int { return cmp.Or(cmp.Compare(a.At, b.At), slices.Compare(a.Held[:], b.Held[:])) })
	s.Verdicts[p] = next
	return !slices.Equal(old, next)
}

// EachJoined calls f for each pair that an operator joined and didn't withdraw.
func (s *State) EachJoined(f func(Pair, Verdict)) {
	for p, list := range s.Verdicts {
		for _, v := range list {
			if v.Joined {
				f(p, v)
			}
		}
	}
}

// AddHandover adds a handover, and reports whether the state changed.
func (s *State) AddHandover(h Handover, undone bool) bool {
	if s.Crowded[h.Phone] {
		return false
	}
	old, known := s.Handovers[h]
	s.Handovers[h] = old || undone
	return !known || undone && !old
}

// Bound keeps which IDs are crowded, and drops the operator's statements about them.
func (s *State) Bound(crowded map[Alias]bool) {
	maps.Copy(s.Crowded, crowded)
	maps.DeleteFunc(s.Verdicts, func(p Pair, _ []Verdict) bool { return s.Crowded[p[0]] || s.Crowded[p[1]] })
	maps.DeleteFunc(s.Handovers, func(h Handover, _ bool) bool { return s.Crowded[h.Phone] })
}

// Withdrawn reports whether an operator's statement that two IDs aren't one person's applies.
func (s *State) Withdrawn(a, b Alias) bool {
	list := s.Verdicts[NewPair(a, b)] // in order of time, and a withdrawn first
	return len(list) == 1 && !list[0].Joined
}

// EachSide calls f for each combination and each side of a change, with the change's other side and the
// first and the last time.
func (s *State) EachSide(f func(x, other Side, first, last int64)) {
	for side, c := range s.Cells {
		f(side, Side{}, c.First(), c.Last())
	}
	for c := range s.Changes {
		f(c.Sides[0], c.Sides[1], c.At, c.At)
		f(c.Sides[1], c.Sides[0], c.At, c.At)
	}
}

// Facts returns facts that lead to the same state except for [State].Crowded, without an order.
func (s *State) Facts() (facts []Fact) {
	for side, c := range s.Cells {
		facts = append(facts, cellFacts(side, c)...)
	}
	for c, r := range s.Changes {
		facts = append(facts, Fact{Kind: Changed, At: c.At, A: Members{Side: c.Sides[0], Received: r[0]}, B: Members{Side: c.Sides[1], Received: r[1]}})
	}
	for p, list := range s.Verdicts {
		for _, v := range list {
			f := Fact{Kind: Withdrawn, At: v.At}
			if v.Joined {
				f.Kind = Joined
			}
			f.A.Set(p[0])
			f.B.Set(p[1])
			f.A.At, f.B.At = v.Held[0], v.Held[1]
			facts = append(facts, f)
		}
	}
	for h, undone := range s.Handovers {
		f := Fact{Kind: HandedOver, At: h.At, Undo: undone}
		f.A.Set(h.Phone)
		facts = append(facts, f)
	}
	return facts
}

// cellFacts returns the sightings that a cell keeps: the first and last times and those of the latest texts.
func cellFacts(side Side, c Cell) (facts []Fact) {
	texts := map[int64]Fact{}
	at := func(t int64) Fact { return cmp.Or(texts[t], Fact{Kind: Seen, At: t, A: Members{Side: side}}) }
	for _, m := range c.Months {
		texts[m.First], texts[m.Last] = at(m.First), at(m.Last)
		if m.Username.Text != "" {
			f := at(m.Username.At)
			f.Username = m.Username.Text
			texts[f.At] = f
		}
		if m.Name.Text != "" {
			f := at(m.Name.At)
			f.Name = m.Name.Text
			texts[f.At] = f
		}
	}
	if c.Received.Text != "" {
		f := at(c.Received.At)
		f.A.Received = c.Received.Text
		texts[f.At] = f
	}
	return slices.Collect(maps.Values(texts))
}

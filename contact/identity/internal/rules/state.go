package rules

import (
	"cmp"
	"maps"
	"slices"
)

// Period is the length of a cell of the specification, in seconds: 30 days. Section 2, "State".
const Period = 2_592_000

// MaxOwners limits the stable aliases that a phone number is seen with. Above it, the number is
// a switchboard's or a provider's placeholder, and isn't evidence. Section 2, "Crowded numbers".
const MaxOwners = 50

// A Dated is a text with the time of its receipt. The later text wins, at equal times the greater.
type Dated struct {
	At   int64
	Text string
}

// Raise replaces d if e wins, and reports whether it did. Empty texts never win.
func (d *Dated) Raise(e Dated) bool {
	if e.Text == "" || e.At < d.At || e.At == d.At && e.Text <= d.Text {
		return false
	}
	*d = e
	return true
}

// A State is a condensed set of facts for [Partition], independent of their order and of
// repetitions. The zero State is empty. Section 2, "State".
//
// For aliases seen together, it contains the earliest and latest sighting: with a phone number, those
// in each period of 30 days, because the number can change hands.
type State struct {
	Names     []Alias // by number; number 0 is the zero Alias
	Numbers   map[Alias]int32
	Cells     []Cell
	cellIndex map[Side]int32
	Changes   []Change
	changed   map[ChangeKey]int32
	Verdicts  []Verdict
	judged    map[[2]int32]int32
	Handovers []Handover
	handed    map[HandoverKey]int32
	Crowded   map[int32]bool // phone numbers with more than MaxOwners owners; no row names one
}

// In a state, aliases are numbers, and 0 means that there is none.
type (
	// A Cell contains the sightings of one combination of aliases: a month for each cell in the
	// specification.
	Cell struct {
		Side
		Received Dated
		Months   []Month // by time, at least one; shared between states, so never changed in place
	}
	// A Month contains a combination's first and last sighting in a period of 30 days, or in all
	// time if the combination has no phone number.
	Month struct {
		First, Last    int64
		Username, Name Dated // with a stable alias, the whole cell's are in its first month
	}
	// A Side contains the aliases of a sighting, or on one side of a change.
	Side struct{ BSUID, Parent, Phone int32 }
	// A ChangeKey identifies a [Change].
	ChangeKey struct {
		At    int64
		Sides [2]Side // previous and current
	}
	// A Change is an announced ID change.
	Change struct {
		ChangeKey
		Received [2]string
	}
	// A Verdict is an operator's latest statement about two aliases.
	Verdict struct {
		A, B   int32 // a pair in the order of the aliases
		At     int64
		Joined bool
	}
	// A HandoverKey identifies a [Handover].
	HandoverKey struct {
		Phone int32
		At    int64
	}
	// A Handover is an operator's statement that a number passed to somebody else.
	Handover struct {
		HandoverKey
		Undone bool
	}
)

func (s *Side) Stable() int32 { return cmp.Or(s.BSUID, s.Parent) }

// First returns the time of the first sighting.
func (c *Cell) First() int64 { return c.Months[0].First }

// Last returns the time of the last sighting.
func (c *Cell) Last() int64 { return c.Months[len(c.Months)-1].Last }

// Equal reports whether two cells contain the same.
func (c *Cell) Equal(d *Cell) bool {
	return c.Side == d.Side && c.Received == d.Received && slices.Equal(c.Months, d.Months)
}

// Add adds another cell's sightings.
func (c *Cell) Add(d *Cell) {
	c.Received.Raise(d.Received)
	c.Months = c.Merged(slices.Concat(c.Months, d.Months))
}

// Merged returns sorted months, one for each period. It changes its argument.
func (c *Cell) Merged(months []Month) []Month {
	slices.SortStableFunc(months, func(a, b Month) int { return cmp.Compare(a.First, b.First) })
	n := 0
	for _, m := range months {
		if n > 0 && (c.Phone == 0 || months[n-1].First/Period == m.First/Period) {
			old := &months[n-1]
			old.Last = max(old.Last, m.Last)
			old.Raise(&m)
			continue
		}
		months[n] = m
		n++
	}
	months = months[:n]
	if c.Stable() != 0 {
		for i := range months[1:] {
			m := &months[1+i]
			months[0].Raise(m)
			m.Username, m.Name = Dated{}, Dated{}
		}
	}
	return months
}

// Raise adds another month's labels.
func (m *Month) Raise(n *Month) {
	m.Username.Raise(n.Username)
	m.Name.Raise(n.Name)
}

// Add reports whether the state changed.
func (s *State) Add(f *Fact) bool {
	switch f.Kind {
	case Seen:
		return s.AddCell(s.CellOf(f))
	case Changed:
		return s.AddChange(Change{ChangeKey{f.At, [2]Side{s.side(&f.A), s.side(&f.B)}}, [2]string{f.A.Received, f.B.Received}})
	case Joined, Withdrawn:
		return s.AddVerdict(Verdict{s.Number(f.A.Key()), s.Number(f.B.Key()), f.At, f.Kind == Joined})
	case HandedOver:
		return s.AddHandover(Handover{HandoverKey{s.Number(f.A.Phone), f.At}, f.Undo})
	default:
		return false
	}
}

func (s *State) side(m *Members) Side {
	return Side{s.Number(m.BSUID), s.Number(m.Parent), s.Number(m.Phone)}
}

// CellOf returns a cell for a sighting.
func (s *State) CellOf(f *Fact) Cell {
	c := Cell{Side: s.side(&f.A), Months: []Month{{First: f.At, Last: f.At}}}
	m := &c.Months[0]
	m.Username.Raise(Dated{f.At, f.Username})
	m.Name.Raise(Dated{f.At, f.Name})
	c.Received.Raise(Dated{f.At, f.A.Received})
	return s.bound(c)
}

// Extend adds a sighting of a combination that was seen before its time. It reports false for other
// combinations and those with one of the numbers in except, which it doesn't add.
func (s *State) Extend(f *Fact, except map[int32]bool) bool {
	c := s.CellOf(f)
	n, known := s.cellIndex[c.Side]
	if !known || s.Cells[n].First() > f.At || except[c.Phone] {
		return false
	}
	s.AddCell(c)
	return true
}

// bound returns a cell without a crowded number.
func (s *State) bound(c Cell) Cell {
	if s.Crowded[c.Phone] {
		c.Phone, c.Received = 0, Dated{}
		c.Months = c.Merged(slices.Clone(c.Months))
	}
	return c
}

// AddCell adds a cell, and reports whether the state changed.
func (s *State) AddCell(c Cell) bool {
	c = s.bound(c)
	if c.Side == (Side{}) {
		return false
	}
	known := insert(&s.cellIndex, &s.Cells, c.Side, c)
	if known == nil {
		return true
	}
	old := *known
	known.Add(&c)
	return !old.Equal(known)
}

// AddChange adds a change, and reports whether the state changed.
func (s *State) AddChange(c Change) bool {
	for i := range c.Sides {
		if s.Crowded[c.Sides[i].Phone] {
			c.Sides[i].Phone, c.Received[i] = 0, ""
		}
	}
	if c.Sides[0] == c.Sides[1] {
		return false
	}
	old := insert(&s.changed, &s.Changes, c.ChangeKey, c)
	if old == nil {
		return true
	}
	before := old.Received
	for i := range c.Received {
		old.Received[i] = max(old.Received[i], c.Received[i])
	}
	return old.Received != before
}

// AddVerdict adds a statement, and reports whether the state changed.
func (s *State) AddVerdict(v Verdict) bool {
	if s.Crowded[v.A] || s.Crowded[v.B] {
		return false
	}
	old := insert(&s.judged, &s.Verdicts, [2]int32{v.A, v.B}, v)
	if old == nil {
		return true
	}
	if v.At < old.At || v.At == old.At && (v.Joined || !old.Joined) {
		return false
	}
	*old = v
	return true
}

// AddHandover adds a handover, and reports whether the state changed.
func (s *State) AddHandover(h Handover) bool {
	if s.Crowded[h.Phone] {
		return false
	}
	old := insert(&s.handed, &s.Handovers, h.HandoverKey, h)
	if old == nil {
		return true
	}
	changed := h.Undone && !old.Undone
	old.Undone = old.Undone || h.Undone
	return changed
}

// insert adds a row, unless there is one with its key, which it returns.
func insert[K comparable, R any](index *map[K]int32, rows *[]R, key K, row R) (old *R) {
	if i, known := (*index)[key]; known {
		return &(*rows)[i]
	}
	if *index == nil {
		*index = map[K]int32{}
	}
	(*index)[key] = int32(len(*rows))
	*rows = append(*rows, row)
	return nil
}

// AddCrowded excludes a phone number from rows that are added later.
func (s *State) AddCrowded(phone int32) {
	if s.Crowded == nil {
		s.Crowded = map[int32]bool{}
	}
	s.Crowded[phone] = true
}

// Number returns an alias's number. It assigns a number to a new alias.
func (s *State) Number(a Alias) int32 {
	if !a.IsValid() {
		return 0
	}
	n, known := s.Numbers[a]
	if !known {
		if s.Numbers == nil {
			s.Numbers = map[Alias]int32{}
		}
		if len(s.Names) == 0 {
			s.Names = append(s.Names, Alias{})
		}
		n = int32(len(s.Names))
		s.Numbers[a] = n
		s.Names = append(s.Names, a)
	}
	return n
}

// NumberOf returns the number of an alias's text, or 0 if it's unknown.
func (s *State) NumberOf(text string) int32 {
	a, _ := ParseAlias(text)
	return s.Numbers[a]
}

// Bounded returns s without crowded phone numbers. Section 2, "Crowded numbers".
func (s *State) Bounded() *State {
	owners := make([][]int32, len(s.Names)) // by phone number, with repetitions
	s.EachSide(func(x, other *Side, _, _ int64) {
		if owner := cmp.Or(x.Stable(), other.Stable()); x.Phone != 0 && owner != 0 {
			owners[x.Phone] = append(owners[x.Phone], owner)
		}
	})
	var t *State
	for phone, list := range owners {
		if len(list) <= MaxOwners {
			continue
		}
		slices.Sort(list)
		if len(slices.Compact(list)) > MaxOwners {
			t = cmp.Or(t, s.Empty())
			t.AddCrowded(int32(phone))
		}
	}
	if t == nil {
		return s
	}
	t.AddRows(s)
	return t
}

// EachSide calls f for each cell and each side of a change, with the other side and the first and
// last time.
func (s *State) EachSide(f func(x, other *Side, first, last int64)) {
	for i := range s.Cells {
		c := &s.Cells[i]
		f(&c.Side, &Side{}, c.First(), c.Last())
	}
	for i := range s.Changes {
		c := &s.Changes[i]
		f(&c.Sides[0], &c.Sides[1], c.At, c.At)
		f(&c.Sides[1], &c.Sides[0], c.At, c.At)
	}
}

// Empty returns a state without rows but with the same numbers.
func (s *State) Empty() *State {
	return &State{Names: slices.Clone(s.Names), Numbers: maps.Clone(s.Numbers), Crowded: maps.Clone(s.Crowded)}
}

// AddRows adds a state's rows, which must use the same numbers.
func (s *State) AddRows(from *State) {
	for _, c := range from.Cells {
		s.AddCell(c)
	}
	for _, c := range from.Changes {
		s.AddChange(c)
	}
	for _, v := range from.Verdicts {
		s.AddVerdict(v)
	}
	for _, h := range from.Handovers {
		s.AddHandover(h)
	}
}

// Facts returns facts that lead to the same state.
func (s *State) Facts() (facts []Fact) {
	for i := range s.Cells {
		facts = append(facts, s.cellFacts(&s.Cells[i])...)
	}
	for i := range s.Changes {
		c := &s.Changes[i]
		facts = append(facts, Fact{Kind: Changed, At: c.At, A: s.members(c.Sides[0], c.Received[0]), B: s.members(c.Sides[1], c.Received[1])})
	}
	for _, v := range s.Verdicts {
		f := Fact{Kind: Withdrawn, At: v.At}
		if v.Joined {
			f.Kind = Joined
		}
		f.A.Set(s.Names[v.A])
		f.B.Set(s.Names[v.B])
		facts = append(facts, f)
	}
	for _, h := range s.Handovers {
		phone := s.Names[h.Phone]
		facts = append(facts, Fact{Kind: HandedOver, At: h.At, Undo: h.Undone, A: Members{Phone: phone, Received: phone.Value}})
	}
	return facts
}

func (s *State) cellFacts(c *Cell) []Fact {
	var times []int64
	if c.Received.Text != "" {
		times = append(times, c.Received.At)
	}
	for i := range c.Months {
		m := &c.Months[i]
		times = append(times, m.First, m.Last)
		for _, label := range [...]Dated{m.Username, m.Name} {
			if label.Text != "" {
				times = append(times, label.At)
			}
		}
	}
	slices.Sort(times)
	var facts []Fact
	for _, at := range slices.Compact(times) {
		f := Fact{Kind: Seen, At: at, A: s.members(c.Side, "")}
		if c.Received.At == at {
			f.A.Received = c.Received.Text
		}
		for i := range c.Months {
			m := &c.Months[i]
			if m.Username.At == at {
				f.Username = m.Username.Text
			}
			if m.Name.At == at {
				f.Name = m.Name.Text
			}
		}
		facts = append(facts, f)
	}
	return facts
}

func (s *State) members(of Side, received string) Members {
	return Members{s.Names[of.BSUID], s.Names[of.Parent], s.Names[of.Phone], received}
}

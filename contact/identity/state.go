package identity

import (
	"cmp"
	"iter"
	"maps"
	"slices"
)

// period is the length of a month in a cell, in seconds: 30 days.
const period = 2_592_000

// maxOwners limits the stable aliases that a phone number is seen with. Above it, the number is
// a switchboard's or a provider's placeholder, and isn't evidence.
const maxOwners = 50

// A dated is a text with the time of its receipt. The later text wins, at equal times the greater.
type dated struct {
	at   int64
	text string
}

// raise replaces d if e wins, and reports whether it did. Empty texts never win.
func (d *dated) raise(e dated) bool {
	if e.text == "" || e.at < d.at || e.at == d.at && e.text <= d.text {
		return false
	}
	*d = e
	return true
}

// A State is a condensed set of facts for [Partition], independent of their order and of
// repetitions. The zero State is empty.
//
// For aliases seen together, it contains the earliest and latest sighting: with a phone number, those
// in each period of 30 days, because the number can change hands.
type State struct {
	names     []Alias // by number; number 0 is the zero Alias
	numbers   map[Alias]int32
	cells     []cell
	cellIndex map[side]int32
	changes   []change
	changed   map[changeKey]int32
	verdicts  []verdict
	judged    map[[2]int32]int32
	handovers []handover
	handed    map[handoverKey]int32
	crowded   map[int32]bool // phone numbers with more than maxOwners owners; no row names one
}

// In a state, aliases are numbers, and 0 means that there is none.
type (
	// A cell contains the sightings of one combination of aliases.
	cell struct {
		side
		received dated
		months   []month // by time, at least one; shared between states, so never changed in place
	}
	// A month contains a combination's first and last sighting in a period of 30 days, or in all
	// time if the combination has no phone number.
	month struct {
		first, last    int64
		username, name dated // with a stable alias, the whole cell's are in its first month
	}
	side      struct{ bsuid, parent, phone int32 }
	changeKey struct {
		at    int64
		sides [2]side // previous and current
	}
	change struct {
		changeKey
		received [2]string
	}
	verdict struct {
		a, b   int32 // a is less than b
		at     int64
		joined bool
	}
	handoverKey struct {
		phone int32
		at    int64
	}
	handover struct {
		handoverKey
		undone bool
	}
)

func (s *side) stable() int32 { return cmp.Or(s.bsuid, s.parent) }

func (c *cell) first() int64 { return c.months[0].first }
func (c *cell) last() int64  { return c.months[len(c.months)-1].last }

func (c *cell) equal(d *cell) bool {
	return c.side == d.side && c.received == d.received && slices.Equal(c.months, d.months)
}

// add adds another cell's sightings.
func (c *cell) add(d *cell) {
	c.received.raise(d.received)
	c.months = c.merged(slices.Concat(c.months, d.months))
}

// merged returns sorted months, one for each period. It changes its argument.
func (c *cell) merged(months []month) []month {
	slices.SortStableFunc(months, func(a, b month) int { return cmp.Compare(a.first, b.first) })
	n := 0
	for _, m := range months {
		if n > 0 && (c.phone == 0 || months[n-1].first/period == m.first/period) {
			old := &months[n-1]
			old.last = max(old.last, m.last)
			old.raise(&m)
			continue
		}
		months[n] = m
		n++
	}
	months = months[:n]
	if c.stable() != 0 {
		for i := range months[1:] {
			m := &months[1+i]
			months[0].raise(m)
			m.username, m.name = dated{}, dated{}
		}
	}
	return months
}

// raise adds another month's labels.
func (m *month) raise(n *month) {
	m.username.raise(n.username)
	m.name.raise(n.name)
}

// Add adds facts. It ignores zero Facts.
func (s *State) Add(facts ...Fact) {
	for i := range facts {
		s.add(&facts[i])
	}
}

// add reports whether the state changed.
func (s *State) add(f *Fact) bool {
	switch f.kind {
	case factSeen:
		return s.addCell(s.cellOf(f))
	case factChanged:
		return s.addChange(change{changeKey{f.at, [2]side{s.side(&f.a), s.side(&f.b)}}, [2]string{f.a.received, f.b.received}})
	case factJoined, factWithdrawn:
		return s.addVerdict(verdict{s.number(f.a.key()), s.number(f.b.key()), f.at, f.kind == factJoined})
	case factHandedOver:
		return s.addHandover(handover{handoverKey{s.number(f.a.phone), f.at}, f.undo})
	default:
		return false
	}
}

func (s *State) side(m *members) side {
	return side{s.number(m.bsuid), s.number(m.parent), s.number(m.phone)}
}

// cellOf returns a cell for a sighting.
func (s *State) cellOf(f *Fact) cell {
	c := cell{side: s.side(&f.a), months: []month{{first: f.at, last: f.at}}}
	m := &c.months[0]
	m.username.raise(dated{f.at, f.username})
	m.name.raise(dated{f.at, f.name})
	c.received.raise(dated{f.at, f.a.received})
	return s.bound(c)
}

// bound returns a cell without a crowded number.
func (s *State) bound(c cell) cell {
	if s.crowded[c.phone] {
		c.phone, c.received = 0, dated{}
		c.months = c.merged(slices.Clone(c.months))
	}
	return c
}

func (s *State) addCell(c cell) bool {
	c = s.bound(c)
	if c.side == (side{}) {
		return false
	}
	known := insert(&s.cellIndex, &s.cells, c.side, c)
	if known == nil {
		return true
	}
	old := *known
	known.add(&c)
	return !old.equal(known)
}

func (s *State) addChange(c change) bool {
	for i := range c.sides {
		if s.crowded[c.sides[i].phone] {
			c.sides[i].phone, c.received[i] = 0, ""
		}
	}
	if c.sides[0] == c.sides[1] {
		return false
	}
	old := insert(&s.changed, &s.changes, c.changeKey, c)
	if old == nil {
		return true
	}
	before := old.received
	for i := range c.received {
		old.received[i] = max(old.received[i], c.received[i])
	}
	return old.received != before
}

func (s *State) addVerdict(v verdict) bool {
	if s.crowded[v.a] || s.crowded[v.b] {
		return false
	}
	old := insert(&s.judged, &s.verdicts, [2]int32{v.a, v.b}, v)
	if old == nil {
		return true
	}
	if v.at < old.at || v.at == old.at && (v.joined || !old.joined) {
		return false
	}
	*old = v
	return true
}

func (s *State) addHandover(h handover) bool {
	if s.crowded[h.phone] {
		return false
	}
	old := insert(&s.handed, &s.handovers, h.handoverKey, h)
	if old == nil {
		return true
	}
	changed := h.undone && !old.undone
	old.undone = old.undone || h.undone
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

func (s *State) addCrowded(phone int32) {
	if s.crowded == nil {
		s.crowded = map[int32]bool{}
	}
	s.crowded[phone] = true
}

// number returns an alias's number. It assigns a number to a new alias.
func (s *State) number(a Alias) int32 {
	if !a.isValid() {
		return 0
	}
	n, known := s.numbers[a]
	if !known {
		if s.numbers == nil {
			s.numbers = map[Alias]int32{}
		}
		if len(s.names) == 0 {
			s.names = append(s.names, Alias{})
		}
		n = int32(len(s.names))
		s.numbers[a] = n
		s.names = append(s.names, a)
	}
	return n
}

// numberOf returns the number of an alias's text, or 0 if it's unknown.
func (s *State) numberOf(text string) int32 {
	a, _ := parseAlias(text)
	return s.numbers[a]
}

// bounded returns s without crowded phone numbers.
func (s *State) bounded() *State {
	owners := make([][]int32, len(s.names)) // by phone number, with repetitions
	s.eachSide(func(x, other *side, _, _ int64) {
		if owner := cmp.Or(x.stable(), other.stable()); x.phone != 0 && owner != 0 {
			owners[x.phone] = append(owners[x.phone], owner)
		}
	})
	var t *State
	for phone, list := range owners {
		if len(list) <= maxOwners {
			continue
		}
		slices.Sort(list)
		if len(slices.Compact(list)) > maxOwners {
			t = cmp.Or(t, s.empty())
			t.addCrowded(int32(phone))
		}
	}
	if t == nil {
		return s
	}
	t.addRows(s)
	return t
}

// eachSide calls f for each cell and each side of a change, with the other side and the first and
// last time.
func (s *State) eachSide(f func(x, other *side, first, last int64)) {
	for i := range s.cells {
		c := &s.cells[i]
		f(&c.side, &side{}, c.first(), c.last())
	}
	for i := range s.changes {
		c := &s.changes[i]
		f(&c.sides[0], &c.sides[1], c.at, c.at)
		f(&c.sides[1], &c.sides[0], c.at, c.at)
	}
}

// empty returns a state without rows but with the same numbers.
func (s *State) empty() *State {
	return &State{names: slices.Clone(s.names), numbers: maps.Clone(s.numbers), crowded: maps.Clone(s.crowded)}
}

// addRows adds a state's rows, which must use the same numbers.
func (s *State) addRows(from *State) {
	for _, c := range from.cells {
		s.addCell(c)
	}
	for _, c := range from.changes {
		s.addChange(c)
	}
	for _, v := range from.verdicts {
		s.addVerdict(v)
	}
	for _, h := range from.handovers {
		s.addHandover(h)
	}
}

// Facts returns facts that lead to the same state: the earliest and latest sightings of the same
// IDs, those with the latest names, and all other facts once.
func (s *State) Facts() iter.Seq[Fact] {
	return func(yield func(Fact) bool) {
		for i := range s.cells {
			for _, f := range s.cellFacts(&s.cells[i]) {
				if !yield(f) {
					return
				}
			}
		}
		for i := range s.changes {
			c := &s.changes[i]
			if !yield(Fact{kind: factChanged, at: c.at, a: s.members(c.sides[0], c.received[0]), b: s.members(c.sides[1], c.received[1])}) {
				return
			}
		}
		for _, v := range s.verdicts {
			f := Fact{kind: factWithdrawn, at: v.at}
			if v.joined {
				f.kind = factJoined
			}
			f.a.set(s.names[v.a])
			f.b.set(s.names[v.b])
			if !yield(f) {
				return
			}
		}
		for _, h := range s.handovers {
			phone := s.names[h.phone]
			if !yield(Fact{kind: factHandedOver, at: h.at, undo: h.undone, a: members{phone: phone, received: phone.value}}) {
				return
			}
		}
	}
}

func (s *State) cellFacts(c *cell) []Fact {
	var times []int64
	if c.received.text != "" {
		times = append(times, c.received.at)
	}
	for i := range c.months {
		m := &c.months[i]
		times = append(times, m.first, m.last)
		for _, label := range [...]dated{m.username, m.name} {
			if label.text != "" {
				times = append(times, label.at)
			}
		}
	}
	slices.Sort(times)
	var facts []Fact
	for _, at := range slices.Compact(times) {
		f := Fact{kind: factSeen, at: at, a: s.members(c.side, "")}
		if c.received.at == at {
			f.a.received = c.received.text
		}
		for i := range c.months {
			m := &c.months[i]
			if m.username.at == at {
				f.username = m.username.text
			}
			if m.name.at == at {
				f.name = m.name.text
			}
		}
		facts = append(facts, f)
	}
	return facts
}

func (s *State) members(of side, received string) members {
	return members{s.names[of.bsuid], s.names[of.parent], s.names[of.phone], received}
}

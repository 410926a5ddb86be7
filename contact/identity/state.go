package identity

import (
	"cmp"
	"iter"
	"maps"
	"slices"
)

// period limits the cell for a phone number alone, in seconds: 30 days. Somebody else can have the
// number in the next one.
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
// For aliases seen together, it contains the earliest and latest sighting. For a phone number
// seen alone, it contains those in each period of 30 days, because the number can change hands.
type State struct {
	names     []Alias // by number; number 0 is the zero Alias
	numbers   map[Alias]int32
	cells     []cell
	cellIndex map[cellKey]int32
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
	cellKey struct {
		side
		period int64 // 0 with a stable alias
	}
	cell struct {
		cellKey
		first, last              int64
		username, name, received dated
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

func (c *cell) labels() [3]*dated { return [...]*dated{&c.username, &c.name, &c.received} }

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
	c := cell{cellKey: cellKey{side: s.side(&f.a)}, first: f.at, last: f.at}
	c.username.raise(dated{f.at, f.username})
	c.name.raise(dated{f.at, f.name})
	c.received.raise(dated{f.at, f.a.received})
	s.place(&c)
	return c
}

// place sets a cell's period, and removes a crowded number.
func (s *State) place(c *cell) {
	if s.crowded[c.phone] {
		c.phone, c.received = 0, dated{}
	}
	c.period = 0
	if c.stable() == 0 {
		c.period = c.first / period
	}
}

func (s *State) addCell(c cell) bool {
	s.place(&c)
	if c.side == (side{}) {
		return false
	}
	old := insert(&s.cellIndex, &s.cells, c.cellKey, c)
	if old == nil {
		return true
	}
	changed := c.first < old.first || c.last > old.last
	old.first, old.last = min(old.first, c.first), max(old.last, c.last)
	for i, label := range old.labels() {
		changed = label.raise(*c.labels()[i]) || changed
	}
	return changed
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
		f(&c.side, &side{}, c.first, c.last)
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
	times := []int64{c.first, c.last}
	for _, d := range c.labels() {
		if d.text != "" {
			times = append(times, d.at)
		}
	}
	slices.Sort(times)
	var facts []Fact
	for _, at := range slices.Compact(times) {
		f := Fact{kind: factSeen, at: at, a: s.members(c.side, "")}
		for i, text := range [...]*string{&f.username, &f.name, &f.a.received} {
			if d := c.labels()[i]; d.at == at {
				*text = d.text
			}
		}
		facts = append(facts, f)
	}
	return facts
}

func (s *State) members(of side, received string) members {
	return members{s.names[of.bsuid], s.names[of.parent], s.names[of.phone], received}
}

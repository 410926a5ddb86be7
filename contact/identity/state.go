package identity

import "cmp"

// period is the length of a period of a [Cell], in seconds: 30 days.
const period = 2_592_000

// A Dated is a text with the time at which it was received. The later of two counts,
// and at equal times the greater text.
type Dated struct {
	At   int64
	Text string
}

// less reports whether e counts instead of d.
func (d Dated) less(e Dated) bool {
	return d.At < e.At || d.At == e.At && d.Text < e.Text
}

// raise replaces d by e if e counts, and reports whether it did. An empty text never
// counts.
func (d *Dated) raise(e Dated) bool {
	if e.Text == "" || !d.less(e) {
		return false
	}
	*d = e
	return true
}

// A CellKey identifies a [Cell]: a combination of aliases in a period of 30 days. A
// zero Alias means that the combination has no alias of that kind.
type CellKey struct {
	BSUID, Parent, Phone Alias
	Period               int64 // seconds divided by 2,592,000
}

// A Cell combines the seen facts that name the same aliases in the same period.
type Cell struct {
	CellKey
	First, Last int64 // the least and the greatest time
	Username    Dated
	Name        Dated
	Received    Dated // the phone number as received
}

// join adds what d says to c, and reports whether c changed.
func (c *Cell) join(d *Cell) bool {
	changed := false
	if d.First < c.First {
		c.First, changed = d.First, true
	}
	if d.Last > c.Last {
		c.Last, changed = d.Last, true
	}
	changed = c.Username.raise(d.Username) || changed
	changed = c.Name.raise(d.Name) || changed
	return c.Received.raise(d.Received) || changed
}

// stable returns the least stable alias of k, or the zero Alias.
func (k *CellKey) stable() Alias {
	if k.BSUID.IsValid() {
		return k.BSUID
	}
	return k.Parent
}

// A ChangeSide is one side of a [ChangeKey]. A zero Alias means that the side has no
// alias of that kind.
type ChangeSide struct {
	BSUID, Parent, Phone Alias
}

// A ChangeKey identifies a changed fact by its time and aliases. Facts that differ only
// in the form of a phone number have the same key.
type ChangeKey struct {
	At                int64
	Previous, Current ChangeSide
}

// A ChangeRow is a changed fact with its phone numbers as received.
type ChangeRow struct {
	ChangeKey
	PreviousReceived, CurrentReceived string
}

// join adds what d says to c, and reports whether c changed.
func (c *ChangeRow) join(d *ChangeRow) bool {
	changed := false
	if d.PreviousReceived > c.PreviousReceived {
		c.PreviousReceived, changed = d.PreviousReceived, true
	}
	if d.CurrentReceived > c.CurrentReceived {
		c.CurrentReceived, changed = d.CurrentReceived, true
	}
	return changed
}

// A Verdict is the latest statement of an operator about a pair of aliases. A is less
// than B.
type Verdict struct {
	A, B   Alias
	At     int64
	Joined bool // false: withdrawn
}

// join adds what w says about the same pair to v, and reports whether v changed.
func (v *Verdict) join(w *Verdict) bool {
	if w.At > v.At || w.At == v.At && v.Joined && !w.Joined {
		v.At, v.Joined = w.At, w.Joined
		return true
	}
	return false
}

// A Handover is the statement of an operator that another person has a phone number from
// a time on.
type Handover struct {
	Phone  Alias
	At     int64
	Undone bool // permanently withdrawn
}

// A State is a set of facts in a condensed form, which depends neither on their order nor
// on repetitions. The zero State is empty and ready to use.
type State struct {
	names     []Alias // by number; number 0 is the zero Alias
	numbers   placeIndex[Alias]
	cells     []cell
	cellIndex placeIndex[cellKey]
	changes   []change
	changed   map[changeKey]int32
	verdicts  []verdict
	judged    map[[2]int32]int32
	handovers []handover
	handed    map[handoverKey]int32
}

// In a state, aliases are numbers.
type (
	cellKey struct {
		bsuid, parent, phone int32
		period               int64
	}
	cell struct {
		cellKey
		first, last              int64
		username, name, received Dated
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
		a, b   int32
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

func (k *cellKey) stable() int32 { return cmp.Or(k.bsuid, k.parent) }
func (s *side) stable() int32    { return cmp.Or(s.bsuid, s.parent) }

// NewState returns the state of facts.
func NewState(facts ...Fact) *State {
	s := new(State)
	for _, f := range facts {
		s.Add(f)
	}
	return s
}

// Add adds a fact, and reports whether that changed s. The zero Fact changes nothing.
func (s *State) Add(f Fact) bool {
	switch f.kind {
	case FactSeen:
		c := f.cell()
		return s.addCell(&c)
	case FactChanged:
		if f.a.sameAliases(&f.b) {
			return false
		}
		c := f.change()
		return s.addChange(&c)
	case FactJoined, FactWithdrawn:
		v := f.verdict()
		return s.addVerdict(&v)
	case FactHandedOver:
		h := Handover{f.a.phone, f.at, f.undo}
		return s.addHandover(&h)
	default:
		return false
	}
}

func (f *Fact) cell() Cell {
	c := Cell{
		CellKey: CellKey{f.a.bsuid, f.a.parent, f.a.phone, f.at / period},
		First:   f.at, Last: f.at,
	}
	c.Username.raise(Dated{f.at, f.labels.Username})
	c.Name.raise(Dated{f.at, f.labels.Name})
	c.Received.raise(Dated{f.at, f.a.received})
	return c
}

func (f *Fact) change() ChangeRow {
	return ChangeRow{
		ChangeKey: ChangeKey{f.at, f.a.side(), f.b.side()}, PreviousReceived: f.a.received, CurrentReceived: f.b.received,
	}
}

func (m *members) side() ChangeSide { return ChangeSide{m.bsuid, m.parent, m.phone} }

func (f *Fact) verdict() Verdict {
	return Verdict{f.a.only(), f.b.only(), f.at, f.kind == FactJoined}
}

// Join adds the facts of another state.
func (s *State) Join(other *State) {
	part := other.Evidence()
	s.AddEvidence(&part)
}

// Evidence has the rows of a [State], for stores.
type Evidence struct {
	Cells     []Cell
	Changes   []ChangeRow
	Verdicts  []Verdict
	Handovers []Handover
}

// Evidence returns the rows of s. Their order is the one in which they were added.
func (s *State) Evidence() Evidence {
	var e Evidence
	for i := range s.cells {
		e.Cells = append(e.Cells, s.cell(int32(i)))
	}
	for i := range s.changes {
		e.Changes = append(e.Changes, s.change(int32(i)))
	}
	for i := range s.verdicts {
		e.Verdicts = append(e.Verdicts, s.verdict(int32(i)))
	}
	for i := range s.handovers {
		e.Handovers = append(e.Handovers, s.handover(int32(i)))
	}
	return e
}

// EvidenceOf returns the rows of s that name an alias for which wanted is true, in the
// order in which they were added.
func (s *State) EvidenceOf(wanted func(Alias) bool) Evidence {
	marked := make([]bool, max(len(s.names), 1))
	for n, a := range s.names {
		marked[n] = n > 0 && wanted(a)
	}
	anyOf := func(m side) bool { return marked[m.bsuid] || marked[m.parent] || marked[m.phone] }
	var e Evidence
	for i := range s.cells {
		if c := &s.cells[i]; anyOf(side{c.bsuid, c.parent, c.phone}) {
			e.Cells = append(e.Cells, s.cell(int32(i)))
		}
	}
	for i := range s.changes {
		if c := &s.changes[i]; anyOf(c.sides[0]) || anyOf(c.sides[1]) {
			e.Changes = append(e.Changes, s.change(int32(i)))
		}
	}
	for i := range s.verdicts {
		if v := &s.verdicts[i]; marked[v.a] || marked[v.b] {
			e.Verdicts = append(e.Verdicts, s.verdict(int32(i)))
		}
	}
	for i := range s.handovers {
		if h := &s.handovers[i]; marked[h.phone] {
			e.Handovers = append(e.Handovers, s.handover(int32(i)))
		}
	}
	return e
}

func (s *State) cell(i int32) Cell {
	c := &s.cells[i]
	return Cell{
		CellKey{s.names[c.bsuid], s.names[c.parent], s.names[c.phone], c.period},
		c.first, c.last, c.username, c.name, c.received,
	}
}

func (s *State) change(i int32) ChangeRow {
	c := &s.changes[i]
	return ChangeRow{ChangeKey{c.at, s.exported(c.sides[0]), s.exported(c.sides[1])}, c.received[0], c.received[1]}
}

func (s *State) verdict(i int32) Verdict {
	v := &s.verdicts[i]
	return Verdict{s.names[v.a], s.names[v.b], v.at, v.joined}
}

func (s *State) handover(i int32) Handover {
	h := &s.handovers[i]
	return Handover{s.names[h.phone], h.at, h.undone}
}

func (s *State) exported(m side) ChangeSide {
	return ChangeSide{s.names[m.bsuid], s.names[m.parent], s.names[m.phone]}
}

// AddEvidence adds rows that came from [State.Evidence] or from a store.
func (s *State) AddEvidence(e *Evidence) {
	for i := range e.Cells {
		s.addCell(&e.Cells[i])
	}
	for i := range e.Changes {
		s.addChange(&e.Changes[i])
	}
	for i := range e.Verdicts {
		s.addVerdict(&e.Verdicts[i])
	}
	for i := range e.Handovers {
		s.addHandover(&e.Handovers[i])
	}
}

func (s *State) addCell(c *Cell) bool {
	key := cellKey{s.number(c.BSUID), s.number(c.Parent), s.number(c.Phone), c.Period}
	i, known := s.cellIndex.find(key, s.cellKey)
	if !known {
		s.cellIndex.add(key, int32(len(s.cells)), s.cellKey)
		s.cells = append(s.cells, cell{key, c.First, c.Last, c.Username, c.Name, c.Received})
		return true
	}
	old := &s.cells[i]
	joined := Cell{First: old.first, Last: old.last, Username: old.username, Name: old.name, Received: old.received}
	if !joined.join(c) {
		return false
	}
	*old = cell{key, joined.First, joined.Last, joined.Username, joined.Name, joined.Received}
	return true
}

func (s *State) addChange(c *ChangeRow) bool {
	key := changeKey{c.At, [2]side{s.side(&c.Previous), s.side(&c.Current)}}
	i, known := s.changed[key]
	if !known {
		if s.changed == nil {
			s.changed = map[changeKey]int32{}
		}
		s.changed[key] = int32(len(s.changes))
		s.changes = append(s.changes, change{key, [2]string{c.PreviousReceived, c.CurrentReceived}})
		return true
	}
	old := &s.changes[i]
	joined := ChangeRow{PreviousReceived: old.received[0], CurrentReceived: old.received[1]}
	if !joined.join(c) {
		return false
	}
	old.received = [2]string{joined.PreviousReceived, joined.CurrentReceived}
	return true
}

func (s *State) addVerdict(v *Verdict) bool {
	key := [2]int32{s.number(v.A), s.number(v.B)}
	i, known := s.judged[key]
	if !known {
		if s.judged == nil {
			s.judged = map[[2]int32]int32{}
		}
		s.judged[key] = int32(len(s.verdicts))
		s.verdicts = append(s.verdicts, verdict{key[0], key[1], v.At, v.Joined})
		return true
	}
	old := &s.verdicts[i]
	joined := Verdict{At: old.at, Joined: old.joined}
	if !joined.join(v) {
		return false
	}
	old.at, old.joined = joined.At, joined.Joined
	return true
}

func (s *State) addHandover(h *Handover) bool {
	key := handoverKey{s.number(h.Phone), h.At}
	i, known := s.handed[key]
	if !known {
		if s.handed == nil {
			s.handed = map[handoverKey]int32{}
		}
		s.handed[key] = int32(len(s.handovers))
		s.handovers = append(s.handovers, handover{key, h.Undone})
		return true
	}
	if !h.Undone || s.handovers[i].undone {
		return false
	}
	s.handovers[i].undone = true
	return true
}

func (s *State) side(c *ChangeSide) side {
	return side{s.number(c.BSUID), s.number(c.Parent), s.number(c.Phone)}
}

// number returns the number of an alias, and gives it one if it has none.
func (s *State) number(a Alias) int32 {
	if !a.IsValid() {
		return 0
	}
	n, known := s.find(a)
	if !known {
		if len(s.names) == 0 {
			s.names = append(s.names, Alias{})
		}
		n = int32(len(s.names))
		s.numbers.add(a, n, s.name)
		s.names = append(s.names, a)
	}
	return n
}

// numberOf returns the number of an alias, or 0 if it has none.
func (s *State) numberOf(a Alias) int32 {
	n, _ := s.find(a)
	return n
}

// find returns the number of an alias, and whether it has one.
func (s *State) find(a Alias) (number int32, known bool) { return s.numbers.find(a, s.name) }

func (s *State) name(number int32) Alias { return s.names[number] }

func (s *State) cellKey(i int32) cellKey { return s.cells[i].cellKey }

// row returns the row of s that has a fact which was added.
func (s *State) row(f *Fact) Evidence {
	var e Evidence
	switch f.kind {
	case FactSeen:
		k := cellKey{s.number(f.a.bsuid), s.number(f.a.parent), s.number(f.a.phone), f.at / period}
		i, _ := s.cellIndex.find(k, s.cellKey)
		e.Cells = []Cell{s.cell(i)}
	case FactChanged:
		a, b := f.a.side(), f.b.side()
		e.Changes = []ChangeRow{s.change(s.changed[changeKey{f.at, [2]side{s.side(&a), s.side(&b)}}])}
	case FactJoined, FactWithdrawn:
		e.Verdicts = []Verdict{s.verdict(s.judged[[2]int32{s.number(f.a.only()), s.number(f.b.only())}])}
	case FactHandedOver:
		e.Handovers = []Handover{s.handover(s.handed[handoverKey{s.number(f.a.phone), f.at}])}
	}
	return e
}

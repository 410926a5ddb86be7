package identity

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// naive is a second form of Partition, written from docs/identity-spec.md sentence by
// sentence, without indexes.
type naive struct {
	silence   int64 // seconds, or 0
	cells     []naiveCell
	changes   []naiveChange
	verdicts  map[[2]Alias]Fact
	handovers map[Alias][]int64
	received  map[Alias]naiveDated
	stable    map[Alias]int       // component of each stable alias
	cuts      map[Alias][]float64 // t-0.25 is just before second t, t+0.25 just after it
	sightings map[Alias][]naiveSighting
	group     map[any]int // node: person; a node is a component (int) or a naiveSegment
}

type naiveSide struct{ BSUID, Parent, Phone Alias }

type naiveDated struct {
	At   int64
	Text string
}

func naiveSideOf(m members) naiveSide { return naiveSide{m.bsuid, m.parent, m.phone} }

// naiveBounded leaves out the numbers that too many owners were seen with.
func naiveBounded(facts []Fact) []Fact {
	owners := map[Alias]map[Alias]bool{}
	own := func(phone Alias, stables ...Alias) {
		for _, a := range stables {
			if a.isValid() && phone.isValid() {
				if owners[phone] == nil {
					owners[phone] = map[Alias]bool{}
				}
				owners[phone][a] = true
				return
			}
		}
	}
	for _, f := range facts {
		a, b := f.a, f.b
		switch f.kind {
		case factSeen:
			own(a.phone, a.bsuid, a.parent)
		case factChanged:
			if naiveSideOf(a) != naiveSideOf(b) {
				own(a.phone, a.bsuid, a.parent, b.bsuid, b.parent)
				own(b.phone, b.bsuid, b.parent, a.bsuid, a.parent)
			}
		case factJoined, factWithdrawn, factHandedOver: // no owner
		}
	}
	var rest []Fact
	for _, f := range facts {
		for _, m := range []*members{&f.a, &f.b} {
			if len(owners[m.phone]) > 50 {
				m.phone, m.received = Alias{}, ""
				if f.kind != factSeen && f.kind != factChanged {
					f.kind = 0
				}
			}
		}
		if f.kind == factSeen && len(stableOf(naiveSideOf(f.a))) == 0 && !f.a.phone.isValid() {
			continue
		}
		if f.kind != 0 {
			rest = append(rest, f)
		}
	}
	return rest
}

type naiveCell struct {
	bsuid, parent, phone Alias
	period               int64
	times                [2]int64
	username, name       naiveDated
}

type naiveChange struct {
	at    int64
	sides [2]naiveSide
}

type naiveSighting struct {
	at    int64
	text  Alias // names the owner
	from  any   // the fact
	side  int   // of a changed
	lent  bool
	seen  bool
	by    bool // joined
	bsuid Alias
}

type naiveSegment struct {
	phone Alias
	n     int
}

func stableOf(m naiveSide) []Alias {
	var out []Alias
	for _, a := range []Alias{m.BSUID, m.Parent} {
		if a.isValid() {
			out = append(out, a)
		}
	}
	return out
}

func naivePartition(facts []Fact, silence int64) People {
	n := &naive{
		silence:  silence,
		verdicts: map[[2]Alias]Fact{}, handovers: map[Alias][]int64{}, received: map[Alias]naiveDated{},
		stable: map[Alias]int{}, cuts: map[Alias][]float64{}, sightings: map[Alias][]naiveSighting{}, group: map[any]int{},
	}
	n.collect(naiveBounded(facts))
	n.components()
	n.see()
	n.cut()
	n.edges()
	return n.result()
}

func (n *naive) collect(facts []Fact) {
	receive := func(a Alias, at int64, text string) {
		if old := n.received[a]; a.isValid() && (at > old.At || at == old.At && text > old.Text) {
			n.received[a] = naiveDated{at, text}
		}
	}
	undone := map[any]bool{}
	type handover struct {
		phone Alias
		at    int64
	}
	for _, f := range facts {
		if f.kind == factHandedOver && f.undo {
			undone[handover{f.a.phone, f.at}] = true
		}
	}
	for _, f := range facts {
		switch f.kind {
		case factSeen:
			c := naiveCell{bsuid: f.a.bsuid, parent: f.a.parent, phone: f.a.phone}
			if f.a.phone.isValid() {
				c.period = f.at / 2592000
			}
			i := slices.IndexFunc(n.cells, func(d naiveCell) bool {
				return d.bsuid == c.bsuid && d.parent == c.parent && d.phone == c.phone && d.period == c.period
			})
			if i < 0 {
				c.times = [2]int64{f.at, f.at}
				i = len(n.cells)
				n.cells = append(n.cells, c)
			}
			d := &n.cells[i]
			d.times[0], d.times[1] = min(d.times[0], f.at), max(d.times[1], f.at)
			later := func(d *naiveDated, text string) {
				if text != "" && (f.at > d.At || f.at == d.At && text > d.Text) {
					*d = naiveDated{f.at, text}
				}
			}
			later(&d.username, f.username)
			later(&d.name, f.name)
			receive(f.a.phone, f.at, f.a.received)
		case factChanged:
			c := naiveChange{f.at, [2]naiveSide{naiveSideOf(f.a), naiveSideOf(f.b)}}
			if c.sides[0] == c.sides[1] {
				continue
			}
			receive(f.a.phone, f.at, f.a.received)
			receive(f.b.phone, f.at, f.b.received)
			if !slices.Contains(n.changes, c) {
				n.changes = append(n.changes, c)
			}
		case factJoined, factWithdrawn:
			key := [2]Alias{f.a.key(), f.b.key()}
			old, known := n.verdicts[key]
			if !known || f.at > old.at || f.at == old.at && f.kind == factWithdrawn {
				n.verdicts[key] = f
			}
		case factHandedOver:
			if !undone[handover{f.a.phone, f.at}] && !slices.Contains(n.handovers[f.a.phone], f.at) {
				n.handovers[f.a.phone] = append(n.handovers[f.a.phone], f.at)
			}
		}
	}
}

func (n *naive) isWithdrawn(a, b Alias) bool {
	return n.verdicts[[2]Alias{a, b}].kind == factWithdrawn || n.verdicts[[2]Alias{b, a}].kind == factWithdrawn
}

func (n *naive) components() {
	var pairs [][2]Alias
	together := func(aliases ...Alias) {
		for _, a := range aliases {
			if a.isValid() {
				n.stable[a] = len(n.stable) + 1
				n.stable[a] = len(n.stable)
			}
		}
		for _, a := range aliases {
			for _, b := range aliases {
				if a.isValid() && b.isValid() && !n.isWithdrawn(a, b) {
					pairs = append(pairs, [2]Alias{a, b})
				}
			}
		}
	}
	for _, c := range n.cells {
		together(c.bsuid, c.parent)
	}
	for _, c := range n.changes {
		together(c.sides[0].BSUID, c.sides[0].Parent, c.sides[1].BSUID, c.sides[1].Parent)
	}
	for key, f := range n.verdicts {
		for _, a := range key {
			if a.isStable() && n.stable[a] == 0 {
				n.stable[a] = len(n.stable) + 1
				n.stable[a] = len(n.stable)
			}
		}
		if f.kind == factJoined && key[0].isStable() && key[1].isStable() {
			pairs = append(pairs, key)
		}
	}
	i := 0
	for a := range n.stable {
		i++
		n.stable[a] = i
	}
	for changed := true; changed; {
		changed = false
		for _, p := range pairs {
			if x, y := n.stable[p[0]], n.stable[p[1]]; x != y {
				n.stable[p[0]], n.stable[p[1]] = min(x, y), min(x, y)
				changed = true
			}
		}
	}
}

func (n *naive) see() {
	add := func(phone Alias, s naiveSighting) {
		if phone.isValid() {
			n.sightings[phone] = append(n.sightings[phone], s)
		}
	}
	for i, c := range n.cells {
		text := c.bsuid
		if !text.isValid() {
			text = c.parent
		}
		for _, at := range c.times {
			add(c.phone, naiveSighting{at: at, text: text, from: [2]int{0, i}, side: -1, seen: true, bsuid: c.bsuid})
		}
	}
	for i, c := range n.changes {
		for j, m := range c.sides {
			s := naiveSighting{at: c.at, from: [2]int{1, i}, side: j, bsuid: m.BSUID}
			if own := stableOf(m); len(own) > 0 {
				s.text = own[0]
			} else if other := stableOf(c.sides[1-j]); len(other) > 0 {
				s.text, s.lent = other[0], true
			}
			add(m.Phone, s)
		}
	}
	for key, f := range n.verdicts {
		if f.kind == factJoined && key[0].isStable() && !key[1].isStable() {
			add(key[1], naiveSighting{at: f.at, text: key[0], from: key, side: -1, by: true})
		}
	}
}

func (n *naive) cut() {
	type raw struct {
		at      float64
		leaves  bool
		changes []naiveChange
	}
	cuts := map[Alias][]raw{}
	for _, c := range n.changes {
		left, entered := map[Alias]bool{}, map[Alias]bool{}
		p, q := c.sides[0], c.sides[1]
		if p.Phone.isValid() {
			left[p.Phone] = true
		}
		if q.Phone.isValid() {
			entered[q.Phone] = true
		}
		if p.BSUID != q.BSUID {
			for phone, list := range n.sightings {
				var before, after []naiveSighting
				for _, s := range list {
					if !s.seen || !s.text.isValid() {
						continue
					}
					if s.at <= c.at {
						before = append(before, s)
					}
					if s.at >= c.at {
						after = append(after, s)
					}
				}
				for _, s := range before {
					if p.BSUID.isValid() && s.bsuid == p.BSUID && !slices.ContainsFunc(before, func(x naiveSighting) bool { return x.at > s.at }) {
						left[phone] = true
					}
				}
				for _, s := range after {
					leftBefore := slices.ContainsFunc(n.changes, func(d naiveChange) bool {
						return c.at < d.at && d.at < s.at && d.sides[0].Phone == phone && d.sides[1].Phone != phone
					})
					if q.BSUID.isValid() && s.bsuid == q.BSUID && !leftBefore && !slices.ContainsFunc(after, func(x naiveSighting) bool { return x.at < s.at }) {
						entered[phone] = true
					}
				}
			}
		}
		add := func(phone Alias, at float64, leaves bool) {
			for i := range cuts[phone] {
				if r := &cuts[phone][i]; r.at == at {
					r.changes = append(r.changes, c)
					return
				}
			}
			cuts[phone] = append(cuts[phone], raw{at, leaves, []naiveChange{c}})
		}
		for phone := range left {
			if !entered[phone] {
				add(phone, float64(c.at)+0.25, true)
			}
		}
		for phone := range entered {
			if !left[phone] {
				add(phone, float64(c.at)-0.25, false)
			}
		}
	}
	agree := func(changes []naiveChange) bool {
		for _, c := range changes {
			for _, d := range changes {
				for j := range c.sides {
					x, y := c.sides[j], d.sides[j]
					for _, pair := range [][2]Alias{{x.BSUID, y.BSUID}, {x.Parent, y.Parent}, {x.Phone, y.Phone}} {
						if pair[0].isValid() && pair[1].isValid() && pair[0] != pair[1] {
							return false
						}
					}
				}
			}
		}
		return true
	}
	second := func(r raw) int64 {
		if r.leaves {
			return int64(r.at - 0.25)
		}
		return int64(r.at + 0.25)
	}
	for phone, list := range cuts {
		slices.SortFunc(list, func(a, b raw) int { return cmp.Compare(a.at, b.at) })
		var groups [][]raw
		for _, r := range list {
			if len(groups) > 0 {
				g := groups[len(groups)-1]
				last := g[len(g)-1]
				all := slices.Clone(r.changes)
				for _, x := range g {
					all = append(all, x.changes...)
				}
				apart := slices.ContainsFunc(n.handovers[phone], func(h int64) bool {
					place := float64(h) - 0.25
					return last.at < place && place <= r.at
				})
				if last.leaves == r.leaves && second(r)-second(last) <= 86400 && agree(all) && !apart {
					groups[len(groups)-1] = append(g, r)
					continue
				}
			}
			groups = append(groups, []raw{r})
		}
		for _, g := range groups {
			if g[0].leaves {
				n.cuts[phone] = append(n.cuts[phone], g[len(g)-1].at)
			} else {
				n.cuts[phone] = append(n.cuts[phone], g[0].at)
			}
		}
	}
	for phone, list := range n.handovers {
		for _, at := range list {
			n.cuts[phone] = append(n.cuts[phone], float64(at)-0.25)
		}
	}
	if n.silence == 0 {
		return
	}
	for phone, list := range n.sightings {
		for _, s := range list {
			before := int64(0)
			for _, x := range list {
				if !x.by && x.at < s.at {
					before = max(before, x.at)
				}
			}
			if !s.by && before > 0 && s.at-before > n.silence {
				n.cuts[phone] = append(n.cuts[phone], float64(s.at)-0.25)
			}
		}
	}
}

// segment returns the segment of a second: how many different cuts are before it.
func (n *naive) segment(phone Alias, at int64) naiveSegment {
	places := map[float64]bool{}
	for _, c := range n.cuts[phone] {
		if c < float64(at) {
			places[c] = true
		}
	}
	return naiveSegment{phone, len(places)}
}

// choose returns the sighting in the segment of a time that counts and is nearest to it
// on one side.
func (n *naive) choose(phone Alias, at int64, past bool, counts func(naiveSighting) bool) (naiveSighting, bool) {
	var best naiveSighting
	found := false
	for _, s := range n.sightings[phone] {
		if past && s.at > at || !past && s.at < at || !s.text.isValid() || n.segment(phone, s.at) != n.segment(phone, at) || !counts(s) {
			continue
		}
		near := cmp.Compare(best.at, s.at)
		if past {
			near = -near
		}
		if !found || near > 0 || near == 0 && s.text.compare(best.text) > 0 {
			best, found = s, true
		}
	}
	return best, found
}

func anySighting(naiveSighting) bool { return true }

// holder returns the node of who holds a phone at a time.
func (n *naive) holder(phone Alias, at int64) any {
	if s, ok := n.choose(phone, at, true, anySighting); ok {
		return n.stable[s.text]
	}
	if s, ok := n.choose(phone, at, false, anySighting); ok {
		return n.stable[s.text]
	}
	return n.segment(phone, at)
}

func (n *naive) hasSighting(segment naiveSegment) bool {
	return slices.ContainsFunc(n.sightings[segment.phone], func(s naiveSighting) bool {
		return n.segment(segment.phone, s.at) == segment
	})
}

// edges finds the people: the group of every node.
func (n *naive) edges() {
	var pairs [][2]any
	for i, c := range n.changes {
		own := append(stableOf(c.sides[0]), stableOf(c.sides[1])...)
		slices.SortFunc(own, Alias.compare)
		var found []any
		for j, m := range c.sides {
			if !m.Phone.isValid() || len(stableOf(m)) > 0 {
				continue
			}
			s, ok := n.choose(m.Phone, c.at, j == 0, func(s naiveSighting) bool {
				return s.from != any([2]int{1, i}) && (!s.lent || s.side != j || s.at != c.at)
			})
			if ok {
				found = append(found, n.stable[s.text])
			} else if len(own) == 0 {
				found = append(found, n.holder(m.Phone, c.at))
			}
		}
		if len(own) > 0 {
			found = append(found, n.stable[own[0]])
		}
		for _, x := range found {
			pairs = append(pairs, [2]any{x, found[0]})
		}
	}
	for key, f := range n.verdicts {
		if f.kind != factJoined || key[1].isStable() {
			continue
		}
		find := func(phone Alias) (any, bool) {
			s, ok := n.choose(phone, f.at, true, func(s naiveSighting) bool { return !s.by || s.at != f.at })
			return n.stable[s.text], ok
		}
		if key[0].isStable() {
			if x, ok := find(key[1]); ok {
				pairs = append(pairs, [2]any{n.stable[key[0]], x})
			}
			continue
		}
		if !n.hasSighting(n.segment(key[0], f.at)) || !n.hasSighting(n.segment(key[1], f.at)) {
			continue
		}
		var both [2]any
		for i, phone := range key {
			x, ok := find(phone)
			if !ok {
				x = n.holder(phone, f.at)
			}
			both[i] = x
		}
		pairs = append(pairs, both)
	}
	number := 0
	node := func(x any) {
		if n.group[x] == 0 {
			number++
			n.group[x] = number
		}
	}
	for _, x := range n.stable {
		node(x)
	}
	for phone, list := range n.sightings {
		for _, s := range list {
			node(n.holder(phone, s.at))
		}
	}
	for changed := true; changed; {
		changed = false
		for _, p := range pairs {
			if x, y := n.group[p[0]], n.group[p[1]]; x != y {
				n.group[p[0]], n.group[p[1]] = min(x, y), min(x, y)
				changed = true
			}
		}
	}
}

func (n *naive) result() People {
	holdings := map[int]map[Alias]*Holding{}
	hold := func(group int, a Alias, at int64) {
		if holdings[group] == nil {
			holdings[group] = map[Alias]*Holding{}
		}
		if holdings[group][a] == nil {
			holdings[group][a] = &Holding{Alias: a, First: at, Last: at}
		}
		h := holdings[group][a]
		h.First, h.Last = min(h.First, at), max(h.Last, at)
	}
	named := map[Alias]bool{}
	ended := map[Alias]bool{}
	for _, c := range n.cells {
		for _, a := range []Alias{c.bsuid, c.parent, c.phone} {
			named[a] = true
			if a.isStable() {
				hold(n.group[n.stable[a]], a, c.times[0])
				hold(n.group[n.stable[a]], a, c.times[1])
			}
		}
	}
	for _, c := range n.changes {
		for _, m := range c.sides {
			named[m.Phone] = true
			for _, a := range stableOf(m) {
				named[a] = true
				hold(n.group[n.stable[a]], a, c.at)
			}
		}
	}
	for a := range n.stable {
		names := func(c naiveChange) bool {
			return slices.Contains(stableOf(c.sides[0]), a) || slices.Contains(stableOf(c.sides[1]), a)
		}
		last := int64(0)
		for _, c := range n.changes {
			if names(c) {
				last = max(last, c.at)
			}
		}
		ended[a] = last > 0
		for _, c := range n.changes {
			if c.at == last && slices.Contains(stableOf(c.sides[1]), a) {
				ended[a] = false
			}
		}
	}
	current := map[Alias]int{}
	for phone, list := range n.sightings {
		for _, s := range list {
			if named[phone] {
				hold(n.group[n.owner(phone, s)], phone, s.at)
			}
		}
		const end = 1 << 60
		if !n.hasSighting(n.segment(phone, end)) {
			continue
		}
		holder := n.holder(phone, end)
		latest, owned := n.choose(phone, end, true, anySighting)
		if owned && !slices.ContainsFunc(list, func(s naiveSighting) bool {
			return s.at == latest.at && s.text.isValid() && n.stable[s.text] == n.stable[latest.text] && s.side != 0 && !ended[s.bsuid]
		}) {
			continue
		}
		current[phone] = n.group[holder]
	}

	labels := map[int][2]naiveDated{}
	for _, c := range n.cells {
		for i, label := range []naiveDated{c.username, c.name} {
			if label.Text == "" {
				continue
			}
			var owner any
			switch {
			case c.bsuid.isValid():
				owner = n.stable[c.bsuid]
			case c.parent.isValid():
				owner = n.stable[c.parent]
			case n.hasSighting(n.segment(c.phone, label.At)):
				owner = n.holder(c.phone, label.At)
			default:
				continue
			}
			l := labels[n.group[owner]]
			if old := l[i]; label.At > old.At || label.At == old.At && label.Text > old.Text {
				l[i] = label
			}
			labels[n.group[owner]] = l
		}
	}

	var people People
	least := map[int]Alias{}
	for group, aliases := range holdings {
		p := Person{Username: labels[group][0].Text, Name: labels[group][1].Text}
		for a, h := range aliases {
			switch {
			case a.isStable():
				h.Current = !ended[a]
				for b, other := range aliases {
					if a.Kind() == b.Kind() && a.Scope() == b.Scope() && !ended[b] &&
						(other.Last > h.Last || other.Last == h.Last && b.Value() > a.Value()) {
						h.Current = false
					}
				}
			default:
				h.Current = current[a] == group
				if text := n.received[a].Text; text != a.Value() {
					h.Received = text
				}
			}
			p.Aliases = append(p.Aliases, *h)
		}
		slices.SortFunc(p.Aliases, func(a, b Holding) int { return cmp.Compare(a.Alias.String(), b.Alias.String()) })
		least[group] = p.Aliases[0].Alias
		people.Persons = append(people.Persons, p)
	}
	slices.SortFunc(people.Persons, func(p, q Person) int {
		a, b := p.Aliases[0], q.Aliases[0]
		isCurrent := func(h Holding) int {
			if h.Current {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(a.Alias.String(), b.Alias.String()), cmp.Compare(a.First, b.First), cmp.Compare(a.Last, b.Last),
			isCurrent(a)-isCurrent(b), cmp.Compare(p.Username, q.Username), cmp.Compare(p.Name, q.Name))
	})
	for phone, list := range n.sightings {
		if !named[phone] {
			continue
		}
		type step struct {
			segment  naiveSegment
			from, to int
		}
		steps := map[step]int64{}
		owned := slices.DeleteFunc(slices.Clone(list), func(s naiveSighting) bool { return !s.text.isValid() })
		slices.SortFunc(owned, func(a, b naiveSighting) int {
			return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.text.String(), b.text.String()))
		})
		for i := 1; i < len(owned); i++ {
			a, b := owned[i-1], owned[i]
			x, y := n.group[n.stable[a.text]], n.group[n.stable[b.text]]
			if x != y && n.segment(phone, a.at) == n.segment(phone, b.at) {
				steps[step{n.segment(phone, b.at), x, y}] = b.at
			}
		}
		for s, at := range steps {
			people.Conflicts = append(people.Conflicts, Conflict{phone, least[s.from], least[s.to], at})
		}
	}
	slices.SortFunc(people.Conflicts, func(a, b Conflict) int {
		return cmp.Or(cmp.Compare(a.Phone.String(), b.Phone.String()), cmp.Compare(a.At, b.At),
			cmp.Compare(a.From.String(), b.From.String()), cmp.Compare(a.To.String(), b.To.String()))
	})
	return people
}

// owner returns the node that holds a sighting.
func (n *naive) owner(phone Alias, s naiveSighting) any {
	if s.text.isValid() {
		return n.stable[s.text]
	}
	return n.holder(phone, s.at)
}

// Partition gives what the text says, forevery order and repetition of the facts.
func TestPartitionEqualsNaive(t *testing.T) {
	for seed := range streams(t, 2000) {
		w := newWorld(uint64(seed) + 1<<40)
		facts := w.facts()
		want, got := naivePartition(facts, 0), partition(facts...)
		if !equalPeople(want, got) {
			require.Equal(t, want, got, "seed %d: %v", seed, facts)
		}
		for range 2 {
			again := partition(w.shuffled(facts)...)
			if !equalPeople(got, again) {
				require.Equal(t, got, again, "seed %d", seed)
			}
		}
	}
}

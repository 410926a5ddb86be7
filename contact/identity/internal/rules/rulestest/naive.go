// Package rulestest contains the rules a second time, for tests.
package rulestest

import (
	"cmp"
	"slices"

	"github.com/hailmark/hailmark/contact/identity/internal/rules"
)

type (
	alias   = rules.Alias
	members = rules.Members
	person  = rules.Person
	holding = rules.Holding
)

// naive is a second form of rules.Partition, written from docs/identity-spec.md sentence by
// sentence, without indexes.
type naive struct {
	silence   int64 // seconds, or 0
	cells     []naiveCell
	changes   []naiveChange
	verdicts  map[[2]alias]rules.Fact
	handovers map[alias][]int64
	received  map[alias]naiveDated
	stable    map[alias]int       // component of each stable alias
	cuts      map[alias][]float64 // t-0.25 is just before second t, t+0.25 just after it
	sightings map[alias][]naiveSighting
	group     map[any]int // node: person; a node is a component (int) or a naiveSegment
}

type naiveSide struct{ BSUID, Parent, Phone alias }

type naiveDated struct {
	At   int64
	Text string
}

func naiveSideOf(m members) naiveSide { return naiveSide{m.BSUID, m.Parent, m.Phone} }

// naiveBounded leaves out the numbers that too many owners were seen with.
func naiveBounded(facts []rules.Fact) []rules.Fact {
	owners := map[alias]map[alias]bool{}
	own := func(phone alias, stables ...alias) {
		for _, a := range stables {
			if a.IsValid() && phone.IsValid() {
				if owners[phone] == nil {
					owners[phone] = map[alias]bool{}
				}
				owners[phone][a] = true
				return
			}
		}
	}
	for _, f := range facts {
		a, b := f.A, f.B
		switch f.Kind {
		case rules.Seen:
			own(a.Phone, a.BSUID, a.Parent)
		case rules.Changed:
			if naiveSideOf(a) != naiveSideOf(b) {
				own(a.Phone, a.BSUID, a.Parent, b.BSUID, b.Parent)
				own(b.Phone, b.BSUID, b.Parent, a.BSUID, a.Parent)
			}
		case rules.Joined, rules.Withdrawn, rules.HandedOver: // no owner
		}
	}
	var rest []rules.Fact
	for _, f := range facts {
		for _, m := range []*members{&f.A, &f.B} {
			if len(owners[m.Phone]) > 50 {
				m.Phone, m.Received = alias{}, ""
				if f.Kind != rules.Seen && f.Kind != rules.Changed {
					f.Kind = 0
				}
			}
		}
		if f.Kind == rules.Seen && len(stableOf(naiveSideOf(f.A))) == 0 && !f.A.Phone.IsValid() {
			continue
		}
		if f.Kind != 0 {
			rest = append(rest, f)
		}
	}
	return rest
}

type naiveCell struct {
	bsuid, parent, phone alias
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
	text  alias // names the owner
	from  any   // the fact
	side  int   // of a changed
	lent  bool
	seen  bool
	by    bool // joined
	bsuid alias
}

type naiveSegment struct {
	phone alias
	n     int
}

func stableOf(m naiveSide) []alias {
	var out []alias
	for _, a := range []alias{m.BSUID, m.Parent} {
		if a.IsValid() {
			out = append(out, a)
		}
	}
	return out
}

// Naive returns what rules.Partition must return. It takes time: it searches everything for each step.
func Naive(facts []rules.Fact, silence int64) ([]rules.Person, []rules.Conflict) {
	n := &naive{
		silence:  silence,
		verdicts: map[[2]alias]rules.Fact{}, handovers: map[alias][]int64{}, received: map[alias]naiveDated{},
		stable: map[alias]int{}, cuts: map[alias][]float64{}, sightings: map[alias][]naiveSighting{}, group: map[any]int{},
	}
	n.collect(naiveBounded(facts))
	n.components()
	n.see()
	n.cut()
	n.edges()
	return n.result()
}

func (n *naive) collect(facts []rules.Fact) {
	receive := func(a alias, at int64, text string) {
		if old := n.received[a]; a.IsValid() && (at > old.At || at == old.At && text > old.Text) {
			n.received[a] = naiveDated{at, text}
		}
	}
	undone := map[any]bool{}
	type handover struct {
		phone alias
		at    int64
	}
	for _, f := range facts {
		if f.Kind == rules.HandedOver && f.Undo {
			undone[handover{f.A.Phone, f.At}] = true
		}
	}
	for _, f := range facts {
		switch f.Kind {
		case rules.Seen:
			c := naiveCell{bsuid: f.A.BSUID, parent: f.A.Parent, phone: f.A.Phone}
			if f.A.Phone.IsValid() {
				c.period = f.At / 2592000
			}
			i := slices.IndexFunc(n.cells, func(d naiveCell) bool {
				return d.bsuid == c.bsuid && d.parent == c.parent && d.phone == c.phone && d.period == c.period
			})
			if i < 0 {
				c.times = [2]int64{f.At, f.At}
				i = len(n.cells)
				n.cells = append(n.cells, c)
			}
			d := &n.cells[i]
			d.times[0], d.times[1] = min(d.times[0], f.At), max(d.times[1], f.At)
			later := func(d *naiveDated, text string) {
				if text != "" && (f.At > d.At || f.At == d.At && text > d.Text) {
					*d = naiveDated{f.At, text}
				}
			}
			later(&d.username, f.Username)
			later(&d.name, f.Name)
			receive(f.A.Phone, f.At, f.A.Received)
		case rules.Changed:
			c := naiveChange{f.At, [2]naiveSide{naiveSideOf(f.A), naiveSideOf(f.B)}}
			if c.sides[0] == c.sides[1] {
				continue
			}
			receive(f.A.Phone, f.At, f.A.Received)
			receive(f.B.Phone, f.At, f.B.Received)
			if !slices.Contains(n.changes, c) {
				n.changes = append(n.changes, c)
			}
		case rules.Joined, rules.Withdrawn:
			key := [2]alias{f.A.Key(), f.B.Key()}
			old, known := n.verdicts[key]
			if !known || f.At > old.At || f.At == old.At && f.Kind == rules.Withdrawn {
				n.verdicts[key] = f
			}
		case rules.HandedOver:
			if !undone[handover{f.A.Phone, f.At}] && !slices.Contains(n.handovers[f.A.Phone], f.At) {
				n.handovers[f.A.Phone] = append(n.handovers[f.A.Phone], f.At)
			}
		}
	}
}

func (n *naive) isWithdrawn(a, b alias) bool {
	return n.verdicts[[2]alias{a, b}].Kind == rules.Withdrawn || n.verdicts[[2]alias{b, a}].Kind == rules.Withdrawn
}

func (n *naive) components() {
	var pairs [][2]alias
	together := func(aliases ...alias) {
		for _, a := range aliases {
			if a.IsValid() {
				n.stable[a] = len(n.stable) + 1
				n.stable[a] = len(n.stable)
			}
		}
		for _, a := range aliases {
			for _, b := range aliases {
				if a.IsValid() && b.IsValid() && !n.isWithdrawn(a, b) {
					pairs = append(pairs, [2]alias{a, b})
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
			if a.IsStable() && n.stable[a] == 0 {
				n.stable[a] = len(n.stable) + 1
				n.stable[a] = len(n.stable)
			}
		}
		if f.Kind == rules.Joined && key[0].IsStable() && key[1].IsStable() {
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
	add := func(phone alias, s naiveSighting) {
		if phone.IsValid() {
			n.sightings[phone] = append(n.sightings[phone], s)
		}
	}
	for i, c := range n.cells {
		text := c.bsuid
		if !text.IsValid() {
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
		if f.Kind == rules.Joined && key[0].IsStable() && !key[1].IsStable() {
			add(key[1], naiveSighting{at: f.At, text: key[0], from: key, side: -1, by: true})
		}
	}
}

func (n *naive) cut() {
	type raw struct {
		at      float64
		leaves  bool
		changes []naiveChange
	}
	cuts := map[alias][]raw{}
	for _, c := range n.changes {
		left, entered := map[alias]bool{}, map[alias]bool{}
		p, q := c.sides[0], c.sides[1]
		if p.Phone.IsValid() {
			left[p.Phone] = true
		}
		if q.Phone.IsValid() {
			entered[q.Phone] = true
		}
		if p.BSUID != q.BSUID {
			for phone, list := range n.sightings {
				var before, after []naiveSighting
				for _, s := range list {
					if !s.seen || !s.text.IsValid() {
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
					if p.BSUID.IsValid() && s.bsuid == p.BSUID && !slices.ContainsFunc(before, func(x naiveSighting) bool { return x.at > s.at }) {
						left[phone] = true
					}
				}
				for _, s := range after {
					leftBefore := slices.ContainsFunc(n.changes, func(d naiveChange) bool {
						return c.at < d.at && d.at < s.at && d.sides[0].Phone == phone && d.sides[1].Phone != phone
					})
					if q.BSUID.IsValid() && s.bsuid == q.BSUID && !leftBefore && !slices.ContainsFunc(after, func(x naiveSighting) bool { return x.at < s.at }) {
						entered[phone] = true
					}
				}
			}
		}
		add := func(phone alias, at float64, leaves bool) {
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
					for _, pair := range [][2]alias{{x.BSUID, y.BSUID}, {x.Parent, y.Parent}, {x.Phone, y.Phone}} {
						if pair[0].IsValid() && pair[1].IsValid() && pair[0] != pair[1] {
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
func (n *naive) segment(phone alias, at int64) naiveSegment {
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
func (n *naive) choose(phone alias, at int64, past bool, counts func(naiveSighting) bool) (naiveSighting, bool) {
	var best naiveSighting
	found := false
	for _, s := range n.sightings[phone] {
		if past && s.at > at || !past && s.at < at || !s.text.IsValid() || n.segment(phone, s.at) != n.segment(phone, at) || !counts(s) {
			continue
		}
		near := cmp.Compare(best.at, s.at)
		if past {
			near = -near
		}
		if !found || near > 0 || near == 0 && s.text.Compare(best.text) > 0 {
			best, found = s, true
		}
	}
	return best, found
}

func anySighting(naiveSighting) bool { return true }

// holder returns the node of who holds a phone at a time.
func (n *naive) holder(phone alias, at int64) any {
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
		slices.SortFunc(own, alias.Compare)
		var found []any
		for j, m := range c.sides {
			if !m.Phone.IsValid() || len(stableOf(m)) > 0 {
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
		if f.Kind != rules.Joined || key[1].IsStable() {
			continue
		}
		find := func(phone alias) (any, bool) {
			s, ok := n.choose(phone, f.At, true, func(s naiveSighting) bool { return !s.by || s.at != f.At })
			return n.stable[s.text], ok
		}
		if key[0].IsStable() {
			if x, ok := find(key[1]); ok {
				pairs = append(pairs, [2]any{n.stable[key[0]], x})
			}
			continue
		}
		if !n.hasSighting(n.segment(key[0], f.At)) || !n.hasSighting(n.segment(key[1], f.At)) {
			continue
		}
		var both [2]any
		for i, phone := range key {
			x, ok := find(phone)
			if !ok {
				x = n.holder(phone, f.At)
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

func (n *naive) result() (people []rules.Person, conflicts []rules.Conflict) {
	holdings := map[int]map[alias]*holding{}
	hold := func(group int, a alias, at int64) {
		if holdings[group] == nil {
			holdings[group] = map[alias]*holding{}
		}
		if holdings[group][a] == nil {
			holdings[group][a] = &holding{Alias: a, First: at, Last: at}
		}
		h := holdings[group][a]
		h.First, h.Last = min(h.First, at), max(h.Last, at)
	}
	named := map[alias]bool{}
	ended := map[alias]bool{}
	for _, c := range n.cells {
		for _, a := range []alias{c.bsuid, c.parent, c.phone} {
			named[a] = true
			if a.IsStable() {
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
	current := map[alias]int{}
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
			return s.at == latest.at && s.text.IsValid() && n.stable[s.text] == n.stable[latest.text] && s.side != 0 && !ended[s.bsuid]
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
			case c.bsuid.IsValid():
				owner = n.stable[c.bsuid]
			case c.parent.IsValid():
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

	least := map[int]alias{}
	for group, aliases := range holdings {
		p := person{Username: labels[group][0].Text, Name: labels[group][1].Text}
		for a, h := range aliases {
			switch {
			case a.IsStable():
				h.Current = !ended[a]
				for b, other := range aliases {
					if a.Kind == b.Kind && a.Scope == b.Scope && !ended[b] &&
						(other.Last > h.Last || other.Last == h.Last && b.Value > a.Value) {
						h.Current = false
					}
				}
			default:
				h.Current = current[a] == group
				if text := n.received[a].Text; text != a.Value {
					h.Received = text
				}
			}
			p.Aliases = append(p.Aliases, *h)
		}
		slices.SortFunc(p.Aliases, func(a, b holding) int { return cmp.Compare(a.Alias.String(), b.Alias.String()) })
		least[group] = p.Aliases[0].Alias
		people = append(people, p)
	}
	slices.SortFunc(people, func(p, q person) int {
		a, b := p.Aliases[0], q.Aliases[0]
		isCurrent := func(h holding) int {
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
		owned := slices.DeleteFunc(slices.Clone(list), func(s naiveSighting) bool { return !s.text.IsValid() })
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
			conflicts = append(conflicts, rules.Conflict{Phone: phone, From: least[s.from], To: least[s.to], At: at})
		}
	}
	slices.SortFunc(conflicts, func(a, b rules.Conflict) int {
		return cmp.Or(cmp.Compare(a.Phone.String(), b.Phone.String()), cmp.Compare(a.At, b.At),
			cmp.Compare(a.From.String(), b.From.String()), cmp.Compare(a.To.String(), b.To.String()))
	})
	return people, conflicts
}

// owner returns the node that holds a sighting.
func (n *naive) owner(phone alias, s naiveSighting) any {
	if s.text.IsValid() {
		return n.stable[s.text]
	}
	return n.holder(phone, s.at)
}

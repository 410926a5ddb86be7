package reference

import (
	"cmp"
	"slices"
)

type (
	// A combination is the IDs of sightings: the first and last time, and the latest labels.
	combination struct {
		ids            ids
		first, last    int64
		username, name label
		rest           bool // others of its IDs were forgotten
	}

	// A change has a previous and a current side.
	change struct {
		at    int64
		sides [2]ids
		rest  bool // others of its IDs were forgotten
	}

	// A pair is two IDs, least first.
	pair [2]ID

	// A verdict says that two IDs are one person's, or aren't.
	verdict struct {
		withdrawn bool
		at        int64
		pair      pair
		times     [2]int64 // of joined numbers: when they were theirs
	}

	// A handover says that somebody else has a number from a time on.
	handover struct {
		number ID
		at     int64
	}

	seenKey struct {
		ids    ids
		period int64
	}
)

// Facts are kept facts (section 2).
type Facts struct {
	seen      map[seenKey]combination
	rest      []combination // not merged, because that would lose times
	changes   map[change]bool
	verdicts  map[verdict]bool
	handovers map[handover]bool // false if undone, which is for good
	received  map[ID]label
	crowded   map[ID]bool // known to be, even if a person beside them was forgotten
	without   Rule
}

func newFacts() *Facts {
	return &Facts{
		seen: map[seenKey]combination{}, changes: map[change]bool{}, verdicts: map[verdict]bool{},
		handovers: map[handover]bool{}, received: map[ID]label{}, crowded: map[ID]bool{},
	}
}

// Without returns the same facts, to be judged without some rules.
func (f *Facts) Without(rules Rule) *Facts {
	g := *f
	g.without = rules
	return &g
}

func (f *Facts) off(r Rule) bool { return f.without&r != 0 }

func (f *Facts) see(c combination) {
	if c.rest {
		f.rest = append(f.rest, c)
		return
	}
	key := seenKey{ids: c.ids}
	if c.ids.bare() {
		key.period = c.first / period
	}
	if old, found := f.seen[key]; found {
		c.first, c.last = min(c.first, old.first), max(c.last, old.last)
		c.username, c.name = old.username.later(c.username), old.name.later(c.name)
	}
	f.seen[key] = c
}

func (f *Facts) change(c change) {
	if c.sides[previous] != c.sides[current] {
		f.changes[c] = true
	}
}

func (f *Facts) handOver(h handover, undo bool) {
	counts, found := f.handovers[h]
	f.handovers[h] = !undo && (counts || !found)
}

// latest returns the verdicts that count: of each pair, the latest withdrawal unless something
// was joined later, and what was joined after the latest withdrawal.
func (f *Facts) latest() (joined []verdict, withdrawn map[pair]bool) {
	last, lastJoined := map[pair]int64{}, map[pair]int64{}
	for v := range f.verdicts {
		if v.withdrawn {
			last[v.pair] = max(last[v.pair], v.at)
		} else {
			lastJoined[v.pair] = max(lastJoined[v.pair], v.at)
		}
	}
	withdrawn = map[pair]bool{}
	for v := range f.verdicts {
		switch {
		case !v.withdrawn && v.at > last[v.pair]:
			joined = append(joined, v)
		case v.withdrawn && v.at >= lastJoined[v.pair]:
			withdrawn[v.pair] = true
		}
	}
	return joined, withdrawn
}

func newPair(a, b ID) pair {
	if compareIDs(a, b) > 0 {
		a, b = b, a
	}
	return pair{a, b}
}

// combinations returns what was seen, in a fixed order.
func (f *Facts) combinations() []combination {
	list := slices.Clone(f.rest)
	for _, c := range f.seen {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b combination) int {
		return cmp.Or(a.ids.compare(b.ids), cmp.Compare(a.first, b.first))
	})
	return list
}

func (s ids) compare(t ids) int {
	return cmp.Or(compareIDs(s.bsuid, t.bsuid), compareIDs(s.parent, t.parent), compareIDs(s.number, t.number))
}

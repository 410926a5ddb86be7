package identity

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/contact/identity/internal/rules"
	"github.com/hailmark/hailmark/contact/identity/store"
)

const start = 1_786_000_000

// streams returns how many random streams a test tries: n, times IDENTITY_STREAMS.
func streams(t testing.TB, n int) int {
	if text := os.Getenv("IDENTITY_STREAMS"); text != "" {
		factor, err := strconv.Atoi(text)
		require.NoError(t, err)
		return n * factor
	}
	return n
}

func mustAlias(kind Kind, scope, value string) Alias {
	a, err := NewAlias(kind, scope, value)
	if err != nil {
		panic(err)
	}
	return a
}

func newTestEngine() (*Engine, store.Store) {
	m := store.NewMemory()
	return NewEngine(m, Config{}), m
}

func seen(t testing.TB, at int64, bsuid, phone string) Fact {
	return seenFact(t, at, contact.IDs{BSUID: bsuid, Phone: phone})
}

// People is the result of Partition.
type People struct {
	Persons   []Person   `json:"persons"`
	Conflicts []Conflict `json:"conflicts"`
}

func people(persons []Person, conflicts []Conflict) People {
	return People{append([]Person{}, persons...), append([]Conflict{}, conflicts...)}
}

func partition(facts ...Fact) People { return people(Partition(facts)) }

func peopleOf(persons []rules.Person, conflicts []rules.Conflict) (out People) {
	out = people(nil, nil)
	for i := range persons {
		out.Persons = append(out.Persons, personOf(&persons[i]))
	}
	for _, c := range conflicts {
		out.Conflicts = append(out.Conflicts, conflictOf(c))
	}
	return out
}

// A truth is the partition of all facts in a store, with the IDs.
type truth struct {
	*rules.Solution
	persons []rules.Person
	people  People
	index   map[rules.Node]int
	ids     []PersonID // by person
}

// idAt returns the ID of whoever has an alias at a time, or zero.
func (p *truth) idAt(a Alias, at int64) PersonID {
	if root, known := p.HolderAt(a.id, at); known {
		if i, listed := p.index[root]; listed {
			return p.ids[i]
		}
	}
	return PersonID{}
}

// stored solves all facts in a store at once and requires its holdings and IDs to agree.
func stored(t testing.TB, m store.Store) People {
	t.Helper()
	return check(t, m).people
}

func check(t testing.TB, m store.Store, what ...any) *truth {
	t.Helper()
	rows := allRows(m)
	s := rules.NewState()
	require.NoError(t, loadRows(s, rows.Facts), what...)
	p := &truth{Solution: rules.Solve(s), index: map[rules.Node]int{}}
	p.persons = p.Persons()
	p.people = peopleOf(p.persons, p.Conflicts(p.persons))
	p.ids = make([]PersonID, len(p.people.Persons))
	for i := range p.persons {
		p.index[p.persons[i].Root] = i
	}
	type key struct {
		alias string
		piece rules.Piece
	}
	want := map[key]bool{} // whether it's current
	for _, a := range p.IDs() {
		for _, piece := range p.Periods(a) {
			if _, listed := p.index[piece.Root]; listed {
				want[key{a.String(), piece}] = p.IsCurrent(a, piece)
			}
		}
	}
	require.Len(t, rows.Holdings, len(want), what...)
	for _, h := range rows.Holdings {
		known := false
		for k, current := range want {
			if k.alias != h.Alias || k.piece.Since != h.Since || k.piece.Until != h.Until || current != h.Current {
				continue
			}
			i := p.index[k.piece.Root]
			if hidden := h.Since > h.Until; hidden && p.ids[i] != PersonID(h.Person) && !p.ids[i].IsZero() {
				continue // another one of the same second
			}
			known = true
			if p.ids[i].IsZero() {
				p.ids[i] = PersonID(h.Person)
			}
			require.Equal(t, p.ids[i], PersonID(h.Person), what...)
			break
		}
		require.True(t, known, append([]any{fmt.Sprintf("%+v: ", h)}, what...)...)
	}
	known := map[PersonID]bool{{}: true}
	for _, id := range p.ids {
		require.False(t, known[id], what...)
		known[id] = true
	}
	requireAnchors(t, p, rows.Persons, what...)
	doubtful := map[string]bool{}
	for _, c := range p.people.Conflicts {
		doubtful[c.Alias.String()] = true
	}
	for alias := range doubtful {
		require.Contains(t, rows.Doubtful, alias, what...)
	}
	return p
}

// requireAnchors requires that each person has an ID, the only one at a stable alias if they have any.
func requireAnchors(t testing.TB, p *truth, rows []store.Person, what ...any) {
	anchored := make([][]store.Person, len(p.ids))
	for _, row := range rows {
		a, ok := rules.ParseAlias(row.Anchor)
		require.True(t, ok)
		if root, known := p.HolderAt(a, row.At); known {
			if i, listed := p.index[root]; listed {
				anchored[i] = append(anchored[i], row)
			}
		}
	}
	for i, ids := range anchored {
		require.NotEmpty(t, ids, what...)
		if a, _ := rules.ParseAlias(ids[0].Anchor); len(ids) == 1 && p.persons[i].Aliases[0].Alias.IsStable() {
			require.True(t, a.IsStable(), what...)
		}
	}
}

func equalPeople(a, b People) bool {
	return slices.EqualFunc(a.Persons, b.Persons, func(a, b Person) bool {
		return slices.Equal(a.Aliases, b.Aliases) && a.Username == b.Username && a.Name == b.Name
	}) && slices.Equal(a.Conflicts, b.Conflicts)
}

// A follower keeps messages and notes with their people by the changes only.
type follower struct {
	messages []Sighting
	notes    map[PersonID]PersonID // where the note about each ID is now
	passed   map[Conflict]int      // reports by alias and time
}

func newFollower() *follower {
	return &follower{notes: map[PersonID]PersonID{}, passed: map[Conflict]int{}}
}

func (f *follower) follow(changes []Change) {
	for _, c := range changes {
		if c.Kind == Merged {
			for about, at := range f.notes {
				if at == c.From {
					f.notes[about] = c.To
				}
			}
		}
		if c.Kind == Conflicted {
			f.passed[Conflict{Kind: c.Conflict, Alias: c.Alias, At: c.Since}]++
		}
		if c.Kind == Moved {
			for i := range f.messages {
				if s := &f.messages[i]; s.Alias == c.Alias && c.Since <= s.At && s.At <= c.Until {
					s.Person = c.To
				}
			}
		}
	}
}

// After each call, in whatever order, size and repetition: the people are those of the
// pure partition, every ID ever returned leads to a person, and a
// follower of the changes has each message with its person. Known facts change nothing.
func TestEngineEqualsPartition(t *testing.T) {
	for seed := range streams(t, 1000) {
		testStream(t, uint64(seed))
	}
}

func testStream(t testing.TB, seed uint64) {
	ctx := t.Context()
	w := newWorld(seed)
	facts := w.shuffled(w.facts())
	e, m := newTestEngine()
	forgets := seed%5 == 4
	state := rules.NewState()
	f := newFollower()
	known := map[PersonID]bool{}
	for i := 0; i < len(facts); {
		n := 1
		if seed%2 == 1 {
			n = min(1+w.IntN(4), len(facts)-i)
		}
		batch := facts[i : i+n]
		i += n
		if w.IntN(3) == 0 { // a message to somebody, which is no evidence
			a, at := w.alias(), w.at()
			f.messages = append(f.messages, Sighting{check(t, m).idAt(a, at), a, at})
		}
		sightings, changes, err := e.Observe(ctx, batch...)
		require.NoError(t, err, "seed %d, fact %d", seed, i)
		changed := false
		for _, fact := range batch {
			changed = state.Add(&fact.rule) || changed
		}
		if !changed && !forgets {
			require.Empty(t, changes, "seed %d, fact %d", seed, i)
		}
		f.follow(changes)
		for j, s := range sightings {
			if batch[j].rule.Kind <= rules.Changed { // a message, which no operator sends
				f.messages = append(f.messages, s)
			}
		}
		got := check(t, m, "seed %d, fact %d", seed, i)
		if !forgets {
			want := peopleOf(rules.Partition(state))
			if !equalPeople(want, got.people) {
				require.Equal(t, want, got.people, "seed %d, fact %d", seed, i)
			}
		}
		for j, s := range sightings {
			require.Equal(t, got.idAt(s.Alias, s.At), s.Person, "seed %d, fact %d: sighting %d", seed, i, j)
		}
		f.check(t, got, "seed %d, fact %d", seed, i)
		for _, id := range got.ids {
			known[id] = true
		}
		if forgets && w.IntN(4) == 0 && len(got.ids) > 0 {
			gone, changes, err := e.Forget(ctx, got.ids[w.IntN(len(got.ids))])
			require.NoError(t, err, "seed %d, fact %d", seed, i)
			for _, id := range gone {
				require.True(t, known[id], "seed %d, fact %d", seed, i)
				delete(known, id)
				_, found, err := e.Person(ctx, id)
				require.NoError(t, err)
				require.False(t, found)
			}
			remove := func() {
				f.messages = slices.DeleteFunc(f.messages, func(s Sighting) bool { return slices.Contains(gone, s.Person) })
			}
			others := slices.Clone(f.messages)
			f.follow(changes)
			remove()
			left := f.messages
			f.messages = others
			remove()
			others = slices.Clone(f.messages)
			f.follow(changes)
			for j := range others { // only somebody unknown can get another's messages
				if others[j] != f.messages[j] {
					require.NotContains(t, got.ids, f.messages[j].Person, "seed %d, fact %d: others' messages", seed, i)
				}
			}

			require.Equal(t, left, f.messages, "seed %d, fact %d: the order of deletions and changes", seed, i)
			maps.DeleteFunc(f.notes, func(_, at PersonID) bool { return slices.Contains(gone, at) })
			before := got
			got = check(t, m, "seed %d, fact %d, forgotten", seed, i)
			requireOthers(t, before, got, gone, "seed %d, fact %d, forgotten", seed, i)
			f.check(t, got, "seed %d, fact %d, forgotten", seed, i)
			for _, id := range got.ids { // what remains of others can have a new ID
				known[id] = true
			}
		}
		for id := range known {
			profile, found, err := e.Person(ctx, id)
			require.NoError(t, err)
			require.True(t, found, "seed %d, fact %d: %s", seed, i, id)
			ids, err := e.IDs(ctx, id)
			require.NoError(t, err)
			require.Equal(t, profile.ID, ids[0], "seed %d, fact %d", seed, i)
			require.Contains(t, ids, id, "seed %d, fact %d", seed, i)
			if _, noted := f.notes[id]; !noted {
				f.notes[id] = profile.ID
			}
			if len(profile.Aliases) > 0 {
				at := slices.Index(got.ids, profile.ID)
				require.GreaterOrEqual(t, at, 0, "seed %d, fact %d: %s", seed, i, id)
				profile.ID = PersonID{}
				require.Equal(t, got.people.Persons[at], profile, "seed %d, fact %d: %s", seed, i, id)
			} else {
				require.NotContains(t, got.ids, id, "seed %d, fact %d: %s", seed, i, id)
			}
		}
		for id, at := range f.notes {
			profile, _, err := e.Person(ctx, at)
			require.NoError(t, err)
			if len(profile.Aliases) > 0 {
				require.Equal(t, profile.ID, at, "seed %d, fact %d: the note about %s", seed, i, id)
			}
		}
	}
	if !forgets {
		require.True(t, equalPeople(people(Partition(facts)), peopleOf(rules.Partition(state))), "seed %d", seed)
	}
}

// check tests that each message has the person that the partition says, if there is one, and that
// each conflict was reported.
func (f *follower) check(t testing.TB, p *truth, what ...any) {
	for _, s := range f.messages {
		if want := p.idAt(s.Alias, s.At); !want.IsZero() && want != s.Person {
			require.Equal(t, want, s.Person, append(slices.Clone(what), s)...)
		}
	}
	found := map[Conflict]int{}
	for _, k := range p.people.Conflicts {
		k = Conflict{Kind: k.Kind, Alias: k.Alias, At: k.At}
		found[k]++
		require.LessOrEqual(t, found[k], f.passed[k], what...)
	}
}

// requireOthers tests that other people keep their IDs, names, BSUIDs and parent BSUIDs and which of them
// are current, and that whoever is new is known by a number only.
func requireOthers(t testing.TB, before, after *truth, gone []PersonID, what ...any) {
	for i, id := range after.ids {
		if !slices.Contains(before.ids, id) {
			require.Equal(t, KindPhone, after.people.Persons[i].Aliases[0].Alias.Kind(), what...)
		}
	}
	for i, id := range before.ids {
		if slices.Contains(gone, id) {
			continue
		}
		stable := func(p Person) (current map[Alias]bool) {
			for _, h := range p.Aliases {
				if h.Alias.id.IsStable() {
					if current == nil {
						current = map[Alias]bool{}
					}
					current[h.Alias] = h.Current
				}
			}
			return current
		}
		was := before.people.Persons[i]
		j := slices.Index(after.ids, id)
		if j < 0 && stable(was) == nil { // only an operator's statement still contains their number
			continue
		}
		require.GreaterOrEqual(t, j, 0, what...)
		now := after.people.Persons[j]
		require.Equal(t, stable(was), stable(now), what...)
		require.Equal(t, [2]string{was.Username, was.Name}, [2]string{now.Username, now.Name}, what...)
	}
}

// allRows returns the rows in a store in memory.
func allRows(m store.Store) store.Rows { return m.(interface{ Rows() store.Rows }).Rows() }

// joinedAliases joins two aliases, numbers at the statement's time.
func joinedAliases(at int64, a, b Alias) (Fact, error) {
	return Joined(at, Sighting{Alias: a}, Sighting{Alias: b})
}

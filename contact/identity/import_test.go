package identity

import (
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/contact/identity/store"
)

func TestImport(t *testing.T) {
	e, m := newTestEngine()
	contacts := func(yield func(PersonID, []Fact) bool) {
		for i := range 2500 {
			if !yield(PersonID{1, byte(i >> 8), byte(i)}, []Fact{seen(t, start+int64(i), "", fmt.Sprint(16505550000+i/2))}) {
				return
			}
		}
	}
	for range 2 {
		done := 0
		require.NoError(t, e.Import(t.Context(), contacts, func(n int, _ []Change) { done = n }))
		require.Equal(t, 2500, done)
	}
	got := check(t, m)
	require.Len(t, got.ids, 1250)
	for i := range 2500 {
		profile, found, err := e.Person(t.Context(), PersonID{1, byte(i >> 8), byte(i)})
		require.NoError(t, err)
		require.True(t, found)
		require.Equal(t, PersonID{1, byte(i / 2 * 2 >> 8), byte(i / 2 * 2)}, profile.ID)
	}
	err := e.Import(t.Context(), func(yield func(PersonID, []Fact) bool) { yield(PersonID{}, make([]Fact, 1)) }, nil)
	require.ErrorContains(t, err, "zero Fact")
}

// An imported ID leads to its person even if the facts were known, and the caller learns that
// the person has another one.
func TestImportKnown(t *testing.T) {
	e, m := newTestEngine()
	known := seen(t, start, "US.1", "")
	jane := observe(t, e, known).sightings[0].Person
	own := PersonID{1}
	var changes []Change
	contacts := func(yield func(PersonID, []Fact) bool) { yield(own, []Fact{known}) }
	require.NoError(t, e.Import(t.Context(), contacts, func(_ int, c []Change) { changes = c }))
	profile, found, err := e.Person(t.Context(), own)
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, jane, profile.ID)
	require.Equal(t, []Change{{Kind: Merged, From: own, To: jane}}, changes)
	check(t, m)
	require.NoError(t, e.Import(t.Context(), contacts, func(_ int, c []Change) { changes = c }))
	require.Empty(t, changes)
}

// An import in transactions of any size ends with the people that contacts observed one by one
// lead to, and each of the caller's own IDs leads to a person. A follower of its changes has each
// message with its person.
func TestImportEqualsObserve(t *testing.T) {
	for seed := range streams(t, 300) {
		w := newWorld(uint64(seed))
		known := w.facts()
		facts := slices.Clone(known)
		var contacts []element
		for i := range 1 + w.IntN(10) {
			c := element{facts: []Fact{w.fact()}}
			for !showsPerson(&c.facts[0].rule) {
				c.facts[0] = w.fact()
			}
			if w.IntN(3) == 0 {
				c.facts = append(c.facts, w.fact())
			}
			if w.IntN(3) > 0 {
				c.id = PersonID{1, byte(w.IntN(i + 1))}
			}
			contacts = append(contacts, c)
			facts = append(facts, c.facts...)
		}
		want := partition(facts...)

		one, m := newTestEngine()
		observe(t, one, known...)
		for _, c := range contacts {
			observe(t, one, c.facts...)
		}
		require.True(t, equalPeople(want, stored(t, m)), "seed %d", seed)

		for size := 1; size < 12; size += 5 {
			e, m := newTestEngine()
			f := newFollower()
			f.follow(observe(t, e, known...).changes)
			for range 5 {
				a, at := w.alias(), w.at()
				f.messages = append(f.messages, Sighting{check(t, m).idAt(a, at), a, at})
			}
			done := 0
			require.NoError(t, e.importBy(t.Context(), size, elements(contacts...), func(n int, changes []Change) {
				done = n
				f.follow(changes)
			}))
			require.Equal(t, len(contacts), done)
			got := check(t, m, 0, "seed %d, size %d", seed, size)
			require.True(t, equalPeople(want, got.people), "seed %d, size %d", seed, size)
			f.check(t, got, "seed %d, size %d", seed, size)
			for _, c := range contacts {
				if c.id.IsZero() {
					continue
				}
				_, found, err := e.Person(t.Context(), c.id)
				require.NoError(t, err)
				require.True(t, found, "seed %d, size %d: %s", seed, size, c.id)
			}
		}
	}
}

// An element is a contact to import.
type element struct {
	id    PersonID
	facts []Fact
}

func elements(contacts ...element) iter.Seq2[PersonID, []Fact] {
	return func(yield func(PersonID, []Fact) bool) {
		for _, c := range contacts {
			if !yield(c.id, c.facts) {
				return
			}
		}
	}
}

// BenchmarkImport imports 100,000 contacts with a BSUID, a number and a name each.
func BenchmarkImport(b *testing.B) {
	contacts := make([]element, 100_000)
	for i := range contacts {
		at := start - int64(i*7919%len(contacts))*600 // not in the order of age
		contacts[i].facts = []Fact{seenFact(b, at, contact.IDs{BSUID: fmt.Sprintf("US.%016d", i), Phone: fmt.Sprintf("1650%07d", i)})}
	}
	for b.Loop() {
		require.NoError(b, NewEngine(store.NewMemory(), Config{}).Import(b.Context(), elements(contacts...), nil))
	}
	b.ReportMetric(float64(b.N*len(contacts))/b.Elapsed().Seconds(), "contacts/s")
}

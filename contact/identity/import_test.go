package identity

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/contact/identity/store"
)

func TestImport(t *testing.T) {
	e, m := newTestEngine()
	var contacts []Contact
	for i := range 2500 {
		contacts = append(contacts, Contact{PersonID{1, byte(i >> 8), byte(i)}, []Fact{seen(t, start+int64(i), "", fmt.Sprint(16505550000+i/2))}})
	}
	for repeated := range 2 {
		for chunk := range slices.Chunk(contacts, 1000) {
			changes, err := e.Import(t.Context(), chunk)
			require.NoError(t, err)
			require.Equal(t, repeated == 1, len(changes) == 0)
		}
	}
	got := check(t, m)
	require.Len(t, got.ids, 1250)
	for i, c := range contacts {
		profile, found, err := e.Person(t.Context(), c.ID)
		require.NoError(t, err)
		require.True(t, found)
		require.Equal(t, PersonID{1, byte(i / 2 * 2 >> 8), byte(i / 2 * 2)}, profile.ID)
	}
	_, err := e.Import(t.Context(), []Contact{{Facts: make([]Fact, 1)}})
	require.ErrorContains(t, err, "zero Fact")
	changes, err := e.Import(t.Context(), []Contact{{ID: PersonID{1}}})
	require.NoError(t, err)
	require.Empty(t, changes)
}

// An imported ID leads to its person even if the facts were known, and the caller learns that
// the person has another one.
func TestImportKnown(t *testing.T) {
	e, m := newTestEngine()
	known := seen(t, start, "US.1", "")
	jane := observe(t, e, known).sightings[0].Person
	own := PersonID{1}
	contacts := []Contact{{own, []Fact{known}}}
	changes, err := e.Import(t.Context(), contacts)
	require.NoError(t, err)
	profile, found, err := e.Person(t.Context(), own)
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, jane, profile.ID)
	require.Equal(t, []Change{{Kind: Merged, From: own, To: jane}}, changes)
	check(t, m)
	changes, err = e.Import(t.Context(), contacts)
	require.NoError(t, err)
	require.Empty(t, changes)
}

// An import in chunks of any size, which is interrupted before or after a chunk's commit and begins again,
// ends with the people that contacts observed one by one lead to, and each of the caller's own IDs leads to
// a person. A follower of the changes that were committed has each message with its person, in one update
// of all rows for each chunk.
func TestImportEqualsObserve(t *testing.T) {
	for seed := range streams(t, 150) {
		w := newWorld(uint64(seed))
		known := w.facts()
		facts := slices.Clone(known)
		var contacts []Contact
		for i := range 1 + w.IntN(10) {
			c := Contact{Facts: []Fact{w.fact()}}
			for !showsPerson(&c.Facts[0].rule) {
				c.Facts[0] = w.fact()
			}
			if w.IntN(3) == 0 {
				c.Facts = append(c.Facts, w.fact())
			}
			if w.IntN(3) > 0 {
				c.ID = PersonID{1, byte(w.IntN(i + 1))}
			}
			contacts = append(contacts, c)
			facts = append(facts, c.Facts...)
		}
		want := partition(facts...)

		one, m := newTestEngine()
		observe(t, one, known...)
		for _, c := range contacts {
			observe(t, one, c.Facts...)
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
			for crashes := 1; crashes >= 0; crashes-- {
				for chunk := range slices.Chunk(contacts, size) {
					var changes []Change
					crash := crashes > 0 && w.IntN(3) == 0
					err := m.Update(t.Context(), func(tx store.Tx) (err error) {
						changes, err = e.WithTx(tx).Import(t.Context(), chunk)
						if crash && err == nil {
							err = errCrash
						}
						return err
					})
					if crash {
						require.ErrorIs(t, err, errCrash)
						break
					}
					require.NoError(t, err)
					requireOneUpdate(t, changes)
					f.follow(changes)
				}
			}
			got := check(t, m, 0, "seed %d, size %d", seed, size)
			require.True(t, equalPeople(want, got.people), "seed %d, size %d", seed, size)
			f.check(t, got, "seed %d, size %d", seed, size)
			for _, c := range contacts {
				if c.ID.IsZero() {
					continue
				}
				_, found, err := e.Person(t.Context(), c.ID)
				require.NoError(t, err)
				require.True(t, found, "seed %d, size %d: %s", seed, size, c.ID)
			}
		}
	}
}

var errCrash = errors.New("crash")

// requireOneUpdate requires that no message is moved twice, so that one statement can apply all changes.
func requireOneUpdate(t *testing.T, changes []Change) {
	t.Helper()
	for i, a := range changes {
		for _, b := range changes[:i] {
			if a.Kind == Moved && b.Kind == Moved && a.Alias == b.Alias {
				require.False(t, a.Since <= b.Until && b.Since <= a.Until, "%v and %v", a, b)
			}
		}
	}
}

// BenchmarkImport imports 100,000 contacts with a BSUID, a number and a name each.
func BenchmarkImport(b *testing.B) {
	contacts := make([]Contact, 100_000)
	for i := range contacts {
		at := start - int64(i*7919%len(contacts))*600 // not in the order of age
		contacts[i].Facts = []Fact{seenFact(b, at, contact.IDs{BSUID: fmt.Sprintf("US.%016d", i), Phone: fmt.Sprintf("1650%07d", i)})}
	}
	for b.Loop() {
		e := NewEngine(store.NewMemory(), Config{})
		for chunk := range slices.Chunk(contacts, 1000) {
			_, err := e.Import(b.Context(), chunk)
			require.NoError(b, err)
		}
	}
	b.ReportMetric(float64(b.N*len(contacts))/b.Elapsed().Seconds(), "contacts/s")
}

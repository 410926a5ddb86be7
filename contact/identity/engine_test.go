package identity

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// streams returns how many random streams a test tries: n, times IDENTITY_STREAMS.
func streams(t testing.TB, n int) int {
	if text := os.Getenv("IDENTITY_STREAMS"); text != "" {
		factor, err := strconv.Atoi(text)
		require.NoError(t, err)
		return n * factor
	}
	return n
}

// deterministic is a source of ids for tests.
type deterministic struct{ *rand.Rand }

func (d deterministic) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(d.Uint32())
	}
	return len(p), nil
}

func newTestEngine() (*Engine, *Memory) {
	m := new(Memory)
	return NewEngine(m, Config{Random: deterministic{rand.New(rand.NewPCG(1, 2))}}), m
}

// stored returns the persons and conflicts in a store, and the id of each person.
func stored(t testing.TB, m *Memory, what ...any) (People, []PersonID) {
	var people People
	type named struct {
		Person
		id PersonID
	}
	var all []named
	ctx := t.Context()
	err := m.View(ctx, func(tx Tx) error {
		for id := range m.clusters {
			c, err := tx.Load(ctx, []int64{id})
			if err != nil {
				return err
			}
			p := newPopulation(&c)
			people.Conflicts = append(people.Conflicts, p.conflicts(p.persons, p.index)...)
			for i, person := range p.persons {
				all = append(all, named{person, p.ids[i]})
			}
			for i := range c.Aliases {
				row := &c.Aliases[i]
				want := PersonID{}
				switch n := p.state.numberOf(row.Alias); {
				case !row.Alias.IsStable():
					want = p.id(p.user(n))
				case p.named[n]:
					want = p.id(p.personOf(n))
				}
				if want != row.Person {
					return fmt.Errorf("%s has the person %s, not %s", row.Alias, row.Person, want)
				}
			}
		}
		return nil
	})
	require.NoError(t, err, what...)
	slices.SortFunc(all, func(a, b named) int { return comparePersons(&a.Person, &b.Person) })
	slices.SortFunc(people.Conflicts, func(a, b Conflict) int {
		return cmp.Or(a.Phone.Compare(b.Phone), cmp.Compare(a.At, b.At), a.From.Compare(b.From), a.To.Compare(b.To))
	})
	var ids []PersonID
	for _, n := range all {
		people.Persons, ids = append(people.Persons, n.Person), append(ids, n.id)
	}
	return people, ids
}

// The engine gives the persons of the batch partition after every fact, whatever the
// order and the repetitions, and the same changes whether or not it loads the cluster.
func TestEngineEqualsPartition(t *testing.T) {
	for seed := range streams(t, 1000) {
		testStream(t, uint64(seed))
	}
}

func testStream(t testing.TB, seed uint64) {
	ctx := context.Background()
	w := newWorld(seed)
	facts := w.shuffled(w.facts())
	e, m := newTestEngine()
	slow, _ := newTestEngine()
	slow.noFast = true
	compareChanges, comparePrefixes := seed%4 == 0, seed%8 < 3
	state := new(State)
	for i, f := range facts {
		result, err := e.Observe(ctx, f)
		require.NoError(t, err)
		if compareChanges {
			slowly, err := slow.Observe(ctx, f)
			require.NoError(t, err)
			if !reflect.DeepEqual(slowly.Persons, result.Persons) ||
				!reflect.DeepEqual(withoutConflicts(slowly.Changes), withoutConflicts(result.Changes)) {
				require.Equal(t, slowly, result, "seed %d, fact %d", seed, i)
			}
		}
		if !state.Add(f) && len(result.Changes) > 0 {
			t.Fatalf("seed %d, fact %d: a known fact changes %v", seed, i, result.Changes)
		}
		if !comparePrefixes && i < len(facts)-1 {
			continue
		}
		want := Partition(state)
		got, ids := stored(t, m, "seed %d, fact %d", seed, i)
		if !equalPeople(want, got) {
			require.Equal(t, want, got, "seed %d, fact %d", seed, i)
		}
		slices.SortFunc(ids, func(a, b PersonID) int { return slices.Compare(a[:], b[:]) })
		ids = slices.Compact(ids)
		if len(ids) != len(want.Persons) || len(ids) > 0 && ids[0].IsZero() {
			t.Fatalf("seed %d, fact %d: %d persons have the ids %s", seed, i, len(want.Persons), ids)
		}
	}
}

func equalPeople(a, b People) bool {
	return slices.EqualFunc(a.Persons, b.Persons, equalPersons) && slices.Equal(a.Conflicts, b.Conflicts)
}

func equalPersons(a, b Person) bool {
	return slices.Equal(a.Aliases, b.Aliases) && a.Username == b.Username && a.Name == b.Name
}

func withoutConflicts(changes []Change) []Change {
	var rest []Change
	for _, c := range changes {
		if _, conflict := c.(Conflicted); !conflict {
			rest = append(rest, c)
		}
	}
	return rest
}

// Two components of one person become one: that can decide who uses a number, although
// the fact does not name it.
func TestObserveConnectsComponents(t *testing.T) {
	e, m := newTestEngine()
	parent := func(at int64, bsuid string) Fact {
		return mustFact(t)(Seen(at, Scope{}, IDs{BSUID: bsuid, Parent: "US.ENT.1"}, Labels{}))
	}
	observeAll(t, e,
		mustFact(t)(Changed(5, Scope{}, IDs{BSUID: "US.2"}, IDs{BSUID: "US.3"})),
		parent(7, "US.3"),
		seen(t, 8, "US.2", "16505550001"),
		mustFact(t)(Joined(9, us1, number1)),
		seen(t, 10, "US.2", "16505550001"),
		seen(t, 10, "US.1", "16505550001"),
	)
	require.True(t, find(t, e, number1).IsZero(), "the last sighting is beside an ended BSUID")
	person := observe(t, e, parent(11, "US.1")).Persons[0]
	require.Equal(t, person, find(t, e, number1))
	stored(t, m)
}

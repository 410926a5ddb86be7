package identity

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Two states joined, in either order, are the state of all their facts.
func TestStateJoin(t *testing.T) {
	for seed := range uint64(500) {
		w := newWorld(seed)
		facts := w.facts()
		half := len(facts) / 2
		want := Partition(NewState(facts...))
		for _, order := range [][2][]Fact{{facts[:half], facts[half:]}, {facts[half:], facts[:half]}} {
			s := NewState(order[0]...)
			s.Join(NewState(order[1]...))
			require.Equal(t, want, Partition(s), "seed %d", seed)
			s.Join(s)
			require.Equal(t, want, Partition(s), "seed %d, joined with itself", seed)
		}
	}
}

// NotHandedOver takes back the handover of the same number and time, in any order.
func TestNotHandedOver(t *testing.T) {
	fact := mustFact(t)
	handed := fact(HandedOver(1786000300, "", "16505551234"))
	undone := fact(NotHandedOver(1786000300, "", "16505551234"))
	seen := []Fact{seenFact(t, 1786000000, IDs{Phone: "16505551234"}), seenFact(t, 1786000400, IDs{Phone: "16505551234"})}
	require.Len(t, Partition(NewState(append(seen, handed)...)).Persons, 2)
	require.Len(t, Partition(NewState(append(seen, handed, undone)...)).Persons, 1)
	require.Len(t, Partition(NewState(append(seen, undone, handed)...)).Persons, 1)
}

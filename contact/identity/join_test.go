package identity

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact"
)

// NotHandedOver takes back the handover of the same number and time, in any order.
func TestNotHandedOver(t *testing.T) {
	fact := mustFact(t)
	handed := fact(HandedOver(1786000300, "", "16505551234"))
	undone := fact(NotHandedOver(1786000300, "", "16505551234"))
	seen := []Fact{seenFact(t, 1786000000, contact.IDs{Phone: "16505551234"}), seenFact(t, 1786000400, contact.IDs{Phone: "16505551234"})}
	require.Len(t, partition(append(seen, handed)...).Persons, 2)
	require.Len(t, partition(append(seen, handed, undone)...).Persons, 1)
	require.Len(t, partition(append(seen, undone, handed)...).Persons, 1)
}

package identity

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEvidenceOf(t *testing.T) {
	must := func(f Fact, err error) Fact {
		require.NoError(t, err)
		return f
	}
	one, two, phone := MustAlias(KindBSUID, "", "US.1"), MustAlias(KindBSUID, "", "US.2"), MustAlias(KindPhone, "", "16505550001")
	seen := must(Seen(1, Scope{}, IDs{BSUID: "US.1", Phone: "16505550001"}, Labels{}))
	alone := must(Seen(2, Scope{}, IDs{BSUID: "US.2"}, Labels{}))
	changed := must(Changed(3, Scope{}, IDs{BSUID: "US.2"}, IDs{BSUID: "US.3"}))
	joined := must(Joined(4, one, two))
	handed := must(HandedOver(5, "", "16505550001"))
	s := NewState(seen, alone, changed, joined, handed)

	only := func(aliases ...Alias) Evidence {
		return s.EvidenceOf(func(a Alias) bool {
			for _, wanted := range aliases {
				if a == wanted {
					return true
				}
			}
			return false
		})
	}
	require.Equal(t, s.Evidence(), only(one, two, phone))
	require.Equal(t, NewState(seen, handed).Evidence(), only(phone))
	require.Equal(t, NewState(seen, joined).Evidence(), only(one))
	require.Equal(t, NewState(alone, changed, joined).Evidence(), only(two))
	require.Equal(t, NewState(changed).Evidence(), only(MustAlias(KindBSUID, "", "US.3")))
	require.Equal(t, Evidence{}, only())
	require.Equal(t, Evidence{}, new(State).EvidenceOf(func(Alias) bool { return true }))
}

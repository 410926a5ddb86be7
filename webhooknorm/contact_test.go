package webhooknorm

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Contacts whose ids have the same hash are told apart.
func TestContactsWithEqualHashes(t *testing.T) {
	payload := []byte(`{"contacts":[` +
		`{"user_id":"US.1","profile":{"name":"Ada"}},{"user_id":"US.2","profile":{"name":"Bo"}},{"user_id":"US.2","profile":{"username":"bo"}}],"messages":[]}`)
	var r reader
	r.Init(payload)
	r.payload = payload
	require.True(t, r.readPayload())
	require.Len(t, r.value.contacts.index, 3)

	end := r.Offset()
	one, two, three := key{byUser, "US.1"}, key{byUser, "US.2"}, key{byUser, "US.3"}
	for _, k := range []key{one, two, one, three, two} {
		for i := range r.value.contacts.index {
			r.value.contacts.index[i].hash = k.hash()
		}
		c := r.lookUp(k)
		switch k {
		case one:
			require.Equal(t, &contactFacts{user: fact{text: "US.1"}, name: fact{text: "Ada"}}, c)
		case two:
			require.Equal(t, &contactFacts{user: fact{text: "US.2"}, username: fact{text: "bo"}, name: fact{text: "Bo"}}, c)
		default:
			require.Nil(t, c)
		}
		require.Equal(t, end, r.Offset())
	}
}

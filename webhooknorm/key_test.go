package webhooknorm_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/webhooknorm"
)

var (
	ada = contact.Person{IDs: contact.IDs{BSUID: "US.1", Phone: "491"}}
	bob = contact.Person{IDs: contact.IDs{Phone: "492"}}
)

// Each line of the doc comment of Key: what repeats and what does not.
func TestKey(t *testing.T) {
	with := func(e webhooknorm.Event, change func(e *webhooknorm.Event)) webhooknorm.Event {
		change(&e)
		return e
	}
	message := webhooknorm.Event{Kind: webhooknorm.KindMessage, Person: ada, MessageID: "wamid.1", Source: webhooknorm.Source{PhoneNumberID: "106", Timestamp: "1"}}
	status := with(message, func(e *webhooknorm.Event) { e.Kind, e.State = webhooknorm.KindStatus, "read" })
	call := with(message, func(e *webhooknorm.Event) { e.Kind, e.State, e.MessageID = webhooknorm.KindCall, "connect", "wacid.1" })
	payment := with(status, func(e *webhooknorm.Event) { e.State = "captured" })

	require.Equal(t, "message:106:wamid.1", message.Key())
	require.Equal(t, "status:106:wamid.1:read:US.1", status.Key())
	require.Equal(t, "status:106:wamid.1:captured:US.1:1", payment.Key())
	require.Equal(t, "call:106:wacid.1:connect:US.1", call.Key())
	require.Equal(t, "status::wamid.1:failed::", webhooknorm.Event{Kind: webhooknorm.KindStatus, MessageID: "wamid.1", State: "failed"}.Key())
	require.Equal(t, "message:1%3A2:a%25%3Ab", webhooknorm.Event{Kind: webhooknorm.KindMessage, MessageID: "a%:b", Source: webhooknorm.Source{PhoneNumberID: "1:2"}}.Key())

	later := func(e *webhooknorm.Event) { e.Timestamp = "2" }
	elsewhere := func(e *webhooknorm.Event) { e.PhoneNumberID = "107" }
	another := func(e *webhooknorm.Event) { e.MessageID += "0" }
	other := func(e *webhooknorm.Event) { e.Person = bob }
	renamed := func(e *webhooknorm.Event) { e.DisplayName, e.Username, e.Raw = "Ada", "ada", []byte("{}") }
	moved := func(state string) func(*webhooknorm.Event) {
		return func(e *webhooknorm.Event) { e.State = state }
	}
	kind := func(k webhooknorm.Kind) func(*webhooknorm.Event) {
		return func(e *webhooknorm.Event) { e.Kind = k }
	}
	for _, c := range []struct {
		name   string
		event  webhooknorm.Event
		change func(*webhooknorm.Event)
		same   bool
	}{
		{"a message, redelivered with other names", message, renamed, true},
		{"a message, with another time", message, later, true},
		{"a message, at another business number", message, elsewhere, false},
		{"another message", message, another, false},
		{"a message, as history", message, kind(webhooknorm.KindHistory), false},
		{"a message, as echo", message, kind(webhooknorm.KindEcho), false},
		{"a status, with another time", status, later, true},
		{"a status sent, with another time", with(status, moved("sent")), later, true},
		{"a status delivered, with another time", with(status, moved("delivered")), later, true},
		{"a status played, with another time", with(status, moved("played")), later, true},
		{"a status of another message", status, another, false},
		{"a status of another participant", status, other, false},
		{"another state", status, moved("delivered"), false},
		{"a status, at another business number", status, elsewhere, false},
		{"a payment captured, redelivered", payment, renamed, true},
		{"a payment captured, then refunded", payment, later, false},
		{"a payment pending again", with(payment, moved("pending")), later, false},
		{"a status failed again", with(status, moved("failed")), later, false},
		{"a call event, redelivered", call, later, true},
		{"another event of a call", call, moved("terminate"), false},
		{"a call event, at another business number", call, elsewhere, false},
		{"a call to the user", call, kind(webhooknorm.KindCallToUser), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.same, c.event.Key() == with(c.event, c.change).Key())
		})
	}
	for _, k := range []webhooknorm.Kind{
		webhooknorm.KindPreference, webhooknorm.KindParticipant, webhooknorm.KindParticipantFailed,
		webhooknorm.KindAppContact, webhooknorm.KindIdentityUpdate, webhooknorm.KindHandover,
	} {
		require.Empty(t, webhooknorm.Event{Kind: k, Person: ada, State: "stop", Source: webhooknorm.Source{Timestamp: "1"}}.Key(), k)
	}
}

func ExampleEvent_Key() {
	delivery := []byte(`{"entry": [{"changes": [{"value": {"metadata": {"phone_number_id": "106"},
		"statuses": [{"id": "wamid.1", "status": "read", "recipient_id": "16505551234"}]}}]}]}`)
	seen := map[string]bool{}
	for range 2 { // the platform delivers at least once
		events, err := webhooknorm.Normalize(delivery)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, e := range events {
			key := e.Key()
			fmt.Println(key, seen[key])
			seen[key] = key != ""
		}
	}
	// Output:
	// status:106:wamid.1:read:16505551234 false
	// status:106:wamid.1:read:16505551234 true
}

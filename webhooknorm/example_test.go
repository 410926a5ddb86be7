package webhooknorm_test

import (
	"errors"
	"fmt"

	"github.com/hailmark/hailmark/webhooknorm"
)

func ExampleNormalize() {
	events, err := webhooknorm.Normalize([]byte(`{
		"object": "whatsapp_business_account",
		"entry": [{"id": "102290129340398", "changes": [{"field": "messages", "value": {
			"metadata": {"phone_number_id": "106540352242922"},
			"contacts": [{"user_id": "US.13491208655302741918", "profile": {"name": "Ada", "username": "ada.l"}}],
			"messages": [{"from_user_id": "US.13491208655302741918", "id": "wamid.1", "type": "text", "text": {"body": "Hi"}}]
		}}]}]
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range events {
		fmt.Printf("%s %s from %s (@%s), BSUID %s, phone %q\n", e.Kind, e.MessageID, e.DisplayName, e.Username, e.BSUID, e.Phone)
	}
	// Output: message wamid.1 from Ada (@ada.l), BSUID US.13491208655302741918, phone ""
}

func ExampleNormalize_status() {
	events, err := webhooknorm.Normalize([]byte(`{"entry": [{"changes": [{"value": {
		"statuses": [{"id": "wamid.1", "status": "read", "recipient_type": "group",
			"recipient_id": "120363418770915618@g.us", "recipient_participant_id": "15550100007"}]
	}}]}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(events[0].Kind, events[0].Phone)
	fmt.Println(string(events[0].Raw[:24]))
	// Output:
	// status 15550100007
	// {"id": "wamid.1", "statu
}

// A receiver reports messages that the platform couldn't deliver, and replies to people.
func ExampleEvent() {
	events, err := webhooknorm.Normalize([]byte(`{"entry": [{"changes": [{"value": {
		"messages": [
			{"from": "16505551234", "id": "wamid.1", "type": "text", "text": {"body": "Hi"}},
			{"from": "16505551234", "id": "wamid.2", "type": "system", "system": {"type": "user_changed_number", "wa_id": "16505559876"}}
		],
		"statuses": [{"id": "wamid.3", "status": "failed", "recipient_id": "16505551234",
			"errors": [{"code": 131047, "title": "Re-engagement message"}]}]
	}}]}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range events {
		to, ok := e.Address()
		switch {
		case e.WantsReply() && ok:
			fmt.Printf("%s: %q, reply with %q: %q\n", e.MessageID, e.Text(), to.Field, to.Value)
		case e.Kind == webhooknorm.KindMessage:
			fmt.Printf("%s: no reply to a message of type %s\n", e.MessageID, e.Type)
		case len(e.Errors) > 0:
			fmt.Printf("%s: %s with error %d (%s)\n", e.MessageID, e.State, e.Errors[0].Code, e.Errors[0].Title)
		}
	}
	// Output:
	// wamid.1: "Hi", reply with "to": "16505551234"
	// wamid.2: no reply to a message of type system
	// wamid.3: failed with error 131047 (Re-engagement message)
}

// Some providers forward a value without the entry and the change around it.
func ExampleNormalize_bareValue() {
	events, err := webhooknorm.Normalize([]byte(`{"messages": [{"from": "+1 (555) 010-0007", "id": "wamid.2"}]}`))
	fmt.Println(events[0].Phone, err)
	// Output: 15550100007 <nil>
}

func ExampleNormalize_errors() {
	_, err := webhooknorm.Normalize([]byte(`{"object": "page"}`))
	fmt.Println(errors.Is(err, webhooknorm.CodeUnrecognizedShape))
	_, err = webhooknorm.Normalize([]byte(`{"entry": [`))
	fmt.Println(errors.Is(err, webhooknorm.CodeInvalidJSON))
	// Output:
	// true
	// true
}

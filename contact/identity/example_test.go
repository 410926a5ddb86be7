package identity_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/contact/identity/store"
	"github.com/hailmark/hailmark/webhooknorm"
)

// Three messages: with the number, with both ids, and with the number hidden. They are
// from one person.
func Example() {
	ctx := context.Background()
	engine := identity.NewEngine(store.NewMemory(), identity.Config{})
	var first identity.PersonID
	for _, ids := range []string{
		`"from":"16505551234"`,
		`"from":"16505551234","from_user_id":"US.13491208655302741918"`,
		`"from_user_id":"US.13491208655302741918"`,
	} {
		payload := `{"entry":[{"changes":[{"value":{"messages":[{` + ids + `,"id":"wamid.1","timestamp":"1786000000","type":"text"}]}}]}]}`
		webhook, err := webhooknorm.Read([]byte(payload))
		if err != nil {
			fmt.Println(err)
			return
		}
		sightings, _, err := engine.ObserveWebhook(ctx, webhook, time.Now())
		if err != nil {
			fmt.Println(err)
			return
		}
		if first.IsZero() {
			first = sightings[0].Person
		}
		address, _ := webhook.Events[0].Address()
		fmt.Println(sightings[0].Person == first, "reply with", address.Field, address.Value)
	}
	// Output:
	// true reply with to 16505551234
	// true reply with to 16505551234
	// true reply with recipient US.13491208655302741918
}

// Two business numbers are in one portfolio, and the third is in another.
func ExampleConfig_scope() {
	portfolios := map[string]string{"106540352242922": "shop", "106540352242923": "shop", "207650463353033": "hotel"}
	engine := identity.NewEngine(store.NewMemory(), identity.Config{
		Scope: func(phoneNumberID string) identity.Scope {
			return identity.Scope{Portfolio: portfolios[phoneNumberID]}
		},
	})
	for _, phoneNumberID := range []string{"106540352242922", "106540352242923", "207650463353033"} {
		webhook, err := webhooknorm.Read([]byte(`{"entry":[{"changes":[{"value":{
			"metadata":{"phone_number_id":"` + phoneNumberID + `"},
			"messages":[{"from_user_id":"US.1","timestamp":"1786000000","type":"text"}]}}]}]}`))
		if err != nil {
			panic(err)
		}
		sightings, changes, err := engine.ObserveWebhook(context.Background(), webhook, time.Now())
		fmt.Println(sightings[0].Alias.Scope(), len(changes) > 0 && changes[0].Kind == identity.Created, err)
	}
	// Output:
	// shop true <nil>
	// shop false <nil>
	// hotel true <nil>
}

// Messages of the caller follow the changes.
func ExampleEngine_ObserveWebhook() {
	ctx := context.Background()
	engine := identity.NewEngine(store.NewMemory(), identity.Config{})
	var messages []identity.Sighting
	for _, message := range []string{
		`{"from":"16505551234","timestamp":"1786000000","type":"text"}`,
		`{"from_user_id":"US.1","timestamp":"1786000001","type":"text"}`,
		`{"from":"16505551234","from_user_id":"US.1","timestamp":"1786000002","type":"text"}`,
	} {
		webhook, err := webhooknorm.Read([]byte(`{"entry":[{"changes":[{"value":{"messages":[` + message + `]}}]}]}`))
		if err != nil {
			panic(err)
		}
		sightings, changes, err := engine.ObserveWebhook(ctx, webhook, time.Now())
		if err != nil {
			panic(err)
		}
		for _, c := range changes {
			if c.Kind == identity.Moved {
				for i := range messages { // UPDATE message SET person = … WHERE alias = … AND at BETWEEN … AND …
					if s := &messages[i]; s.Alias == c.Alias && c.Since <= s.At && s.At <= c.Until {
						s.Person = c.To
					}
				}
			}
		}
		messages = append(messages, sightings...)
	}
	fmt.Println(messages[0].Person == messages[1].Person, messages[1].Person == messages[2].Person)
	// Output: true true
}

// The contacts of a table keep their IDs.
func ExampleEngine_Import() {
	ctx := context.Background()
	engine := identity.NewEngine(store.NewMemory(), identity.Config{})
	var contacts []identity.Contact
	for i, phone := range []string{"16505551234", "16505551235", "16505551234"} {
		f, err := identity.Seen(1_786_000_000+int64(i), identity.Scope{}, contact.Person{IDs: contact.IDs{Phone: phone}})
		if err != nil {
			panic(err)
		}
		contacts = append(contacts, identity.Contact{ID: identity.PersonID{byte(i + 1)}, Facts: []identity.Fact{f}})
	}
	for chunk := range slices.Chunk(contacts, 1000) {
		changes, err := engine.Import(ctx, chunk) // apply the changes in the same transaction: see WithTx
		fmt.Println(len(chunk), "contacts,", len(changes) > 0, err)
	}
	profile, found, _ := engine.Person(ctx, identity.PersonID{3})
	fmt.Println(profile.ID == identity.PersonID{1}, found)
	// Output:
	// 3 contacts, true <nil>
	// true true
}

func ExamplePartition() {
	var facts []identity.Fact
	for _, line := range []string{
		`{"fact":"seen","at":1786000000,"bsuid":"US.1","phone":"16505551234"}`,
		`{"fact":"changed","at":1786000100,"previous":{"bsuid":"US.1","phone":"16505551234"},"current":{"bsuid":"US.2"}}`,
		`{"fact":"seen","at":1786900000,"phone":"16505551234","name":"Somebody else"}`,
	} {
		var f identity.Fact
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			fmt.Println(err)
			return
		}
		facts = append(facts, f)
	}
	out := json.NewEncoder(os.Stdout)
	people, _ := identity.Partition(facts)
	for _, person := range people {
		if err := out.Encode(person); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// {"aliases":[{"kind":"bsuid","value":"US.1","first":1786000000,"last":1786000100,"current":false},{"kind":"bsuid","value":"US.2","first":1786000100,"last":1786000100,"current":true},{"kind":"phone","value":"16505551234","first":1786000000,"last":1786000100,"current":false}]}
	// {"aliases":[{"kind":"phone","value":"16505551234","first":1786900000,"last":1786900000,"current":true}],"name":"Somebody else"}
}

func ExampleFactsOf() {
	payload := `{"entry":[{"changes":[{"value":{
		"metadata":{"phone_number_id":"106540352242922"},
		"statuses":[{"id":"wamid.1","status":"read","timestamp":"1786000000","recipient_id":"16505551234","recipient_user_id":"US.1"}]
	}}]}]}`
	webhook, err := webhooknorm.Read([]byte(payload))
	if err != nil {
		fmt.Println(err)
		return
	}
	portfolios := map[string]string{"106540352242922": "shop"} // by phone number ID
	facts := identity.FactsOf(webhook, time.Now(), func(phoneNumberID string) identity.Scope {
		return identity.Scope{Portfolio: portfolios[phoneNumberID]}
	})
	text, err := json.Marshal(facts[0])
	fmt.Println(string(text), err)
	// Output:
	// {"fact":"seen","at":1786000000,"portfolio":"shop","bsuid":"US.1","phone":"16505551234"} <nil>
}

func ExampleEngine_Forget() {
	ctx := context.Background()
	engine := identity.NewEngine(store.NewMemory(), identity.Config{})
	f, err := identity.Seen(1_786_000_000, identity.Scope{}, contact.Person{IDs: contact.IDs{BSUID: "US.1"}, DisplayName: "Jane"})
	if err != nil {
		fmt.Println(err)
		return
	}
	sightings, _, err := engine.Observe(ctx, f)
	if err != nil {
		fmt.Println(err)
		return
	}
	gone, _, err := engine.Forget(ctx, sightings[0].Person)
	fmt.Println(gone[0] == sightings[0].Person, err)
	again, _, err := engine.Observe(ctx, f)
	fmt.Println(again[0].Person == sightings[0].Person, err)
	// Output:
	// true <nil>
	// false <nil>
}

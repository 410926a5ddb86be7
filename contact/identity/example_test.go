package identity_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/webhooknorm"
)

// Three messages: with the number, with both ids, and with the number hidden. They are
// from one person.
func Example() {
	ctx := context.Background()
	engine := identity.NewEngine(new(identity.Memory), identity.Config{})
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
		result, err := engine.Observe(ctx, identity.FactsOf(webhook, nil)...)
		if err != nil {
			fmt.Println(err)
			return
		}
		if first.IsZero() {
			first = result.Persons[0]
		}
		address, _ := webhook.Events[0].Address()
		fmt.Println(result.Persons[0] == first, "reply with", address.Field, address.Value)
	}
	// Output:
	// true reply with to 16505551234
	// true reply with to 16505551234
	// true reply with recipient US.13491208655302741918
}

// A caller that prefers two contacts to a stranger who reads an old history answers a
// long silence with a handover.
func ExampleMerged() {
	ctx := context.Background()
	engine := identity.NewEngine(new(identity.Memory), identity.Config{})
	seen := func(at int64, bsuid, phone string) identity.Fact {
		f, err := identity.Seen(at, identity.Scope{}, identity.IDs{BSUID: bsuid, Phone: phone}, identity.Labels{})
		if err != nil {
			panic(err)
		}
		return f
	}
	const limit = 365 * 24 * 60 * 60
	for _, f := range []identity.Fact{
		seen(1_700_000_000, "", "16505551234"),
		seen(1_786_000_000, "US.1", ""),
		seen(1_786_000_001, "US.1", "16505551234"), // three years later
	} {
		result, err := engine.Observe(ctx, f)
		if err != nil {
			panic(err)
		}
		for _, change := range result.Changes {
			switch c := change.(type) {
			case identity.Created:
				fmt.Println("new person")
			case identity.Merged:
				fmt.Println("merged after", c.Silence.Seconds()/(24*60*60), "days")
				if s := c.Silence; s.Seconds() > limit {
					split, err := identity.HandedOver(s.LastAlone+1, s.Phone.Scope(), s.Phone.Value())
					if err != nil {
						panic(err)
					}
					if _, err = engine.Observe(ctx, split); err != nil {
						panic(err)
					}
				}
			}
		}
	}
	id, _, _ := engine.Find(ctx, identity.MustAlias(identity.KindBSUID, "", "US.1"))
	person, _, _ := engine.Person(ctx, id)
	fmt.Println("US.1 has the number since", person.Aliases[1].First)
	// Output:
	// new person
	// new person
	// merged after 995 days
	// US.1 has the number since 1786000001
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
	for _, person := range identity.Partition(identity.NewState(facts...)).Persons {
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
	facts := identity.FactsOf(webhook, func(phoneNumberID string) identity.Scope {
		return identity.Scope{Portfolio: portfolios[phoneNumberID]}
	})
	text, err := json.Marshal(facts[0])
	fmt.Println(string(text), err)
	// Output:
	// {"fact":"seen","at":1786000000,"portfolio":"shop","bsuid":"US.1","phone":"16505551234"} <nil>
}

func ExampleEngine_Forget() {
	ctx := context.Background()
	engine := identity.NewEngine(new(identity.Memory), identity.Config{})
	f, err := identity.Seen(1_786_000_000, identity.Scope{}, identity.IDs{BSUID: "US.1"}, identity.Labels{Name: "Jane"})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := engine.Observe(ctx, f)
	if err != nil {
		fmt.Println(err)
		return
	}
	gone, _, err := engine.Forget(ctx, result.Persons[0])
	fmt.Println(gone[0] == result.Persons[0], err)
	again, err := engine.Observe(ctx, f)
	fmt.Println(again.Persons[0] == result.Persons[0], err)
	// Output:
	// true <nil>
	// false <nil>
}

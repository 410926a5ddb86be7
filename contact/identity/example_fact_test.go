package identity_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/contact/identity/store"
)

// line prints a fact in its JSON form.
func line(f identity.Fact, err error) {
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := json.Marshal(f)
	fmt.Println(string(text), err)
}

func ExampleSeen() {
	jane := contact.Person{IDs: contact.IDs{BSUID: "US.1", Phone: "16505551234"}, Username: "jane.doe"}
	line(identity.Seen(1_786_000_000, identity.Scope{Portfolio: "shop"}, jane))
	line(identity.Seen(1_786_000_000, identity.Scope{}, contact.Person{DisplayName: "Jane"}))
	// Output:
	// {"fact":"seen","at":1786000000,"portfolio":"shop","bsuid":"US.1","phone":"16505551234","username":"jane.doe"} <nil>
	// seen requires at least one of bsuid, parent and phone
}

func ExampleChanged() {
	before, after := contact.IDs{BSUID: "US.1", Phone: "16505551234"}, contact.IDs{BSUID: "US.2"}
	line(identity.Changed(1_786_000_100, identity.Scope{}, before, after))
	// Output:
	// {"fact":"changed","at":1786000100,"previous":{"bsuid":"US.1","phone":"16505551234"},"current":{"bsuid":"US.2"}} <nil>
}

// The function prints how many people the facts lead to.
func persons(facts ...identity.Fact) {
	people, _ := identity.Partition(facts)
	fmt.Println(len(people))
}

func must(f identity.Fact, err error) identity.Fact {
	if err != nil {
		panic(err)
	}
	return f
}

func mustBSUID(value string) identity.Alias {
	a, err := identity.NewAlias(identity.KindBSUID, "", value)
	if err != nil {
		panic(err)
	}
	return a
}

// An operator knows that two BSUIDs are one person, and later that they are not.
func ExampleJoined() {
	one, two := mustBSUID("US.1"), mustBSUID("US.2")
	facts := []identity.Fact{
		must(identity.Seen(1_786_000_000, identity.Scope{}, contact.Person{IDs: contact.IDs{BSUID: "US.1"}})),
		must(identity.Seen(1_786_000_000, identity.Scope{}, contact.Person{IDs: contact.IDs{BSUID: "US.2"}})),
	}
	persons(facts...)
	facts = append(facts, must(identity.Joined(1_786_000_100, identity.Sighting{Alias: one}, identity.Sighting{Alias: two})))
	persons(facts...)
	facts = append(facts, must(identity.Withdrawn(1_786_000_200, one, two)))
	persons(facts...)
	// Output:
	// 2
	// 1
	// 2
}

func ExampleWithdrawn() {
	one, two := mustBSUID("US.1"), mustBSUID("US.2")
	line(identity.Withdrawn(1_786_000_200, one, two))
	// Output:
	// {"fact":"withdrawn","at":1786000200,"a":{"kind":"bsuid","value":"US.1"},"b":{"kind":"bsuid","value":"US.2"}} <nil>
}

// Somebody else has the number since the second message. The operator takes the
// statement back later.
func ExampleHandedOver() {
	number := func(at int64) identity.Fact {
		return must(identity.Seen(at, identity.Scope{}, contact.Person{IDs: contact.IDs{Phone: "16505551234"}}))
	}
	facts := []identity.Fact{number(1_786_000_000), number(1_796_000_000)}
	persons(facts...)
	facts = append(facts, must(identity.HandedOver(1_796_000_000, "", "16505551234")))
	persons(facts...)
	facts = append(facts, must(identity.NotHandedOver(1_796_000_000, "", "16505551234")))
	persons(facts...)
	// Output:
	// 1
	// 2
	// 1
}

func ExampleNotHandedOver() {
	line(identity.NotHandedOver(1_796_000_000, "", "16505551234"))
	// Output:
	// {"fact":"handed_over","at":1796000000,"phone":"16505551234","undo":true} <nil>
}

// The order of facts and repetitions don't matter.
func ExampleCondense() {
	var facts []identity.Fact
	for _, day := range []int64{3, 1, 2, 3} {
		jane := contact.Person{IDs: contact.IDs{BSUID: "US.1"}}
		facts = append(facts, must(identity.Seen(1_786_000_000+day*86_400, identity.Scope{}, jane)))
	}
	for _, f := range identity.Condense(facts) {
		fmt.Println(f.Kind(), f.At())
	}
	// Output:
	// seen 1786086400
	// seen 1786259200
}

func ExampleNewAlias() {
	phone, err := identity.NewAlias(identity.KindPhone, "", "5491123456789")
	fmt.Println(phone.Value(), err)
	_, err = identity.NewAlias(identity.KindPhone, "", "+54 9 11 2345-6789")
	fmt.Println(err)
	// Output:
	// 5491123456789 <nil>
	// phone contains other characters than digits: give digits only, country code first, as phone.Parse returns them
}

func ExamplePersonID_UnmarshalText() {
	var id identity.PersonID
	fmt.Println(id.UnmarshalText([]byte("jane")))
	// Output: the person ID isn't a UUID as PersonID.String returns it
}

func ExampleNewEngine() {
	engine := identity.NewEngine(store.NewMemory(), identity.Config{})
	_, found, err := engine.Find(context.Background(), mustBSUID("US.1"))
	fmt.Println(found, err)
	// Output: false <nil>
}

package identity_test

import (
	"cmp"
	"context"
	"fmt"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/contact/identity"
	"github.com/hailmark/hailmark/contact/identity/store"
)

// A number passes to another person without an announcement.
func ExampleEngine_Conflicts() {
	ctx := context.Background()
	engine := identity.NewEngine(store.NewMemory(), identity.Config{})
	kinds := map[identity.ChangeKind]string{
		identity.Created: "created", identity.Merged: "merged", identity.Split: "split", identity.AliasAdded: "alias added",
		identity.AliasEnded: "alias ended", identity.Moved: "moved", identity.Conflicted: "conflict",
	}
	for i, ids := range []contact.IDs{
		{Phone: "16505551234"},
		{BSUID: "US.1"},
		{BSUID: "US.1", Phone: "16505551234"},
		{BSUID: "US.1", ParentBSUID: "US.ENT.1"},
		{BSUID: "US.2", Phone: "16505551234"},
	} {
		_, changes, err := engine.Observe(ctx, must(identity.Seen(1_786_000_000+int64(i), identity.Scope{}, contact.Person{IDs: ids})))
		fmt.Print("webhook ", i, ":")
		for _, c := range changes {
			fmt.Printf(" %s;", kinds[c.Kind])
		}
		fmt.Println("", err)
	}
	for c, err := range engine.Conflicts(ctx) {
		fmt.Println(c.Alias.Value(), "from", c.From.Value(), "to", c.To.Value(), err)
	}
	// Output:
	// webhook 0: created; moved; <nil>
	// webhook 1: created; moved; <nil>
	// webhook 2: merged; moved; <nil>
	// webhook 3: alias added; moved; <nil>
	// webhook 4: split; alias ended; moved; moved; conflict; <nil>
	// 16505551234 from US.1 to US.2 <nil>
}

// A webhook can contain a number's old form.
func ExampleEngine_Person() {
	ctx := context.Background()
	engine := identity.NewEngine(store.NewMemory(), identity.Config{})
	sightings, _, err := engine.Observe(ctx, must(identity.Seen(1_786_000_000, identity.Scope{}, contact.Person{IDs: contact.IDs{Phone: "551187654321"}})))
	if err != nil {
		panic(err)
	}
	person, found, err := engine.Person(ctx, sightings[0].Person)
	h := person.Aliases[0]
	fmt.Println(h.Alias.Value(), "received as", cmp.Or(h.Received, h.Alias.Value()), found, err)
	// Output: 5511987654321 received as 551187654321 true <nil>
}

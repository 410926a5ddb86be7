// Package identity decides which webhook IDs belong to one person.
//
// On WhatsApp, a person's IDs change. A phone number can be hidden or pass to somebody else.
// A BSUID, valid in one business portfolio, rotates with the number, and so does a parent
// BSUID. An [Engine] keeps one [PersonID] for each person:
//
//	engine := identity.NewEngine(store, identity.Config{}) // once
//
//	webhook, err := webhooknorm.Read(payload)
//	result, err := engine.ObserveWebhook(ctx, webhook, time.Now())
//	for _, c := range result.Changes {
//		if c.Kind == identity.Moved {
//			// UPDATE message SET person = c.To WHERE alias = c.Alias AND at BETWEEN c.Since AND c.Until
//		}
//	}
//	// INSERT webhook.Events[i] with Person, Alias and At from result.Sightings[i]
//
// The caller's writes should share the transaction, because a webhook observed again
// returns no changes: use [Engine.WithTx].
//
// # Rules
//
// A BSUID belongs to one person permanently, a phone number for a limited time. Only the
// platform or an operator joins people, by two IDs in one webhook, an announced ID change,
// or [Joined]. Two BSUIDs that share only a number remain two people, and a [Conflict]
// reports the number. Usernames and names don't identify anybody. A number with more than
// 50 owners isn't evidence.
//
// [Partition] defines the rules as a pure function. The facts' order and repetitions don't
// matter, so webhooks can arrive late, twice or shuffled. docs/identity-spec.md contains the
// rules, and docs/vectors/identity.json contains examples.
//
// All times are Unix seconds from webhooks. The package doesn't read a clock.
//
// # Limitations
//
// If a number changes hands before its first holder was seen with a BSUID, the next holder
// inherits the history, unless [Config].MaxSilence separates them. If a rotation's webhook is
// lost while the number is hidden, the result is two people; an operator should then observe
// a [Joined].
//
// # Stores
//
// [Memory] is an in-memory store, and package sqlstore supports databases. Package store
// specifies the interface for others. Stores contain only IDs, times and labels. They are
// personal data, so this package's errors don't contain them.
package identity

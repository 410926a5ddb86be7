// Package identity decides which ids of webhooks belong to one person.
//
// A person on WhatsApp has several ids that come and go: a phone number, which may be
// hidden or pass to somebody else, a BSUID for each portfolio of businesses, which rotates
// with the number, and a parent BSUID. An [Engine] keeps one [PersonID] for each person:
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
//	// INSERT each of webhook.Events[i] with the Person, Alias and At of result.Sightings[i]
//
// The caller's writes should share the transaction, because a webhook observed again
// returns no changes: use [Engine.WithTx].
//
// # Rules
//
// A BSUID belongs to one person permanently. A phone number belongs to one person for a
// limited time. Only facts of the platform or of an operator join two persons: two ids in
// one webhook, an announced change, [Joined]. Two BSUIDs that share a number and nothing
// else stay two persons, and a [Conflict] reports the number. Usernames and names are
// labels. A number with more than 50 owners is evidence for nobody.
//
// [Partition] is the definition: a pure function of the set of facts. The order of the
// facts and repetitions don't matter, so webhooks may arrive late, twice or shuffled.
// The engine computes the same persons from the neighborhood of each fact. The rules are
// in docs/identity-spec.md, with examples in vectors/identity.json.
//
// All times are Unix seconds, as given in the webhooks. The package doesn't read a clock.
//
// # What the rules can't detect
//
// A number may change hands before its first holder was ever seen with a BSUID. The
// history of the number then goes to the next holder, unless [Config].MaxSilence keeps them
// apart. If the webhook of a rotation is lost for ever while the number is hidden, the
// result is two persons; an operator can join them with [Joined].
//
// # Stores
//
// [Memory] keeps everything in memory, and package sqlstore in a database. Package store
// specifies what others must do. A store contains only ids, times and labels. All of them
// are personal data; the errors of this package contain none of them.
package identity

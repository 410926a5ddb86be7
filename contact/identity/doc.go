// Package identity decides which ids of webhooks belong to one person.
//
// A person on WhatsApp has several ids that come and go: a phone number, which may be
// hidden or pass to somebody else, a BSUID for each portfolio of businesses, which rotates
// with the number, and a parent BSUID. An [Engine] keeps one [PersonID] for each person:
//
//	engine := identity.NewEngine(store, identity.Config{}) // once
//
//	webhook, err := webhooknorm.Read(payload) // receive
//	facts := identity.FactsOf(webhook, nil)
//	result, err := engine.Observe(ctx, facts...) // observe
//	for _, change := range result.Changes {
//		if m, ok := change.(identity.Merged); ok {
//			move(m.From, m.Into) // follow a merge: everything of From now belongs to Into
//			if m.Silence.Seconds() > limit { // after a long silence, keep the two apart
//				split, err := identity.HandedOver(m.Silence.LastAlone+1, m.Silence.Phone.Scope(), m.Silence.Phone.Value())
//				result, err := engine.Observe(ctx, split)
//			}
//		}
//	}
//	id, found, err := engine.Find(ctx, alias) // find
//	address, ok := webhook.Events[0].Address() // reply to the ids of the event
//
// [Engine.ObserveTx] does the same in a transaction of the caller, so that the caller's
// rows follow a merge in the same commit.
//
// # Rules
//
// A BSUID belongs to one person permanently. A phone number belongs to one person for a
// limited time. Only facts of the platform or of an operator join two persons: two ids in
// one webhook, an announced change, [Joined]. Two BSUIDs that share a number and nothing
// else stay two persons, and [Conflicted] reports the number. Usernames and names are
// labels.
//
// [Partition] is the definition: a pure function of the set of facts. The order of the
// facts and repetitions do not matter, so webhooks may arrive late, twice or shuffled.
// The engine computes the same persons incrementally. The rules are in docs/identity.md,
// with examples in vectors/identity.json.
//
// # Times
//
// All times are Unix seconds, as given in the webhooks. The package does not read a
// clock.
//
// # What the rules cannot detect
//
// A number may change hands before its first holder was ever seen with a BSUID. The
// history of the number then goes to the next holder. [Silence] has the length of the
// gap, so that a caller can decide. WhatsApp deletes accounts after 120 days without use,
// and US carriers may reassign a number after 45. In simulated worlds a limit of 45 days
// splits half of all people. If the webhook of a rotation is lost for ever while the
// number is hidden, the result is two persons; an operator can join them with [Joined].
//
// # Stores
//
// [Memory] keeps everything in memory. Other stores implement [Store] and are tested with
// package identitytest. A store keeps only ids, times and labels. All of them are
// personal data; the errors of this package contain none of them.
package identity

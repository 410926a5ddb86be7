// Package identity decides which webhook IDs belong to one person.
//
// On WhatsApp, a person's IDs change. A phone number can be hidden or pass to somebody else. A
// business-scoped user ID (BSUID) is valid in one business portfolio, and a parent BSUID in
// several linked portfolios. Both are replaced when the person's number changes. An [Engine]
// keeps one [PersonID] for each person.
//
// # Terms
//
// An [Alias] is one of these IDs with its scope, the portfolios in which it's valid. BSUIDs and
// parent BSUIDs are stable aliases, because they never pass to another person.
//
// A [Fact] is evidence about aliases: an event contained them together, the platform announced
// that they changed, or an operator stated who has them.
//
// A [Sighting] identifies who a webhook event is about. A [Change] reports how a call affected
// people. For example, [Moved] reports that an alias's messages in a period now belong to another
// person, because a webhook arrived late.
//
// # Usage
//
// Create an engine once, and observe each webhook:
//
//	engine := identity.NewEngine(store.NewMemory(), identity.Config{}) // or a store from package sqlstore
//
//	webhook, err := webhooknorm.Read(payload)
//	sightings, changes, err := engine.ObserveWebhook(ctx, webhook, time.Now())
//	for _, c := range changes {
//		if c.Kind == identity.Moved {
//			// UPDATE message SET person = c.To WHERE alias = c.Alias AND at BETWEEN c.Since AND c.Until
//		}
//	}
//	for i, event := range webhook.Events {
//		s := sightings[i]
//		// INSERT INTO message (content, person, alias, at) VALUES (event, s.Person, s.Alias, s.At)
//	}
//
// These writes should share the engine's transaction, because a webhook observed again returns no
// changes. Use [Engine.WithTx] for that.
//
// # Rules
//
// Only three things join people: two IDs in one event, an announced ID change, or an operator's
// [Joined]. Two BSUIDs that share only a number remain two people, and a [Conflict] reports the
// number. Usernames and names don't identify anybody.
//
// An ID that's seen with too many others is crowded, for example a number with more than 50 BSUIDs, or a
// BSUID with more than 10 numbers. It's a switchboard or a provider's placeholder, so it isn't evidence,
// and a message that contains no other ID has no person.
//
// An operator corrects people with [Engine.Correct].
//
// [Partition] defines the rules as a pure function. The facts' order and repetitions don't
// matter, so webhooks can arrive late, twice or shuffled. docs/identity-spec.md specifies the
// rules, and vectors/identity.json contains examples. All times are Unix seconds from
// webhooks. The package doesn't read a clock.
//
// # Stability
//
// This package is experimental until people outside of the project have used it. Until then, names, the
// rules and the tables can change in any release, and the changelog says how.
//
// # Limitations
//
// If a number changes hands before its first holder was seen with a BSUID, the next holder
// inherits the history; the conflict [Inherited] reports it after a silence of 180 days. If the webhook
// that announces another BSUID is lost while the number is hidden, the result is two people; an operator
// should then observe a [Joined].
//
// # Stores
//
// Package store defines the interface and provides a store in memory. Package sqlstore provides
// one in Postgres or SQLite. Stores contain only IDs, times and names, which are personal data, so
// this package's errors don't contain them.
package identity

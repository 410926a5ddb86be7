// Package webhooktest tests receivers of WhatsApp Cloud API webhooks with simulated
// people.
//
//	func TestReceiver(t *testing.T) {
//		store := openTestDatabase(t)
//		webhooktest.Run(t, webhooktest.Receiver{
//			Handler:    newReceiver(store),
//			AppSecret:  "app secret",
//			ContactsOf: store.ContactsOfMessage,
//		})
//	}
//
// [Run] simulates people and posts webhooks about them to the receiver over HTTP. It reports
// lost and duplicate messages, system messages that are stored as a person's, contacts that mix two
// people, people who became two contacts, and wrong replies. It ignores mistakes that no receiver can avoid with these webhooks.
//
// A [Config] simulates any number of people, who can change their number and whose webhooks can
// be late, repeated or lost as often as you like.
//
// The command hailmark simulate tests receivers in other languages in the same way.
//
// # How to fix mistakes
//
//   - Reject a webhook with 403 if its signature is wrong or absent, before you parse it.
//   - Drop repetitions, because the platform delivers at least once.
//   - Store value.standby.messages like value.messages, but don't reply, because another
//     application or Meta's agent does.
//   - Reply again as soon as messages arrive outside standby, because the messaging_handovers
//     webhook can be absent.
//   - Read all threads in history, including the business's messages. Their files come in webhooks of
//     their own, with the field history; don't reply to them.
//   - Store a message once, although it can arrive live and in the history.
//   - Use the webhooks' timestamps rather than the machine's clock, because simulated people can live
//     in the future. With package identity, let the test pass the zero time.Time to ObserveWebhook as the
//     arrival time; time.Now would move later events to today.
//   - Don't store messages of the type system as a person's, because the platform sends them.
//   - Don't reply to reactions, edits and deletions.
//   - Ignore webhooks about templates, accounts and errors, but answer them with 200.
//   - Follow announced ID changes, but keep the previous BSUID, because older messages can arrive after
//     the announcement.
//
// contact/identity/inbox_test.go in the repository contains a complete receiver with package
// identity, and internal/plain one without Hailmark.
//
// # What is simulated
//
// People write, call, join groups and receive messages. They adopt and drop usernames, hide
// and show their number, send it in response to a contact request, change it, receive
// other BSUIDs, and give up the number so that someone else can get it. Another
// application or Meta's agent answers conversations for a while, and the business shares its
// app's history. The webhooks use the shapes documented as of November 2026, and for standby
// and handovers the observed shapes.
// They are signed with X-Hub-Signature-256, and they can be late, repeated, batched, out of
// order, without contacts, with empty strings for absent IDs, and with undocumented fields.
//
// A seed determines everything. All people are invented. Their phone numbers look like
// +1 NPA 555 XXXX, except one from Mexico in the short lives.
//
// # Limitations
//
// The simulation contains no address book and no payments. Each number is always written in the
// same way, unlike numbers in Brazil and Mexico.
//
// The package shares no code with the packages of this module that it tests.
//
// Sources:
//   - https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids/
//   - https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/standby/
package webhooktest

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
// [Run] simulates people, posts the webhooks about them to the receiver over HTTP, and
// reports every message that the receiver has lost or stored twice, every contact that
// mixes two people, every person who has become two contacts, and every reply that should
// not have been sent. It doesn't report mistakes that the webhooks don't contain enough to
// avoid.
//
// A [World] simulates any number of people with other rates and [Faults]. It streams the
// webhooks, for receivers that get them in another way.
//
// # What is simulated
//
// People write, call, join groups and receive messages. They adopt and drop usernames, hide
// and show their number, send it in response to a contact request, change it, receive
// other BSUIDs, and give the number up so that someone else can have it. Another
// application or Meta's agent takes conversations over and passes them back, and the
// business shares the history of its app. The webhooks use the shapes that the platform
// documents as of November 2026, and for standby and handovers those that were observed.
// They are signed with X-Hub-Signature-256, and they can be late, repeated, batched, out of
// order, without contacts, with empty strings for absent IDs, and with undocumented fields.
//
// A seed determines everything. All people are invented, and all phone numbers have the
// form +1 NPA 555 XXXX.
//
// # Limitations
//
// There is no address book of the business's phone, no payment, and no webhook about the
// business itself. Numbers have one form only, unlike those of Brazil and Mexico.
//
// The package imports the standard library only. It shares no code with the rest of this
// module, because it tests that code.
//
// Sources:
//   - https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids/
//   - https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/standby/
package webhooktest

// Package webhooktest tests receivers of WhatsApp Cloud API webhooks with simulated
// people.
//
//	func TestReceiver(t *testing.T) {
//		store := openTestDatabase(t)
//		webhooktest.Run(t, newReceiver(store), "app secret", store.ContactsOfMessage)
//	}
//
// [Run] simulates people, posts the webhooks about them to the receiver over HTTP, and
// reports every message that the receiver has lost or stored twice, every contact that
// mixes two people, and every person who has become two contacts. It does not report
// mistakes that the webhooks do not contain enough to avoid.
//
// For other tests, a [Platform] makes things happen to people one by one, and a [World]
// streams the webhooks of any number of people, with the truth about each event.
// [Compare] compares the contacts of a receiver with the truth.
//
// # What is simulated
//
// People write, call, join groups and receive messages. They adopt and drop usernames, hide
// and show their number, send it in response to a contact request, change it, receive
// other BSUIDs, and give the number up so that someone else can have it. The webhooks have
// the shapes that the platform documents as of November 2026. They are signed with
// X-Hub-Signature-256, and they can be late, repeated, batched, out of order, without
// contacts, with empty strings for absent ids, and with undocumented fields: see [Faults].
//
// A seed determines everything. All people are invented, and all phone numbers have the
// form +1 NPA 555 XXXX.
//
// # What is not simulated
//
// There is no history, no address book of the business's phone, no standby, no handover,
// no payment, and no webhook about the business itself. Numbers have one form only, unlike
// those of Brazil and Mexico.
//
// The package imports the standard library only. It shares no code with the rest of this
// module, because it tests that code.
//
// Source: https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids/
package webhooktest

// Package webhooktest tests receivers of WhatsApp Cloud API webhooks with simulated
// people.
//
//	func TestReceiver(t *testing.T) {
//		store := openTestDatabase(t)
//		webhooktest.Run(t, newReceiver(store), "app secret", store.ContactsOfMessage)
//	}
//
// [Run] plays stories and the lives of many people, posts the webhooks to the receiver
// over HTTP, and reports every message that the receiver has lost or stored twice, every
// contact that mixes two people, and every person who became two contacts, if the
// webhooks say enough to do better.
//
// For tests of your own, [NewPlatform] makes things happen to people one by one, and a
// [World] streams the webhooks of any number of lives together with the truth about each
// event. [Judge] compares what was made of them with the truth.
//
// # What is simulated
//
// People write, call, join groups and get messages; they adopt and drop usernames, hide
// and show their number, share it when asked, change it, get other BSUIDs, and give the
// number up so that a stranger can get it. The webhooks have the shapes that the
// platform documents as of November 2026. They are signed with X-Hub-Signature-256, and
// they can be late, repeated, batched, out of order, without contacts, with empty
// strings for absent ids, and with fields that are not documented: see [Faults].
//
// Everything follows from a seed. The phone numbers are of the form +1 NPA 555 XXXX, and
// all people are invented.
//
// # What is not simulated
//
// History, the contacts of the business's phone, standby, messaging handovers, payments,
// webhooks about the business itself, and the two forms of Brazilian and Mexican numbers.
//
// The package needs the standard library only and shares no code with the rest of this
// module, which is tested with it.
//
// Source: https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids/
package webhooktest

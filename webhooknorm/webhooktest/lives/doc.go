// Package lives simulates people who write to businesses on WhatsApp, and compares what a receiver
// of the webhooks did with the truth.
//
// A [World] or [Scenarios] makes a [Story]: what happens to people, and the webhooks about it.
// [Story.Judge] compares a receiver's contacts and replies with it. While people live, they record who
// held which number when, and which of it the delivered webhooks announced (truth.go). The judge
// reads this record (judge.go). It derives nothing from webhooks, since it would then repeat the
// mistakes of the receivers that it judges.
//
// The package imports only the standard library, and shares no code with the rest of the module,
// because it tests it. Packages webhooktest and webhooknorm/webhooktest/simulate deliver the webhooks.
//
// Sources of the shapes:
//   - https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids/
//   - https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/standby/
//   - https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/history/
package lives

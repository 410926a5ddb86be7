// Package webhooknorm turns WhatsApp Cloud API webhooks into events, each with the person
// it's about.
//
//	webhook, err := webhooknorm.Read(body) // after webhooknorm.VerifySignature
//	if err != nil {
//		return err
//	}
//	for _, event := range webhook.Events {
//		if to, ok := event.Address(); ok && event.Kind == webhooknorm.KindMessage {
//			reply(to, answer(event.Text()))
//		}
//	}
//
// [Normalize] returns only messages and statuses. [Read] also returns echoes, history,
// calls, preferences, group participants, the address book, handovers and changes of IDs.
// Package webhookhttp verifies and receives webhooks over HTTP.
//
// # People
//
// People with a username can hide their phone number, so a business-scoped user ID (BSUID)
// identifies them instead. IDs come from the element itself. A contact with the same BSUID,
// parent BSUID or number adds missing IDs and the names, except to history, address book
// entries and group participants. [The specification] contains every source and the supported
// providers.
//
// Don't use either ID as a key for people, because the number disappears with a username
// and the BSUID changes with the number. Package contact/identity tracks both.
//
// # Replying
//
// Another application or Meta's agent answers a conversation in standby. Don't reply to its
// events, otherwise the person gets two answers. [Event.Address] returns no address for
// them, for group messages and for system messages.
//
// A voicemail is a message of type audio with a call ID, which starts with "wacid.".
//
// # Limits
//
// A payload may contain 16,384 events and as many contacts. Real payloads contain at most 1,000.
//
// [The specification]: https://github.com/hailmark/hailmark/blob/main/docs/webhooks.md
package webhooknorm

// Package webhooknorm turns webhooks of the WhatsApp Cloud API (the platform) into events, each
// with the person it's about.
//
//	webhook, err := webhooknorm.Read(body) // after webhooknorm.VerifySignature
//	if err != nil {
//		return err
//	}
//	for _, event := range webhook.Events {
//		if to, ok := event.Reply(); ok {
//			reply(to, answer(event.Text()))
//		}
//	}
//
// [Normalize] returns only messages and statuses. [Read] returns everything in a payload: also
// echoes, history, calls, preferences, group participants, the address book, ID changes, handovers,
// which pass a conversation to another application, and all other changes, such as a template's
// rejection, as they came. To receive webhooks over HTTP, use package webhookhttp, which also
// verifies them.
//
// # People
//
// People with a username can hide their phone number, so a business-scoped user ID (BSUID)
// identifies them instead. An event's IDs come from its element in the payload, for example from
// the message. A contact in the payload with the same BSUID, parent BSUID or number adds missing
// IDs and the names, except to history, address book entries and group participants. A lone contact
// does so, too, if the element has no number.
// [The specification] lists every source and the supported providers.
//
// Don't identify people by either ID: numbers disappear when people adopt a username, and a
// BSUID changes with the number. Package contact/identity tracks both.
//
// # Replying
//
// While a conversation is in standby, another application or Meta's agent answers it. Don't reply
// to its events, otherwise the person gets two answers. [Event.Address] returns no address for
// them, for group messages, for history, or for system messages, in which the platform
// announces, for example, a new number. Reactions and events about the business's own messages
// do have an address, but want no reply: [Event.Reply] returns an address only for messages that do.
//
// When a business starts to share its history, months of old messages arrive, as the kinds
// history and history_echo. Store them without notifying anybody. Their files arrive later, in
// events with the same [Event.Key] as their placeholders: replace the placeholder if
// [Event.Media] returns a file.
//
// The platform only delivers free-form replies within 24 hours of the person's last message. A
// later one fails: its status has the State failed and an [Error] with the code 131047.
//
// A voicemail is a message with the Type audio. Its MessageID is a call's ID, which begins with
// "wacid.".
//
// # Limits
//
// A payload may contain 16,384 messages and statuses and as many contacts. Real payloads contain
// at most 1,000, but thousands of history messages or address book entries: Read accepts one of
// these and other elements for each 64 bytes of the payload, or 16,384 if that's more. It decodes the
// first 16,384 errors in a payload; others are only in Raw.
//
// [The specification]: https://github.com/hailmark/hailmark/blob/main/docs/webhooks.md
package webhooknorm

// Package webhooknorm turns a webhook of the WhatsApp Cloud API into events, each with the
// person it's about.
//
//	if !webhooknorm.VerifySignature(body, r.Header.Get(webhooknorm.SignatureHeader), appSecret) {
//		return // not from the platform
//	}
//	webhook, err := webhooknorm.Read(body)
//	if err != nil {
//		return err
//	}
//	for _, change := range webhook.Changes {
//		people.Rename(change.Previous, change.Current)
//	}
//	for _, event := range webhook.Events {
//		if key := event.Key(); key != "" && seen(key) {
//			continue // the platform delivers at least once
//		}
//		if event.Kind == webhooknorm.KindMessage && event.Type == "text" {
//			if to, ok := event.Address(); ok {
//				reply(to, answer(event.Text()))
//			}
//		}
//	}
//
// [Normalize] returns only messages and statuses. [Read] adds all other events about
// people: echoes, history, calls, preferences, group participants, the address book,
// handovers and changes of ids.
//
// # Who it is
//
// Since usernames exist, a person's phone number can be absent, and a business-scoped user
// ID (BSUID) takes its place. The ids of an event come from its element; the matching
// contact adds missing ids and the names. That's the contact with the same BSUID, otherwise
// the same parent BSUID, otherwise the same number. If no contact matches, a value with a
// single event and a single contact is about that contact, unless their BSUIDs differ. The
// first of several contacts is never taken, because that puts the wrong name on a message.
//
// Ids that weren't valid together are never combined. The business's own number is nobody's
// number, and a group's ID isn't a number.
//
// Neither id is a good key to store people by: the number disappears when a person takes a
// username, and the BSUID changes with the number. Package contact/identity keeps track of
// both.
//
// # Replying
//
// An event with Standby is part of a conversation that another application or Meta's agent
// answers. Reply to it and the person hears two voices. [Event.Address] returns no address
// for it, and none for group messages and system messages.
//
// A voicemail is a message of type audio with an ID that starts with "wacid.", the prefix of
// call IDs.
//
// # Payloads
//
//	payload = { "entry": [ { "id": …, "changes": [ { "value": value } … ] } … ] } | value
//	value   = { "metadata": {…}, "contacts": […], "messages": […], "statuses": […], "standby": {…}, … }
//
// Whatever the order of the members, a value is read in a fixed order: metadata, contacts,
// then each array of elements. Members that are missing or unknown never cause an error,
// because a rejected webhook is a lost message.
//
// Providers that pass on values of the Cloud API, such as 360dialog and 8x8 (rawEvent), are
// supported, and so is Turn.io, which has from_bsuid in place of from_user_id. These have
// other formats and aren't supported:
//
//	Twilio    form-encoded, ExternalUserId
//	Vonage    whatsapp.recipient.user_id, profile.username
//	Gupshup   payload.sender, preference-event
//	Bird, Braze, Infobip, Kapso, Sinch, Wati, YCloud, Zavu   their own JSON
//
// # Limits
//
// A payload has at most [MaxEvents] events and as many contacts; real ones have at most
// 1,000. Reading takes time in proportion to the payload, and memory for one copy of the
// payload, one more of its escaped strings, and about 350 bytes for each event.
package webhooknorm

import (
	"github.com/hailmark/hailmark/internal/jsonscan"
	"github.com/hailmark/hailmark/problem"
)

// The codes of the errors.
const (
	// CodeInvalidJSON is reported for a payload that isn't one well-formed JSON value:
	// also for duplicate names, invalid UTF-8 and more than 128 levels of nesting.
	CodeInvalidJSON problem.Code = "webhook_invalid_json"

	// CodeUnrecognizedShape is reported for JSON that isn't a webhook.
	CodeUnrecognizedShape problem.Code = "webhook_unrecognized_shape"

	// CodeTooManyEvents is reported for more than [MaxEvents] events or contacts.
	CodeTooManyEvents problem.Code = "webhook_too_many_events"
)

// MaxEvents is the maximum number of events in a payload, and of contacts.
const MaxEvents = 16_384

// A Webhook is what a payload says about people.
type Webhook struct {
	// Events are in the order of the payload, except within a value: there the messages
	// come first, then the statuses, then all others, and those in standby last. The
	// messages and statuses are those that Normalize returns.
	Events []Event `json:"events"`

	// Changes are the changes of ids. Each is also among Events. Apply Changes first, so
	// that the events lead to the right person.
	Changes []IdentityChange `json:"changes,omitempty"`

	// Handovers say which application now has the conversation with a person. Each is
	// also among Events.
	Handovers []Handover `json:"handovers,omitempty"`
}

// Normalize returns the messages and statuses of a payload. A webhook about something else
// has none, which isn't an error.
//
// The error is a [problem.Problem] with one of the codes of this package. A malformed
// payload has no events at all, wherever the error is.
//
// Normalize doesn't change the payload. See [Event] for what the events share with it.
func Normalize(payload []byte) ([]Event, error) {
	w, err := read(payload, false)
	return w.Events, err
}

// Read returns everything in a payload that's about a person. Otherwise it's like
// Normalize.
func Read(payload []byte) (Webhook, error) { return read(payload, true) }

func read(payload []byte, all bool) (Webhook, error) {
	parsed, err := jsonscan.Parse(payload)
	if err != nil {
		return Webhook{}, problem.New(CodeInvalidJSON,
			"webhook payload must be one JSON value in UTF-8 without duplicate names, nested at most %d levels; found %v",
			jsonscan.MaxDepth, err)
	}
	r := reader{Reader: parsed, all: all}
	if !r.readPayload() {
		return Webhook{}, problem.New(CodeUnrecognizedShape,
			"webhook payload must be an object with an array entry that holds at least one change,"+
				" or an object with an array messages, statuses or contacts and no entry")
	}
	if r.tooMany {
		return Webhook{}, problem.New(CodeTooManyEvents, "webhook payload has more than %d events or contacts; split it", MaxEvents)
	}
	return r.webhook, nil
}

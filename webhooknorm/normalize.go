// Package webhooknorm turns a WhatsApp Cloud API webhook into a list of events, each
// with the person it is about.
//
//	events, err := webhooknorm.Normalize(payload)
//	for _, e := range events {
//		fmt.Println(e.Kind, e.BSUID, e.Phone, e.DisplayName)
//	}
//
// [Normalize] returns the messages and statuses. [Read] returns them too, and adds all
// other webhooks about people: echoes, history, calls, preferences, group
// participants, the address book, handovers, and changes of ids. [Events] is Normalize
// for payloads of unknown origin: it returns the events one by one, in bounded memory.
//
//	payload = { "entry": [ { "changes": [ { "value": value } … ] } … ] } | value
//	value   = { "messages": […], "statuses": […], "contacts": […], "metadata": {…}, "standby": {…} }
//
// Every object in messages and statuses becomes one [Event]; nothing else does in
// Normalize. Events are in payload order, messages before statuses within a value. The
// members object, field, metadata and contacts may be missing, and unknown members are
// ignored, because a refused webhook is a lost message.
//
// # Who it is
//
// Since usernames exist, the phone number of a person can be absent, and a
// business-scoped user ID (BSUID) takes its place. An event's identity comes from
// the element itself first. Missing identifiers and the names come from the matching
// contact: the one with the same BSUID, else the same parent BSUID, else the same phone
// number. If no contact has an identifier in common with the element, the only contact
// of a value with a single event is taken, unless its BSUID differs. The first of
// several contacts is never taken: that puts the wrong name on a message.
//
// Two identities are never mixed. A system message that announces other identifiers
// keeps the old ones if it has any and otherwise takes the new ones. In a status about
// a group, the group's ID is not a phone number. The business's own number is never a
// person.
//
// # Receiving
//
// [Challenge] handles the request with which the platform verifies a receiver. Call
// [VerifySignature] before you use a payload. [Event.Key] lets you detect duplicate
// deliveries.
//
// # Limits
//
// Time is linear in the size of the payload. An event takes 216 bytes, and the smallest
// element, {}, has 3 bytes with its comma: for a hostile payload of 4 MiB, Normalize and
// Read return a list of 300 MB. Events needs at most about ten times the payload.
//
// # What is not done
//
// Numbers are not rewritten, message bodies are not parsed, and nothing is stored or
// looked up.
package webhooknorm

import (
	"github.com/hailmark/hailmark/problem"
)

// The codes of the errors.
const (
	// CodeInvalidJSON is reported for a payload that is not one well-formed JSON value:
	// also for duplicate names, invalid UTF-8 and more than 128 levels of nesting.
	CodeInvalidJSON problem.Code = "webhook_invalid_json"

	// CodeUnrecognizedShape is reported for JSON that is not a webhook.
	CodeUnrecognizedShape problem.Code = "webhook_unrecognized_shape"
)

// Normalize returns the messages and statuses of a payload. A webhook about
// something else has none, which is not an error.
//
// The error is a [problem.Problem] with CodeInvalidJSON or CodeUnrecognizedShape. A
// malformed payload gives no events at all, wherever the error is.
//
// Normalize does not change the payload. See [Event] for what the events share with
// it.
func Normalize(payload []byte) ([]Event, error) {
	w, err := read(payload, false)
	return w.Events, err
}

// A Webhook is what a payload says about people.
type Webhook struct {
	// Events are in the order of the payload, except that within one value messages
	// come first, then statuses, then all others. The messages and statuses are exactly
	// those that Normalize returns.
	Events []Event `json:"events"`

	// Changes lists changes of ids. Each is also among Events; apply Changes first, so
	// that the events resolve to the right person.
	Changes []IdentityChange `json:"changes,omitempty"`

	// Handovers lists changes of the application that has the conversation with a
	// person. Each is also among Events.
	Handovers []Handover `json:"handovers,omitempty"`
}

// Read returns everything in a payload that is about a person, of whatever kind.
// Otherwise it is like Normalize.
func Read(payload []byte) (Webhook, error) { return read(payload, true) }

func read(payload []byte, all bool) (Webhook, error) {
	var r reader
	r.Init(payload)
	r.payload, r.all = payload, all
	recognised := r.readPayload()
	if err := r.finish(recognised); err != nil {
		return Webhook{}, err
	}
	if r.counted > 0 {
		return readCounted(payload, all, r.counted), nil
	}
	if len(r.events) == 0 {
		r.events = nil
	}
	return Webhook{r.events, r.changes, r.handovers}, nil
}

// readCounted reads a payload that has been checked and has this many events: see grow.
func readCounted(payload []byte, all bool, events int) Webhook {
	var r reader
	r.Init(payload)
	r.payload, r.all = payload, all
	r.events = make([]Event, 0, events)
	r.readPayload()
	return Webhook{r.events, r.changes, r.handovers}
}

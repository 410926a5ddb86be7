// Package webhooknorm turns a WhatsApp Cloud API webhook into a list of events
// that say whom each message and status is about.
//
//	payload = { "entry": [ { "changes": [ { "value": value } … ] } … ] } | value
//	value   = { "messages": […], "statuses": […], "contacts": […], "metadata": {…}, "standby": {…} }
//
// With [Normalize], every object in messages and statuses becomes one [Event], in
// the order of the payload, messages first, and no other part of a payload does.
// [Read] adds the other webhooks about people: echoes, history, calls, preferences,
// group participants, the address book, and changes of ids. Object, field,
// metadata, contacts: anything may be missing, and unknown members are ignored,
// because a webhook that is refused is a message that is lost.
//
// # Who it is
//
// Since usernames exist, the phone number of a person can be absent, and a
// business-scoped user ID (BSUID) takes its place. An event's identity comes from
// the element itself first. The contact that belongs to it, which has the same
// BSUID, else the same parent BSUID, else the same phone number, fills the gaps and
// has the names. Where no contact has an id in common with the element, the only
// contact of a value with a single event is taken, if it has no other BSUID. The
// first of several contacts is never taken: that puts the wrong name on a message.
//
// Two identities are never mixed: a system message that announces another phone
// number keeps the ids that the person had, or else has those that are new, but not
// some of each; in a status about a group, the group's ID is no phone number.
//
// # Receiving
//
// [Challenge] answers the request with which the platform checks a receiver.
// [VerifySignature] comes before anything else is done with a payload, and
// [Event.Key] finds what was delivered before.
//
// # What is not done
//
// Numbers are not rewritten, bodies are not parsed, nothing is stored or looked up.
package webhooknorm

import (
	"github.com/hailmark/hailmark/problem"
)

const (
	// CodeInvalidJSON is reported for a payload that is not one well-formed JSON value:
	// also for duplicate names, invalid UTF-8 and more than 128 levels of nesting.
	CodeInvalidJSON problem.Code = "webhook_invalid_json"

	// CodeUnrecognizedShape is reported for JSON that is no webhook.
	CodeUnrecognizedShape problem.Code = "webhook_unrecognized_shape"
)

// Normalize returns the messages and statuses of a payload. A webhook about
// something else has none, and that is no error.
//
// The error is a [problem.Problem] with one of the codes above. A payload that is
// malformed gives no events at all, wherever the fault is.
//
// Normalize does not change the payload. See [Event] for what the events share with
// it.
func Normalize(payload []byte) ([]Event, error) {
	w, err := read(payload, false)
	return w.Events, err
}

// A Webhook is what a payload says about people.
type Webhook struct {
	// Events are in the order of the payload, except that within one value come
	// messages, then statuses, then all else. The messages and statuses are exactly
	// those that Normalize returns.
	Events []Event

	// Changes say who has other ids now. What announces a change is among the events,
	// too, so apply the changes first: then the events find the person.
	Changes []IdentityChange
}

// Read returns everything in a payload that is about a person, of whatever kind. In
// all else it is like Normalize.
func Read(payload []byte) (Webhook, error) { return read(payload, true) }

func read(payload []byte, all bool) (Webhook, error) {
	var r reader
	r.Init(payload)
	r.payload, r.all = payload, all
	recognised := r.readPayload()
	if err := r.finish(); err != nil {
		return Webhook{}, err
	}
	if !recognised {
		return Webhook{}, problem.New(CodeUnrecognizedShape,
			"webhook payload must be an object with an array entry that holds at least one change,"+
				" or an object with an array messages, statuses or contacts and no entry")
	}
	return Webhook{r.events, r.changes}, nil
}

// readPayload reports whether the payload is a webhook.
func (r *reader) readPayload() (recognised bool) {
	wrapped := false
	for name := range r.Members {
		switch {
		case string(name) == "entry":
			// What was read so far looked like a bare value and is none.
			wrapped = true
			r.events, r.changes = nil, nil
			recognised = r.readEntries()
		case !wrapped:
			r.readMember(name)
		}
	}
	if wrapped {
		return recognised
	}
	r.completeEvents()
	return r.value.recognised
}

// readEntries reads the entry array. It reports whether there is any change in it.
func (r *reader) readEntries() (changes bool) {
	for range r.objects {
		for name := range r.Members {
			if string(name) != "changes" {
				continue
			}
			for range r.objects {
				changes = true
				r.readChange()
			}
		}
	}
	return changes
}

func (r *reader) readChange() {
	for name := range r.Members {
		if string(name) != "value" {
			continue
		}
		r.value.reset(len(r.events), len(r.changes))
		for name := range r.Members {
			r.readMember(name)
		}
		r.completeEvents()
	}
}

// Package webhooknorm turns a WhatsApp Cloud API webhook into a list of events
// that say whom each message and status is about.
//
//	payload = { "entry": [ { "changes": [ { "value": value } … ] } … ] } | value
//	value   = { "messages": […], "statuses": […], "contacts": […], "metadata": {…}, "standby": {…} }
//
// Every object in messages and statuses becomes one [Event], in the order of the
// payload, messages first. No other part of a payload does. Object, field,
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
// # What is not done
//
// Message echoes, calls, history and preferences give no events. Numbers are not
// rewritten, bodies are not parsed, signatures are not checked: verify the bytes
// before they come here.
package webhooknorm

import "github.com/hailmark/hailmark/problem"

const (
	// CodeInvalidJSON is reported for a payload that is not one well-formed JSON value:
	// also for duplicate names, invalid UTF-8 and more than 128 levels of nesting.
	CodeInvalidJSON problem.Code = "webhook_invalid_json"

	// CodeUnrecognizedShape is reported for JSON that is no webhook.
	CodeUnrecognizedShape problem.Code = "webhook_unrecognized_shape"
)

// Normalize returns the events of a payload. A webhook about something else than
// messages and statuses has none, and that is no error.
//
// The error is a [problem.Problem] with one of the codes above. A payload that is
// malformed gives no events at all, wherever the fault is.
//
// Normalize does not change the payload. See [Event.Raw] for what the events share
// with it.
func Normalize(payload []byte) ([]Event, error) {
	r := newReader(payload)
	events, recognised := readPayload(r)
	if err := r.finish(); err != nil {
		return nil, err
	}
	if !recognised {
		return nil, problem.New(CodeUnrecognizedShape,
			"webhook payload must be an object with an array entry that holds at least one change,"+
				" or an object with an array messages, statuses or contacts and no entry")
	}
	return events, nil
}

func readPayload(r *reader) (events []Event, recognised bool) {
	if !r.openObject() {
		return nil, false
	}
	var (
		wrapped, changes bool
		bare             value
	)
	for r.more() {
		switch name := string(r.name()); name {
		case "entry":
			wrapped = true
			events, changes = readEntries(r)
		default:
			bare.readMember(r, name)
		}
	}
	if wrapped {
		return events, changes
	}
	return bare.appendEvents(nil), bare.recognised
}

// readEntries reads the entry array. It reports whether there is any change in it.
func readEntries(r *reader) (events []Event, changes bool) {
	if !r.openArray() {
		return nil, false
	}
	for r.more() {
		if !r.openObject() {
			continue
		}
		for r.more() {
			if string(r.name()) != "changes" {
				r.skip()
				continue
			}
			if !r.openArray() {
				continue
			}
			for r.more() {
				if r.openObject() {
					changes = true
					events = readChange(r, events)
				}
			}
		}
	}
	return events, changes
}

func readChange(r *reader, events []Event) []Event {
	for r.more() {
		if string(r.name()) != "value" {
			r.skip()
			continue
		}
		v := readValue(r)
		events = v.appendEvents(events)
	}
	return events
}

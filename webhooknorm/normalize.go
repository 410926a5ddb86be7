package webhooknorm

import (
	"slices"
	"strings"

	"github.com/hailmark/hailmark/internal/jsonscan"
	"github.com/hailmark/hailmark/problem"
)

// The error codes.
const (
	// CodeInvalidJSON means that the payload isn't one well-formed JSON value, contains a
	// duplicate name or invalid UTF-8, or is nested more than 128 levels deep.
	CodeInvalidJSON problem.Code = "webhook_invalid_json"

	// CodeUnrecognizedShape means that the payload is JSON but not a webhook.
	CodeUnrecognizedShape problem.Code = "webhook_unrecognized_shape"

	// CodeTooManyEvents means that the payload contains more than 16,384 events or contacts.
	CodeTooManyEvents problem.Code = "webhook_too_many_events"
)

const maxEvents = 16_384

// A Webhook contains a payload's events.
type Webhook struct {
	// Events are in the payload's order. Within one value (entry[].changes[].value), messages
	// come first, then statuses, all others, those in standby, and the handover.
	Events []Event `json:"events"`

	// Changes are the changes of people's IDs among Events, not the payload's member changes.
	// Apply them first, so that the events lead to the right person.
	Changes []IdentityChange `json:"changes,omitempty"`

	// Handovers are the handovers among Events.
	Handovers []Handover `json:"handovers,omitempty"`
}

// Normalize returns a payload's messages and statuses. There may be none.
//
// The error is a [problem.Problem] with one of this package's codes. Missing and
// unknown members never cause an error, because a rejected webhook is a lost message.
func Normalize(payload []byte) ([]Event, error) {
	w, err := read(payload, false)
	return w.Events, err
}

// Read is like [Normalize], but returns all kinds of events, ID changes and handovers.
func Read(payload []byte) (Webhook, error) { return read(payload, true) }

func read(payload []byte, all bool) (Webhook, error) {
	parsed, err := jsonscan.Parse(payload)
	if err != nil {
		return Webhook{}, problem.New("", CodeInvalidJSON,
			"webhook payload must be one JSON value in UTF-8 without duplicate names, nested at most %d levels; found %v",
			jsonscan.MaxDepth, err)
	}
	r := reader{Reader: parsed, all: all}
	if !r.readPayload() {
		return Webhook{}, problem.New("", CodeUnrecognizedShape,
			"webhook payload must be an object with an array entry that holds at least one change,"+
				" or an object with an array messages, statuses or contacts and no entry")
	}
	if r.tooMany {
		return Webhook{}, problem.New("", CodeTooManyEvents, "webhook payload has more than %d events or contacts; split it", maxEvents)
	}
	return r.webhook, nil
}

// A reader walks through a payload and appends its events to a webhook.
type reader struct {
	jsonscan.Reader
	all     bool   // also the events that only Read returns
	account string // the ID of the entry
	value   value  // the current one

	webhook  Webhook
	contacts int // in the payload so far
	tooMany  bool
}

// readPayload reports whether the payload is a webhook.
func (r *reader) readPayload() bool {
	if r.Peek() != '{' {
		return false
	}
	if !r.Find(0, "entry") {
		r.Seek(0)
		return r.readValue()
	}
	hasChange := false
	for it := r.Objects(); !r.tooMany && it.Next(); {
		entry := r.Position()
		r.account = r.idAt(entry, "id")
		if r.Find(entry, "changes") {
			for it := r.Objects(); !r.tooMany && it.Next(); {
				hasChange = true
				if r.Find(r.Position(), "value") && r.Peek() == '{' {
					r.readValue()
				}
			}
		}
	}
	return hasChange
}

// text reads a string without the white space around it. Any other value is "".
func (r *reader) text() string {
	text := r.String()
	if n := len(text); n > 0 && isPlain(text[0]) && isPlain(text[n-1]) {
		return text
	}
	return strings.TrimSpace(text)
}

func isPlain(c byte) bool { return ' ' < c && c < 0x80 }

// id reads a text, or an unsigned integer as its digits.
func (r *reader) id() string {
	if r.Peek() != '"' {
		if number := r.Number(); isDigits(number) {
			return number
		}
	}
	return r.text()
}

// textAt reads the text at a path below a value.
func (r *reader) textAt(p jsonscan.Position, path ...string) string {
	if !r.Find(p, path...) {
		return ""
	}
	return r.text()
}

// idAt reads the ID at a path below a value.
func (r *reader) idAt(p jsonscan.Position, path ...string) string {
	if !r.Find(p, path...) {
		return ""
	}
	return r.id()
}

// newEvent appends an event. The pointer is valid until the next call.
func (r *reader) newEvent(kind Kind) *Event {
	events := r.webhook.Events
	n := len(events)
	switch {
	case n == maxEvents:
		r.tooMany = true
		n-- // the events are discarded
	case n == cap(events):
		expected := 1 + int(float64(r.value.total)*(1+r.value.rest)) // if the rest resembles this value
		events = slices.Grow(events, min(expected, maxEvents-n))
	}
	r.webhook.Events = events[:n+1]
	e := &r.webhook.Events[n]
	e.Kind, e.Standby = kind, r.value.inStandby
	e.AccountID, e.PhoneNumberID, e.BusinessPhone = r.account, r.value.phoneNumberID, r.value.businessPhone
	return e
}

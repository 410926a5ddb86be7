package webhooknorm

import (
	"strings"

	"github.com/hailmark/hailmark/internal/jsonscan"
)

// A reader walks through a payload that has been checked, and gathers its events.
type reader struct {
	jsonscan.Reader
	all     bool   // gather also the events that only Read returns
	account string // the ID of the entry
	value   value  // the one that's being read

	webhook  Webhook
	contacts int // how many there are in the payload so far
	tooMany  bool
}

// readPayload reports whether the payload is a webhook.
func (r *reader) readPayload() (recognized bool) {
	if r.Peek() != '{' {
		return false
	}
	wrapped := false
	for it := r.Members(); it.Next(); {
		if string(r.Name()) == "entry" {
			wrapped = true
			recognized = r.readEntries()
		}
	}
	if wrapped {
		return recognized
	}
	return r.readValue()
}

// readEntries reports whether there is any change.
func (r *reader) readEntries() (hasChange bool) {
	for it := r.Objects(); !r.tooMany && it.Next(); {
		r.account = ""
		var changes jsonscan.Position
		for it := r.Members(); it.Next(); {
			switch string(r.Name()) {
			case "id":
				r.account = r.textOrDigits()
			case "changes":
				changes = r.Position()
			}
		}
		if r.at(changes) {
			for it := r.Objects(); !r.tooMany && it.Next(); {
				hasChange = true
				r.readChange()
			}
		}
	}
	return hasChange
}

func (r *reader) readChange() {
	for it := r.Members(); it.Next(); {
		if string(r.Name()) == "value" && r.Peek() == '{' {
			r.readValue()
		}
	}
}

// trimmed reads a string without the white space around it. Any other value is "".
func (r *reader) trimmed() string {
	text := r.String()
	if n := len(text); n > 0 && isPlain(text[0]) && isPlain(text[n-1]) {
		return text // the common case
	}
	return strings.TrimSpace(text)
}

// isPlain reports whether c is an ASCII character that isn't white space.
func isPlain(c byte) bool { return ' ' < c && c < 0x80 }

// textOrDigits is trimmed, but returns an unsigned integer as its digits.
func (r *reader) textOrDigits() string {
	if text := r.trimmed(); text != "" {
		return text
	}
	if number := r.Number(); isDigits(number) {
		return number
	}
	return ""
}

// newEvent appends an event with what the value says about all of its events. The pointer
// is valid until the next call.
func (r *reader) newEvent(kind Kind) *Event {
	events := r.webhook.Events
	n := len(events)
	switch {
	case n == MaxEvents:
		r.tooMany = true
		n-- // nobody will see the events
	case n == cap(events):
		grown := make([]Event, n, r.guess(n))
		copy(grown, events)
		events = grown
	}
	r.webhook.Events = events[:n+1]
	e := &r.webhook.Events[n]
	e.Kind, e.Standby = kind, r.value.inStandby
	e.AccountID, e.PhoneNumberID, e.BusinessPhone = r.account, r.value.phoneNumberID, r.value.businessPhone
	return e
}

// guess returns room for the event with index n and for more, if the rest of the payload is
// like the part that has been read.
func (r *reader) guess(n int) int {
	return min(n+1+n/4+int((float64(n)+0.2)/r.Progress()), MaxEvents)
}

package webhooknorm

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/hailmark/hailmark/internal/jsonscan"
	"github.com/hailmark/hailmark/problem"
)

// A reader walks through one payload and gathers what it says about people.
type reader struct {
	jsonscan.Scanner
	payload   []byte
	all       bool // gather also the events that only Read returns
	events    []Event
	changes   []IdentityChange
	handovers []Handover
	value     value  // the one that is being read
	user      string // the user_id of the last contact, if it can be passed to SkipString
	phone     string // the wa_id of the last contact, likewise

	counted int // if set, the list is full, and this is how many events there are so far

	limit     int  // if set, no more events than this are gathered, and none are counted
	truncated bool // the limit was reached: the rest of the payload is only checked

	yield   func(Event) bool // if set, takes the events of each value, which are not gathered
	stopped bool             // yield has returned false
}

// objects yields before each object in an array and skips the other elements.
func (r *reader) objects(yield func() bool) {
	r.Elements(func() bool { return r.Peek() != '{' || yield() })
}

// text reads a string, and returns it trimmed. Any other value is "".
func (r *reader) text() string {
	text := r.ReadString()
	if n := len(text); n > 0 && isPlain(text[0]) && isPlain(text[n-1]) {
		return text // the common case
	}
	return strings.TrimSpace(text)
}

// asWritten returns a text that was read from start on, if nothing but quotes surrounds it
// in the payload, and else "".
func (r *reader) asWritten(text string, start int) string {
	if r.Offset()-start != len(text)+2 { // an escape is longer than its character
		return ""
	}
	return text
}

// isPlain reports whether c is an ASCII character that is not white space.
func isPlain(c byte) bool { return ' ' < c && c < 0x80 }

// textOrDigits is text, but returns an unsigned integer as its digits.
func (r *reader) textOrDigits() string {
	if r.Peek() == '"' {
		return r.text()
	}
	if number := r.ReadNumber(); isDigits(number) {
		return number
	}
	return ""
}

// rawSince returns the payload from start up to the current offset, without spare
// capacity.
func (r *reader) rawSince(start int) json.RawMessage {
	end := r.Offset()
	return json.RawMessage(r.payload[start:end:end])
}

// add appends an event.
func (r *reader) add(e *Event) {
	n := len(r.events)
	if n == cap(r.events) && !r.grow() {
		return
	}
	r.events = r.events[:n+1]
	r.events[n] = *e // append would copy the event twice
}

func (r *reader) addChange(c *IdentityChange) {
	if r.counted == 0 {
		r.changes = append(r.changes, *c)
	}
}

// finish returns the error of the whole payload.
func (r *reader) finish(recognised bool) error {
	if err := r.Finish(); err != nil {
		var fault jsonscan.Fault
		if errors.As(err, &fault) {
			return problem.New(CodeInvalidJSON,
				"webhook payload must be one JSON value in UTF-8 without duplicate names, nested at most %d levels; found %v",
				jsonscan.MaxDepth, fault)
		}
		return err
	}
	if !recognised {
		return problem.New(CodeUnrecognizedShape,
			"webhook payload must be an object with an array entry that holds at least one change,"+
				" or an object with an array messages, statuses or contacts and no entry")
	}
	return nil
}

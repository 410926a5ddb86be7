package webhooknorm

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/webhooknorm/internal/jsonscan"
)

// A reader walks through one payload and gathers what it says about people.
type reader struct {
	jsonscan.Scanner
	payload   []byte
	all       bool // also what only Read returns
	events    []Event
	changes   []IdentityChange
	handovers []Handover
	value     value // the one that is being read

	limit     int  // if set, no more events than this are gathered
	truncated bool // the limit was reached: the rest of the payload is only checked

	yield   func(Event) bool // if set, takes the events of each value, which are not gathered
	stopped bool             // yield has returned false
}

// objects yields before each object in an array and skips the other elements.
func (r *reader) objects(yield func() bool) {
	for range r.Elements {
		if r.Peek() == '{' && !yield() {
			return
		}
	}
}

// text reads a string, and returns it trimmed. Any other value is "".
func (r *reader) text() string {
	text := r.ReadString()
	if n := len(text); n > 0 && isPlain(text[0]) && isPlain(text[n-1]) {
		return text // the common case
	}
	return strings.TrimSpace(text)
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
	if r.limit > 0 && len(r.events) == r.limit {
		r.truncated = true
		return
	}
	if len(r.events) == cap(r.events) {
		r.events = slices.Grow(r.events, r.expected())
	}
	r.events = append(r.events, *e)
}

// expected guesses how many more events there are, if the rest of the payload looks
// like the part that has been read. It avoids most of the copying, and the spare
// capacity that doubling leaves: a payload of 4 MiB can hold over a million events.
func (r *reader) expected() int {
	perByte := float64(len(r.events)+1) / float64(r.Offset())
	rest := len(r.payload) - r.Offset()
	return 1 + int(perByte*float64(rest)*1.02)
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

package webhooknorm

import (
	"errors"
	"slices"
	"strings"

	"github.com/hailmark/hailmark/internal/jsonscan"
	"github.com/hailmark/hailmark/problem"
)

// A reader walks through one payload, once, and gathers what it holds.
type reader struct {
	jsonscan.Scanner
	payload []byte
	all     bool // also what is neither a message nor a status
	events  []Event
	changes []IdentityChange
	value   value // the one that is being read
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
	text := r.String()
	if n := len(text); n > 0 && isPlain(text[0]) && isPlain(text[n-1]) {
		return text // as nearly always
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
	if number := r.Number(); isDigits(number) {
		return number
	}
	return ""
}

// since returns the payload from start up to where it has been read, without room to
// append to.
func (r *reader) since(start int) []byte {
	end := r.Offset()
	return r.payload[start:end:end]
}

// add appends an event.
func (r *reader) add(e *Event) {
	if len(r.events) == cap(r.events) {
		r.events = slices.Grow(r.events, r.expected())
	}
	r.events = append(r.events, *e)
}

// expected guesses how many more events there are, should the rest of the payload
// look like what has been read. It saves most of the copying, and the space that
// goes with doubling: a payload of 4 MiB can hold over a million events.
func (r *reader) expected() int {
	perByte := float64(len(r.events)+1) / float64(r.Offset())
	rest := len(r.payload) - r.Offset()
	return 1 + int(perByte*float64(rest)*1.02)
}

// finish returns the first fault of the payload.
func (r *reader) finish() error {
	err := r.Finish()
	var fault jsonscan.Fault
	if errors.As(err, &fault) {
		return problem.New(CodeInvalidJSON,
			"webhook payload must be one JSON value in UTF-8 without duplicate names, nested at most %d levels; found %v",
			jsonscan.MaxDepth, fault)
	}
	return err
}

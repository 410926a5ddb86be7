package webhooknorm

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hailmark/hailmark/problem"
)

// maxDepth is how many arrays and objects may be open at once.
const maxDepth = 128

// A reader walks through one JSON text, once. It is strict about the whole text,
// also where nobody looks: UTF-8, duplicate names, depth.
//
// It remembers the first error and from then on finds nothing more: every object
// and array ends, every text is empty. So only finish needs to be checked.
type reader struct {
	dec     *jsontext.Decoder
	payload []byte
	err     error
}

func newReader(payload []byte) *reader {
	r := &reader{
		// The decoder reads a bytes.Buffer in place. To allow invalid UTF-8 means, after
		// the check below, to allow the escape of half a surrogate pair: a name cut in
		// the middle of an emoji must not cost a whole batch.
		dec:     jsontext.NewDecoder(bytes.NewBuffer(payload), jsontext.AllowInvalidUTF8(true)),
		payload: payload,
	}
	if !utf8.Valid(payload) {
		r.fail("bytes that are not UTF-8", invalidUTF8(payload))
	}
	return r
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8.
func invalidUTF8(text []byte) int {
	at := 0
	for at < len(text) {
		c, size := utf8.DecodeRune(text[at:])
		if c == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return at
}

// open enters the next value if it is of the wanted kind, and skips it otherwise.
func (r *reader) open(kind jsontext.Kind) bool {
	if r.err != nil {
		return false
	}
	if r.dec.PeekKind() != kind {
		r.skip()
		return false
	}
	r.token()
	return r.err == nil
}

func (r *reader) openObject() bool { return r.open(jsontext.KindBeginObject) }
func (r *reader) openArray() bool  { return r.open(jsontext.KindBeginArray) }

// more reports whether the object or array entered last has another member. If it
// has none, more leaves it.
func (r *reader) more() bool {
	if r.err != nil {
		return false
	}
	next := r.dec.PeekKind()
	if next == jsontext.KindEndObject || next == jsontext.KindEndArray || next == jsontext.KindInvalid {
		r.token()
		return false
	}
	return true
}

// name reads the name of a member. It is valid until the next read.
func (r *reader) name() []byte {
	return unquote(r.value())
}

// skip reads the next value, whatever it is.
func (r *reader) skip() {
	if r.err != nil {
		return
	}
	next := r.dec.PeekKind()
	if next != jsontext.KindBeginObject && next != jsontext.KindBeginArray {
		r.value()
		return
	}
	outside := r.dec.StackDepth()
	r.token()
	for r.err == nil && r.dec.StackDepth() > outside {
		r.token()
	}
}

// text reads the next value. It returns a string trimmed, and "" for all else.
func (r *reader) text() string {
	if r.err == nil && r.dec.PeekKind() == jsontext.KindString {
		return string(bytes.TrimSpace(unquote(r.value())))
	}
	r.skip()
	return ""
}

// textOrDigits is text, but returns an unsigned integer as its digits.
func (r *reader) textOrDigits() string {
	if r.err == nil && r.dec.PeekKind() == jsontext.KindNumber {
		if number := r.value(); isDigits(number) {
			return string(number)
		}
		return ""
	}
	return r.text()
}

// offset is where the last value or token that was read ends.
func (r *reader) offset() int { return int(r.dec.InputOffset()) }

// since returns the text from start up to the offset, without room to append to.
func (r *reader) since(start int) []byte {
	end := r.offset()
	return r.payload[start:end:end]
}

// finish returns the first error. That something follows the value is one.
func (r *reader) finish() error {
	if r.err != nil {
		return r.err
	}
	end := r.offset()
	if _, err := r.dec.ReadToken(); err == nil {
		r.fail("something after the first value", end)
	} else if !errors.Is(err, io.EOF) {
		r.failed(err)
	}
	return r.err
}

func (r *reader) token() {
	if _, err := r.dec.ReadToken(); err != nil {
		r.failed(err)
	} else if r.dec.StackDepth() > maxDepth {
		r.fail("deeper nesting", r.offset()-len("{"))
	}
}

func (r *reader) value() jsontext.Value {
	v, err := r.dec.ReadValue()
	if err != nil {
		r.failed(err)
		return nil
	}
	return v
}

func (r *reader) failed(err error) {
	at := r.offset()
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		err, at = syntax.Err, int(syntax.ByteOffset)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		r.fail("its end", len(r.payload))
		return
	}
	r.fail(err.Error(), at)
}

func (r *reader) fail(finding string, at int) {
	r.err = problem.New(CodeInvalidJSON,
		"webhook payload must be one JSON value in UTF-8 without duplicate names, nested at most %d levels; found %s at byte %d",
		maxDepth, finding, at)
}

// unquote decodes a JSON string. What has no escapes is not copied.
func unquote(quoted []byte) []byte {
	if len(quoted) < 2 {
		return nil // after an error
	}
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	// The decoder has accepted the string, so all that can be wrong with it is half a
	// surrogate pair, which reads U+FFFD.
	text, _ := jsontext.AppendUnquote(nil, quoted)
	return text
}

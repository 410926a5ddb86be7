package chatlink

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hailmark/hailmark/problem"
)

// The codes that ParseText reports.
const (
	CodeTextTooLong problem.Code = "text_too_long"
	CodeTextInvalid problem.Code = "text_invalid"
)

// MaxTextLength is the length of a text in characters. WhatsApp documents none for
// links; this is its limit for a text message.
const MaxTextLength = 4096

// A Text is a message that a link fills in. The zero Text is none.
type Text struct {
	s string
}

// ParseText reads a message. A blank text, that is, one of white space only, is the
// zero Text; any other is kept as it is, white space around it included. It must be
// valid UTF-8 of at most [MaxTextLength] characters, and newline and tab are the
// only control characters. The error is a [problem.Problem].
func ParseText(s string) (Text, error) {
	if strings.TrimSpace(s) == "" {
		return Text{}, nil
	}
	if !utf8.ValidString(s) {
		return Text{}, problem.New(CodeTextInvalid, "text must be valid UTF-8")
	}
	if i := strings.IndexFunc(s, isForbidden); i >= 0 {
		r, _ := utf8.DecodeRuneInString(s[i:])
		return Text{}, problem.New(CodeTextInvalid, "text must not have control characters other than newline and tab, such as %U", r)
	}
	if n := utf8.RuneCountInString(s); n > MaxTextLength {
		return Text{}, problem.New(CodeTextTooLong, "text must be at most %d characters long, not %d", MaxTextLength, n)
	}
	return Text{s}, nil
}

func isForbidden(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }

// String returns the text, or "" for the zero value.
func (t Text) String() string { return t.s }

// isBare reports whether encodeURIComponent leaves c as it is (ECMA-262, 19.2.6.4).
func isBare(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' ||
		strings.IndexByte("-_.!~*'()", c) >= 0
}

func (t Text) encodedLen() int {
	n := len(t.s)
	for i := range len(t.s) {
		if !isBare(t.s[i]) {
			n += len("%XX") - 1
		}
	}
	return n
}

func (t Text) encodeTo(b *strings.Builder) {
	const hex = "0123456789ABCDEF"
	for i := range len(t.s) {
		if c := t.s[i]; isBare(c) {
			b.WriteByte(c)
		} else {
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
}

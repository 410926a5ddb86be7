package chatlink

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hailmark/hailmark/internal/textvalue"
	"github.com/hailmark/hailmark/problem"
)

// The codes of the problems that [ParseText] reports. CodeTextTooLong is also the code of
// package qrcode for a text that does not fit a QR code of the requested size.
const (
	CodeInvalidText problem.Code = "text_invalid"
	CodeTextTooLong problem.Code = "text_too_long"
)

// MaxTextLength is the maximum length of a text in characters. It is WhatsApp's limit for
// a text message; WhatsApp documents no limit for links.
const MaxTextLength = 4096

// A Text is the message that a link pre-fills. The zero Text means no message.
type Text struct {
	s string
}

// ParseText reads a message. CRLF becomes a newline, because HTML forms send CRLF. A text
// of white space only is the zero Text; any other text is kept, including the white space
// around it.
//
// The text must be valid UTF-8 of at most [MaxTextLength] characters, where CRLF counts
// as one, and newline and tab are the only control characters. The error is a
// [problem.Problem] with [CodeInvalidText] or [CodeTextTooLong].
func ParseText(s string) (Text, error) {
	if !utf8.ValidString(s) {
		return Text{}, problem.New(CodeInvalidText, "text must be valid UTF-8").In("text")
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if i := strings.IndexFunc(s, isForbidden); i >= 0 {
		r, _ := utf8.DecodeRuneInString(s[i:])
		return Text{}, problem.New(CodeInvalidText, "text contains the control character %U at character %d; only newline and tab are allowed",
			r, utf8.RuneCountInString(s[:i])+1).In("text")
	}
	if strings.TrimSpace(s) == "" {
		return Text{}, nil
	}
	if n := utf8.RuneCountInString(s); n > MaxTextLength {
		return Text{}, problem.New(CodeTextTooLong, "text must be at most %d characters long; got %d", MaxTextLength, n).In("text")
	}
	return Text{s}, nil
}

func isForbidden(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }

// String returns the text, or "" for the zero value.
func (t Text) String() string { return t.s }

// AppendText implements [encoding.TextAppender].
func (t Text) AppendText(dst []byte) ([]byte, error) { return append(dst, t.s...), nil }

// MarshalText implements [encoding.TextMarshaler]. The zero Text is empty text.
func (t Text) MarshalText() ([]byte, error) { return []byte(t.s), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]. The text is read by [ParseText].
func (t *Text) UnmarshalText(text []byte) error { return textvalue.Unmarshal(t, text, ParseText) }

// isBare reports whether encodeURIComponent does not escape c (ECMA-262, 19.2.6.4).
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

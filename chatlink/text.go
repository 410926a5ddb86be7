package chatlink

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hailmark/hailmark/problem"
)

// maxTextLength is WhatsApp's limit for messages, because WhatsApp doesn't specify a limit for
// links.
const maxTextLength = 4096

// ParseText checks a message and returns it as a link contains it. It replaces CRLF, which HTML
// forms send, with a newline, and text that consists of white space with "". Otherwise the text
// stays unchanged, including any white space around it.
//
// The result must be valid UTF-8 and contain at most 4096 characters. Newline and tab are the only
// control characters allowed. The error is a [problem.Problem] with [CodeInvalidText] or
// [CodeTextTooLong].
func ParseText(s string) (string, error) {
	if !utf8.ValidString(s) {
		return "", problem.New("text", CodeInvalidText, "text isn't valid UTF-8")
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if i := strings.IndexFunc(s, isForbidden); i >= 0 {
		r, _ := utf8.DecodeRuneInString(s[i:])
		return "", problem.New("text", CodeInvalidText, "text contains the control character %U at character %d; only newline and tab are allowed",
			r, utf8.RuneCountInString(s[:i])+1)
	}
	if strings.TrimSpace(s) == "" {
		return "", nil
	}
	if n := utf8.RuneCountInString(s); n > maxTextLength {
		return "", problem.New("text", CodeTextTooLong, "text has %d characters; at most %d are allowed", n, maxTextLength)
	}
	return s, nil
}

func isForbidden(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }

// isBare reports whether encodeURIComponent leaves c unescaped (ECMA-262, 19.2.6.4).
func isBare(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' ||
		strings.IndexByte("-_.!~*'()", c) >= 0
}

func encodedLen(s string) int {
	n := len(s)
	for i := range len(s) {
		if !isBare(s[i]) {
			n += len("%XX") - 1
		}
	}
	return n
}

func encodeTo(b *strings.Builder, s string) {
	const hex = "0123456789ABCDEF"
	for i := range len(s) {
		if c := s[i]; isBare(c) {
			b.WriteByte(c)
		} else {
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
}

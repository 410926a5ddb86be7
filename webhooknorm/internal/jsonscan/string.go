package jsonscan

import (
	"math/bits"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// decodedString reads the string that begins at i and returns what it says.
func (s *Scanner) decodedString(i int) (text string, end int) {
	end, escaped := s.string(i)
	if s.failed {
		return "", end
	}
	text = s.text[i+1 : end-1]
	if escaped {
		text = s.decode(text)
	}
	return text, end
}

// string reads the string that begins at i, and reports whether there are escapes in it.
func (s *Scanner) string(i int) (end int, escaped bool) {
	end, seen := stop(s.text, i+1)
	if end < len(s.text) && s.text[end] == '"' && seen&highBits == 0 {
		return end + 1, false
	}
	return s.specialString(i+1, end, seen)
}

// specialString reads the rest of a string that is not plain: it has escapes, is not
// ASCII, or is none. It starts at a place, has been read up to at, and has seen all bytes
// in between. Bytes beyond ASCII are checked in the end, since none of them can be taken for a quote.
func (s *Scanner) specialString(start, at int, seen uint64) (end int, escaped bool) {
	for at < len(s.text) && s.text[at] == '\\' {
		escaped = true
		var more uint64
		at, more = stop(s.text, s.escape(at))
		seen |= more
	}
	switch {
	case at == len(s.text) || s.text[at] != '"':
		return s.failAt(at, "in a string"), escaped
	case seen&highBits != 0 && !utf8.ValidString(s.text[start:at]):
		return s.fail("bytes that are not UTF-8", start+invalidUTF8(s.text[start:at])), escaped
	default:
		return at + 1, escaped
	}
}

// stop returns the offset, from i on, of the first byte that can end the plain part of
// a string: a quote, a backslash or a control character. Failing that, it is the end
// of the text. The bytes on the way are gathered in seen, eight at a time.
func stop(text string, i int) (at int, seen uint64) {
	for ; i+8 <= len(text); i += 8 {
		w := eight(text[i : i+8])
		if stops := stopsIn(w); stops != 0 {
			first := stops & -stops // the high bit of the first byte that stops
			return i + bits.TrailingZeros64(first)/8, seen | w&(first-1)
		}
		seen |= w
	}
	for ; i < len(text) && text[i] != '"' && text[i] != '\\' && text[i] >= ' '; i++ {
		seen |= uint64(text[i])
	}
	return i, seen
}

const (
	lowBits  = 0x0101010101010101 // the lowest bit of each of eight bytes
	highBits = 0x8080808080808080 // the highest
)

// eight returns the first eight bytes of a text, the first of them lowest.
func eight(b string) uint64 {
	_ = b[7]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// stopsIn sets the high bit of each byte that is a quote, a backslash or a control
// character. Bits above the first one mean nothing: the subtractions borrow.
func stopsIn(w uint64) uint64 {
	quote := w ^ '"'*lowBits
	backslash := w ^ '\\'*lowBits
	return ((quote-lowBits)&^quote | (backslash-lowBits)&^backslash | (w-' '*lowBits)&^w) & highBits
}

// escape checks the escape that begins at i.
func (s *Scanner) escape(i int) int {
	i++
	if i == len(s.text) {
		return s.failAt(i, "")
	}
	switch s.text[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1
	case 'u':
		for range 4 {
			if i++; i == len(s.text) || fromHex(s.text[i]) < 0 {
				return s.failAt(i, "in an escape")
			}
		}
		return i + 1
	default:
		return s.failAt(i, "in an escape")
	}
}

// decode returns what a string with escapes says. The escapes have been checked.
//
// All such texts share one buffer. It is only appended to and never used again once
// it is full, so that what was handed out stays.
func (s *Scanner) decode(escaped string) string {
	const usual = 256
	b := &s.decoded
	if b.Cap()-b.Len() < len(escaped) { // no text is longer than its escaped form
		*b = strings.Builder{}
		b.Grow(max(usual, len(escaped)))
	}
	start := b.Len()
	for {
		plain, rest, found := strings.Cut(escaped, `\`)
		b.WriteString(plain)
		if !found {
			return b.String()[start:]
		}
		c, size := decodeEscape(rest)
		b.WriteRune(c)
		escaped = rest[size:]
	}
}

// decodeEscape reads an escape from behind its backslash. Half a surrogate pair
// without the other half reads U+FFFD.
func decodeEscape(text string) (c rune, size int) {
	switch text[0] {
	case 'b':
		return '\b', 1
	case 'f':
		return '\f', 1
	case 'n':
		return '\n', 1
	case 'r':
		return '\r', 1
	case 't':
		return '\t', 1
	case 'u':
		c = hex4(text[1:])
		if !utf16.IsSurrogate(c) {
			return c, len("u0000")
		}
		if rest := text[len("u0000"):]; strings.HasPrefix(rest, `\u`) {
			if pair := utf16.DecodeRune(c, hex4(rest[2:])); pair != utf8.RuneError {
				return pair, len(`u0000\u0000`)
			}
		}
		return utf8.RuneError, len("u0000")
	default:
		return rune(text[0]), 1
	}
}

func hex4(text string) (c rune) {
	for i := range 4 {
		c = c<<4 | rune(fromHex(text[i]))
	}
	return c
}

// fromHex returns the value of a hexadecimal digit, or -1.
func fromHex(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	default:
		return -1
	}
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8.
func invalidUTF8(text string) int {
	at := 0
	for at < len(text) {
		c, size := utf8.DecodeRuneInString(text[at:])
		if c == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return at
}

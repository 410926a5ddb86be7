package jsonscan

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// A string is read in two steps, since nearly all are plain: ASCII without escapes.
//
//	end, seen := stop(s.text, i+1)
//	if isPlain(s.text, end, seen) {
//		end++
//	} else {
//		end, escaped = s.specialString(i+1, end, seen)
//	}

// isPlain reports whether a string that stop has read up to end is plain and ends there.
func isPlain(text []byte, end int, seen uint64) bool {
	return end < len(text) && text[end] == '"' && seen&highBits == 0
}

// specialString reads the rest of a string that is not plain: it has escapes, or bytes
// beyond ASCII, or is no string. Its text begins at start and has been read up to at.
// Whether it is UTF-8 is checked in the end: none of its bytes can be taken for a quote.
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
	case seen&highBits != 0 && !utf8.Valid(s.text[start:at]):
		return s.fail("bytes that are not UTF-8", start+invalidUTF8(s.text[start:at])), escaped
	default:
		return at + 1, escaped
	}
}

// stop returns the offset, from i on, of the first byte that can end the plain part of
// a string: a quote, a backslash or a control character. Failing that, it is the end
// of the text. The bytes on the way are gathered in seen, eight at a time.
func stop(text []byte, i int) (at int, seen uint64) {
	for ; i+8 <= len(text); i += 8 {
		w := binary.LittleEndian.Uint64(text[i : i+8])
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

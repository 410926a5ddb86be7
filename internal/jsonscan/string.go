package jsonscan

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// A string is read in two steps, since nearly all are plain: ASCII without escapes.
//
//	end := plain(s.text, i+1)
//	if isAt(s.text, end, '"') {
//		end++
//	} else {
//		end, escaped = s.specialString(i+1, end)
//	}

// isAt reports whether c is at i, which may be the end of the text.
func isAt(text []byte, i int, c byte) bool { return uint(i) < uint(len(text)) && text[i] == c }

// specialString reads the rest of a string that is not plain: it has escapes, or bytes
// beyond ASCII, or is not a string. Its text begins at start and is plain up to at.
// Whether it is UTF-8 is checked in the end: none of its bytes can be taken for a quote.
func (s *Scanner) specialString(start, at int) (end int, escaped bool) {
	ascii := true
	for at < len(s.text) {
		switch c := s.text[at]; {
		case c == '\\':
			escaped = true
			if at = s.escapes(at); !isAt(s.text, at, '"') {
				at = plain(s.text, at)
			}
		case c >= utf8.RuneSelf:
			ascii = false
			at = plainOrBeyond(s.text, at+1)
		case c == '"':
			if !ascii && !utf8.Valid(s.text[start:at]) {
				return s.fail("bytes that are not UTF-8", start+invalidUTF8(s.text[start:at])), escaped
			}
			return at + 1, escaped
		case c < ' ':
			return s.failAt(at, "in a string"), escaped
		default: // near the end of the text
			at++
		}
	}
	return s.failAt(at, "in a string"), escaped
}

// plain returns the offset, from i on, of the first byte that is not plain text: a
// quote, a backslash, a control character or a part of a character beyond ASCII. It
// looks at eight bytes a time, and stops before the end of the text if there are less.
func plain(text []byte, i int) int {
	for ; i < len(text)-7; i += 8 {
		w := binary.LittleEndian.Uint64(text[i:])
		if stops := (stopsIn(w) | w) & highBits; stops != 0 {
			return i + bits.TrailingZeros64(stops)/8
		}
	}
	return i
}

// plainOrBeyond is plain for text beyond ASCII.
func plainOrBeyond(text []byte, i int) int {
	for ; i < len(text)-7; i += 8 {
		w := binary.LittleEndian.Uint64(text[i:])
		if stops := stopsIn(w) &^ w & highBits; stops != 0 {
			return i + bits.TrailingZeros64(stops)/8
		}
	}
	return i
}

const (
	lowBits  = 0x0101010101010101 // the lowest bit of each of eight bytes
	highBits = 0x8080808080808080 // the highest
)

// Masks for eight bytes. They are variables, which never change, because the compiler
// loads each constant into a register anew for every word, but takes these from memory.
var (
	quoteOrSpace uint64 = ('"' ^ ' ') * lowBits
	belowQuote   uint64 = ('"' - 1) * lowBits
	backslash    uint64 = '\\' * lowBits
	one          uint64 = lowBits
)

// stopsIn sets the high bit of each byte that is a quote, a backslash or a control
// character. The high bits of bytes beyond ASCII, and of bytes above the first one that
// it finds, are unspecified: the subtractions borrow.
//
// XOR with '"'^' ' swaps the quote and the space, so that the quote sorts just above
// the control characters and one subtraction finds both.
func stopsIn(w uint64) uint64 {
	return ((w ^ quoteOrSpace) - belowQuote) | ((w ^ backslash) - one)
}

// escapes checks the escapes that follow each other from i on.
func (s *Scanner) escapes(i int) int {
	for text := s.text; ; {
		if rest := text[i:]; len(rest) >= len(`\u0000`) && rest[0] == '\\' {
			if rest[1] == 'u' && fromHex[rest[2]]|fromHex[rest[3]]|fromHex[rest[4]]|fromHex[rest[5]] >= 0 {
				i += len(`\u0000`)
				continue
			}
			if shortEscapes[rest[1]] != 0 {
				i += len(`\n`)
				continue
			}
		}
		if !isAt(text, i, '\\') {
			return i
		}
		i = s.escape(i) // a fault, or near the end of the text
	}
}

// shortEscapes has the character of each escape of two bytes, by its second byte.
var shortEscapes = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// escape checks the escape that begins at i.
func (s *Scanner) escape(i int) int {
	i++
	if i == len(s.text) {
		return s.failAt(i, "")
	}
	switch c := s.text[i]; {
	case shortEscapes[c] != 0:
		return i + 1
	case c == 'u':
		i++
		if digits := s.text[i:]; len(digits) >= 4 && hex4(digits) >= 0 {
			return i + 4
		}
		for i < len(s.text) && fromHex[s.text[i]] >= 0 {
			i++
		}
		return s.failAt(i, "in an escape")
	default:
		return s.failAt(i, "in an escape")
	}
}

// fromHex has the value of each hexadecimal digit, and -1 for all other bytes.
var fromHex = func() (values [256]int8) {
	for c := range values {
		values[c] = -1
	}
	for i := range int8(10) {
		values['0'+i] = i
	}
	for i := range int8(6) {
		values['a'+i], values['A'+i] = 10+i, 10+i
	}
	return values
}()

// isPlainByte reports whether plain skips c.
func isPlainByte(c byte) bool { return c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf }

// hex4 returns the value of four hexadecimal digits, or a negative number if one of them is not a digit.
func hex4(text []byte) rune {
	return rune(fromHex[text[0]])<<12 | rune(fromHex[text[1]])<<8 | rune(fromHex[text[2]])<<4 | rune(fromHex[text[3]])
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

package jsonscan

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// space skips white space.
func space(text []byte, i int) int {
	for i < len(text) && text[i] <= ' ' {
		if b := text[i]; b != ' ' && b != '\t' && b != '\r' && b != '\n' {
			break
		}
		i++
	}
	return i
}

// plain returns the offset, from i on, of the first byte that isn't plain text: a quote, a
// backslash, a control character or part of a character beyond ASCII. It looks at eight
// bytes at a time, and stops early if fewer are left.
func plain(text []byte, i int) int {
	for i = max(i, 0); i < len(text)-7; i += 8 { // max saves a bounds check
		w := binary.LittleEndian.Uint64(text[i : i+8 : i+8])
		if stops := stopsIn(w); stops != 0 {
			return i + bits.TrailingZeros64(stops)/8
		}
	}
	return i
}

const (
	lowBits  = 0x0101010101010101 // the lowest bit of each of eight bytes
	highBits = 0x8080808080808080 // the highest
)

// stopsIn sets the high bit of each byte at which plain stops. The bytes above the first
// one that it sets are unspecified, because the subtractions borrow.
//
// XOR with '"'^' ' swaps the quote and the space, so that the quote sorts just above the
// control characters and one subtraction finds both.
func stopsIn(w uint64) uint64 {
	quotes := (w ^ ('"'^' ')*lowBits) - ('"'-1)*lowBits
	backslashes := (w ^ '\\'*lowBits) - lowBits
	return (quotes | backslashes | w) & highBits
}

// stringEnd returns the offset of the quote that ends a checked string, whose text starts
// at an offset.
func stringEnd(text []byte, start int) int {
	i := plain(text, start)
	for text[i] != '"' || isEscaped(text, i) {
		i++
		i += bytes.IndexByte(text[i:], '"')
	}
	return i
}

// isEscaped reports whether the byte at i in a checked string comes after an odd number of
// backslashes.
func isEscaped(text []byte, i int) bool {
	escaped := false
	for i--; text[i] == '\\'; i-- {
		escaped = !escaped
	}
	return escaped
}

// The lengths of the two kinds of escapes.
const (
	shortEscape   = len(`\n`)
	unicodeEscape = len(`\u0000`)
)

// shortEscapes holds the character of each escape of two bytes, by its second byte.
var shortEscapes = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// decoded returns the checked text of a string or name, decoded.
func decoded(text []byte) []byte {
	if bytes.IndexByte(text, '\\') < 0 {
		return text
	}
	return appendDecoded(make([]byte, 0, len(text)), text)
}

// appendDecoded appends the checked text of a string, decoded. Half a surrogate pair is
// U+FFFD.
func appendDecoded(dst, text []byte) []byte {
	for len(text) > 0 {
		if text[0] != '\\' {
			dst = append(dst, text[0])
			text = text[1:]
			continue
		}
		if c := shortEscapes[text[1]]; c != 0 {
			dst = append(dst, c)
			text = text[shortEscape:]
			continue
		}
		r := hex4(text)
		text = text[unicodeEscape:]
		if utf16.IsSurrogate(r) {
			var ok bool
			if r, ok = secondHalf(r, text); ok {
				text = text[unicodeEscape:]
			}
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// fromHex holds the value of each hexadecimal digit, and -1 for all other bytes.
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

// hex4 returns the value of the four digits of the escape at the start of a text, or a
// negative number if one of them isn't hexadecimal.
func hex4(escape []byte) rune {
	return rune(fromHex[escape[2]])<<12 | rune(fromHex[escape[3]])<<8 | rune(fromHex[escape[4]])<<4 | rune(fromHex[escape[5]])
}

// isUnicodeEscape reports whether the first six bytes of a word are a valid escape.
func isUnicodeEscape(w uint64) bool {
	return uint16(w) == '\\'|'u'<<8 && fromHex[byte(w>>16)]|fromHex[byte(w>>24)]|fromHex[byte(w>>32)]|fromHex[byte(w>>40)] >= 0
}

// secondHalf returns the character of a surrogate pair with this first half, if the rest of
// the text starts with the other half, and otherwise U+FFFD.
func secondHalf(first rune, rest []byte) (r rune, ok bool) {
	if len(rest) < unicodeEscape || rest[0] != '\\' || rest[1] != 'u' {
		return utf8.RuneError, false
	}
	r = utf16.DecodeRune(first, hex4(rest))
	return r, r != utf8.RuneError
}

// LoneSurrogate returns the offset of the first escape of half a surrogate pair, such as
// \ud83d without \ude00 behind it, or -1. The text must be valid JSON. Every such escape
// is six bytes long.
func LoneSurrogate(text []byte) int {
	for i := 0; ; {
		next := bytes.IndexByte(text[i:], '\\')
		if next < 0 {
			return -1
		}
		i += next
		if text[i+1] != 'u' {
			i += shortEscape
			continue
		}
		first := hex4(text[i:])
		i += unicodeEscape
		if utf16.IsSurrogate(first) {
			if _, ok := secondHalf(first, text[i:]); !ok {
				return i - unicodeEscape
			}
			i += unicodeEscape
		}
	}
}

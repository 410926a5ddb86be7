package jsonscan

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode"
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

// plain skips printable ASCII other than quotes and backslashes, eight bytes at a time. It
// may stop early in the text's last seven bytes.
func plain(text []byte, i int) int {
	for i = max(i, 0); i < len(text)-7; i += 8 { // max saves a bounds check
		if stops := stopsIn(binary.LittleEndian.Uint64(text[i : i+8 : i+8])); stops != 0 {
			return i + bits.TrailingZeros64(stops)/8
		}
	}
	return i
}

// stopsIn sets the high bit in the first byte that isn't plain. Higher bits are unspecified,
// because the subtractions borrow. XOR with '"'^' ' swaps the quote and the space, so that
// a single subtraction finds both the quote and the control characters.
func stopsIn(w uint64) uint64 {
	const low, high = 0x0101010101010101, 0x8080808080808080
	quotes := (w ^ ('"'^' ')*low) - ('"'-1)*low
	backslashes := (w ^ '\\'*low) - low
	return (quotes | backslashes | w) & high
}

// stringEnd returns the offset of a checked string's closing quote.
func stringEnd(text []byte, i int) int {
	for text[i] != '"' {
		if text[i] == '\\' {
			i++
		}
		i++
	}
	return i
}

const shortEscape, unicodeEscape = len(`\n`), len(`\u0000`)

// shortEscapes maps a short escape's second byte to its character.
var shortEscapes = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// decoded decodes a string's checked text.
func decoded(text []byte) []byte {
	if bytes.IndexByte(text, '\\') < 0 {
		return text
	}
	return appendDecoded(make([]byte, 0, len(text)), text)
}

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
		r, size := unicodeAt(text)
		dst = utf8.AppendRune(dst, r)
		text = text[size:]
	}
	return dst
}

// unicodeAt decodes the escape, or the pair of surrogate escapes, at the start of a checked
// text. An unpaired surrogate is U+FFFD.
func unicodeAt(text []byte) (r rune, size int) {
	r = hex4(text)
	if !utf16.IsSurrogate(r) {
		return r, unicodeEscape
	}
	if len(text) < 2*unicodeEscape || text[unicodeEscape] != '\\' || text[unicodeEscape+1] != 'u' {
		return utf8.RuneError, unicodeEscape
	}
	if r = utf16.DecodeRune(r, hex4(text[unicodeEscape:])); r == utf8.RuneError {
		return r, unicodeEscape
	}
	return r, 2 * unicodeEscape
}

// hex4 returns the number in a Unicode escape's four digits, or a negative number.
func hex4(escape []byte) rune {
	return rune(fromHex[escape[2]])<<12 | rune(fromHex[escape[3]])<<8 | rune(fromHex[escape[4]])<<4 | rune(fromHex[escape[5]])
}

// fromHex contains the hexadecimal digits' values, and -1 for all other bytes.
var fromHex = func() (values [256]int8) {
	for c := range values {
		values[c] = -1
	}
	for i, c := range "0123456789abcdef" {
		values[c], values[unicode.ToUpper(c)] = int8(i), int8(i)
	}
	return values
}()

// LoneSurrogate returns the offset of the first escaped unpaired surrogate, or -1. The text
// must be valid JSON, otherwise it may panic.
func LoneSurrogate(text []byte) int {
	for i := 0; ; {
		next := bytes.IndexByte(text[i:], '\\')
		if next < 0 {
			return -1
		}
		if i += next; text[i+1] != 'u' {
			i += shortEscape
			continue
		}
		_, size := unicodeAt(text[i:])
		if size == unicodeEscape && utf16.IsSurrogate(hex4(text[i:])) {
			return i
		}
		i += size
	}
}

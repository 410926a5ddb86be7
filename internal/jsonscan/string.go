package jsonscan

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// A string is read in two steps, since nearly all are plain: ASCII without escapes.
//
//	end := plain(s.text, i+1)
//	if isAt(s.text, end, '"') {
//		end++
//	} else {
//		end = s.specialString(i+1, end, false)
//	}

// isAt reports whether c is at i, which may be the end of the text.
func isAt(text []byte, i int, c byte) bool { return uint(i) < uint(len(text)) && text[i] == c }

// specialString reads the rest of a string that is not plain: it has escapes, or bytes
// beyond ASCII, or is not a string. Its text begins at start and is plain up to at. If
// keep is set, the text is added to s.kept, decoded. Whether it is UTF-8 is checked in the
// end: none of its bytes can be taken for a quote.
func (s *Scanner) specialString(start, at int, keep bool) (end int) {
	ascii := true
	literal := start // where the text begins that follows the last escape
	for at < len(s.text) {
		switch c := s.text[at]; {
		case c == '\\':
			if keep {
				s.kept.add(s.text[literal:at])
				at = s.decodeEscapes(at)
				literal = at
			} else {
				at = s.escapes(at)
			}
			if !isAt(s.text, at, '"') {
				at = plain(s.text, at)
			}
		case c >= utf8.RuneSelf:
			ascii = false
			at = plainOrBeyond(s.text, at+1)
		case c == '"':
			if !ascii && !utf8.Valid(s.text[start:at]) {
				return s.fail("bytes that are not UTF-8", start+invalidUTF8(s.text[start:at]))
			}
			if keep {
				s.kept.add(s.text[literal:at])
			}
			return at + 1
		case c < ' ':
			return s.failAt(at, "in a string")
		default: // near the end of the text
			at++
		}
	}
	return s.failAt(at, "in a string")
}

// plain returns the offset, from i on, of the first byte that is not plain text: a
// quote, a backslash, a control character or a part of a character beyond ASCII. It
// looks at eight bytes a time, and stops before the end of the text if there are less.
func plain(text []byte, i int) int {
	for last := len(text) - 8; i <= last; i += 8 {
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

// The lengths of the two kinds of escapes.
const (
	shortEscape   = len(`\n`)
	unicodeEscape = len(`\u0000`)
)

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
	aboveSpace   uint64 = (0x7f - ' ') * lowBits // added to an ASCII character above the space, sets its high bit
	aboveZero    uint64 = 0x7f * lowBits         // added to an ASCII character other than 0, sets its high bit
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

// allStopsIn sets the high bit of each byte that is not plain text, exactly up to the first
// one beyond ASCII.
func allStopsIn(w uint64) uint64 {
	return (w | ^(((w ^ quoteOrSpace) + aboveSpace) & ((w ^ backslash) + aboveZero))) & highBits
}

// escapes checks the escape at i and those that follow, together with the plain text between
// them. It looks at eight bytes a time, because a text can consist of escapes, and ends before
// anything else.
func (s *Scanner) escapes(i int) int {
	text := s.text
	i = denseEscapes(text, i)
	for i < len(text)-8-unicodeEscape {
		next := (*[8 + unicodeEscape]byte)(text[i:])
		end := i + 8
		for stops := allStopsIn(binary.LittleEndian.Uint64(next[:])); stops != 0; stops &= stops - 1 {
			at := bits.TrailingZeros64(stops) / 8
			if next[at] != '\\' {
				return i + at
			}
			c := next[at+1]
			switch shortEscapes[c] {
			case '"', '\\':
				stops &= stops - 1 // not a stop
			case 0:
				if c != 'u' || !areHex(binary.LittleEndian.Uint32(next[at+2:])) {
					return s.escape(i + at) // a fault
				}
			}
			if at == 7 {
				end++
			}
		}
		i = end
	}
	for isAt(s.text, i, '\\') {
		i = s.escape(i)
	}
	return i
}

// denseEscapes returns the end of the valid escapes from i on, as long as they are in one of
// the patterns with the most escapes: \u0000\n, \r\n\r\n and \nx\nx.
func denseEscapes(text []byte, i int) int {
	for i < len(text)-7 {
		next := (*[8]byte)(text[i:])
		w := binary.LittleEndian.Uint64(next[:])
		switch {
		case uint16(w) == '\\'|'u'<<8 && areHex(uint32(w>>16)):
			i += unicodeEscape
			if next[6] == '\\' && shortEscapes[next[7]] != 0 {
				i += shortEscape
			}
		case w&thirdBytes == '\\'*lowBits&thirdBytes && shortEscapes[next[1]] != 0 && plainBytes[next[2]] &&
			shortEscapes[next[4]] != 0 && plainBytes[next[5]]:
			i += 2 * (shortEscape + 1)
		case w&evenBytes == '\\'*lowBits&evenBytes && shortEscapes[next[1]] != 0 && shortEscapes[next[3]] != 0 &&
			shortEscapes[next[5]] != 0 && shortEscapes[next[7]] != 0:
			i += 4 * shortEscape
		default:
			return i
		}
	}
	return i
}

// Masks for eight bytes: the first, the third and so on, and the first and the fourth.
const (
	evenBytes  = 0x00ff00ff00ff00ff
	thirdBytes = 0x00000000ff0000ff
)

// decodeEscapes checks the escapes from i on and adds them to s.kept, decoded, together with the
// plain text between them. It ends before anything else. Half a surrogate pair without the
// other half is U+FFFD.
func (s *Scanner) decodeEscapes(i int) int {
	var decoded [128]byte
	n := 0
	text := s.text
	for i <= len(text)-unicodeEscape {
		if n > len(decoded)-8-utf8.UTFMax {
			s.kept.add(decoded[:n])
			n = 0
		}
		if text[i] != '\\' {
			if i > len(text)-8-unicodeEscape {
				break
			}
			w := binary.LittleEndian.Uint64(text[i:])
			binary.LittleEndian.PutUint64(decoded[n:], w)
			stops := (stopsIn(w) | w) & highBits
			if stops == 0 {
				i += 8
				n += 8
				continue
			}
			plain := bits.TrailingZeros64(stops) / 8
			i += plain
			n += plain
			if text[i] != '\\' {
				break
			}
		}
		next := (*[unicodeEscape]byte)(text[i:])
		if c := shortEscapes[next[1]]; c != 0 {
			decoded[n] = c
			n++
			i += shortEscape
			switch second := shortEscapes[next[3]]; { // \r\n and \nx\nx in one step
			case second != 0 && next[2] == '\\':
				decoded[n] = second
				n++
				i += shortEscape
			case next[3] == '\\' && plainBytes[next[2]]:
				decoded[n] = next[2]
				n++
				i++
				if third := shortEscapes[next[4]]; third != 0 && plainBytes[next[5]] {
					decoded[n], decoded[n+1] = third, next[5]
					n += 2
					i += shortEscape + 1
				}
			}
			continue
		}
		c := hex4(next)
		if c < 0 || next[1] != 'u' {
			return s.escape(i) // a fault
		}
		i += unicodeEscape
		if 0x80 <= c && c < 0x800 { // the common case, without a call
			decoded[n], decoded[n+1] = 0xc0|byte(c>>6), 0x80|byte(c)&0x3f
			n += 2
			if rest := text[i:]; len(rest) > 1 && rest[0] == '\\' && shortEscapes[rest[1]] != 0 {
				decoded[n] = shortEscapes[rest[1]]
				n++
				i += shortEscape
			}
			continue
		}
		if utf16.IsSurrogate(c) {
			var ok bool
			if c, ok = secondHalf(c, text[i:]); ok {
				i += unicodeEscape
			}
		}
		n += utf8.EncodeRune(decoded[n:], c)
	}
	s.kept.add(decoded[:n])
	for len(text)-i < unicodeEscape && isAt(text, i, '\\') { // near the end of the text, where only short ones fit
		end := s.escape(i)
		if s.failed {
			return end
		}
		decoded[0] = shortEscapes[text[i+1]]
		s.kept.add(decoded[:1])
		i = end
	}
	return i
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
		end := i - 1 + unicodeEscape
		for i++; i < end; i++ {
			if i == len(s.text) || fromHex[s.text[i]] < 0 {
				return s.failAt(i, "in an escape")
			}
		}
		return end
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

// plainBytes has the bytes that plain skips.
var plainBytes = func() (are [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		are[c] = c != '"' && c != '\\'
	}
	return are
}()

// areHex reports whether four bytes are hexadecimal digits. The high bit of each byte of a sum
// is set if the byte is not less than the character that is subtracted.
func areHex(w uint32) bool {
	const (
		low  = lowBits & 0xffffffff
		high = highBits & 0xffffffff
	)
	lower := w | 0x20*low
	digits := (w + (0x80-'0')*low) ^ (w + (0x80-'9'-1)*low)
	letters := (lower + (0x80-'a')*low) ^ (lower + (0x80-'f'-1)*low)
	return (digits^letters)&^w&high == high
}

// hex4 returns the value of the four hexadecimal digits of an escape, or a negative number
// if one of them is not a digit.
func hex4(escape *[unicodeEscape]byte) rune {
	return rune(fromHex[escape[2]])<<12 | rune(fromHex[escape[3]])<<8 | rune(fromHex[escape[4]])<<4 | rune(fromHex[escape[5]])
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

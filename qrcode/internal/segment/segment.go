// Package segment packs a text into the data bits of a QR code (ISO/IEC 18004, 7.4).
//
// The standard has several modes of writing characters, and a text may change mode
// at any point:
//
//	mode          characters           bits            indicator  count of characters, in versions
//	                                                              1-9  10-26  27-40
//	numeric       0-9                  10 for each 3   0001       10   12     14
//	alphanumeric  0-9 A-Z and $%*+-./: 11 for each 2   0010        9   11     13
//	              and the blank
//	byte          all                   8 for each     0100        8   16     16
//
// Kanji mode is left out: it writes Shift JIS, and chat links are ASCII.
package segment

import (
	"math"
	"unicode/utf8"
)

// A Class is a range of versions that write the count of characters alike.
type Class struct {
	First, Last int
	countBits   [modes]int
}

// Classes returns the three classes, smallest versions first.
func Classes() [3]Class {
	return [3]Class{
		{1, 9, [modes]int{10, 9, 8}},
		{10, 26, [modes]int{12, 11, 16}},
		{27, 40, [modes]int{14, 13, 16}},
	}
}

type mode uint8

const (
	numeric mode = iota
	alphanumeric
	octets
)

// modes is how many there are.
const modes = 3

// The mode indicators of table 2, and the terminator.
var indicators = [modes]uint64{numeric: 0b0001, alphanumeric: 0b0010, octets: 0b0100}

const indicatorBits = 4

// The mark that says that the bytes are UTF-8: an indicator and assignment 26 of
// the extended channel interpretations. Without it they are ISO 8859-1 to the
// letter of the standard and a guess in practice.
const (
	utf8Mark     = 0b0111_00011010
	utf8MarkBits = 12
)

// MaxText is the length of the longest text that any symbol holds: digits, at level L.
const MaxText = 7089

// MinBits returns a number of bits below which text is never packed: that of its
// characters, each in its cheapest mode, without any head of a segment.
func MinBits(text string) int {
	total := 0
	for i := range len(text) {
		switch v := values[text[i]]; {
		case v == notAlphanumeric:
			total += sixths[octets]
		case v >= 10:
			total += sixths[alphanumeric]
		default:
			total += sixths[numeric]
		}
	}
	return total / 6
}

// sixths is what a character costs in each mode, in sixths of a bit, so that 3 1/3
// and 5 1/2 are whole numbers.
var sixths = [modes]int{numeric: 20, alphanumeric: 33, octets: 48}

// values holds the value of each character in alphanumeric mode (table 5); the
// digits have their own in numeric mode as well. notAlphanumeric is no value.
var values = func() (v [256]uint8) {
	for i := range v {
		v[i] = notAlphanumeric
	}
	const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"
	for i := range len(alphabet) {
		v[alphabet[i]] = uint8(i)
	}
	return v
}()

const notAlphanumeric = 255

// A Packer holds the memory that packing takes, to be used again and again.
type Packer struct {
	class  Class
	text   string
	marked bool
	modes  []mode
	bits   int
}

// Measure finds the sequence of modes that packs text into the fewest bits, for
// versions of this class, and returns their number.
//
// The search is by dynamic programming: costs[m] is the least that the text so far
// can cost if its last character is in mode m. The next character either goes on
// in the same mode or opens a segment behind the cheapest of the three.
func (p *Packer) Measure(text string, class Class) int {
	p.text, p.class, p.marked = text, class, needsMark(text)
	if cap(p.modes) < len(text) {
		p.modes = make([]mode, len(text), max(256, len(text)))
	}
	p.modes = p.modes[:len(text)]

	// n, a and o are costs[numeric], costs[alphanumeric] and costs[octets].
	n, a, o := never, never, never
	openN, openA, openO := class.open(numeric), class.open(alphanumeric), class.open(octets)
	best, last := 0, octets // no segment is open yet, so any mode will do
	for i := range len(text) {
		beforeN, beforeA, beforeO := numeric, alphanumeric, octets
		if best+openO < o {
			o, beforeO = best+openO, last
		}
		if best+openA < a {
			a, beforeA = best+openA, last
		}
		if best+openN < n {
			n, beforeN = best+openN, last
		}
		p.modes[i] = beforeN | beforeA<<2 | beforeO<<4
		o += sixths[octets]
		best, last = o, octets // o is whole bits
		switch v := values[text[i]]; {
		case v == notAlphanumeric:
			n, a = never, never
			continue
		case v >= 10:
			n = never
		default:
			n += sixths[numeric]
			if whole := wholeBits(n); whole < best {
				best, last = whole, numeric
			}
		}
		a += sixths[alphanumeric]
		if whole := wholeBits(a); whole < best {
			best, last = whole, alphanumeric
		}
	}
	p.trace(last)
	p.bits = wholeBits(best) / 6
	if p.marked {
		p.bits += utf8MarkBits
	}
	return p.bits
}

// open returns what the head of a segment costs.
func (c *Class) open(m mode) int { return 6 * (indicatorBits + c.countBits[m]) }

// never is the cost of a mode that cannot write a character.
const never = math.MaxInt32 / 2

// wholeBits rounds a cost up to bits: a segment ends on a whole one.
func wholeBits(sixths int) int { return (sixths + 5) / 6 * 6 }

// trace walks the cheapest way back from the end. It finds in p.modes, two bits for each
// mode of a character, the mode of the character before, and leaves there the mode of
// each character.
func (p *Packer) trace(last mode) {
	for i := len(p.modes) - 1; i >= 0; i-- {
		before := p.modes[i] >> (2 * last) & 3
		p.modes[i] = last
		last = before
	}
}

func needsMark(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return utf8.ValidString(text)
		}
	}
	return false
}

// Append appends the text that was measured last to dst, as exactly size bytes: the
// segments, the terminator and the padding of 7.4.9 and 7.4.10. The size must be
// enough for what Measure returned. The Packer then lets go of the text.
func (p *Packer) Append(dst []byte, size int) []byte {
	w := writer{out: dst}
	if p.marked {
		w.write(utf8Mark, utf8MarkBits)
	}
	for start := 0; start < len(p.text); {
		m, end := p.modes[start], start+1
		for end < len(p.text) && p.modes[end] == m {
			end++
		}
		w.write(indicators[m], indicatorBits)
		w.write(uint64(end-start), p.class.countBits[m])
		w.segment(m, p.text[start:end])
		start = end
	}
	const terminatorBits = 4
	w.write(0, min(terminatorBits, 8*size-p.bits))
	w.flush()
	for pad := byte(0xEC); len(w.out) < len(dst)+size; pad ^= 0xEC ^ 0x11 {
		w.out = append(w.out, pad)
	}
	p.text = ""
	return w.out
}

// A writer appends bits to out, the highest first.
type writer struct {
	out []byte
	acc uint64 // the last n bits are waiting
	n   int
}

func (w *writer) write(v uint64, bits int) {
	w.acc = w.acc<<bits | v
	for w.n += bits; w.n >= 8; w.n -= 8 {
		w.out = append(w.out, byte(w.acc>>(w.n-8)))
	}
}

// flush fills the last byte with zeros.
func (w *writer) flush() { w.write(0, -w.n&7) }

func (w *writer) segment(m mode, s string) {
	switch m {
	case numeric: // 7.4.3
		for ; len(s) >= 3; s = s[3:] {
			w.write(100*value(s[0])+10*value(s[1])+value(s[2]), 10)
		}
		if len(s) == 2 {
			w.write(10*value(s[0])+value(s[1]), 7)
		} else if len(s) == 1 {
			w.write(value(s[0]), 4)
		}
	case alphanumeric: // 7.4.4
		for ; len(s) >= 2; s = s[2:] {
			w.write(45*value(s[0])+value(s[1]), 11)
		}
		if len(s) == 1 {
			w.write(value(s[0]), 6)
		}
	case octets: // 7.4.5
		for i := range len(s) {
			w.write(uint64(s[i]), 8)
		}
	}
}

func value(c byte) uint64 { return uint64(values[c]) }

// Package segment packs text into a QR code's data bits (ISO/IEC 18004, 7.4).
//
// Text may change between these modes:
//
//	mode          characters           bits            indicator  count of characters, in versions
//	                                                              1-9  10-26  27-40
//	numeric       0-9                  10 for each 3   0001       10   12     14
//	alphanumeric  0-9 A-Z and $%*+-./: 11 for each 2   0010        9   11     13
//	              and the space
//	byte          all                   8 for each     0100        8   16     16
//
// Kanji mode isn't supported, because links are ASCII.
package segment

import (
	"math"
	"unicode/utf8"
)

// A Range contains versions whose character counts have the same width.
type Range struct {
	First, Last int
	countBits   [modes]int
}

// Ranges returns the ranges in ascending order.
func Ranges() [3]Range {
	return [3]Range{
		{1, 9, [modes]int{10, 9, 8}},
		{10, 26, [modes]int{12, 11, 16}},
		{27, 40, [modes]int{14, 13, 16}},
	}
}

type mode uint8

const (
	numeric mode = iota
	alphanumeric
	byteMode
)

const modes = 3

// indicators contains the mode indicators (table 2).
var indicators = [modes]uint64{numeric: 0b0001, alphanumeric: 0b0010, byteMode: 0b0100}

const indicatorBits = 4

// The ECI header indicates UTF-8 (assignment 26). Without it, the standard specifies ISO 8859-1, and
// scanners guess.
const (
	utf8ECI     = 0b0111_00011010
	utf8ECIBits = 12
)

// MaxText is the maximum length of text, which only digits reach at level L.
const MaxText = 7089

// MinBits returns a lower bound for text's bits, without segment headers.
func MinBits(text string) int {
	total := 0
	for i := range len(text) {
		switch v := values[text[i]]; {
		case v == notAlphanumeric:
			total += sixths[byteMode]
		case v >= 10:
			total += sixths[alphanumeric]
		default:
			total += sixths[numeric]
		}
	}
	return total / 6
}

// sixths contains each mode's bits per character, multiplied by six to avoid fractions.
var sixths = [modes]int{numeric: 20, alphanumeric: 33, byteMode: 48}

// values contains alphanumeric values (table 5), which equal numeric values for digits, or
// notAlphanumeric.
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

// A Plan is the shortest sequence of modes for text in a range of versions. It is immutable.
type Plan struct {
	text     string
	versions Range
	modes    []mode // of each character
	eci      bool   // the text needs the ECI header
	bits     int
}

// NewPlan finds the plan by dynamic programming.
//
// The variables n, a and b contain the cost of the text so far if its last character is
// numeric, alphanumeric or byte. The next character continues this mode or begins a segment
// after the cheapest.
func NewPlan(text string, versions Range) Plan {
	// before holds, in two bits for each mode of a character, the mode of the character
	// before it.
	before := make([]mode, len(text))
	n, a, b := never, never, never
	headerN, headerA, headerB := versions.header(numeric), versions.header(alphanumeric), versions.header(byteMode)
	best, last := 0, byteMode // there is no segment yet, so last may be any mode
	for i := range len(text) {
		beforeN, beforeA, beforeB := numeric, alphanumeric, byteMode
		if best+headerB < b {
			b, beforeB = best+headerB, last
		}
		if best+headerA < a {
			a, beforeA = best+headerA, last
		}
		if best+headerN < n {
			n, beforeN = best+headerN, last
		}
		before[i] = beforeN | beforeA<<2 | beforeB<<4
		b += sixths[byteMode]
		best, last = b, byteMode // b is whole bits
		switch v := values[text[i]]; {
		case v == notAlphanumeric:
			n, a = never, never
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
	eci := ECIBits(text)
	return Plan{text: text, versions: versions, modes: trace(before, last), eci: eci > 0, bits: wholeBits(best)/6 + eci}
}

// Bits returns the number of bits without terminator and padding.
func (p Plan) Bits() int { return p.bits }

// header returns a segment header's cost.
func (r *Range) header(m mode) int { return 6 * (indicatorBits + r.countBits[m]) }

// never is an unsuitable mode's cost.
const never = math.MaxInt32 / 2

// wholeBits rounds up, because segments end after a whole bit.
func wholeBits(sixths int) int { return (sixths + 5) / 6 * 6 }

// trace follows the cheapest sequence from its last mode and returns each character's mode
// in before.
func trace(before []mode, last mode) []mode {
	for i := len(before) - 1; i >= 0; i-- {
		before[i], last = last, before[i]>>(2*last)&3
	}
	return before
}

// ECIBits returns the length of the header for UTF-8, or 0 for ASCII and invalid UTF-8.
func ECIBits(text string) int {
	for i := range len(text) {
		if text[i] < utf8.RuneSelf {
			continue
		}
		if utf8.ValidString(text) {
			return utf8ECIBits
		}
		break
	}
	return 0
}

// Append appends segments, terminator and padding (7.4.9 and 7.4.10) as size bytes. Size must
// fit p.Bits().
func (p Plan) Append(dst []byte, size int) []byte {
	w := writer{out: dst}
	if p.eci {
		w.write(utf8ECI, utf8ECIBits)
	}
	for start := 0; start < len(p.text); {
		m, end := p.modes[start], start+1
		for end < len(p.text) && p.modes[end] == m {
			end++
		}
		w.write(indicators[m], indicatorBits)
		w.write(uint64(end-start), p.versions.countBits[m])
		w.segment(m, p.text[start:end])
		start = end
	}
	const terminatorBits = 4
	w.write(0, min(terminatorBits, 8*size-p.bits))
	w.flush()
	for pad := byte(0xEC); len(w.out) < len(dst)+size; pad ^= 0xEC ^ 0x11 {
		w.out = append(w.out, pad)
	}
	return w.out
}

// A writer appends bits to out, the highest first.
type writer struct {
	out []byte
	acc uint64 // its last n bits are not in out yet
	n   int
}

func (w *writer) write(v uint64, bits int) {
	w.acc = w.acc<<bits | v
	for w.n += bits; w.n >= 8; w.n -= 8 {
		w.out = append(w.out, byte(w.acc>>(w.n-8)))
	}
}

// flush pads the last byte with zeros.
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
	case byteMode: // 7.4.5
		for i := range len(s) {
			w.write(uint64(s[i]), 8)
		}
	}
}

func value(c byte) uint64 { return uint64(values[c]) }

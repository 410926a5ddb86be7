package bilevel

import (
	"math/bits"
	"slices"
)

// A token is a literal byte or a match, which repeats bytes at a distance of 1 byte or one
// pixel row.
type token uint16

const (
	matchByte token = 256                      // + the length; distance 1
	matchRow  token = matchByte + maxMatch + 1 // + the length; distance stride
)

// Limits for matches.
const (
	minMatch = 3
	maxMatch = 258
)

// The alphabet of deflate for literals and lengths (RFC 1951, 3.2.5).
const (
	endOfBlock   = 256
	firstLength  = 257
	lengthCodes  = 29
	literalCodes = firstLength + lengthCodes
)

// A tokenizer converts an image to tokens, in this order:
//
//	margin   zeros up to the first module
//	modules  the first row of pixels of a row of modules, from the first module to the last
//	repeat   its other rows of pixels, and the margin up to the next row of modules
//	…        modules and repeat for every row of modules
//	margin   zeros
type tokenizer struct {
	list    []token
	weights [literalCodes]uint32 // the number of uses of each symbol of the alphabet
	matches [2]int               // the number of matches of distance 1 and of distance stride
	stride  int                  // bytes of a row of pixels and its filter type
	adler   adler

	expander expander
	memory   []byte // a row of pixels
}

func (t *tokenizer) tokenize(p *Image) {
	n := p.Modules.Size()
	symbol := p.Scale * n
	t.stride = 1 + (p.Size+7)/8
	first := 1 + p.Offset/8          // the first byte with modules
	end := 1 + (p.Offset+symbol+7)/8 // the end of the bytes with modules

	t.list = t.list[:0]
	clear(t.weights[:])
	t.weights[endOfBlock] = 1
	t.matches = [2]int{}
	t.adler = adler{1, 0}

	t.zeros(p.Offset*t.stride + first)
	t.adler.zeros(p.Offset * t.stride)
	t.expander.prepare(p.Scale, n)
	t.memory = slices.Grow(t.memory[:0], end-first+slack)[:end-first+slack]
	row := t.memory[:end-first]
	enough := (8*minRun + p.Scale - 1) / p.Scale // modules that can hold minRun bytes
	for y := range n {
		t.expander.expand(t.memory, p.Modules, y, p.Offset%8)
		t.modules(row, p, y, enough)
		sum, weighted := sums(row)
		t.adler.rows(sum, weighted+sum*uint64(t.stride-end), t.stride, p.Scale)
		repeat := p.Scale*t.stride - end
		if y < n-1 {
			repeat += first
		}
		if y == 0 && p.Offset == 0 { // there is no row above the rest of this one
			t.zeros(t.stride - end)
			repeat -= t.stride - end
		}
		t.match(matchRow, repeat)
	}
	below := (p.Size - p.Offset - symbol) * t.stride
	t.zeros(below)
	t.adler.zeros(below)
}

// minRun is the minimum number of equal bytes for a literal and a match. Their codes take two
// or three bits, so shorter matches don't save any.
const minRun = 1 + 4

// modules adds a pixel row without its margins. Runs of at least minRun bytes become a
// literal and a match. It finds them in the modules, because there are fewer modules than
// bytes; a run requires enough modules in the same color.
func (t *tokenizer) modules(row []byte, p *Image, y, enough int) {
	indent, n := uint(p.Offset%8), p.Modules.Size()
	done := 0
	for i := range p.Modules.Slabs() {
		word, left := p.Modules.Slab(i)[y], min(64, n-64*i)
		starts := ^uint64(0) << (64 - left)
		same := ^(word ^ word<<1) & (starts << 1) // the modules that equal the next one
		if enough > 1 {
			starts = runsOf(same, enough-1)
		}
		for starts != 0 {
			x := bits.LeadingZeros64(starts)
			length := 1 + bits.LeadingZeros64(^(same << x))
			starts &= ^uint64(0) >> x >> length
			first := 64*i + x
			from := int((indent + uint(first*p.Scale) + 7) / 8)
			to := int((indent + uint((first+length)*p.Scale)) / 8)
			if word<<x>>63 == 0 { // light, like the margins in the same byte
				if first == 0 {
					from = 0
				}
				if first+length == n {
					to = len(row)
				}
			}
			if to-from >= minRun {
				t.literals(row[done : from+1])
				t.match(matchByte, to-from-1)
				done = to
			}
		}
	}
	t.literals(row[done:])
}

// runsOf returns the positions in set at which n or more ones begin.
func runsOf(set uint64, n int) uint64 {
	for have := 1; have < n && set != 0; {
		step := min(have, n-have)
		set &= set << step
		have += step
	}
	return set
}

func (t *tokenizer) literals(row []byte) {
	n := len(t.list)
	t.list = slices.Grow(t.list, len(row))[:n+len(row)]
	list := t.list[n:][:len(row)]
	for i, b := range row {
		list[i] = token(b)
		t.weights[b]++
	}
}

// zeros adds n zero bytes.
func (t *tokenizer) zeros(n int) {
	if n > 0 {
		t.literal(0)
		t.match(matchByte, n-1)
	}
}

func (t *tokenizer) literal(b byte) {
	t.list = append(t.list, token(b))
	t.weights[b]++
}

// match adds a match for n bytes. Fewer than minMatch bytes become literals and must be
// zeros.
func (t *tokenizer) match(kind token, n int) {
	if minMatch <= n && n <= maxMatch {
		t.oneMatch(kind, n)
		return
	}
	full := n / maxMatch
	rest := n - full*maxMatch
	if full > 0 && 0 < rest && rest < minMatch {
		full--
		t.oneMatch(kind, maxMatch-minMatch)
		rest += minMatch
	}
	for range full {
		t.list = append(t.list, kind+maxMatch)
	}
	t.weights[firstLength+lengthCodes-1] += uint32(full)
	t.matches[kind/matchRow] += full
	if rest >= minMatch {
		t.oneMatch(kind, rest)
		return
	}
	for range rest {
		t.literal(0)
	}
}

// oneMatch adds a match for minMatch to maxMatch bytes.
func (t *tokenizer) oneMatch(kind token, length int) {
	t.list = append(t.list, kind+token(length))
	t.weights[firstLength+lengthCode(length)]++
	t.matches[kind/matchRow]++
}

// lengthCode returns the code for a match length, from 0.
func lengthCode(n int) int {
	switch {
	case n == maxMatch:
		return lengthCodes - 1
	case n < 11:
		return n - minMatch
	}
	extra := bits.Len(uint(n-minMatch)) - 3
	return 4*extra + (n-minMatch)>>extra
}

// lengthRange returns a code's first length and its number of extra bits.
func lengthRange(code int) (first int, extra uint8) {
	switch {
	case code == lengthCodes-1:
		return maxMatch, 0
	case code < 8:
		return minMatch + code, 0
	}
	extra = uint8(code/4 - 1)
	return minMatch + (4+code%4)<<extra, extra
}

// distanceCode returns the code for a distance and its number of extra bits.
func distanceCode(n int) (code int, extra uint8) {
	if n <= 4 {
		return n - 1, 0
	}
	e := bits.Len(uint(n-1)) - 2
	return 2*e + (n-1)>>e, uint8(e)
}

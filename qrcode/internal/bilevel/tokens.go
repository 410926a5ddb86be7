package bilevel

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// A token is a literal byte, or a match: a number of bytes that repeat earlier ones. A
// match has one of two distances, 1 byte or one row of pixels.
type token uint16

const (
	matchByte token = 256                      // + the length; distance 1
	matchRow  token = matchByte + maxMatch + 1 // + the length; distance stride
	tokens          = matchRow + maxMatch + 1
)

// The limits of a match in deflate.
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

// A tokenizer turns a picture into tokens, in this order:
//
//	margin   zeros up to the first module
//	modules  the first row of pixels of a row of modules, from the first module to the last
//	repeat   its other rows of pixels, and the margin up to the next row of modules
//	…        modules and repeat for every row of modules
//	margin   zeros
//
// Bytes that equal those of the row above are matches of distance stride. A match may run
// from one part into the next: row counts its bytes until another token follows.
type tokenizer struct {
	list        []token
	weights     [literalCodes]uint32 // the number of uses of each symbol of the alphabet
	byteMatches int
	rowMatches  int
	row         int // bytes that equal the row above and are not in the list yet
	stride      int // bytes of a row of pixels and its filter type
	adler       adler

	expander expander
	memory   []byte // of a row of pixels
}

func (t *tokenizer) tokenize(p *Picture) {
	n := p.Modules.Size()
	symbol := p.Scale * n
	t.stride = 1 + (p.Size+7)/8
	first := 1 + p.Offset/8          // the first byte with modules
	end := 1 + (p.Offset+symbol+7)/8 // the end of the bytes with modules

	t.list, t.row = t.list[:0], 0
	clear(t.weights[:])
	t.weights[endOfBlock] = 1
	t.byteMatches, t.rowMatches = 0, 0
	t.adler = adler{1, 0}

	t.zeros(p.Offset * t.stride)
	t.adler.zeros(p.Offset * t.stride)
	t.expander.prepare(p.Scale, n)
	t.memory = slices.Grow(t.memory[:0], end-first+slack)
	for y := range n {
		row := t.memory[:end-first+slack]
		t.expander.expand(row, p.Modules, y, p.Offset%8)
		row = row[:end-first]
		sum, weighted := sums(row)
		t.adler.rows(sum, weighted+sum*uint64(t.stride-end), t.stride, p.Scale)
		if y == 0 {
			t.zeros(first) // there may be no row above
			t.literals(row)
			t.zeros(t.stride - end)
		} else {
			t.row += first
			t.modules(row, p, y)
			t.row += t.stride - end
		}
		t.row += (p.Scale - 1) * t.stride
	}
	t.flush()
	below := (p.Size - p.Offset - symbol) * t.stride
	t.zeros(below)
	t.adler.zeros(below)
}

// The shortest matches that take fewer bits than literals do. A byte that is all light or
// all dark has a code of two or three bits. A match of distance stride needs extra bits for
// its distance.
const (
	minByteMatch = 4
	minRowMatch  = 5
)

// modules adds a row of pixels of row y, given without its margins. Stretches of modules
// that equal those above are matches, unless they are too short to save bits. Those at
// either end may be shorter, because they only lengthen the match of the margin.
func (t *tokenizer) modules(row []byte, p *Picture, y int) {
	indent, n := p.Offset%8, p.Modules.Size()
	enough := (8*minRowMatch + 7 + p.Scale - 1) / p.Scale // modules that hold minRowMatch bytes
	done := 0
	for i := range p.Modules.Slabs() {
		slab, left := p.Modules.Slab(i), min(64, n-64*i)
		equal := ^(slab[y] ^ slab[y-1]) & (^uint64(0) << (64 - left))
		starts := runsOf(equal, enough)
		if i == 0 {
			starts |= equal & (1 << 63)
		}
		if 64*i+left == n {
			if last := bits.TrailingZeros64(^(equal >> (64 - left))); last > 0 {
				starts |= 1 << (64 - left + last - 1)
			}
		}
		for starts != 0 {
			x := bits.LeadingZeros64(starts)
			length := bits.LeadingZeros64(^(equal << x))
			starts &= ^uint64(0) >> x >> length
			from, to := (indent+(64*i+x)*p.Scale+7)/8, (indent+(64*i+x+length)*p.Scale)/8
			shortest := minRowMatch
			if i == 0 && x == 0 {
				from = 0
				if t.row >= minMatch {
					shortest = 1
				}
			}
			if 64*i+x+length == n {
				to, shortest = len(row), min(shortest, minMatch)
			}
			if to-from < shortest {
				continue
			}
			if from > done {
				t.literals(row[done:from])
			}
			t.row += to - from
			done = to
		}
	}
	if done < len(row) {
		t.literals(row[done:])
	}
}

// runsOf returns the places in set, from the highest bit on, at which n or more ones begin.
func runsOf(set uint64, n int) uint64 {
	for have := 1; have < n && set != 0; {
		step := min(have, n-have)
		set &= set << step
		have += step
	}
	return set
}

// literals adds bytes as literals, and as matches of distance 1 where all pixels go on in
// one colour.
func (t *tokenizer) literals(row []byte) {
	t.flush()
	list := t.list
	for i := 0; i < len(row); i++ {
		b := row[i]
		list = append(list, token(b))
		t.weights[b]++
		mixed := b != 0x00 && b != 0xFF
		if mixed || i+minByteMatch >= len(row) || binary.LittleEndian.Uint32(row[i+1:]) != uint32(b)*0x01010101 {
			continue
		}
		n := minByteMatch
		for n < maxMatch && i+n+1 < len(row) && row[i+n+1] == b {
			n++
		}
		list = append(list, matchByte+token(n))
		t.weights[firstLength+lengthCode(n)]++
		t.byteMatches++
		i += n
	}
	t.list = list
}

// zeros adds n bytes of zero.
func (t *tokenizer) zeros(n int) {
	t.flush()
	if n > 0 {
		t.literal(0)
		t.match(matchByte, n-1)
	}
}

// flush adds the bytes that equal the row above.
func (t *tokenizer) flush() {
	t.match(matchRow, t.row)
	t.row = 0
}

func (t *tokenizer) literal(b byte) {
	t.list = append(t.list, token(b))
	t.weights[b]++
}

// match adds n bytes of one of the two kinds of match. Fewer than minMatch become
// literals, and must be zeros.
func (t *tokenizer) match(kind token, n int) {
	for n >= minMatch {
		length := min(n, maxMatch)
		if rest := n - length; 0 < rest && rest < minMatch {
			length -= minMatch
		}
		t.list = append(t.list, kind+token(length))
		t.weights[firstLength+lengthCode(length)]++
		n -= length
		if kind == matchByte {
			t.byteMatches++
		} else {
			t.rowMatches++
		}
	}
	for ; n > 0; n-- {
		t.literal(0)
	}
}

// lengthCode returns the code of a match length, counted from 0.
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

// lengthRange returns the first length of a code, and the number of extra bits that
// select a length from there on.
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

// distanceCode returns the code of a distance and the number of its extra bits.
func distanceCode(n int) (code int, extra uint8) {
	if n <= 4 {
		return n - 1, 0
	}
	e := bits.Len(uint(n-1)) - 2
	return 2*e + (n-1)>>e, uint8(e)
}

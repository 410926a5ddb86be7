package bilevel

import (
	"encoding/binary"
	"math/bits"
)

// A token is a byte, or a length of bytes to be copied from one of two places: from one
// byte before, or from one row of pixels above. (What deflate calls their distance is 1
// or the length of a row.)
type token uint16

const (
	before token = 256                  // + the length
	above  token = before + maxCopy + 1 // + the length
	tokens       = above + maxCopy + 1
)

// Deflate's limits of a copy.
const (
	minCopy = 3
	maxCopy = 258
)

// Deflate's alphabet for bytes and lengths (RFC 1951, 3.2.5).
const (
	endOfBlock   = 256
	firstLength  = 257
	lengthCodes  = 29
	literalCodes = firstLength + lengthCodes
)

// A tokenizer turns a picture into tokens:
//
//	margin    zeros up to the first square
//	squares   the first row of pixels of a row of squares, from the first square to the last
//	again     its other rows of pixels, copied from above, and in one go the margin up to
//	          the next row of squares, which is the same
//	…         squares and again for every row of squares
//	margin    zeros
type tokenizer struct {
	list    []token
	weights [literalCodes]uint32 // how often each symbol of the alphabet is used
	copies  [2]int               // how many copies there are from before and from above
	stride  int                  // bytes in a row of pixels, with its filter type
	adler   adler

	expander expander
	row      []byte
}

func (t *tokenizer) tokenize(p *Picture) {
	symbol := p.Scale * p.Modules
	margin := (p.Size - symbol) / 2
	t.stride = 1 + (p.Size+7)/8
	first := 1 + margin/8          // the first byte with squares
	end := 1 + (margin+symbol+7)/8 // and the first one behind them

	t.list = t.list[:0]
	clear(t.weights[:])
	t.weights[endOfBlock] = 1
	t.copies = [2]int{}
	t.adler = adler{1, 0}

	t.zeros(margin*t.stride + first)
	t.adler.zeros(margin * t.stride)
	t.expander.prepare(p.Scale, p.Modules)
	if n := end - first + slack; cap(t.row) < n {
		t.row = make([]byte, n)
	} else {
		t.row = t.row[:n]
	}
	for y := range p.Modules {
		t.expander.expand(t.row, p.Rows, p.Modules, y, margin%8)
		sum, weighted := t.squares(t.row[:end-first])
		t.adler.rows(sum, weighted+sum*uint64(t.stride-end), t.stride, p.Scale)
		again := (p.Scale-1)*t.stride + t.stride - end
		if y < p.Modules-1 {
			again += first
		}
		t.copy(above, again)
	}
	below := (p.Size - margin - symbol) * t.stride
	t.zeros(below)
	t.adler.zeros(below)
}

// minRun is the shortest copy of a byte that is all light or all dark. Such bytes have
// codes of two or three bits, so shorter copies gain nothing. Other bytes do not go on.
const minRun = 4

// squares takes the bytes of squares. It returns their sum, and their sum with each
// counted as often as there are bytes from it to the end.
func (t *tokenizer) squares(row []byte) (sum, weighted uint64) {
	list := t.list
	for i := 0; i < len(row); i++ {
		b := row[i]
		sum += uint64(b)
		weighted += sum
		list = append(list, token(b))
		t.weights[b]++
		if b+1 > 1 || i+minRun >= len(row) || binary.LittleEndian.Uint32(row[i+1:]) != uint32(b)*0x01010101 {
			continue
		}
		n := minRun
		for i+n+1 < len(row) && row[i+n+1] == b {
			n++
		}
		list = append(list, before+token(n))
		t.weights[firstLength+lengthCode(n)]++
		t.copies[0]++
		weighted += uint64(n)*sum + uint64(b)*uint64(n*(n+1)/2)
		sum += uint64(b) * uint64(n)
		i += n
	}
	t.list = list
	return sum, weighted
}

func (t *tokenizer) zeros(n int) {
	t.byte(0)
	t.copy(before, n-1)
}

func (t *tokenizer) byte(b byte) {
	t.list = append(t.list, token(b))
	t.weights[b]++
}

// copy copies n bytes. If they are fewer than deflate can copy, they must be zeros.
func (t *tokenizer) copy(from token, n int) {
	for n >= minCopy {
		length := min(n, maxCopy)
		if rest := n - length; 0 < rest && rest < minCopy {
			length -= minCopy
		}
		t.list = append(t.list, from+token(length))
		t.weights[firstLength+lengthCode(length)]++
		n -= length
		if from == before {
			t.copies[0]++
		} else {
			t.copies[1]++
		}
	}
	for ; n > 0; n-- {
		t.byte(0)
	}
}

// lengthCode returns the code of a copy's length, counted from 0.
func lengthCode(n int) int {
	switch {
	case n == maxCopy:
		return lengthCodes - 1
	case n < 11:
		return n - minCopy
	}
	extra := bits.Len(uint(n-minCopy)) - 3
	return 4*extra + (n-minCopy)>>extra
}

// lengthRange returns the first length that has this code, and how many bits follow the
// code to say which it is.
func lengthRange(code int) (first int, extra uint8) {
	switch {
	case code == lengthCodes-1:
		return maxCopy, 0
	case code < 8:
		return minCopy + code, 0
	}
	extra = uint8(code/4 - 1)
	return minCopy + (4+code%4)<<extra, extra
}

// distanceCode returns the code of a distance and how many bits follow it.
func distanceCode(n int) (code int, extra uint8) {
	if n <= 4 {
		return n - 1, 0
	}
	e := bits.Len(uint(n-1)) - 2
	return 2*e + (n-1)>>e, uint8(e)
}

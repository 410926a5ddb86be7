package grid

import (
	"encoding/binary"
	"math/bits"

	"github.com/hailmark/hailmark/qrcode/internal/bitmap"
)

// A Builder makes symbols. It keeps its memory from one symbol to the next.
type Builder struct {
	layout    *Layout
	codewords []byte // the data codewords, then the error correction codewords of each block
	stream    []byte // the same codewords in the order of placement, and padding
	rows      bitmap.Bitmap
	columns   bitmap.Bitmap // the transpose of rows
	lines     [quiet + maxModules + quiet]uint64
}

// wordBytes is the number of bytes that one load of a word takes.
const wordBytes = 8

// Place puts the data codewords, l.DataCodewords of them, into an unmasked symbol.
func (b *Builder) Place(l *Layout, data []byte) {
	b.layout = l
	b.addErrorCorrection(data)
	b.stream = b.stream[:0]
	for _, i := range l.order {
		b.stream = append(b.stream, b.codewords[i])
	}
	var padding [wordBytes]byte // for the loads at the end of the stream
	b.stream = append(b.stream, padding[:]...)

	b.columns.Reset(l.Modules)
	pos := 0
	for _, r := range l.runs {
		pos += r.place(&b.columns, binary.BigEndian.Uint64(b.stream[pos/8:])<<(pos%8))
	}
	b.rows.Transpose(&b.columns)
}

// addErrorCorrection copies data and appends the error correction codewords of each
// block (7.5.2). The last blocks have one data codeword more than the first.
func (b *Builder) addErrorCorrection(data []byte) {
	l := b.layout
	b.codewords = append(b.codewords[:0], data...)
	for i := range l.Blocks {
		n := l.dataCodewords(i)
		b.codewords = l.ecc.Append(b.codewords, data[:n])
		data = data[n:]
	}
}

// place writes the first bits of word into the modules of r, and returns their number.
func (r run) place(columns *bitmap.Bitmap, word uint64) int {
	n, slab := int(r.rows), columns.Slab(int(r.y/64))
	if !r.pair {
		slab[r.x] |= r.align(word)
		return n
	}
	right, left := deinterleave(word)
	slab[r.x] |= r.align(right)
	slab[r.x-1] |= r.align(left)
	return 2 * n
}

// align returns the first bits of word, one for each row of r, at the position of those
// rows in a word of the column.
func (r run) align(word uint64) uint64 {
	n, top := r.rows&63, r.y&63
	word &^= ^uint64(0) >> n
	if r.upwards {
		return bits.Reverse64(word) << (64 - top - n)
	}
	return word >> top
}

// deinterleave returns the bits of word at the odd places, counted from the highest bit
// as 1, and those at the even places, each from the highest bit down. It swaps the two
// middle quarters of each group of 4 bits, then of 8, 16, 32 and 64. With 8 bits, where
// the odd places are a, b, c, d and the even ones A, B, C, D:
//
//	a A b B c C d D
//	a b A B c d C D   groups of 4
//	a b c d A B C D   groups of 8
func deinterleave(word uint64) (odd, even uint64) {
	const (
		third4  = 0x2222222222222222 // the third quarter of each group of 4 bits
		third8  = 0x0C0C0C0C0C0C0C0C
		third16 = 0x00F000F000F000F0
		third32 = 0x0000FF000000FF00
		third64 = 0x00000000FFFF0000
	)
	word = swapQuarters(word, third4, 1)
	word = swapQuarters(word, third8, 2)
	word = swapQuarters(word, third16, 4)
	word = swapQuarters(word, third32, 8)
	word = swapQuarters(word, third64, 16)
	return word &^ (1<<32 - 1), word << 32
}

// swapQuarters swaps the third quarter of each group of bits with the second, which is
// width bits higher.
func swapQuarters(word, third uint64, width int) uint64 {
	t := (word ^ word>>width) & third
	return word ^ t ^ t<<width
}

// ChooseMask returns the mask with the lowest penalty, and the lowest number among
// equals. It leaves out the masks in the set avoid, in which bit i is mask i.
func (b *Builder) ChooseMask(avoid uint8) int {
	best, lowest := 0, unlimited
	for mask := range b.layout.patterns {
		if avoid>>mask&1 == 1 {
			continue
		}
		if p := b.penalty(mask, lowest); p < lowest {
			best, lowest = mask, p
		}
	}
	return best
}

// Finish makes dst the finished symbol, with this mask.
func (b *Builder) Finish(dst *bitmap.Bitmap, mask int) {
	dst.Reset(b.layout.Modules)
	pattern := &b.layout.patterns[mask].rows
	for i := range dst.Slabs() {
		slab, data, masked := dst.Slab(i), b.rows.Slab(i), pattern.Slab(i)
		for y := range slab {
			slab[y] = data[y] ^ masked[y]
		}
	}
}

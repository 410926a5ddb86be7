package grid

import (
	"encoding/binary"
	"math/bits"

	"github.com/hailmark/hailmark/qrcode/internal/bitmap"
)

// A Builder builds symbols. It reuses its memory.
type Builder struct {
	layout    *Layout
	codewords []byte // the data codewords, then the error correction codewords of each block
	stream    []byte // the same codewords in the order of placement, and padding
	rows      bitmap.Bitmap
	columns   bitmap.Bitmap // the transpose of rows
	lines     [quiet + maxModules + quiet]uint64
}

const wordBytes = 8

// Place puts l.DataCodewords codewords into an unmasked symbol.
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

// addErrorCorrection copies data and appends the error correction for each block (7.5.2). The
// last blocks contain one more data codeword.
func (b *Builder) addErrorCorrection(data []byte) {
	l := b.layout
	b.codewords = append(b.codewords[:0], data...)
	for i := range l.Blocks {
		n := l.dataCodewords(i)
		b.codewords = l.ecc.Append(b.codewords, data[:n])
		data = data[n:]
	}
}

// place writes the first bits and returns their number.
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

// align moves the first bits to the position of r's rows in a column.
func (r run) align(word uint64) uint64 {
	n, top := r.rows&63, r.y&63
	word &^= ^uint64(0) >> n
	if r.upwards {
		return bits.Reverse64(word) << (64 - top - n)
	}
	return word >> top
}

// deinterleave separates the odd bits, counted from the highest bit as 1, from the even bits.
// It swaps the two middle quarters of groups of 4 bits, then of 8, 16, 32 and 64. For 8 bits,
// with odd bits a to d and even bits A to D:
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

// swapQuarters swaps each group's third quarter with the second, which is width bits higher.
func swapQuarters(word, third uint64, width int) uint64 {
	t := (word ^ word>>width) & third
	return word ^ t ^ t<<width
}

// ChooseMask returns the first mask with the lowest penalty, except those in the bit set
// avoid.
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

// Finish sets dst to the finished symbol.
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

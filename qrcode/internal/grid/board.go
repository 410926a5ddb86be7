package grid

import (
	"encoding/binary"
	"math/bits"
)

// A Board holds the memory that making a symbol takes, to be used again and again.
type Board struct {
	layout  *Layout
	bytes   []byte   // data and check bytes
	stream  []byte   // the same as codewords, in the order of placement
	rows    []uint64 // the symbol without a mask
	columns []uint64 // and again
	lines   [quiet + 177 + quiet]uint64
}

// Place lays out data bytes, as many as the layout takes, without a mask.
func (b *Board) Place(l *Layout, data []byte) {
	b.layout = l
	b.addCheckBytes(data)
	b.stream = b.stream[:0]
	for _, i := range l.order {
		b.stream = append(b.stream, b.bytes[i])
	}
	b.stream = append(b.stream, make([]byte, 8)...) // so that every load has 64 bits

	words := (l.slabs + 1) * l.Size
	b.rows, b.columns = cleared(b.rows, words), cleared(b.columns, words)
	pos := 0
	for _, r := range l.runs {
		pos += b.placeRun(r, binary.BigEndian.Uint64(b.stream[pos/8:])<<(pos%8))
	}
	transpose(b.rows, b.columns, l.Size, l.slabs)
}

func cleared(s []uint64, n int) []uint64 {
	if cap(s) < n {
		return make([]uint64, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// addCheckBytes copies data and appends the check bytes of each block (7.5.2). The
// last blocks have one byte of data more than the first.
func (b *Board) addCheckBytes(data []byte) {
	l := b.layout
	b.bytes = append(b.bytes[:0], data...)
	short, longer := l.DataBytes/l.blocks, l.DataBytes%l.blocks
	for i := range l.blocks {
		n := short
		if i >= l.blocks-longer {
			n++
		}
		b.bytes = l.ecc.Append(b.bytes, data[:n])
		data = data[n:]
	}
}

// placeRun writes the first bits of the word and returns how many.
func (b *Board) placeRun(r run, word uint64) int {
	n, slab := int(r.rows), int(r.y/64)*b.layout.Size
	if !r.pair {
		b.columns[slab+int(r.x)] |= r.align(word)
		return n
	}
	right, left := deal(word)
	b.columns[slab+int(r.x)] |= r.align(right)
	b.columns[slab+int(r.x)-1] |= r.align(left)
	return 2 * n
}

// align takes as many bits from the top of word as the run has rows, and moves them
// to the place of those rows in the word of a column.
func (r run) align(word uint64) uint64 {
	n, top := r.rows&63, r.y&63
	word &^= ^uint64(0) >> n
	if r.upwards {
		return bits.Reverse64(word) << (64 - top - n)
	}
	return word >> top
}

// deal returns the 1st, 3rd, 5th … bit of word and the 2nd, 4th, 6th …, both from
// the highest bit down. It swaps ever larger groups of bits.
func deal(word uint64) (odd, even uint64) {
	swap := func(mask uint64, by int) {
		t := (word ^ word>>by) & mask
		word ^= t ^ t<<by
	}
	swap(0x2222222222222222, 1)
	swap(0x0C0C0C0C0C0C0C0C, 2)
	swap(0x00F000F000F000F0, 4)
	swap(0x0000FF000000FF00, 8)
	swap(0x00000000FFFF0000, 16)
	return word &^ (1<<32 - 1), word << 32
}

// transpose fills rows, which must be empty, with the lines of columns turned round.
func transpose(rows, columns []uint64, n, slabs int) {
	var block [64]uint64
	for i := range slabs {
		for j := range slabs {
			lines := columns[i*n+64*j : i*n+min(64*j+64, n)]
			copy(block[:], lines)
			clear(block[len(lines):])
			transposeBlock(&block, n)
			copy(rows[j*n+64*i:j*n+min(64*i+64, n)], block[:])
		}
	}
}

// transposeBlock swaps off-diagonal squares of half the size, then of a quarter, and
// so on. A small symbol lies in the first quarter of the block.
func transposeBlock(block *[64]uint64, n int) {
	side, mask := 32, uint64(1<<32-1)
	if n <= 32 {
		side, mask = 16, 0x0000FFFF0000FFFF
	}
	for end := 2 * side; side > 0; side, mask = side/2, mask^mask<<(side/2) {
		for i := 0; i < end; i = (i + side + 1) &^ side {
			t := (block[i] ^ block[i+side]>>side) & mask
			block[i] ^= t
			block[i+side] ^= t << side
		}
	}
}

// Choose returns the mask with the lowest penalty, and the lowest number among equals.
func (b *Board) Choose() int {
	best, lowest := 0, b.penalty(0, unlimited)
	for mask := 1; mask < len(b.layout.patterns); mask++ {
		if p := b.penalty(mask, lowest); p < lowest {
			best, lowest = mask, p
		}
	}
	return best
}

// AppendRows appends the rows of the finished symbol to dst, as slabs: the word of row
// y for the columns from 64*i on is at i*size + y.
func (b *Board) AppendRows(dst []uint64, mask int) []uint64 {
	pattern := b.layout.patterns[mask].rows
	for i := range b.layout.slabs * b.layout.Size {
		dst = append(dst, b.rows[i]^pattern[i])
	}
	return dst
}

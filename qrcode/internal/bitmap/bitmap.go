// Package bitmap holds square bitmaps in 64-bit words, so that one operation works on
// 64 modules of a line.
//
// The lines of a bitmap are cut into slabs of 64 columns, and a slab is one word for each
// line. The first column of a slab is the highest bit. A bitmap of 70 by 70 modules:
//
//	            slab 0              slab 1
//	            columns 0 to 63     columns 64 to 69
//	line  0     words[0]            words[70]
//	line  1     words[1]            words[71]
//	…           …                   …
//	line 69     words[69]           words[139]
//
// Neighboring lines of a slab are neighboring words. Bits past the last column are zero.
package bitmap

import "slices"

// A Bitmap is a square of bits. The zero Bitmap has none.
type Bitmap struct {
	size  int
	words []uint64
}

// New returns a bitmap of size by size zeros.
func New(size int) Bitmap {
	var b Bitmap
	b.Reset(size)
	return b
}

// Reset makes b a bitmap of size by size zeros. It reuses the memory of b.
func (b *Bitmap) Reset(size int) {
	n := slabs(size) * size
	b.size = size
	if cap(b.words) < n {
		b.words = make([]uint64, n)
		return
	}
	b.words = b.words[:n]
	clear(b.words)
}

func slabs(size int) int { return (size + 63) / 64 }

// Clone returns a copy that shares no memory with b.
func (b *Bitmap) Clone() Bitmap { return Bitmap{b.size, slices.Clone(b.words)} }

// Size returns the number of bits on a side.
func (b *Bitmap) Size() int { return b.size }

// Slabs returns the number of slabs that hold the columns.
func (b *Bitmap) Slabs() int { return slabs(b.size) }

// Slab returns the words of slab i, one for each line.
func (b *Bitmap) Slab(i int) []uint64 { return b.words[i*b.size:][:b.size] }

// At reports whether the bit in column x of line y is set.
func (b *Bitmap) At(x, y int) bool { return b.words[x/64*b.size+y]>>(63-x%64)&1 == 1 }

// Set sets the bit in column x of line y.
func (b *Bitmap) Set(x, y int) { b.words[x/64*b.size+y] |= 1 << (63 - x%64) }

// Transpose makes b the transpose of from: its lines are the columns of from.
func (b *Bitmap) Transpose(from *Bitmap) {
	b.Reset(from.size)
	var block [64]uint64
	for i := range from.Slabs() {
		for j := range from.Slabs() {
			last := min(64*j+64, from.size)
			n := copy(block[:], from.Slab(i)[64*j:last])
			clear(block[n:])
			transposeBlock(&block, from.size)
			copy(b.Slab(j)[64*i:min(64*i+64, b.size)], block[:])
		}
	}
}

// transposeBlock swaps the off-diagonal squares of half the size, then of a quarter, and
// so on. A bitmap of at most 32 bits on a side lies in the first quarter of the block.
func transposeBlock(block *[64]uint64, size int) {
	side, mask := 32, uint64(1<<32-1)
	if size <= 32 {
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

// Package bitmap implements square bitmaps in 64-bit words, so that one operation processes
// 64 modules.
//
// Slabs of 64 columns contain one word per line. The highest bit represents the first column.
// For example, a bitmap of 70 by 70 modules consists of these words:
//
//	            slab 0              slab 1
//	            columns 0 to 63     columns 64 to 69
//	line  0     words[0]            words[70]
//	line  1     words[1]            words[71]
//	…           …                   …
//	line 69     words[69]           words[139]
//
// Bits after the last column are zero.
package bitmap

import "slices"

// A Bitmap is a square of bits. The zero Bitmap is empty.
type Bitmap struct {
	size  int
	words []uint64
}

// New returns a bitmap with size by size zeros.
func New(size int) Bitmap {
	var b Bitmap
	b.Reset(size)
	return b
}

// Reset is [New], but reuses b's memory.
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

// Clone returns a copy.
func (b *Bitmap) Clone() Bitmap { return Bitmap{b.size, slices.Clone(b.words)} }

// Size returns the width and height.
func (b *Bitmap) Size() int { return b.size }

// Slabs returns the number of slabs.
func (b *Bitmap) Slabs() int { return slabs(b.size) }

// Slab returns slab i, one word per line.
func (b *Bitmap) Slab(i int) []uint64 { return b.words[i*b.size:][:b.size] }

// At reports whether the bit at x, y is set.
func (b *Bitmap) At(x, y int) bool { return b.words[x/64*b.size+y]>>(63-x%64)&1 == 1 }

// Set sets the bit at x, y.
func (b *Bitmap) Set(x, y int) { b.words[x/64*b.size+y] |= 1 << (63 - x%64) }

// Transpose sets b to the transposed bitmap.
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

// transposeBlock swaps off-diagonal squares, halving their size repeatedly. A bitmap up to 32
// by 32 only occupies the first quarter.
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

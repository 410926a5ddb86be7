package bilevel

import (
	"encoding/binary"
	"math/bits"
)

// An expander turns rows of squares into rows of pixels. The pixels of a few squares
// at a time come from a table.
type expander struct {
	scale  int
	group  int // squares in one look-up
	pixels int // and the pixels that they become
	table  [1 << maxGroup]uint64
}

const (
	maxGroup   = 8
	wordPixels = 64 - 7 // the other seven may be waiting for their byte
	slack      = 16     // bytes that expand may write behind the last square
)

// prepare makes the table for rows of n squares, unless it is there.
func (e *expander) prepare(scale, n int) {
	group := min(maxGroup, wordPixels/scale)
	if n > 64 {
		group = 1 << (bits.Len(uint(group)) - 1) // so that a group never lies in two words
	}
	if e.scale == scale && e.group == group {
		return
	}
	e.scale, e.group, e.pixels = scale, group, group*scale
	dark := uint64(1)<<scale - 1
	for i := range 1 << e.group {
		e.table[i] = e.table[i>>1]<<scale | dark*uint64(i&1)
	}
}

// expand fills dst with row y of the n by n squares, behind a few light pixels.
func (e *expander) expand(dst []byte, rows []uint64, n, y, indent int) {
	group, pixels := uint(e.group)&63, uint(e.pixels)&63
	acc, waiting, pos := uint64(0), uint(indent), uint(0)
	for x := 0; x < n; x += 64 {
		squares := rows[x/64*n+y]
		for left := min(64, n-x); left > 0; left -= int(group) {
			acc = acc<<pixels | e.table[squares>>((64-group)&63)&(1<<maxGroup-1)]
			squares <<= group
			waiting += pixels
			binary.BigEndian.PutUint64(dst[pos:], acc<<((64-waiting)&63))
			pos += waiting / 8
			waiting &= 7
		}
	}
}

package bilevel

import (
	"encoding/binary"
	"math/bits"

	"github.com/hailmark/hailmark/qrcode/internal/bitmap"
)

// An expander converts modules to pixels with a table for several modules at a time.
type expander struct {
	scale  int
	group  int // modules in one look-up; 0 if a module is too wide for the table
	pixels int // pixels of a group
	table  [1 << maxGroup]uint64
}

const (
	maxGroup   = 8
	wordPixels = 64 - 7 // up to seven pixels may wait for their byte to fill
	slack      = 16     // bytes that expand may write past the last module
)

// prepare fills the table unless it's already suitable.
func (e *expander) prepare(scale, n int) {
	group := min(maxGroup, wordPixels/scale)
	if n > 64 && group > 0 {
		group = 1 << (bits.Len(uint(group)) - 1) // a power of two, so that a group lies in one word
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

// expand fills dst with row y of the modules, after indent light pixels.
func (e *expander) expand(dst []byte, modules *bitmap.Bitmap, y, indent int) {
	if e.group == 0 {
		e.expandWide(dst, modules, y, indent)
		return
	}
	group, pixels := uint(e.group)&63, uint(e.pixels)&63
	acc, waiting, pos := uint64(0), uint(indent), uint(0)
	left := modules.Size()
	for i := range modules.Slabs() {
		word := modules.Slab(i)[y]
		for n := min(64, left); n > 0; n -= int(group) {
			acc = acc<<pixels | e.table[word>>((64-group)&63)&(1<<maxGroup-1)]
			word <<= group
			waiting += pixels
			binary.BigEndian.PutUint64(dst[pos:], acc<<((64-waiting)&63))
			pos += waiting / 8
			waiting &= 7
		}
		left -= 64
	}
}

// expandWide is expand for modules wider than a word. It sets whole bytes, and the bits at
// both ends.
func (e *expander) expandWide(dst []byte, modules *bitmap.Bitmap, y, indent int) {
	clear(dst)
	for x := range modules.Size() {
		if !modules.At(x, y) {
			continue
		}
		start, end := indent+x*e.scale, indent+(x+1)*e.scale
		dst[start/8] |= 0xFF >> (start % 8)
		for i := start/8 + 1; i < end/8; i++ {
			dst[i] = 0xFF
		}
		dst[end/8] |= ^byte(0xFF >> (end % 8))
	}
}

package qrcode

import (
	"math/bits"
	"slices"
	"strconv"

	"github.com/hailmark/hailmark/qrcode/internal/bitmap"
)

// An outline is the border between dark and light modules as SVG path data with the fill rule
// evenodd.
//
// The border follows the lines between rows and columns of modules. Where two dark modules
// touch at a corner, two borders cross and both continue straight. Therefore the border on
// each line consists of separate runs, and each end of a horizontal run is an end of a
// vertical run. The path follows horizontal and vertical runs alternately until it returns to
// its beginning:
//
//	+--+
//	|##|       Two dark modules that touch at a corner are one path:
//	+--+--+    right 1, down 2, right 1, up 1, left 2, and up 1 to close it.
//	   |##|
//	   +--+
type outline struct {
	horizontal border         // the lines above the rows of modules, and the one below the last row
	vertical   border         // the lines left of the columns of modules, and the one right of the last column
	starts     [maxLines]line // for each horizontal line, where the runs begin that the path has not followed yet
	columns    bitmap.Bitmap
}

const maxLines = 17 + 4*maxVersion + 1

// A line is a bit set of positions. The highest bit in the first word represents the first
// position.
type line [3]uint64

// append appends path data for the modules, relative to the symbol's upper left corner.
func (o *outline) append(dst []byte, modules *bitmap.Bitmap) []byte {
	o.columns.Transpose(modules)
	o.horizontal.find(modules, &o.starts)
	o.vertical.find(&o.columns, nil)

	horizontal, vertical, lines := o.horizontal.otherEnd, o.vertical.otherEnd, modules.Size()+1
	penX, penY := 0, 0
	for startY := range lines {
		starts := &o.starts[startY]
		for i := range modules.Slabs() {
			for starts[i] != 0 {
				startX := 64*i + bits.LeadingZeros64(starts[i])
				dst = appendMove(dst, penX, penY, startX, startY)
				x, y := startX, startY
				for {
					nextX := int(horizontal[y*lines+x])
					dst = appendStep(dst, 'h', x, nextX)
					first := uint(min(x, nextX))
					o.starts[y][first/64] &^= 1 << 63 >> (first % 64)
					x = nextX

					nextY := int(vertical[x*lines+y])
					if x == startX && nextY == startY {
						penX, penY = x, y // a fill closes the path without this step
						break
					}
					dst = appendStep(dst, 'v', y, nextY)
					y = nextY
				}
			}
		}
	}
	return dst
}

// A border contains the runs on all horizontal or vertical lines. For each end, at index
// line*lines+position, it contains the position of the other end.
type border struct{ otherEnd []uint8 }

// find fills b with the lines between rows of modules. If starts isn't nil, find stores the first
// position of each run there.
func (b *border) find(modules *bitmap.Bitmap, starts *[maxLines]line) {
	n := modules.Size()
	lines := n + 1
	b.otherEnd = slices.Grow(b.otherEnd[:0], lines*lines)[:lines*lines]
	for y := range lines {
		otherEnd := b.otherEnd[y*lines:][:lines]
		var words line // the line between row y-1 and row y
		for i := range modules.Slabs() {
			if slab := modules.Slab(i); y == 0 {
				words[i] = slab[0]
			} else if words[i] = slab[y-1]; y < n {
				words[i] ^= slab[y]
			}
		}
		last := -1 // the last place of the run to the right that is not complete yet
		for i := modules.Slabs() - 1; i >= 0; i-- {
			before := words[i] >> 1 // the place before each
			if i > 0 {
				before |= words[i-1] << 63
			}
			if starts != nil {
				starts[y][i] = words[i] &^ before
			}
			places := words[i] ^ before
			if last >= 0 && places != 0 {
				places = join(otherEnd, places, 64*i+63, last)
				last = -1
			}
			for places != 0 {
				end := 64*i + 63 - bits.TrailingZeros64(places)
				if places &= places - 1; places == 0 {
					last = end
					break
				}
				places = join(otherEnd, places, 64*i+63, end)
			}
		}
	}
}

// join stores the run from the lowest bit of places to end and clears the bit. base is the
// position of bit 0.
func join(otherEnd []uint8, places uint64, base, end int) uint64 {
	start := base - bits.TrailingZeros64(places)
	otherEnd[start], otherEnd[end] = uint8(end), uint8(start)
	return places & (places - 1)
}

// appendMove appends an absolute or relative move, whichever is shorter.
func appendMove(dst []byte, fromX, fromY, x, y int) []byte {
	command := byte('M')
	if decimalOf(x-fromX).length+decimalOf(y-fromY).length < decimalOf(x).length+decimalOf(y).length {
		command, x, y = 'm', x-fromX, y-fromY
	}
	dst = decimalOf(x).append(append(dst, command))
	if y >= 0 { // a minus separates by itself
		dst = append(dst, ' ')
	}
	return decimalOf(y).append(dst)
}

// appendStep appends an absolute or relative step along a line, whichever is shorter.
func appendStep(dst []byte, command byte, from, to int) []byte {
	n := decimalOf(to - from)
	if absolute := decimalOf(to); absolute.length < n.length {
		n, command = absolute, command-'a'+'A'
	}
	return n.append(append(dst, command))
}

// A decimal is a number as text.
type decimal struct {
	text   [len("-177")]byte // padded
	length int
}

// append appends the text. To copy the padding, too, is faster than to copy a number of bytes.
func (d *decimal) append(dst []byte) []byte {
	return append(dst, d.text[0], d.text[1], d.text[2], d.text[3])[:len(dst)+d.length]
}

// decimalOf returns a position, or the distance between two.
func decimalOf(n int) *decimal { return &decimals[maxLines+n] }

var decimals = func() (list [2*maxLines + 1]decimal) {
	for i := range list {
		list[i].length = copy(list[i].text[:], strconv.Itoa(i-maxLines))
	}
	return list
}()

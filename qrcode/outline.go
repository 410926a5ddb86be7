package qrcode

import (
	"encoding/binary"
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
	corners := o.horizontal.find(modules, &o.starts)
	o.vertical.find(&o.columns, nil)

	// A path has a move, at least four corners, and a step to each corner but the first.
	dst = slices.Grow(dst, corners/4*maxMove+corners*maxStep+wordBytes)
	pos, out := len(dst), dst[:cap(dst)]
	horizontal, vertical, lines := o.horizontal.otherEnd, o.vertical.otherEnd, modules.Size()+1
	penX, penY := 0, 0
	for startY := range lines {
		starts := &o.starts[startY]
		for i := range modules.Slabs() {
			for starts[i] != 0 {
				startX := 64*i + bits.LeadingZeros64(starts[i])
				pos = putMove(out, pos, penX, penY, startX, startY)
				x, y := startX, startY
				for {
					nextX := int(horizontal[y*lines+x])
					pos = putStep(out, pos, 'h', x, nextX)
					first := uint(min(x, nextX))
					o.starts[y][first/64] &^= 1 << 63 >> (first % 64)
					x = nextX

					nextY := int(vertical[x*lines+y])
					if x == startX && nextY == startY {
						penX, penY = x, y // a fill closes the path without this step
						break
					}
					pos = putStep(out, pos, 'v', y, nextY)
					y = nextY
				}
			}
		}
	}
	return out[:pos]
}

// A border contains the runs on all horizontal or vertical lines. For each end, at index
// line*lines+position, it contains the position of the other end.
type border struct{ otherEnd []uint8 }

// find fills b with the lines between rows of modules and returns the number of ends. If
// starts isn't nil, find stores the first position of each run there.
func (b *border) find(modules *bitmap.Bitmap, starts *[maxLines]line) (ends int) {
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
			ends += bits.OnesCount64(places)
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
	return ends
}

// join stores the run from the lowest bit of places to end and clears the bit. base is the
// position of bit 0.
func join(otherEnd []uint8, places uint64, base, end int) uint64 {
	start := base - bits.TrailingZeros64(places)
	otherEnd[start], otherEnd[end] = uint8(end), uint8(start)
	return places & (places - 1)
}

// The most bytes that a move and a step take, and the bytes that writing a number may
// change.
const (
	maxMove   = len("m-177-177")
	maxStep   = len("h-177")
	wordBytes = 8
)

// putMove writes an absolute or relative move, whichever is shorter. It returns the next
// index.
func putMove(out []byte, pos, fromX, fromY, x, y int) int {
	if length(x)+length(y) <= length(x-fromX)+length(y-fromY) {
		return putPoint(out, pos, 'M', x, y)
	}
	return putPoint(out, pos, 'm', x-fromX, y-fromY)
}

func putPoint(out []byte, pos int, command uint64, x, y int) int {
	pos = put(out, pos, command, numbers[x&numberMask])
	separator := uint64(' ')
	if y < 0 {
		separator = '-' // a minus separates by itself
		y = -y
	}
	return put(out, pos, separator, numbers[y&numberMask])
}

// putStep writes an absolute or relative step along a line, whichever is shorter. It returns
// the next index.
func putStep(out []byte, pos int, command uint64, from, to int) int {
	n := numbers[(to-from)&numberMask]
	if absolute := numbers[to&numberMask]; absolute>>lengthShift < n>>lengthShift {
		n, command = absolute, command-'a'+'A'
	}
	return put(out, pos, command, n)
}

// put writes a character and a number and returns the next index.
func put(out []byte, pos int, character uint64, n number) int {
	binary.LittleEndian.PutUint64(out[pos:], uint64(n)|character)
	return pos + int(n>>lengthShift)
}

// A number contains decimal digits after room for a character in the lowest byte. The highest
// byte contains the length including that character.
type number uint64

const lengthShift = 56

// numbers contains the number i at index i&numberMask.
var numbers = func() (list [numberMask + 1]number) {
	for i := -maxLines; i <= maxLines; i++ {
		var text [wordBytes]byte
		length := 1 + copy(text[1:], strconv.Itoa(i))
		list[i&numberMask] = number(binary.LittleEndian.Uint64(text[:]) | uint64(length)<<lengthShift)
	}
	return list
}()

const numberMask = 1<<9 - 1

// length returns the length of n including one character.
func length(n int) int { return int(numbers[n&numberMask] >> lengthShift) }

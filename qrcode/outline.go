package qrcode

import (
	"math/bits"

	"github.com/hailmark/hailmark/qrcode/internal/bitmap"
)

// An outline is the border between the dark and the light modules of a symbol, as path
// data of SVG for the fill rule evenodd.
//
// The border runs along the lines between rows and between columns of modules. Where two
// dark modules meet at a corner, two borders cross, and both go straight on. So the border
// on each line is a set of runs that do not touch, and each end of a run on a horizontal
// line is an end of a run on a vertical line. The path follows runs, horizontal and
// vertical in turn, until it is back where it began:
//
//	+--+
//	|##|       Two dark modules that meet at a corner are one path:
//	+--+--+    right 1, down 2, right 1, up 1, left 2, and up 1 to close it.
//	   |##|
//	   +--+
type outline struct {
	horizontal [maxLines]line // horizontal[y] is the line above row y; the path takes its runs away
	vertical   [maxLines]line // vertical[x] is the line left of column x
	columns    bitmap.Bitmap
}

const maxLines = 17 + 4*maxVersion + 1

// A line is a set of places along a line, the first in the highest bit of the first word.
type line [3]uint64

// append appends the path data for the modules to dst. Coordinates count modules from the
// upper left corner of the symbol.
func (o *outline) append(dst []byte, modules *bitmap.Bitmap) []byte {
	o.columns.Transpose(modules)
	borders(&o.horizontal, modules)
	borders(&o.vertical, &o.columns)
	penX, penY := 0, 0
	for startY := range modules.Size() {
		row := &o.horizontal[startY]
		for i := range modules.Slabs() {
			for row[i] != 0 {
				startX := 64*i + bits.LeadingZeros64(row[i])
				dst = appendMove(dst, penX, penY, startX, startY)
				x, y := startX, startY
				for {
					from := x
					x = o.horizontal[y].otherEnd(x)
					o.horizontal[y].remove(min(from, x), max(from, x))
					dst = appendStep(dst, 'h', from, x)

					from = y
					y = o.vertical[x].otherEnd(y)
					if x == startX && y == startY {
						penX, penY = x, from // a fill closes the path without this step
						break
					}
					dst = appendStep(dst, 'v', from, y)
				}
			}
		}
	}
	return dst
}

// borders fills lines with the borders between the rows of modules.
func borders(lines *[maxLines]line, modules *bitmap.Bitmap) {
	n := modules.Size()
	for i := range modules.Slabs() {
		above := uint64(0)
		for y, row := range modules.Slab(i) {
			lines[y][i] = above ^ row
			above = row
		}
		lines[n][i] = above
	}
}

// otherEnd returns the other end of the run that begins or ends at place i.
func (l *line) otherEnd(i int) int {
	if l[i/64]>>(63-i%64)&1 == 1 {
		for {
			ones := bits.LeadingZeros64(^(l[i/64] << (i % 64)))
			i += ones
			if ones == 0 || i%64 != 0 {
				return i
			}
		}
	}
	for {
		last := i - 1
		ones := bits.TrailingZeros64(^(l[last/64] >> (63 - last%64)))
		i -= ones
		if ones == 0 || i%64 != 0 || i == 0 {
			return i
		}
	}
}

// remove takes the places from start to end away.
func (l *line) remove(start, end int) {
	for start < end {
		stop := min(end, start|63+1)
		l[start/64] &^= ^uint64(0) >> (start % 64) &^ (^uint64(0) >> 1 >> ((stop - 1) % 64))
		start = stop
	}
}

// appendMove appends a move from one point to another, absolute or relative, whichever is
// shorter.
func appendMove(dst []byte, fromX, fromY, x, y int) []byte {
	if length(x)+length(y) <= length(x-fromX)+length(y-fromY) {
		return appendPoint(append(dst, 'M'), x, y)
	}
	return appendPoint(append(dst, 'm'), x-fromX, y-fromY)
}

func appendPoint(dst []byte, x, y int) []byte {
	dst = appendNumber(dst, x)
	if y >= 0 {
		dst = append(dst, ' ') // a minus separates by itself
	}
	return appendNumber(dst, y)
}

// appendStep appends a step along a line, relative as h or v, or absolute as H or V where
// that is shorter.
func appendStep(dst []byte, command byte, from, to int) []byte {
	if length(to) < length(to-from) {
		return appendNumber(append(dst, command-'a'+'A'), to)
	}
	return appendNumber(append(dst, command), to-from)
}

// length returns the number of characters of n, which has at most three digits.
func length(n int) int {
	sign := 0
	if n < 0 {
		sign, n = 1, -n
	}
	switch {
	case n < 10:
		return sign + 1
	case n < 100:
		return sign + 2
	default:
		return sign + 3
	}
}

// appendNumber is strconv.AppendInt for a number of at most three digits.
func appendNumber(dst []byte, n int) []byte {
	if n < 0 {
		dst, n = append(dst, '-'), -n
	}
	switch {
	case n < 10:
		return append(dst, byte('0'+n))
	case n < 100:
		return append(dst, byte('0'+n/10), byte('0'+n%10))
	default:
		return append(dst, byte('0'+n/100), byte('0'+n/10%10), byte('0'+n%10))
	}
}

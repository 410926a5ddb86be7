package qrprint

import (
	"slices"

	"github.com/hailmark/hailmark/qrcode"
)

// modules returns the dark modules as one path, relative to the symbol's upper left corner.
// It omits modules for which covered returns true.
//
// Renderers may draw gray hairlines between two paths but not within a path. Rectangles over
// repeated runs take half the bytes of an outline, and compress best if rectangles of the
// same size are adjacent.
func modules(s qrcode.Symbol, covered func(x, y int) bool) path {
	n := s.Size()
	var areas []uint32 // width, height, y and x in one byte each, because numbers sort quickly
	const taller = 1 << 16
	// above[x] and current[x] contain 1 + the index of the area whose run begins at x in the
	// previous and in this row.
	above, current := make([]int, n), make([]int, n)
	for y := range n {
		clear(current)
		for x := 0; x < n; x++ {
			start := x
			for x < n && s.Dark(x, y) && !covered(x, y) {
				x++
			}
			if x == start {
				continue
			}
			i, width := above[start], uint32(x-start)
			if i > 0 && areas[i-1]>>24 == width {
				areas[i-1] += taller
			} else {
				areas = append(areas, width<<24|taller|uint32(y)<<8|uint32(start))
				i = len(areas)
			}
			current[start] = i
		}
		above, current = current, above
	}
	slices.Sort(areas)
	p := path{make([]command, 0, len(areas)), make([]float64, 0, sizes[rectangle]*len(areas))}
	for _, a := range areas {
		p.add(rectangle, float64(a&0xff), float64(a>>8&0xff), float64(a>>24), float64(a>>16&0xff))
	}
	return p
}

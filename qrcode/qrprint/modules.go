package qrprint

import (
	"slices"

	"github.com/hailmark/hailmark/qrcode"
)

// modules returns the dark modules as one path, relative to the symbol's upper left corner.
// It omits modules for which clear returns true.
//
// Renderers may draw gray hairlines between two paths but not within a path. Rectangles over
// repeated runs take half the bytes of an outline, and compress best if rectangles of the
// same size are adjacent.
func modules(s qrcode.Symbol, clear func(x, y int) bool) path {
	n := s.Modules()
	dark := func(x, y int) bool { return s.Dark(x, y) && !clear(x, y) }
	runEnds := func(x, y int) int {
		for x < n && dark(x, y) {
			x++
		}
		return x
	}
	// isRun reports whether the modules from x to end are a run in row y, not a part of one.
	isRun := func(x, end, y int) bool {
		return y < n && (x == 0 || !dark(x-1, y)) && dark(x, y) && runEnds(x, y) == end
	}
	var areas [][4]int // width, height, y, x
	for y := range n {
		for x := 0; x < n; x++ {
			if !dark(x, y) {
				continue
			}
			end := runEnds(x, y)
			if y == 0 || !isRun(x, end, y-1) { // otherwise a rectangle above has it
				height := 1
				for isRun(x, end, y+height) {
					height++
				}
				areas = append(areas, [4]int{end - x, height, y, x})
			}
			x = end
		}
	}
	slices.SortFunc(areas, func(a, b [4]int) int { return slices.Compare(a[:], b[:]) })
	var p path
	for _, a := range areas {
		p.add(rectangle, float64(a[3]), float64(a[2]), float64(a[0]), float64(a[1]))
	}
	return p
}

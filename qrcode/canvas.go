package qrcode

import "github.com/hailmark/hailmark/problem"

// A canvas describes the size in pixels and the quiet zone in modules. A canvas of size 0
// fits every symbol.
type canvas struct{ size, margin int }

// scale returns the number of pixels per module, or 0 if the symbol doesn't fit. Without
// pixels, it's readableScale.
func (c canvas) scale(version int) int {
	if c.size == 0 {
		return readableScale
	}
	scale := c.size / (modules(version) + 2*c.margin)
	if scale == 1 && c.size < c.least(version) {
		return 0
	}
	return scale
}

// least returns the smallest size at one pixel per module.
func (c canvas) least(version int) int {
	return modules(version) + 2*c.margin + (1 - c.margin%2)
}

// offset returns the number of pixels left of and above the symbol, which is centered if
// possible.
//
// At one pixel per module, the offset is odd, because zbar misses symbols of many versions at
// even offsets. At odd offsets, it reads all symbols except those of masksMissed.
func (c canvas) offset(version, scale int) int {
	offset := (c.size - scale*modules(version)) / 2
	if scale == 1 && offset%2 == 0 {
		offset++
	}
	return offset
}

// masksMissed returns a bit set of masks that zbar misses at one pixel per module. They share
// some bits of the format information in three versions. TestOnePixelModules in
// internal/check/harness/bench/scan reads every version and level.
func masksMissed(version int, level Level) uint8 {
	switch version {
	case 33, 37, 40:
	default:
		return 0
	}
	switch level {
	case LevelL:
		return 1<<2 | 1<<7
	case LevelH:
		return 1<<0 | 1<<5
	case LevelM, LevelQ:
	}
	return 0
}

func (c canvas) tooSmallProblem(version int) problem.Problem {
	return problem.New("text", CodeTextTooLong,
		"text doesn't fit a QR code of %d pixels with whole pixels for each module; it needs a size of %d or more", c.size, max(c.least(version), MinSize))
}

package qrcode

import "github.com/hailmark/hailmark/problem"

// A canvas is the space of an image: size pixels on a side, of which at least margin
// modules on each side are quiet zone. A size of 0 is a canvas without pixels, which
// holds every symbol.
type canvas struct{ size, margin int }

// scale returns the pixels on a side of a module, or 0 if the symbol does not fit. On a
// canvas without pixels it is readableScale.
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

// least returns the smallest size that fits a symbol at one pixel per module.
func (c canvas) least(version int) int {
	return modules(version) + 2*c.margin + (1 - c.margin%2)
}

// offset returns the pixels to the left of the symbol and above it. It centers the symbol
// as far as whole pixels allow.
//
// At one pixel per module the offset is odd. zbar misses symbols of many versions at even
// offsets, and reads all of them at odd offsets but those of masksMissed.
func (c canvas) offset(version, scale int) int {
	offset := (c.size - scale*modules(version)) / 2
	if scale == 1 && offset%2 == 0 {
		offset++
	}
	return offset
}

// masksMissed returns the set of masks, in which bit i is mask i, whose symbols zbar
// misses at one pixel per module. They are the masks that share some bits of the format
// information, in three versions. They were found with symbols of every version, level and
// mask; TestOnePixelModules in internal/harness/bench/scan reads every version
// and level.
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

// check returns what is wrong with s on this canvas.
func (c canvas) check(s *Symbol) error {
	switch scale := c.scale(s.Version()); {
	case scale == 0:
		return problem.List{c.tooSmallProblem(s.Version())}
	case scale == 1 && masksMissed(s.Version(), s.level)>>s.mask&1 == 1:
		return problem.List{c.sizeProblem(2 * (s.Modules() + 2*c.margin))}
	}
	return nil
}

func (c canvas) tooSmallProblem(version int) problem.Problem {
	return c.sizeProblem(max(c.least(version), MinSize))
}

func (c canvas) sizeProblem(works int) problem.Problem {
	return problem.New(CodeTextTooLong,
		"text must fit a QR code of %d pixels with whole pixels for each module; this one needs a size of %d or more", c.size, works)
}

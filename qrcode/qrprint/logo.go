package qrprint

import (
	"math"

	"rsc.io/qr/coding"

	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/internal/grid"
)

// The default of [Code.LogoShare], and its limits.
const (
	DefaultLogoShare = 0.25
	minLogoShare     = 0.05
	maxLogoShare     = 0.5
)

// logoMargin is the light space, in modules, between a logo and the modules around it.
const logoMargin = 0.5

// minLogoModules is the width of the smallest area for a logo.
const minLogoModules = 3

// A Logo is a picture or a drawing for the middle of codes. [ParseLogo] makes it. It never
// changes, and is safe for concurrent use. Parse a logo once for many codes: a file that has
// several pages contains it once.
type Logo struct {
	width, height float64 // in units of the drawing
	paths         []logoPath
	picture       *picture
}

// A logoPath is a filled area of a drawing.
type logoPath struct {
	path    path
	evenOdd bool
	fill    qrcode.Color // the zero Color stands for the foreground of the code
}

// A box is a rectangle in modules.
type box struct{ x, y, width, height float64 }

// shapes returns the logo as large as it fits into the box, in its middle.
func (l *Logo) shapes(b box, at transform, foreground qrcode.Color) []shape {
	s := min(b.width/l.width, b.height/l.height)
	x, y := b.x+(b.width-l.width*s)/2, b.y+(b.height-l.height*s)/2
	if l.picture != nil {
		return []shape{{picture: l.picture, at: transform{l.width * s, l.height * s, x, y}.then(at)}}
	}
	var shapes []shape
	for _, p := range l.paths {
		fill := p.fill
		if fill == (qrcode.Color{}) {
			fill = foreground
		}
		shapes = append(shapes, shape{path: p.path, evenOdd: p.evenOdd, at: scale(s, x, y).then(at), fill: fill})
	}
	return shapes
}

// clearing returns the width and height, in modules, of the area that the logo and its
// margin cover when they may take a width. Both are odd, like the width of every symbol,
// so that the area is in the middle.
func (l *Logo) clearing(width int) (int, int) {
	odd := func(v float64) int {
		n := minLogoModules
		for float64(n) < v-1e-9 {
			n += 2
		}
		return n
	}
	inner := float64(width) - 2*logoMargin
	if l.width >= l.height {
		return width, odd(inner*l.height/l.width + 2*logoMargin)
	}
	return odd(inner*l.width/l.height + 2*logoMargin), width
}

// oddWithin returns the largest odd number of modules within a share of n.
func oddWithin(share float64, n int) int {
	most := int(share*float64(n) + 1e-9)
	if most%2 == 0 {
		most--
	}
	return most
}

// encodeWithLogo chooses the smallest version in which every block keeps half of its
// error correction beneath the logo, and a reserve for dirt. The level is Q or H.
func (l *layout) encodeWithLogo() error {
	share := l.LogoShare
	if share == 0 {
		share = DefaultLogoShare
	}
	var symbols []qrcode.Symbol
	for version := 1; version <= maxVersion; version++ {
		s, err := qrcode.Encode(l.Text, qrcode.EncodeOptions{MinVersion: version, MinLevel: max(l.MinLevel, qrcode.LevelQ)})
		if err != nil {
			if version == 1 {
				return err
			}
			break
		}
		version = s.Version()
		symbols = append(symbols, s)
		if side := oddWithin(share, s.Modules()); side >= minLogoModules && l.Logo.leavesHalf(s, side) {
			l.symbol = s
			l.clearWidth, l.clearTall = l.Logo.clearing(side)
			return nil
		}
	}
	largest := 0.0
	for _, s := range symbols {
		for side := minLogoModules; side <= oddWithin(share, s.Modules()) && l.Logo.leavesHalf(s, side); side += 2 {
			largest = max(largest, float64(side)/float64(s.Modules()))
		}
	}
	const decimals = 1000 // rounded down, so that the message names a share that works
	return problem.List{problem.New(CodeLogoTooLarge,
		"logo may take at most %.3f of the width of this code, so that every block keeps half of its error correction and a reserve for dirt; got %g",
		math.Floor(largest*decimals)/decimals, share)}
}

// maxVersion is the largest version of a symbol.
const maxVersion = 40

// leavesHalf reports whether every block of s keeps half of its error correction beneath
// the logo, and can lose dirtShare of its codewords, if the logo is as wide or high as a
// number of modules.
func (l *Logo) leavesHalf(s qrcode.Symbol, side int) bool {
	width, height := l.clearing(side)
	for _, b := range coverage(s, width, height) {
		left := b.restores - b.covered
		if 2*left < b.restores || float64(left) < dirtShare*float64(b.codewords) {
			return false
		}
	}
	return true
}

// dirtShare is the share of codewords that every block can lose in addition to those
// beneath the logo. A spot that covers a tenth of a symbol touches about a fifth of the
// codewords of a block.
const dirtShare = 0.2

// Covered returns how many codewords of one block an area in the middle of s covers at
// most, and how many damaged codewords each block can restore. The area is width x height
// modules, and a codeword is covered if the area has one of its modules.
//
// A symbol is readable as long as covered is at most restores. A code with a logo needs
// the other half for dirt and damage.
func Covered(s qrcode.Symbol, width, height int) (covered, restores int) {
	for _, b := range coverage(s, width, height) {
		covered, restores = max(covered, b.covered), b.restores
	}
	return covered, restores
}

// A blockCoverage counts codewords of a block.
type blockCoverage struct{ codewords, covered, restores int }

// coverage returns what an area in the middle of s covers of each block.
func coverage(s qrcode.Symbol, width, height int) []blockCoverage {
	codewords, restores := grid.Codewords(s.Version(), coding.Level(s.Level()))
	var blocks []blockCoverage
	for _, c := range codewords {
		for len(blocks) <= c.Block {
			blocks = append(blocks, blockCoverage{restores: restores})
		}
		blocks[c.Block].codewords++
		for _, m := range c.Modules {
			if covers(s.Modules(), width, height, int(m[0]), int(m[1])) {
				blocks[c.Block].covered++
				break
			}
		}
	}
	return blocks
}

// covers reports whether an area in the middle of n x n modules has the module at x, y.
func covers(n, width, height, x, y int) bool {
	left, top := (n-width)/2, (n-height)/2
	return left <= x && x < left+width && top <= y && y < top+height
}

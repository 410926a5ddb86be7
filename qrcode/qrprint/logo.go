package qrprint

import (
	"math"

	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
)

// Default and limits for [Code.LogoShare].
const (
	defaultLogoShare = 0.25
	minLogoShare     = 0.05
	maxLogoShare     = 0.5
)

// logoMargin is the light space around a logo, in modules.
const logoMargin = 0.5

// minLogoModules is the minimum width for a logo.
const minLogoModules = 3

// A Logo is an image for the middle of codes. It is immutable and therefore safe for
// concurrent use. If several codes share a logo, call [ParseLogo] only once, so that a file
// contains the logo only once. The zero Logo isn't valid.
type Logo struct{ bitmap *bitmap }

// shape returns the logo in the middle of a box, as large as possible.
func (l *Logo) shape(b box, at transform, background ink) shape {
	width, height := float64(l.bitmap.width), float64(l.bitmap.height)
	s := min(b.width/width, b.height/height)
	x, y := b.x+(b.width-width*s)/2, b.y+(b.height-height*s)/2
	return shape{bitmap: l.bitmap, fill: background, at: transform{width * s, height * s, x, y}.then(at)}
}

// clearing returns the width and height, in modules, that the logo and its margin cover. Like
// a symbol's width, both are odd, so that the logo is centered.
func (l *Logo) clearing(width int) (int, int) {
	odd := func(v float64) int {
		n := minLogoModules
		for float64(n) < v-1e-9 {
			n += 2
		}
		return n
	}
	inner := float64(width) - 2*logoMargin
	ratio := float64(l.bitmap.width) / float64(l.bitmap.height)
	if ratio >= 1 {
		return width, odd(inner/ratio + 2*logoMargin)
	}
	return odd(inner*ratio + 2*logoMargin), width
}

// oddWithin returns the largest odd number that doesn't exceed a share of n.
func oddWithin(share float64, n int) int {
	most := int(share*float64(n) + 1e-9)
	if most%2 == 0 {
		most--
	}
	return most
}

// encodeWithLogo chooses the smallest version whose blocks all keep half their error
// correction under the logo, and a reserve for dirt. The level is Q or H.
func (l *layout) encodeWithLogo() error {
	share := l.LogoShare
	if share == 0 {
		share = defaultLogoShare
	}
	largest := 0.0
	for version := 1; version <= maxVersion; version++ {
		s, err := qrcode.Encode(l.Text, qrcode.EncodeOptions{MinVersion: version, MinLevel: max(l.MinLevel, qrcode.LevelQ)})
		if err != nil {
			return err
		}
		version = s.Version()
		n := s.Size()
		most := l.Logo.largestSide(s)
		if side := oddWithin(share, n); minLogoModules <= side && side <= most {
			l.symbol = s
			l.clearWidth, l.clearTall = l.Logo.clearing(side)
			return nil
		}
		largest = max(largest, float64(most)/float64(n))
	}
	const decimals = 1000 // rounded down, so that the message names a share that works
	return problem.List{problem.New("logo", CodeLogoTooLarge,
		"logo may take at most %.3f of the width of this code, so that every block keeps half of its error correction and a reserve for dirt; got %g",
		math.Floor(largest*decimals)/decimals, share)}.Err()
}

const maxVersion = 40

// dirtShare is the share of codewords that a block can lose besides those under the logo. A
// spot on a tenth of a symbol touches about a fifth of a block's codewords. No block restores
// more than 40 % of its codewords, so this is at least half the error correction.
const dirtShare = 0.2

// largestSide returns the width or height, in modules, of the largest logo that leaves
// dirtShare to every block, or 0. A codeword is lost if the logo covers any of its modules.
func (l *Logo) largestSide(s qrcode.Symbol) int {
	n := s.Size()
	limit := oddWithin(maxLogoShare, n)
	// At reach[0][d], the logo is the first to cover the columns that are d modules away from
	// the middle one, and at reach[1][d] the rows.
	var reach [2][]int
	for side := minLogoModules; side <= limit; side += 2 {
		width, height := l.clearing(side)
		for axis, size := range [2]int{width, height} {
			for len(reach[axis]) <= size/2 {
				reach[axis] = append(reach[axis], side)
			}
		}
	}
	type block struct {
		codewords int
		lostAt    []int // codewords that the logo of a size is the first to cover
	}
	var blocks []block
	codewords, restores := codewordsOf(s.Version(), s.Level())
	for _, c := range codewords {
		if len(blocks) <= c.block {
			blocks = append(blocks, block{lostAt: make([]int, limit+1)})
		}
		first := limit + 1
		for _, m := range c.modules {
			dx, dy := distance(int(m[0]), n/2), distance(int(m[1]), n/2)
			if dx < len(reach[0]) && dy < len(reach[1]) {
				first = min(first, max(reach[0][dx], reach[1][dy]))
			}
		}
		blocks[c.block].codewords++
		if first <= limit {
			blocks[c.block].lostAt[first]++
		}
	}
	largest := limit
	for _, b := range blocks {
		left := restores
		for side := minLogoModules; side <= largest; side += 2 {
			left -= b.lostAt[side]
			if float64(left) < dirtShare*float64(b.codewords) {
				largest = side - 2
			}
		}
	}
	if largest < minLogoModules {
		return 0
	}
	return largest
}

func distance(a, b int) int { return max(a-b, b-a) }

// covers reports whether a centered area in n x n modules contains x, y.
func covers(n, width, height, x, y int) bool {
	return distance(x, n/2) <= width/2 && distance(y, n/2) <= height/2 && width > 0
}

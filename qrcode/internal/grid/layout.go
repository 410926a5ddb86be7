// Package grid converts data codewords to modules by error correction, placement and masking
// (ISO/IEC 18004, 7.5 to 7.9).
//
// A [Layout] calls rsc.io/qr/coding's NewPlan once per version and level, and stores the
// result as bitmaps and runs. Symbols are stored by rows and by columns, so that the same
// code processes both.
package grid

import (
	"sync"

	"rsc.io/qr/coding"

	"github.com/hailmark/hailmark/qrcode/internal/bitmap"
	"github.com/hailmark/hailmark/qrcode/internal/ecc"
)

// maxModules is the width of version 40.
const maxModules = 177

// A Layout describes a version and level.
type Layout struct {
	Modules       int // modules on a side
	DataCodewords int
	Blocks        int // blocks of error correction
	ECCodewords   int // error correction codewords of each block

	ecc      *ecc.Code
	order    []uint16 // for each codeword to place, its index in Builder.codewords
	runs     []run
	patterns [8]pattern
}

// A pattern is an empty symbol with function patterns, format information and mask. Exclusive
// or with the placed data produces the finished symbol.
type pattern struct{ rows, columns bitmap.Bitmap }

// A run is a sequence of data modules in one or two columns of a slab, in the order of
// placement (7.7.3), upwards or downwards and from right to left.
type run struct {
	x, y    uint8 // the right column of the pair, or the only one; the topmost row
	rows    uint8 // at most maxRun
	pair    bool
	upwards bool
}

// maxRun limits a run to 56 bits, which a 64-bit load contains at every bit offset.
const maxRun = 28

var layouts [coding.MaxVersion + 1][coding.H + 1]struct {
	once   sync.Once
	layout *Layout
}

// For returns the layout for a version, from 1 to 40, and a level. It is safe for concurrent
// use.
func For(version int, level coding.Level) *Layout {
	l := &layouts[version][level]
	l.once.Do(func() { l.layout = build(version, level) })
	return l.layout
}

func build(version int, level coding.Level) *Layout {
	plan := newPlan(version, level, 0)
	l := &Layout{
		Modules:       len(plan.Pixel),
		DataCodewords: plan.DataBytes,
		Blocks:        plan.Blocks,
		ECCodewords:   plan.CheckBytes / plan.Blocks,
	}
	l.ecc = ecc.For(l.ECCodewords)
	l.trace(plan)
	for mask := range l.patterns {
		p := &l.patterns[mask]
		p.rows = bitmap.New(l.Modules)
		for y, row := range newPlan(version, level, coding.Mask(mask)).Pixel {
			for x, pixel := range row {
				if pixel&coding.Black != 0 {
					p.rows.Set(x, y)
				}
			}
		}
		p.columns.Transpose(&p.rows)
	}
	return l
}

func newPlan(version int, level coding.Level, mask coding.Mask) *coding.Plan {
	plan, err := coding.NewPlan(coding.Version(version), level, mask)
	if err != nil {
		panic(err) // version, level and mask are in range
	}
	return plan
}

func (l *Layout) dataCodewords(block int) int {
	n, longer := l.DataCodewords/l.Blocks, l.DataCodewords%l.Blocks
	if block >= l.Blocks-longer {
		n++
	}
	return n
}

// trace records codewords and runs in the order of placement.
func (l *Layout) trace(plan *coding.Plan) {
	bits := 0
	var last *run
	walk(plan, func(x, y int, right, left, upwards bool) {
		for _, module := range []struct {
			x    int
			data bool
		}{{x, right}, {x - 1, left}} {
			if !module.data {
				continue
			}
			if p := plan.Pixel[y][module.x]; p.Role() != coding.Extra {
				if bits%8 == 0 {
					l.order = append(l.order, uint16(p.Offset()/8))
				}
				bits++
			}
		}
		next := run{x: uint8(x), y: uint8(y), pair: right && left, upwards: upwards}
		if !right {
			next.x--
		}
		switch {
		case !right && !left:
			last = nil
		case last != nil && last.x == next.x && last.pair == next.pair && last.rows < maxRun && last.y/64 == next.y/64:
			last.rows++
			last.y = min(last.y, next.y)
		default:
			next.rows = 1
			l.runs = append(l.runs, next)
			last = &l.runs[len(l.runs)-1]
		}
	})
}

// walk calls visit for each row in each pair of columns, in the order of placement. x is the
// right column, and right and left indicate data modules.
func walk(plan *coding.Plan, visit func(x, y int, right, left, upwards bool)) {
	data := func(x, y int) bool {
		role := plan.Pixel[y][x].Role()
		return role == coding.Data || role == coding.Check || role == coding.Extra
	}
	n := len(plan.Pixel)
	upwards := true
	for x := n - 1; x > 0; x -= 2 {
		if x == 6 {
			x-- // the column of the vertical timing pattern
		}
		for i := range n {
			y := i
			if upwards {
				y = n - 1 - i
			}
			visit(x, y, data(x, y), data(x-1, y), upwards)
		}
		upwards = !upwards
	}
}

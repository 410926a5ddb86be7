// Package grid turns the data bytes of a QR code into its modules: check bytes,
// placement, mask (ISO/IEC 18004, 7.5 to 7.9).
//
// Where each module goes is known to rsc.io/qr/coding alone. A [Layout] asks its
// NewPlan once for each version and level and keeps the answer in a form that makes
// drawing fast: bits in 64-bit words.
//
// A bitmap of n by n modules is kept in slabs. A slab is n words, one for each line;
// its word for line i holds 64 modules of that line, the first in the highest bit.
// The first slab has the modules 0-63 of all lines, the next 64-127, the last 128-176.
// So a rule about neighbouring lines takes no shift, and works on 64 places at once.
// A symbol is kept twice, with its rows and with its columns as the lines.
package grid

import (
	"sync"

	"rsc.io/qr/coding"

	"github.com/hailmark/hailmark/qrcode/internal/ecc"
)

// A Layout says where the modules of one version and level are.
type Layout struct {
	Size      int // modules on a side
	DataBytes int

	slabs    int
	blocks   int
	check    int // check bytes in a block
	ecc      *ecc.Code
	order    []uint16 // which byte of data and check bytes is the next codeword to place
	runs     []run
	patterns [8]pattern
}

// A pattern is a whole symbol whose data is all zeros, with one of the masks: the
// function patterns, the format information and the masked zeros. Exclusive or with
// it turns data into a symbol.
type pattern struct{ rows, columns []uint64 }

// A run is a stretch of free modules in one or both columns of a pair, in the order in
// which bits are placed (7.7.3): from the bottom up or from the top down, right before
// left. It does not cross from one slab into the next.
type run struct {
	x, y    uint8 // the right one of the columns, or the only one; the topmost row
	rows    uint8 // at most maxRun
	pair    bool
	upwards bool
}

// maxRun rows of a pair are 56 bits, which one load of 64 has at every bit offset.
const maxRun = 28

var layouts [coding.MaxVersion + 1][coding.H + 1]struct {
	once   sync.Once
	layout *Layout
}

// For returns the layout of a version 1-40 and a level. It may be called from any
// goroutine.
func For(version int, level coding.Level) *Layout {
	l := &layouts[version][level]
	l.once.Do(func() { l.layout = build(version, level) })
	return l.layout
}

func build(version int, level coding.Level) *Layout {
	plan := newPlan(version, level, 0)
	n := len(plan.Pixel)
	l := &Layout{
		Size:      n,
		DataBytes: plan.DataBytes,
		slabs:     (n + 63) / 64,
		blocks:    plan.Blocks,
		check:     plan.CheckBytes / plan.Blocks,
	}
	l.ecc = ecc.For(l.check)
	l.trace(plan)
	for mask := range l.patterns {
		p := &l.patterns[mask]
		p.rows, p.columns = l.bitmap(), l.bitmap()
		for y, row := range newPlan(version, level, coding.Mask(mask)).Pixel {
			for x, pixel := range row {
				if pixel&coding.Black != 0 {
					p.rows[x/64*n+y] |= 1 << (63 - x%64)
					p.columns[y/64*n+x] |= 1 << (63 - y%64)
				}
			}
		}
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

// bitmap returns an empty bitmap. It has one slab more than it needs, so that each
// line has a next word.
func (l *Layout) bitmap() []uint64 { return make([]uint64, (l.slabs+1)*l.Size) }

// trace walks the pairs of columns as bits are placed, and notes the codewords and
// the runs of free modules that it meets.
func (l *Layout) trace(plan *coding.Plan) {
	free := func(x, y int) bool {
		role := plan.Pixel[y][x].Role()
		return role == coding.Data || role == coding.Check || role == coding.Extra
	}
	bits := 0
	visit := func(x, y int) {
		if p := plan.Pixel[y][x]; p.Role() != coding.Extra {
			if bits%8 == 0 {
				l.order = append(l.order, uint16(p.Offset()/8))
			}
			bits++
		}
	}
	upwards := true
	for x := l.Size - 1; x > 0; x -= 2 {
		if x == 6 {
			x-- // the column of the vertical timing pattern
		}
		var last *run
		for i := range l.Size {
			y := i
			if upwards {
				y = l.Size - 1 - i
			}
			right, left := free(x, y), free(x-1, y)
			if right {
				visit(x, y)
			}
			if left {
				visit(x-1, y)
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
		}
		upwards = !upwards
	}
}

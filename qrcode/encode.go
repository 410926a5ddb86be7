package qrcode

import (
	"sync"

	"rsc.io/qr/coding"

	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode/internal/bilevel"
	"github.com/hailmark/hailmark/qrcode/internal/grid"
	"github.com/hailmark/hailmark/qrcode/internal/segment"
)

// An encoder holds the memory that encoding takes, so that it is taken once and not
// for every picture.
type encoder struct {
	packer segment.Packer
	board  grid.Board
	data   []byte
	rows   []uint64
	png    bilevel.Writer
}

var encoders = sync.Pool{New: func() any { return new(encoder) }}

// encode returns the symbol for text, of at most limit modules on a side. The symbol
// is made of the encoder's memory: it lasts until the next call.
func (e *encoder) encode(text string, limit int) (Symbol, error) {
	if text == "" {
		return Symbol{}, problem.List{missingProblem()}
	}
	level := coding.M
	version, bits := e.smallest(text, level)
	if version == 0 || side(version) > limit {
		level = coding.L
		version, bits = e.smallest(text, level)
	}
	switch {
	case version == 0:
		return Symbol{}, problem.List{problem.New(CodeTextTooLong,
			"text must fit a QR code, the largest of which holds %d bytes; this one is %d bytes long", maxBytes, len(text))}
	case side(version) > limit:
		return Symbol{}, problem.List{tooLargeProblem(limit+2*quietZone, side(version)+2*quietZone)}
	}
	for level < coding.H && bits <= capacity(version, level+1) {
		level++
	}

	layout := grid.For(version, level)
	e.data = e.packer.Append(e.data[:0], layout.DataBytes)
	e.board.Place(layout, e.data)
	mask := e.board.Choose()
	e.rows = e.board.AppendRows(e.rows[:0], mask)
	return Symbol{version: uint8(version), level: Level(level), mask: uint8(mask), rows: e.rows}, nil
}

func (e *encoder) draw(dst []byte, s Symbol, opts Options) []byte {
	if opts.Format == SVG {
		return s.appendSVG(dst, opts)
	}
	return s.appendPNG(dst, opts, &e.png)
}

// smallest returns the smallest version that holds text at level, and how many bits
// the text takes there; or 0, if there is none.
func (e *encoder) smallest(text string, level coding.Level) (version, bits int) {
	if len(text) > segment.MaxText {
		return 0, 0
	}
	least := segment.MinBits(text)
	for _, class := range segment.Classes() {
		if least > capacity(class.Last, level) {
			continue
		}
		bits := e.packer.Measure(text, class)
		for v := class.First; v <= class.Last; v++ {
			if bits <= capacity(v, level) {
				return v, bits
			}
		}
	}
	return 0, 0
}

// capacity returns how many bits of data a symbol has.
func capacity(version int, level coding.Level) int {
	return 8 * coding.Version(version).DataBytes(level)
}

// side returns how many modules a symbol has on a side.
func side(version int) int { return 17 + 4*version }

// The limits of version 40: its side, and the bytes that it holds at level L behind an
// indicator and a count.
const (
	maxModules = 17 + 4*40
	maxBytes   = 2953
)

package qrcode

import (
	"sync"

	"rsc.io/qr/coding"

	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode/internal/bilevel"
	"github.com/hailmark/hailmark/qrcode/internal/bitmap"
	"github.com/hailmark/hailmark/qrcode/internal/grid"
	"github.com/hailmark/hailmark/qrcode/internal/segment"
)

// An encoder holds the memory that encoding and drawing take, from one image to the next.
// Every call overwrites all of it.
type encoder struct {
	builder grid.Builder
	data    []byte
	modules bitmap.Bitmap
	png     bilevel.Writer
	svg     svgWriter
}

var encoders = sync.Pool{New: func() any { return new(encoder) }}

// A demand is what a symbol has to fulfill.
type demand struct {
	minVersion, maxVersion int
	minLevel               Level
	exactLevel             bool
	canvas                 canvas
}

// A candidate is the smallest symbol that holds a text at one level.
type candidate struct {
	level   Level
	version int // 0 if no version holds the text
	scale   int // pixels per module; 0 if the canvas is too small
	plan    segment.Plan
}

// encode returns the symbol for text. The symbol is made of the encoder's memory and
// lasts until the next call.
func (e *encoder) encode(text string, d demand) (Symbol, error) {
	if text == "" {
		return Symbol{}, problem.List{missingProblem()}
	}
	c := d.choose(text)
	switch {
	case c.version == 0:
		return Symbol{}, problem.List{d.tooLongProblem(text, c.level)}
	case c.scale == 0:
		return Symbol{}, problem.List{d.canvas.tooSmallProblem(c.version)}
	}
	for !d.exactLevel && c.level < LevelH && c.plan.Bits() <= capacity(c.version, c.level+1) {
		c.level++
	}

	layout := grid.For(c.version, c.level.coding())
	e.data = c.plan.Append(e.data[:0], layout.DataCodewords)
	e.builder.Place(layout, e.data)
	var avoid uint8
	if c.scale == 1 {
		avoid = masksMissed(c.version, c.level)
	}
	mask := e.builder.ChooseMask(avoid)
	e.builder.Finish(&e.modules, mask)
	return Symbol{version: uint8(c.version), level: c.level, mask: uint8(mask), modules: e.modules}, nil
}

// readableScale is the number of pixels per module below which level L is worth a larger
// one.
const readableScale = 2

// choose compares the candidates of the accepted levels. A later one, which has a lower
// level, is chosen only for wider modules, as long as these are below readableScale. If
// there is no symbol, the last candidate came closest to one.
func (d demand) choose(text string) candidate {
	levels := []Level{max(d.minLevel, LevelM), d.minLevel}
	if d.exactLevel {
		levels = levels[1:]
	}
	best := d.candidate(text, levels[0])
	for _, level := range levels[1:] {
		if best.scale >= readableScale || level == best.level {
			break
		}
		if c := d.candidate(text, level); best.scale == 0 || c.scale > best.scale {
			best = c
		}
	}
	return best
}

// candidate returns the candidate of a level.
func (d demand) candidate(text string, level Level) candidate {
	if len(text) > segment.MaxText {
		return candidate{level: level}
	}
	minBits := segment.MinBits(text)
	for _, versions := range segment.Ranges() {
		first, last := max(d.minVersion, versions.First), min(d.maxVersion, versions.Last)
		if first > last || minBits > capacity(last, level) {
			continue
		}
		plan := segment.NewPlan(text, versions)
		for v := first; v <= last; v++ {
			if plan.Bits() <= capacity(v, level) {
				return candidate{level, v, d.canvas.scale(v), plan}
			}
		}
	}
	return candidate{level: level}
}

func (e *encoder) draw(dst []byte, s *Symbol, opts *Options) []byte {
	if opts.Format == SVG {
		return e.svg.append(dst, s, opts)
	}
	return s.appendPNG(dst, opts, &e.png)
}

// capacity returns the data bits of a symbol.
func capacity(version int, level Level) int {
	return 8 * coding.Version(version).DataBytes(level.coding())
}

// modules returns the modules on a side of a symbol.
func modules(version int) int { return 17 + 4*version }

// maxVersion is the largest version.
const maxVersion = coding.MaxVersion

// tooLongProblem reports a text that fits no version. The bytes that fit follow the header
// that marks UTF-8, the mode indicator of 4 bits and the count, which has 8 bits up to
// version 9.
func (d demand) tooLongProblem(text string, level Level) problem.Problem {
	header := segment.ECIBits(text) + 4 + 16
	if d.maxVersion <= 9 {
		header -= 8
	}
	return problem.New(CodeTextTooLong, "text must fit a QR code, which holds at most %d bytes at level %s; the text is %d bytes long",
		(capacity(d.maxVersion, level)-header)/8, level, len(text))
}

func missingProblem() problem.Problem {
	return problem.New(CodeMissingText, "text must not be empty: a QR code without text cannot be scanned")
}

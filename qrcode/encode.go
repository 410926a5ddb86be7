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

// An encoder holds the memory that encoding and drawing take, from one picture to the
// next.
type encoder struct {
	packer  segment.Packer
	builder grid.Builder
	data    []byte
	modules bitmap.Bitmap
	png     bilevel.Writer
	svg     svgWriter
}

var encoders = sync.Pool{New: func() any { return new(encoder) }}

// A demand is what a symbol has to fulfil.
type demand struct {
	minVersion int
	minLevel   Level
	canvas     canvas
}

// encode returns the symbol for text. The symbol is made of the encoder's memory and
// lasts until the next call.
func (e *encoder) encode(text string, d demand) (Symbol, error) {
	if text == "" {
		return Symbol{}, problem.List{missingProblem()}
	}
	level := max(d.minLevel, LevelM).coding()
	version, bits := e.smallest(text, d.minVersion, level)
	scale := d.canvas.scale(version)
	if d.minLevel == LevelL && scale < readableScale {
		lower, lowerBits := e.smallest(text, d.minVersion, coding.L)
		if lowerScale := d.canvas.scale(lower); scale == 0 || lowerScale > scale {
			level, version, bits, scale = coding.L, lower, lowerBits, lowerScale
		}
	}
	switch {
	case version == 0:
		return Symbol{}, problem.List{tooLongProblem(len(text), level)}
	case scale == 0:
		return Symbol{}, problem.List{d.canvas.tooSmallProblem(version)}
	}
	for level < coding.H && bits <= capacity(version, level+1) {
		level++
	}

	layout := grid.For(version, level)
	e.data = e.packer.Append(e.data[:0], layout.DataCodewords)
	e.builder.Place(layout, e.data)
	var avoid uint8
	if scale == 1 {
		avoid = masksMissed(version, levelOf(level))
	}
	mask := e.builder.ChooseMask(avoid)
	e.builder.Finish(&e.modules, mask)
	return Symbol{version: uint8(version), level: levelOf(level), mask: uint8(mask), modules: e.modules}, nil
}

// readableScale is the number of pixels a module below which level L is worth a larger
// one.
const readableScale = 2

func (e *encoder) draw(dst []byte, s *Symbol, opts *Options) []byte {
	if opts.Format == SVG {
		return e.svg.append(dst, s, opts)
	}
	return s.appendPNG(dst, opts, &e.png)
}

// smallest returns the smallest version from least on that holds text at level, and the
// bits that the text takes there. The version is 0 if there is none.
func (e *encoder) smallest(text string, least int, level coding.Level) (version, bits int) {
	if len(text) > segment.MaxText {
		return 0, 0
	}
	minBits := segment.MinBits(text)
	for _, versions := range segment.Ranges() {
		if least > versions.Last || minBits > capacity(versions.Last, level) {
			continue
		}
		bits := e.packer.Measure(text, versions)
		for v := max(least, versions.First); v <= versions.Last; v++ {
			if bits <= capacity(v, level) {
				return v, bits
			}
		}
	}
	return 0, 0
}

// capacity returns the data bits of a symbol.
func capacity(version int, level coding.Level) int {
	return 8 * coding.Version(version).DataBytes(level)
}

// modules returns the modules on a side of a symbol.
func modules(version int) int { return 17 + 4*version }

// maxVersion is the largest version.
const maxVersion = coding.MaxVersion

// maxBytes returns the bytes that the largest symbol holds in byte mode, after the mode
// indicator of 4 bits and the count of 16.
func maxBytes(level coding.Level) int { return (capacity(maxVersion, level) - 4 - 16) / 8 }

func tooLongProblem(length int, level coding.Level) problem.Problem {
	return problem.New(CodeTextTooLong, "text must fit a QR code, which holds at most %d bytes at level %s; the text is %d bytes long",
		maxBytes(level), levelOf(level), length)
}

func missingProblem() problem.Problem {
	return problem.New(CodeMissingText, "text must not be empty: a QR code without text cannot be scanned")
}

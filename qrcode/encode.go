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

// An encoder contains memory to reuse. Every call overwrites all of it.
type encoder struct {
	builder grid.Builder
	data    []byte
	modules bitmap.Bitmap
	png     bilevel.Writer
	svg     svgWriter
}

var encoders = sync.Pool{New: func() any { return new(encoder) }}

// A demand describes the required symbol.
type demand struct {
	minVersion, maxVersion int
	minLevel               Level
	exactLevel             bool
	canvas                 canvas
}

// A candidate is the smallest symbol at one level.
type candidate struct {
	level   Level
	version int // 0 if no version holds the text
	scale   int // pixels per module; 0 if the canvas is too small
	plan    segment.Plan
}

// encode returns the symbol for text. The symbol uses the encoder's memory, so it's only
// valid until the next call.
func (e *encoder) encode(text string, d demand) (Symbol, error) {
	c, err := d.check(text)
	if err != nil {
		return Symbol{}, err
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

// check returns the chosen candidate if the text fits.
func (d demand) check(text string) (candidate, error) {
	if text == "" {
		return candidate{}, problem.List{missingProblem()}.Err()
	}
	c := d.choose(text)
	switch {
	case c.version == 0:
		return c, problem.List{d.tooLongProblem(text, c.level)}.Err()
	case c.scale == 0:
		return c, problem.List{d.canvas.tooSmallProblem(c.version)}.Err()
	default:
		return c, nil
	}
}

// readableScale is the number of pixels per module that justifies level L.
const readableScale = 2

// choose compares the candidates in descending order of levels. It prefers a lower level only
// for wider modules below readableScale. If no symbol fits, it returns the last candidate,
// which is the closest.
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

func (e *encoder) draw(s *Symbol, opts *Options) []byte {
	if opts.Format == SVG {
		return e.svg.draw(s, opts)
	}
	return s.drawPNG(opts, &e.png)
}

// capacity returns the number of data bits.
func capacity(version int, level Level) int {
	return 8 * coding.Version(version).DataBytes(level.coding())
}

// modules returns the width and height in modules.
func modules(version int) int { return 17 + 4*version }

const maxVersion = coding.MaxVersion

// tooLongProblem reports a text that doesn't fit any version. The available bytes follow the
// UTF-8 header, the 4-bit mode indicator and the count, which takes 8 bits up to version 9.
func (d demand) tooLongProblem(text string, level Level) problem.Problem {
	header := segment.ECIBits(text) + 4 + 16
	if d.maxVersion <= 9 {
		header -= 8
	}
	return problem.New("text", CodeTextTooLong, "text has %d bytes; a QR code holds at most %d bytes at level %s",
		len(text), (capacity(d.maxVersion, level)-header)/8, level)
}

func missingProblem() problem.Problem {
	return problem.New("text", CodeMissingText, "text is empty; a QR code without text can't be scanned")
}

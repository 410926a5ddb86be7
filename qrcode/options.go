package qrcode

import (
	"github.com/hailmark/hailmark/problem"
)

// The limits of Options.Size, in pixels.
const (
	MinSize     = 128
	MaxSize     = 16384 // a module of 14 cm at 300 dots per inch; browsers draw no larger pictures
	DefaultSize = 512
)

// MaxMargin is the limit of Options.Margin, in modules.
const MaxMargin = 100

// quietZone is the number of light modules that the standard demands around a symbol
// (ISO/IEC 18004, 6.3.8).
const quietZone = 4

// Options describe an image. The zero value is a PNG of 512 pixels, black on white:
//
//	svg, err := qrcode.RenderQR(text, qrcode.Options{Format: qrcode.SVG, Size: 1024})
//
// A module is one of the small squares of a symbol.
type Options struct {
	// Format is PNG, the zero value, or SVG.
	Format Format

	// Size is the width and height in pixels, with the quiet zone, from MinSize to MaxSize.
	// 0 stands for DefaultSize. The modules of a PNG have the same whole number of pixels,
	// and the rest widens the quiet zone. Nothing is left over if the size is a multiple of
	// [Symbol.Modules] plus the margins on both sides. An SVG can be scaled to any other size without loss, so
	// any text that fits a symbol fits an SVG of any size.
	Size int

	// MinLevel is the lowest level of error correction to use, from LevelL, the zero value,
	// to LevelH. A higher level is used if the symbol does not grow by it. Levels above
	// LevelM may need a larger symbol. Set LevelH if a logo will cover part of the code, or
	// let package print draw the logo, which also checks that the code stays readable.
	MinLevel Level

	// Margin is the width of the quiet zone, the light border of the symbol, in modules,
	// from 4 to MaxMargin. 0 stands for 4.
	Margin int

	// NoMargin leaves the quiet zone out, for an image that is placed on a light area: a
	// scanner needs four light modules on every side. Margin must be 0.
	NoMargin bool

	// Title is the title of an SVG, which browsers show as a tooltip and screen readers
	// read aloud. "" stands for none. A PNG has no title.
	Title string

	// Foreground is the color of the dark modules. The zero Color stands for black.
	Foreground Color

	// Background is the color of the light modules and the quiet zone, or Transparent.
	// The zero Color stands for white.
	Background Color
}

// resolve replaces each zero value by its default, or returns everything that is wrong
// with the options.
func (o Options) resolve() (Options, error) {
	var list problem.List
	if o.Format > SVG {
		list = append(list, formatProblem())
	}
	if o.Size == 0 {
		o.Size = DefaultSize
	}
	if o.Size < MinSize || o.Size > MaxSize {
		list = append(list, problem.New(CodeInvalidSize, "size must be from %d to %d pixels", MinSize, MaxSize))
	}
	if o.MinLevel > LevelH {
		list = append(list, levelProblem())
	}
	switch {
	case o.NoMargin && o.Margin == 0:
	case o.NoMargin:
		list = append(list, problem.New(CodeInvalidMargin, "margin must not be set together with NoMargin; got %d", o.Margin))
	case o.Margin == 0:
		o.Margin = quietZone
	case o.Margin < quietZone || o.Margin > MaxMargin:
		list = append(list, problem.New(CodeInvalidMargin, "margin must be from %d to %d modules; got %d", quietZone, MaxMargin, o.Margin))
	}
	o = o.withColors()
	if o.Foreground == Transparent() {
		list = append(list, problem.New(CodeInvalidColor, "foreground must be a color: dark modules cannot be transparent"))
	} else if c := contrast(o.Foreground, o.Background); c < MinContrast {
		list = append(list, problem.New(CodeLowContrast,
			"foreground and background must differ by %d of 255 shades of gray for scanners to tell them apart; %s and %s differ by %d",
			MinContrast, o.Foreground, o.Background, c))
	}
	return o, list.Err()
}

// withColors replaces zero Colors by their defaults.
func (o Options) withColors() Options {
	if o.Foreground == (Color{}) {
		o.Foreground = black
	}
	if o.Background == (Color{}) {
		o.Background = white
	}
	return o
}

// canvas returns the space for the symbol of resolved options.
func (o *Options) canvas() canvas {
	if o.Format == SVG {
		return canvas{0, o.Margin}
	}
	return canvas{o.Size, o.Margin}
}

// Validate returns the problem.List of everything that is wrong with the options, or nil.
func (o Options) Validate() error {
	_, err := o.resolve()
	return err
}

package qrcode

import (
	"github.com/hailmark/hailmark/problem"
)

// The limits of [Options].Size, in pixels.
const (
	MinSize = 128
	MaxSize = 16384 // 1.4 m at 300 dots per inch; browsers draw no larger images

	defaultSize = 512
)

// NoMargin is the [Options].Margin of an image without a quiet zone. Scanners require four light
// modules on every side, so place such an image on a light area.
const NoMargin = -1

const maxMargin = 100

// ISO/IEC 18004, 6.3.8, requires this quiet zone.
const quietZone = 4

// Options describes an image. The zero value describes a PNG of 512 by 512 pixels, black on
// white.
//
//	svg, err := qrcode.RenderQR(text, qrcode.Options{Format: qrcode.SVG, Size: 1024})
type Options struct {
	// Format is PNG, the default, or SVG.
	Format Format

	// Size is the width and height in pixels, including the quiet zone, from MinSize to
	// MaxSize. The default is 512. In a PNG, remaining pixels widen the quiet zone, unless the
	// size is a multiple of [Symbol.Modules] plus both margins.
	Size int

	// MinLevel is the lowest error correction level, from LevelL, the default, to LevelH. LevelL
	// requires nothing, and the symbol gets LevelM or higher unless the text only fits with LevelL.
	// Any higher level is used if the symbol stays as small. Use LevelH if a logo will cover part
	// of the code, or draw the logo with package qrprint instead, which checks that the code
	// stays readable.
	MinLevel Level

	// Margin is the width of the quiet zone in modules, from 4, the default, to 100, or NoMargin.
	Margin int

	// Title is the title of an SVG, which browsers show as a tooltip and screen readers read
	// aloud.
	Title string

	// Foreground is the dark modules' color. The default is black.
	Foreground Color

	// Background is the light modules' and quiet zone's color. It may be Transparent.
	// The default is white.
	Background Color
}

// resolve replaces zero values by defaults, and NoMargin by 0. Its error contains all problems.
func (o Options) resolve() (Options, error) {
	var list problem.List
	switch o.Format {
	case "":
		o.Format = PNG
	case PNG, SVG:
	default:
		list = append(list, formatProblem())
	}
	if o.Size == 0 {
		o.Size = defaultSize
	}
	if o.Size < MinSize || o.Size > MaxSize {
		list = append(list, problem.New("size", CodeInvalidSize, "size is %d pixels; %d to %d are allowed", o.Size, MinSize, MaxSize))
	}
	if o.MinLevel > LevelH {
		list = append(list, levelProblem())
	}
	switch {
	case o.Margin == NoMargin:
		o.Margin = 0
	case o.Margin == 0:
		o.Margin = quietZone
	case o.Margin < quietZone || o.Margin > maxMargin:
		list = append(list, problem.New("margin", CodeInvalidMargin, "margin is %d modules; %d to %d are allowed, or none", o.Margin, quietZone, maxMargin))
	}
	o = o.withColors()
	if o.Foreground == Transparent() {
		list = append(list, problem.New("color", CodeInvalidColor, "foreground is transparent; dark modules need a color"))
	} else if c := contrast(o.Foreground, o.Background); c < minContrast {
		list = append(list, problem.New("color", CodeLowContrast,
			"foreground %s and background %s differ by %d of 255 shades of gray; scanners need %d to tell them apart",
			o.Foreground, o.Background, c, minContrast))
	}
	return o, list.Err()
}

func (o Options) withColors() Options {
	if o.Foreground == (Color{}) {
		o.Foreground = black
	}
	if o.Background == (Color{}) {
		o.Background = white
	}
	return o
}

func (o *Options) canvas() canvas {
	if o.Format == SVG {
		return canvas{0, o.Margin}
	}
	return canvas{o.Size, o.Margin}
}

// Check returns the error of [RenderQR] for the options, whatever the text. If they're valid,
// the list may contain the warning light_on_dark, because fewer scanners read such an image.
func (o Options) Check() (problem.List, error) {
	o, err := o.resolve()
	if err != nil {
		return nil, err
	}
	return o.warnings(), nil
}

package qrcode

import (
	"fmt"
	"strconv"

	"github.com/hailmark/hailmark/problem"
)

// The limits of [Options].Size, in pixels.
const (
	MinSize = 128
	MaxSize = 16384 // 1.4 m at 300 dots per inch; browsers draw no larger images

	defaultSize = 512
)

// NoMargin is the [Style].Margin of a code without a quiet zone. Scanners require four light modules on
// every side, so place such a code on a light area.
const NoMargin = -1

const maxMargin = 100

// ISO/IEC 18004, 6.3.8, requires this quiet zone.
const quietZone = 4

// A Style is what codes for screens and codes for paper have in common. The zero value is black on
// white, with a quiet zone of four modules.
type Style struct {
	// MinLevel is the lowest error correction level, from LevelL, the default, to LevelH. LevelL
	// requires nothing, and the symbol gets LevelM or higher unless the text only fits with LevelL.
	// Any higher level is used if the symbol stays as small. Use LevelH if a logo will cover part
	// of the code, or draw the logo with package qrprint instead, which checks that the code
	// stays readable.
	MinLevel Level

	// Margin is the width of the quiet zone in modules, from 4, the default, to 100, or NoMargin.
	// [ParseMargin] reads it from text.
	Margin int

	// Foreground is the dark modules' color. The default is black.
	Foreground Color

	// Background is the light modules' and quiet zone's color. It may be Transparent.
	// The default is white.
	Background Color
}

// Options describes an image. The zero value describes a PNG of 512 by 512 pixels in the zero Style.
//
//	svg, err := qrcode.RenderQR(text, qrcode.Options{Format: qrcode.SVG, Size: 1024})
type Options struct {
	Style

	// Format is PNG, the default, or SVG.
	Format Format

	// Size is the width and height in pixels, including the quiet zone, from MinSize to
	// MaxSize. The default is 512. In a PNG, remaining pixels widen the quiet zone, unless the
	// size is a multiple of [Symbol.Size] plus both margins.
	Size int

	// Title is the title of an SVG, which browsers show as a tooltip and screen readers read
	// aloud.
	Title string
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
	style, problems := o.Style.resolve()
	o.Style = style
	return o, append(list, problems...).Err()
}

// resolve replaces zero values by defaults, and NoMargin by 0.
func (s Style) resolve() (Style, problem.List) {
	var list problem.List
	if s.MinLevel > LevelH {
		list = append(list, levelProblem())
	}
	switch {
	case s.Margin == NoMargin:
		s.Margin = 0
	case s.Margin == 0:
		s.Margin = quietZone
	case s.Margin < quietZone || s.Margin > maxMargin:
		list = append(list, marginProblem(fmt.Sprintf("is %d modules", s.Margin)))
	}
	if s.Foreground == (Color{}) {
		s.Foreground = black
	}
	if s.Background == (Color{}) {
		s.Background = white
	}
	if s.Foreground == Transparent() {
		list = append(list, problem.New("color", CodeInvalidColor, "foreground is transparent; dark modules need a color"))
	} else if shades, _ := contrast(s.Foreground, s.Background); shades < minContrast {
		list = append(list, problem.New("color", CodeLowContrast,
			"scanners can't tell foreground %s and background %s apart; choose a darker foreground or a lighter background",
			s.Foreground, s.Background).WithSuggestions(s.saferForeground()))
	}
	return s, list
}

// ParseMargin parses a [Style].Margin: a number of modules from 4 to 100, or 0, which is [NoMargin]. The
// error is a [problem.Problem] with [CodeInvalidMargin].
func ParseMargin(s string) (int, error) {
	switch margin, err := strconv.ParseUint(s, 10, 16); {
	case err != nil:
		return 0, marginProblem("isn't a whole number of modules")
	case margin == 0:
		return NoMargin, nil
	case margin < quietZone || margin > maxMargin:
		return 0, marginProblem("is " + s + " modules")
	default:
		return int(margin), nil
	}
}

func marginProblem(what string) problem.Problem {
	return problem.New("margin", CodeInvalidMargin, "margin %s; %d to %d modules are allowed, or none", what, quietZone, maxMargin)
}

func (o *Options) canvas() canvas {
	if o.Format == SVG {
		return canvas{0, o.Margin}
	}
	return canvas{o.Size, o.Margin}
}

// Check returns the error of [RenderQR] for the options, whatever the text. If they're valid,
// the list may contain the warnings light_on_dark, weak_contrast and no_quiet_zone, because fewer
// scanners read such an image. [VerdictOf] says it in a sentence.
func (o Options) Check() (problem.List, error) {
	o, err := o.resolve()
	if err != nil {
		return nil, err
	}
	return o.warnings(), nil
}

// CheckText is Check for a text. Its error is that of [RenderQR], and its list may also contain the
// warning small_module for a PNG.
func (o Options) CheckText(text string) (problem.List, error) {
	warnings, err := o.Check()
	if err != nil {
		return nil, err
	}
	o, _ = o.resolve() // it's valid
	c, err := demand{1, maxVersion, o.MinLevel, false, o.canvas()}.check(text)
	if err != nil {
		return nil, err
	}
	return append(warnings, o.densityWarnings(c)...), nil
}

// Check returns the error of [RenderQR] for the style, and its warnings, as [Options.Check] does.
func (s Style) Check() (problem.List, error) {
	s, list := s.resolve()
	if list != nil {
		return nil, list.Err()
	}
	return s.warnings(), nil
}

package qrcode

import (
	"github.com/hailmark/hailmark/problem"
)

// The width of a picture in pixels.
const (
	MinSize     = 128
	MaxSize     = 1024
	DefaultSize = 512
)

// quietZone is the number of light modules that the standard demands around a
// symbol (ISO/IEC 18004, 6.3.8).
const quietZone = 4

// Options say how a QR code is drawn. The zero value is a PNG of 512 pixels,
// black on white.
type Options struct {
	Format     Format // PNG unless set
	Size       int    // width and height of a PNG in pixels, 128-1024; 0 is 512. An SVG has no size, yet a wrong one is refused.
	Foreground Color  // of the dark modules; the zero Color is black
	Background Color  // of the light modules and the quiet zone, or Transparent; the zero Color is white
}

// resolve replaces each zero value by the default that it stands for, or returns
// everything that is wrong with the options.
func (o Options) resolve() (Options, error) {
	var list problem.List
	if o.Format > SVG {
		list = append(list, formatProblem())
	}
	if o.Size == 0 {
		o.Size = DefaultSize
	}
	if o.Size < MinSize || o.Size > MaxSize {
		list = append(list, sizeProblem())
	}
	if o.Foreground == (Color{}) {
		o.Foreground = black
	}
	if o.Background == (Color{}) {
		o.Background = white
	}
	if o.Foreground == Transparent() {
		list = append(list, colorProblem())
	} else if c := contrast(o.Foreground, o.Background); c < MinContrast {
		list = append(list, problem.New(CodeLowContrast,
			"color and bg must differ by %d of 255 shades of grey for scanners to tell them apart; %s and %s differ by %d",
			MinContrast, o.Foreground, o.Background, c))
	}
	return o, list.Err()
}

// maxModules returns how many modules a symbol may have on a side to be drawn with
// these options, one pixel a module at least.
func (o Options) maxModules() int {
	if o.Format == SVG {
		return maxModules
	}
	return o.Size - 2*quietZone
}

// A Format is the kind of file that a QR code is drawn as.
type Format uint8

// The formats.
const (
	PNG Format = iota
	SVG
)

// ParseFormat returns the format named png or svg. Its error has [CodeFormat].
func ParseFormat(s string) (Format, error) {
	switch s {
	case "png":
		return PNG, nil
	case "svg":
		return SVG, nil
	default:
		return 0, formatProblem()
	}
}

// String returns the name that ParseFormat reads, which is also the usual file
// name extension.
func (f Format) String() string {
	switch f {
	case PNG:
		return "png"
	case SVG:
		return "svg"
	default:
		return "invalid"
	}
}

func formatProblem() problem.Problem {
	return problem.New(CodeFormat, "format must be png or svg")
}

// ParseSize returns the size that s names in decimal digits: no sign, no blank, no
// fraction. Its error has [CodeSize].
func ParseSize(s string) (int, error) {
	size := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, sizeProblem()
		}
		size = min(size*10+int(s[i]-'0'), MaxSize+1) // stays small however long s is
	}
	if size < MinSize || size > MaxSize {
		return 0, sizeProblem()
	}
	return size, nil
}

func sizeProblem() problem.Problem {
	return problem.New(CodeSize, "size must be a whole number of pixels from %d to %d", MinSize, MaxSize)
}

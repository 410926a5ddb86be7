package qrcode

import (
	"image"
	"image/color"

	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode/internal/bitmap"
)

// A Symbol is an encoded text, a square of dark and light modules without a quiet zone. Use
// it to draw modules yourself or to draw a text several times. Otherwise call [RenderQR]
// instead.
//
//	symbol, err := qrcode.Encode("https://wa.me/16505551234", qrcode.EncodeOptions{})
//	png, err := symbol.AppendImage(nil, qrcode.Options{})
//
// A Symbol is immutable and therefore safe for concurrent use. The zero Symbol contains no
// modules.
type Symbol struct {
	version uint8
	level   Level
	mask    uint8
	modules bitmap.Bitmap
}

// EncodeOptions describes a symbol. The zero value describes the smallest symbol for the
// text, as specified in the package documentation. Version 1 contains 21 by 21 modules, and
// each further version 4 more in both directions.
//
//	symbol, err := qrcode.Encode(text, qrcode.EncodeOptions{MinLevel: qrcode.LevelH})
type EncodeOptions struct {
	// MinVersion and MaxVersion limit the version. The defaults are 1 and 40. Set both to the
	// same number if several symbols should be equally large.
	MinVersion, MaxVersion int

	// MinLevel is the lowest error correction level, as in [Options].
	MinLevel Level

	// ExactLevel requires MinLevel, even if the version fits a higher level or the text fits
	// at LevelM.
	ExactLevel bool
}

func (o EncodeOptions) demand() (demand, error) {
	if o.MinVersion == 0 {
		o.MinVersion = 1
	}
	if o.MaxVersion == 0 {
		o.MaxVersion = maxVersion
	}
	var list problem.List
	if o.MinVersion < 1 || o.MaxVersion < o.MinVersion || o.MaxVersion > maxVersion {
		list = append(list, problem.New(codeInvalidVersion, "versions must be a range within 1 to %d; got %d to %d", maxVersion, o.MinVersion, o.MaxVersion))
	}
	if o.MinLevel > LevelH {
		list = append(list, levelProblem())
	}
	return demand{o.MinVersion, o.MaxVersion, o.MinLevel, o.ExactLevel, canvas{}}, list.Err()
}

// Encode returns the symbol for text. Its error is a [problem.List] with the
// codes invalid_version and invalid_level, or otherwise with [CodeMissingText] or
// [CodeTextTooLong].
func Encode(text string, opts EncodeOptions) (Symbol, error) {
	d, err := opts.demand()
	if err != nil {
		return Symbol{}, err
	}
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	s, err := e.encode(text, d)
	s.modules = s.modules.Clone()
	return s, err
}

// Modules returns the width and height in modules, from 21 to 177, or 0 for the zero Symbol.
func (s Symbol) Modules() int { return s.modules.Size() }

// Dark reports whether the module in column x and row y is dark. The upper left module is (0,
// 0). Modules outside the symbol are light.
func (s Symbol) Dark(x, y int) bool {
	n := s.Modules()
	return x >= 0 && y >= 0 && x < n && y < n && s.modules.At(x, y)
}

// Version returns the version, from 1 to 40, or 0 for the zero Symbol.
func (s Symbol) Version() int { return int(s.version) }

// Level returns the error correction level.
func (s Symbol) Level() Level { return s.level }

// Mask returns the mask pattern's number, from 0 to 7.
func (s Symbol) Mask() int { return int(s.mask) }

// Image returns s with a quiet zone of four modules, black on white, at one pixel per module.
// When drawing it into another image, enlarge it by a whole factor without smoothing.
func (s Symbol) Image() image.Image {
	side := s.Modules() + 2*quietZone
	if s.version == 0 {
		side = 0
	}
	img := image.NewPaletted(image.Rect(0, 0, side, side), color.Palette{color.White, color.Black})
	for y := range s.Modules() {
		for x := range s.Modules() {
			if s.modules.At(x, y) {
				img.SetColorIndex(quietZone+x, quietZone+y, 1)
			}
		}
	}
	return img
}

// AppendImage appends an image of s to dst, or returns dst unchanged with an error of
// [RenderQR]. It ignores MinLevel.
func (s Symbol) AppendImage(dst []byte, opts Options) ([]byte, error) {
	opts, err := opts.resolve()
	if err != nil {
		return dst, err
	}
	if s.version == 0 {
		return dst, problem.List{missingProblem()}
	}
	if err := opts.canvas().check(&s); err != nil {
		return dst, err
	}
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	return e.draw(dst, &s, &opts), nil
}

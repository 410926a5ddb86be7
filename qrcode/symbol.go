package qrcode

import (
	"image"
	"image/color"

	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode/internal/bitmap"
)

// A Symbol is an encoded text: a square grid of dark and light modules, without its quiet
// zone. [Encode] makes one. For an image of a text call [RenderQR], which needs no Symbol;
// a Symbol is for programs that draw modules themselves, or that draw one text several
// times:
//
//	symbol, err := qrcode.Encode("https://wa.me/16505551234", qrcode.EncodeOptions{})
//	png, err := symbol.AppendImage(nil, qrcode.Options{})
//
// A Symbol never changes, and is safe for concurrent use. The zero Symbol has no modules.
type Symbol struct {
	version uint8
	level   Level
	mask    uint8
	modules bitmap.Bitmap
}

// EncodeOptions describe a symbol. The zero value is the smallest symbol that holds the
// text, by the rules of the package comment. A version is a size of the grid: version 1 has
// 21 modules on a side, and each further one 4 more.
//
//	symbol, err := qrcode.Encode(text, qrcode.EncodeOptions{MinLevel: qrcode.LevelH})
type EncodeOptions struct {
	// MinVersion and MaxVersion are the smallest and the largest version to use. 0 stands for
	// 1 and for 40. Set both to the same number for symbols that must all have one size.
	MinVersion, MaxVersion int

	// MinLevel is the lowest level of error correction to use, as in [Options].
	MinLevel Level

	// ExactLevel selects the level MinLevel, even if a higher one fits the same version, or
	// MinLevel is LevelL and the text fits at LevelM.
	ExactLevel bool
}

// demand returns the demand of the options, or everything that is wrong with them.
func (o EncodeOptions) demand() (demand, error) {
	if o.MinVersion == 0 {
		o.MinVersion = 1
	}
	if o.MaxVersion == 0 {
		o.MaxVersion = maxVersion
	}
	var list problem.List
	if o.MinVersion < 1 || o.MaxVersion < o.MinVersion || o.MaxVersion > maxVersion {
		list = append(list, problem.New(CodeInvalidVersion, "versions must be a range within 1 to %d; got %d to %d", maxVersion, o.MinVersion, o.MaxVersion))
	}
	if o.MinLevel > LevelH {
		list = append(list, levelProblem())
	}
	return demand{o.MinVersion, o.MaxVersion, o.MinLevel, o.ExactLevel, canvas{}}, list.Err()
}

// Encode returns the symbol for text. Its error is a [problem.List] with
// [CodeInvalidVersion] or [CodeInvalidLevel] for the options, and else with
// [CodeMissingText] or [CodeTextTooLong].
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

// Modules returns the number of modules on a side, 21-177, or 0 for the zero Symbol.
func (s Symbol) Modules() int { return s.modules.Size() }

// Dark reports whether the module in column x and row y is dark, counted from the upper
// left. Modules outside of the symbol are light.
func (s Symbol) Dark(x, y int) bool {
	n := s.Modules()
	return x >= 0 && y >= 0 && x < n && y < n && s.modules.At(x, y)
}

// Version returns the size of the grid as a number, 1-40, or 0 for the zero Symbol.
func (s Symbol) Version() int { return int(s.version) }

// Level returns the error correction level.
func (s Symbol) Level() Level { return s.level }

// Mask returns the number, 0-7, of the mask pattern.
func (s Symbol) Mask() int { return int(s.mask) }

// Image returns s with a quiet zone of four modules, black on white, at one pixel a
// module. It is for drawing into other images: enlarge it by a whole factor and without
// smoothing.
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

// AppendImage appends the image of s to dst. The symbol has its level already, so MinLevel
// has no effect. The errors are those of [RenderQR]; with an error, dst is returned
// unchanged.
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

package qrcode

import (
	"image"
	"image/color"
	"io"

	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode/internal/bitmap"
	"github.com/hailmark/hailmark/qrcode/internal/grid"
)

// A Symbol is an encoded text: a square grid of dark and light modules, without its quiet
// zone. [Encode] makes one. For a picture of a text call [RenderQR], which needs no Symbol;
// a Symbol is for programs that draw modules themselves, or that draw one text several
// times:
//
//	symbol, err := qrcode.Encode("https://wa.me/16505551234")
//	png, err := symbol.AppendImage(nil, qrcode.Options{})
//
// A Symbol never changes, and is safe for concurrent use. The zero Symbol has no modules.
type Symbol struct {
	version uint8
	level   Level
	mask    uint8
	modules bitmap.Bitmap
}

// Encode returns the smallest symbol that holds text, by the rules of the package
// comment. Its error has [CodeMissingText] or [CodeTextTooLong].
func Encode(text string) (Symbol, error) {
	return EncodeAtLeast(text, 1, LevelL)
}

// EncodeAtLeast returns the smallest symbol that holds text, of this version or a larger
// one, and of this level or a higher one. A version is a size of the grid: version 1 has 21
// modules on a side, and each further one 4 more. Use EncodeAtLeast for symbols that bear a
// logo, or that must all have one size. EncodeAtLeast(text, 1, LevelL) is Encode(text).
//
// Its error has [CodeInvalidVersion] unless version is 1-40, [CodeInvalidLevel],
// [CodeMissingText] or [CodeTextTooLong].
func EncodeAtLeast(text string, version int, level Level) (Symbol, error) {
	var list problem.List
	if version < 1 || version > maxVersion {
		list = append(list, problem.New(CodeInvalidVersion, "version must be a number from 1 to %d", maxVersion))
	}
	if level > LevelH {
		list = append(list, levelProblem())
	}
	if list != nil {
		return Symbol{}, list
	}
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	s, err := e.encode(text, demand{minVersion: version, minLevel: level})
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

// A Codeword is one byte of a symbol: eight modules that error correction restores
// together.
type Codeword struct {
	Block   int            // the error correction block that it belongs to
	Modules [8]image.Point // column and row of each bit, the highest first
}

// Codewords returns the codewords of s, and how many damaged codewords each of its blocks
// can restore. Something that covers part of a symbol, such as a logo, leaves it readable
// as long as it touches no more codewords of any block.
func (s Symbol) Codewords() (codewords []Codeword, restores int) {
	if s.version == 0 {
		return nil, 0
	}
	for _, c := range grid.Codewords(s.Version(), s.level.coding()) {
		codeword := Codeword{Block: c.Block}
		for i, m := range c.Modules {
			codeword.Modules[i] = image.Pt(int(m[0]), int(m[1]))
		}
		codewords = append(codewords, codeword)
	}
	layout := grid.For(s.Version(), s.level.coding())
	return codewords, (layout.ECCodewords - reserved(s.Version(), s.level)) / 2
}

// reserved returns the error correction codewords that only detect errors, so that a
// small symbol is not read as another text (ISO/IEC 18004, table 9).
func reserved(version int, level Level) int {
	switch {
	case version == 1 && level == LevelL:
		return 3
	case version == 1 && level == LevelM, version == 2 && level == LevelL:
		return 2
	case version == 1, version == 3 && level == LevelL:
		return 1
	default:
		return 0
	}
}

// Image returns s with a quiet zone of four modules, black on white, at one pixel a
// module. It is for drawing into other pictures: enlarge it by a whole factor and without
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

// AppendImage appends the picture of s to dst. The symbol has its level already, so MinLevel
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

// WriteTo writes s to w as the PNG that the zero Options describe. It implements
// [io.WriterTo]. For other pictures use [Symbol.AppendImage].
func (s Symbol) WriteTo(w io.Writer) (int64, error) {
	img, err := s.AppendImage(nil, Options{})
	if err != nil {
		return 0, err
	}
	n, err := w.Write(img)
	return int64(n), err
}

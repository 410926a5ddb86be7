package qrcode

import (
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode/internal/bitmap"
)

// A Symbol is an encoded text, a square of dark and light modules without a quiet zone. Use
// it to draw modules yourself. Otherwise call [RenderQR] instead.
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

	// ExactLevel uses MinLevel itself, even if a higher level would fit.
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
		list = append(list, problem.New("minVersion", CodeInvalidVersion, "versions %d to %d aren't a range within 1 to %d", o.MinVersion, o.MaxVersion, maxVersion))
	}
	if o.MinLevel > LevelH {
		list = append(list, levelProblem())
	}
	return demand{o.MinVersion, o.MaxVersion, o.MinLevel, o.ExactLevel, canvas{}}, list.Err()
}

// Encode returns the symbol for text. Its error contains the codes invalid_version and
// invalid_level, or otherwise missing_text or text_too_long.
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

// Size returns the width and height in modules, from 21 to 177, or 0 for the zero Symbol.
func (s Symbol) Size() int { return s.modules.Size() }

// Dark reports whether the module in column x and row y is dark. The upper left module is (0,
// 0). Modules outside the symbol are light.
func (s Symbol) Dark(x, y int) bool {
	n := s.Size()
	return x >= 0 && y >= 0 && x < n && y < n && s.modules.At(x, y)
}

// Version returns the version, from 1 to 40, or 0 for the zero Symbol.
func (s Symbol) Version() int { return int(s.version) }

// Level returns the error correction level.
func (s Symbol) Level() Level { return s.level }

// Mask returns the mask pattern's number, from 0 to 7.
func (s Symbol) Mask() int { return int(s.mask) }

package qrcode

import (
	"slices"

	"github.com/hailmark/hailmark/problem"
)

// A Level is a share of a symbol that may be damaged and still be read.
type Level uint8

// The levels of ISO/IEC 18004, with the share of codewords that each restores.
const (
	LevelL Level = iota // 7 %
	LevelM              // 15 %
	LevelQ              // 25 %
	LevelH              // 30 %
)

// String returns the level's letter.
func (l Level) String() string {
	if l > LevelH {
		return "invalid"
	}
	return "LMQH"[l : l+1]
}

// A Symbol is an encoded text: a square grid of dark and light modules, without
// its quiet zone. It never changes and may be drawn many times and from many
// goroutines. The zero Symbol has no modules.
type Symbol struct {
	version uint8
	level   Level
	mask    uint8
	rows    []uint64 // for each 64 columns the rows from the top, the leftmost module in the highest bit
}

// Encode returns the smallest symbol that holds text, by the rules of the package
// comment. Its error has [CodeTextMissing] or [CodeTextTooLong].
func Encode(text string) (Symbol, error) {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	s, err := e.encode(text, maxModules)
	s.rows = slices.Clone(s.rows)
	return s, err
}

// Size returns the number of modules on a side.
func (s Symbol) Size() int {
	if s.version == 0 {
		return 0
	}
	return side(int(s.version))
}

// Dark reports whether the module in column x and row y is dark, counted from the
// upper left. Outside of the symbol all is light.
func (s Symbol) Dark(x, y int) bool {
	n := s.Size()
	if x < 0 || y < 0 || x >= n || y >= n {
		return false
	}
	return s.rows[x/64*n+y]>>(63-x%64)&1 == 1
}

// Version returns 1-40, or 0 for the zero Symbol.
func (s Symbol) Version() int { return int(s.version) }

// Level returns the error correction level.
func (s Symbol) Level() Level { return s.level }

// Mask returns the number, 0-7, of the mask pattern.
func (s Symbol) Mask() int { return int(s.mask) }

// AppendImage appends the picture of s to dst. Its error is as that of [RenderQR],
// and dst is then returned as it was.
func (s Symbol) AppendImage(dst []byte, opts Options) ([]byte, error) {
	opts, err := opts.resolve()
	switch {
	case err != nil:
		return dst, err
	case s.version == 0:
		return dst, problem.List{missingProblem()}
	case s.Size() > opts.maxModules():
		return dst, problem.List{tooLargeProblem(opts.Size, s.Size()+2*quietZone)}
	}
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	return e.draw(dst, s, opts), nil
}

func missingProblem() problem.Problem {
	return problem.New(CodeTextMissing, "text must not be empty: no scanner reads an empty QR code")
}

func tooLargeProblem(size, fits int) problem.Problem {
	return problem.New(CodeTextTooLong,
		"text must fit a QR code of %d pixels at one pixel per module; this one needs a size of %d or more", size, max(fits, MinSize))
}

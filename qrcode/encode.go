package qrcode

import (
	"unicode/utf8"

	"rsc.io/qr/coding"

	"github.com/hailmark/hailmark/problem"
)

// encode returns the symbol for text, of at most limit modules on a side.
func encode(text string, limit int) (Symbol, error) {
	if text == "" {
		return Symbol{}, problem.List{missingProblem()}
	}
	data := segments(text)
	version, level := smallest(data, coding.M), coding.M
	if version == 0 || 17+4*int(version) > limit {
		version, level = smallest(data, coding.L), coding.L
	}
	switch {
	case version == 0:
		return Symbol{}, problem.List{problem.New(CodeTextTooLong,
			"text must fit a QR code, the largest of which holds %d bytes; this one is %d bytes long",
			coding.Version(coding.MaxVersion).DataBytes(coding.L)-3, len(text))}
	case 17+4*int(version) > limit:
		return Symbol{}, problem.List{tooLargeProblem(limit+2*quietZone, 17+4*int(version)+2*quietZone)}
	}
	for level < coding.H && fits(data, version, level+1) {
		level++
	}
	var best Symbol
	lowest := -1
	for mask := range 8 {
		s := draft(data, version, level, coding.Mask(mask))
		if p := penalty(s); lowest < 0 || p < lowest {
			best, lowest = s, p
		}
	}
	return best, nil
}

// segments returns text in the densest mode that holds all of it, announced as
// UTF-8 where that makes a difference.
func segments(text string) []coding.Encoding {
	switch {
	case coding.Num(text).Check() == nil:
		return []coding.Encoding{coding.Num(text)}
	case coding.Alpha(text).Check() == nil:
		return []coding.Encoding{coding.Alpha(text)}
	case isASCII(text) || !utf8.ValidString(text):
		return []coding.Encoding{coding.String(text)}
	default:
		return []coding.Encoding{utf8Designator{}, coding.String(text)}
	}
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// utf8Designator says that the bytes that follow are UTF-8: assignment 26 of the
// extended channel interpretations (ISO/IEC 18004, 7.4.2). Without it they are
// ISO 8859-1 to the letter of the standard, and a guess in practice.
type utf8Designator struct{}

func (utf8Designator) Check() error            { return nil }
func (utf8Designator) Bits(coding.Version) int { return 4 + 8 }
func (utf8Designator) Encode(b *coding.Bits, _ coding.Version) {
	b.Write(0b0111, 4)
	b.Write(26, 8)
}

// smallest returns the smallest version that holds data at level, or 0.
func smallest(data []coding.Encoding, level coding.Level) coding.Version {
	for v := coding.Version(coding.MinVersion); v <= coding.MaxVersion; v++ {
		if fits(data, v, level) {
			return v
		}
	}
	return 0
}

func fits(data []coding.Encoding, v coding.Version, level coding.Level) bool {
	bits := 0
	for _, d := range data {
		bits += d.Bits(v)
	}
	return bits <= 8*v.DataBytes(level)
}

func draft(data []coding.Encoding, v coding.Version, level coding.Level, mask coding.Mask) Symbol {
	plan, err := coding.NewPlan(v, level, mask)
	if err != nil {
		panic(err) // version, level and mask are ours
	}
	code, err := plan.Encode(data...)
	if err != nil {
		panic(err) // the segments were checked and measured
	}
	s := Symbol{version: uint8(v), level: Level(level), mask: uint8(mask), words: (code.Size + 63) / 64}
	s.rows = make([]uint64, code.Size*s.words)
	for y := range code.Size {
		for x := range code.Size {
			if code.Black(x, y) {
				s.rows[y*s.words+x/64] |= 1 << (63 - x%64)
			}
		}
	}
	return s
}

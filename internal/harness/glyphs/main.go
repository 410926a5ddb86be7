// Command glyphs writes qrcode/qrprint/glyphs.bin, the outlines of the characters that
// captions may have. They come from the font Go Medium. Run it in the folder of the
// repository:
//
//	go run ./internal/harness/glyphs
//
// The file is a list of glyphs in the order of their characters. All numbers are variable
// length integers as in encoding/binary, signed where they are coordinates:
//
//	file    = *glyph
//	glyph   = character length data   ; the difference to the character before, bytes of data
//	data    = advance *contour
//	contour = point segments *segment ; the start, and the number of segments
//	segment = line / curve
//	line    = 2*dx dy
//	curve   = 2*dx+1 dy point         ; the control point, and the end
//	point   = dx dy                   ; the difference to the point before
//
// There are 2048 units to the em, and y grows upwards from the base line. A contour closes
// itself.
package main

import (
	"encoding/binary"
	"log"
	"os"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// unitsPerEm is the resolution of the outlines, which is the font's own.
const unitsPerEm = 2048

func main() {
	data, err := table()
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("qrcode/qrprint/glyphs.bin", data, 0o644); err != nil {
		log.Fatal(err)
	}
}

// wanted reports whether the table has a character, if the font has it: Latin, Greek,
// Cyrillic, punctuation, currency signs, arrows and other symbols. Spaces beyond U+0020
// and U+00A0, box drawing and private characters are left out.
func wanted(r rune) bool {
	switch {
	case r < ' ', 0x7F <= r && r < 0xA0, r == 0xAD: // control characters, soft hyphen
		return false
	case 0x2000 <= r && r <= 0x200F, 0x2028 <= r && r <= 0x202F, 0x205F <= r && r <= 0x206F:
		return false
	case 0x2500 <= r && r <= 0x259F:
		return false
	case r >= 0xE000:
		return r == 0xFB01 || r == 0xFB02
	}
	return true
}

func table() ([]byte, error) {
	f, err := sfnt.Parse(gomedium.TTF)
	if err != nil {
		return nil, err
	}
	var out []byte
	var buffer sfnt.Buffer
	last := rune(0)
	for r := rune(' '); r <= 0xFFFF; r++ {
		index, err := f.GlyphIndex(&buffer, r)
		if err != nil {
			return nil, err
		}
		if index == 0 || !wanted(r) {
			continue
		}
		glyph, err := encode(f, &buffer, index)
		if err != nil {
			return nil, err
		}
		out = binary.AppendUvarint(out, uint64(r-last))
		out = binary.AppendUvarint(out, uint64(len(glyph)))
		out = append(out, glyph...)
		last = r
	}
	return out, nil
}

func encode(f *sfnt.Font, buffer *sfnt.Buffer, index sfnt.GlyphIndex) ([]byte, error) {
	advance, err := f.GlyphAdvance(buffer, index, fixed.I(unitsPerEm), font.HintingNone)
	if err != nil {
		return nil, err
	}
	segments, err := f.LoadGlyph(buffer, index, fixed.I(unitsPerEm), nil)
	if err != nil {
		return nil, err
	}
	out := binary.AppendUvarint(nil, uint64(advance.Round()))
	pen := point{}
	for i := 0; i < len(segments); {
		start := at(segments[i].Args[0])
		i++
		count := i
		for count < len(segments) && segments[count].Op != sfnt.SegmentOpMoveTo {
			count++
		}
		contour := segments[i:count]
		i = count
		if last := len(contour) - 1; last >= 0 && contour[last].Op == sfnt.SegmentOpLineTo && at(contour[last].Args[0]) == start {
			contour = contour[:last] // closing draws this line
		}
		out = pen.move(out, start)
		out = binary.AppendUvarint(out, uint64(len(contour)))
		for _, s := range contour {
			switch s.Op {
			case sfnt.SegmentOpLineTo:
				out = pen.step(out, at(s.Args[0]), 0)
			case sfnt.SegmentOpQuadTo:
				out = pen.step(out, at(s.Args[0]), 1)
				out = pen.move(out, at(s.Args[1]))
			case sfnt.SegmentOpMoveTo, sfnt.SegmentOpCubeTo:
				panic("a TrueType font has lines and quadratic curves only")
			}
		}
	}
	return out, nil
}

// A point is a place in units of the font, with y upwards.
type point struct{ x, y int64 }

func at(p fixed.Point26_6) point { return point{int64(p.X.Round()), -int64(p.Y.Round())} }

func (p *point) move(dst []byte, to point) []byte {
	dst = binary.AppendVarint(dst, to.x-p.x)
	dst = binary.AppendVarint(dst, to.y-p.y)
	*p = to
	return dst
}

func (p *point) step(dst []byte, to point, curve int64) []byte {
	dst = binary.AppendVarint(dst, 2*(to.x-p.x)+curve)
	dst = binary.AppendVarint(dst, to.y-p.y)
	*p = to
	return dst
}

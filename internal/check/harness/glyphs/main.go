// Command glyphs writes qrcode/qrprint/glyphs.bin, which contains the caption font's outlines,
// based on Go Medium. Run it in the repository's root:
//
//	go run ./internal/check/harness/glyphs
//
// Missing accented Latin letters are composed from letters and accents, and some currency
// symbols from letters and bars. The file is a glyph list sorted by character. Numbers are
// variable-length integers as in encoding/binary; coordinates are signed:
//
//	file    = *glyph
//	glyph   = character parts length data ; the difference to the character before, bytes of data
//	parts   = 0 / letter mark       ; the canonical decomposition of the character
//	data    = outline / composed
//	outline = advance *contour
//	composed = 0 advance base shape point ; two characters, and where the second one stands
//	contour = point segments *segment ; the start, and the number of segments
//	segment = line / curve
//	line    = 2*dx dy
//	curve   = 2*dx+1 dy point         ; the control point, and the end
//	point   = dx dy                   ; the difference to the point before
//
// The em is 2048 units, and y grows upward from the baseline. Contours are closed.
package main

import (
	"encoding/binary"
	"log"
	"maps"
	"os"
	"slices"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/unicode/norm"
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

// wanted reports whether the table should contain a character that the font supports. It
// contains Latin, Greek, Cyrillic, punctuation and symbols, but no box drawing, private
// characters or spaces other than U+0020 and U+00A0.
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
	glyphs := map[rune]glyph{}
	var buffer sfnt.Buffer
	for r := rune(' '); r <= 0xFFFF; r++ {
		index, err := f.GlyphIndex(&buffer, r)
		if err != nil {
			return nil, err
		}
		if index == 0 || !wanted(r) {
			continue
		}
		if glyphs[r], err = load(f, &buffer, index); err != nil {
			return nil, err
		}
	}
	addSigns(glyphs)
	addLetters(glyphs)
	var out []byte
	last := rune(0)
	for _, r := range slices.Sorted(maps.Keys(glyphs)) {
		out = binary.AppendUvarint(out, uint64(r-last))
		letter, mark := parts(r)
		if _, has := glyphs[letter]; !has {
			letter = 0
		}
		out = binary.AppendUvarint(out, uint64(letter))
		if letter != 0 {
			out = binary.AppendUvarint(out, uint64(mark))
		}
		data := glyphs[r].encode()
		out = binary.AppendUvarint(out, uint64(len(data)))
		out = append(out, data...)
		last = r
	}
	return out, nil
}

// parts returns a character's canonical decomposition into a letter and a combining mark,
// or zeros.
func parts(r rune) (letter, mark rune) {
	decomposed := []rune(norm.NFD.String(string(r)))
	last := len(decomposed) - 1
	before := []rune(norm.NFC.String(string(decomposed[:last])))
	if len(before) != 1 || !unicode.Is(unicode.Mn, decomposed[last]) || norm.NFC.String(string(before)+string(decomposed[last])) != string(r) {
		return 0, 0
	}
	return before[0], decomposed[last]
}

// A glyph is an outline and its advance width.
type glyph struct {
	advance  int64
	contours []contour

	// A letter with a mark consists of other glyphs.
	base, shape rune
	at          point
}

// A contour is closed. It begins where its last segment ends, otherwise a line closes it.
type contour struct {
	start    point
	segments []segment
}

// A segment is a line, or a curve with a control point.
type segment struct {
	isCurve     bool
	control, to point
}

// A point is a position in font units, with y upward.
type point struct{ x, y int64 }

func at(p fixed.Point26_6) point { return point{int64(p.X.Round()), -int64(p.Y.Round())} }

func load(f *sfnt.Font, buffer *sfnt.Buffer, index sfnt.GlyphIndex) (glyph, error) {
	advance, err := f.GlyphAdvance(buffer, index, fixed.I(unitsPerEm), font.HintingNone)
	if err != nil {
		return glyph{}, err
	}
	loaded, err := f.LoadGlyph(buffer, index, fixed.I(unitsPerEm), nil)
	if err != nil {
		return glyph{}, err
	}
	g := glyph{advance: int64(advance.Round())}
	for _, s := range loaded {
		if s.Op == sfnt.SegmentOpMoveTo {
			g.contours = append(g.contours, contour{start: at(s.Args[0])})
			continue
		}
		c := &g.contours[len(g.contours)-1]
		switch s.Op {
		case sfnt.SegmentOpLineTo:
			c.segments = append(c.segments, segment{to: at(s.Args[0])})
		case sfnt.SegmentOpQuadTo:
			c.segments = append(c.segments, segment{true, at(s.Args[0]), at(s.Args[1])})
		case sfnt.SegmentOpMoveTo, sfnt.SegmentOpCubeTo:
			panic("a TrueType font has lines and quadratic curves only")
		}
	}
	return g, nil
}

func (g glyph) encode() []byte {
	var out []byte
	pen := point{}
	if g.shape != 0 {
		out = binary.AppendUvarint(out, 0)
		out = binary.AppendUvarint(out, uint64(g.advance))
		out = binary.AppendUvarint(out, uint64(g.base))
		out = binary.AppendUvarint(out, uint64(g.shape))
		return pen.move(out, g.at)
	}
	out = binary.AppendUvarint(out, uint64(g.advance))
	for _, c := range g.contours {
		segments := c.segments
		if last := len(segments) - 1; last >= 0 && !segments[last].isCurve && segments[last].to == c.start {
			segments = segments[:last] // closing draws this line
		}
		out = pen.move(out, c.start)
		out = binary.AppendUvarint(out, uint64(len(segments)))
		for _, s := range segments {
			if s.isCurve {
				out = pen.step(out, s.control, 1)
				out = pen.move(out, s.to)
			} else {
				out = pen.step(out, s.to, 0)
			}
		}
	}
	return out
}

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

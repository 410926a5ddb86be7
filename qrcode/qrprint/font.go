package qrprint

import (
	_ "embed"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// glyphData contains Go Medium's outlines for Latin, Greek and Cyrillic, including composed letters.
// The command internal/check/harness/glyphs writes the file and describes its format. LICENSE-GO-FONT
// contains the font's license.
//
//go:embed glyphs.bin
var glyphData []byte

// unitsPerEm is the number of units at font size 1.
const unitsPerEm = 2048

// Heights in units above and below the base line.
const (
	ascent    = 1900 // includes the accents of capitals
	capHeight = 1456
	descent   = 440
)

// A font contains outlines, and compositions of letters and combining marks.
type font struct {
	glyphs   map[rune]glyph
	composed map[[2]rune]rune
	parts    map[rune][2]rune
}

// A glyph is an outline, or a base combined with another glyph.
type glyph struct {
	advance     float64 // to the next character, in units
	outline     glyphDecoder
	base, shape rune
	x, y        float64
}

var loadFont = sync.OnceValue(func() font {
	f := font{map[rune]glyph{}, map[[2]rune]rune{}, map[rune][2]rune{}}
	r := rune(0)
	for d := glyphDecoder(glyphData); len(d) > 0; {
		r += rune(d.unsigned())
		if letter := rune(d.unsigned()); letter != 0 {
			parts := [2]rune{letter, rune(d.unsigned())}
			f.composed[parts], f.parts[r] = r, parts
		}
		length := d.unsigned()
		data := d[:length]
		d = d[length:]
		g := glyph{advance: float64(data.unsigned())}
		if g.advance == 0 {
			g.advance = float64(data.unsigned())
			g.base, g.shape = rune(data.unsigned()), rune(data.unsigned())
			g.x, g.y = float64(data.signed()), -float64(data.signed())
		}
		g.outline = data
		f.glyphs[r] = g
	}
	return f
})

// compose returns text in NFC, as far as the font contains the characters, and replaces CRLF
// with LF. macOS file names contain combining marks, and Vietnamese keyboards produce
// combining tones.
func compose(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if strings.IndexFunc(text, isMark) < 0 {
		return text
	}
	f := loadFont()
	var out []rune
	for _, r := range text {
		if last := len(out) - 1; last >= 0 && isMark(r) {
			if c, ok := f.composed[[2]rune{out[last], r}]; ok {
				out[last] = c
				continue
			}
			inner := f.parts[out[last]] // marks in another order
			if c, ok := f.composed[[2]rune{f.composed[[2]rune{inner[0], r}], inner[1]}]; ok {
				out[last] = c
				continue
			}
		}
		out = append(out, r)
	}
	return string(out)
}

func isMark(r rune) bool { return unicode.Is(unicode.Mn, r) }

func hasGlyph(r rune) bool {
	_, ok := loadFont().glyphs[r]
	return ok && !isMark(r)
}

// advance returns the distance to the next character in units.
func advance(r rune) float64 { return loadFont().glyphs[r].advance }

// textWidth returns a line's width in units.
func textWidth(line string) float64 {
	width := 0.0
	for _, r := range line {
		width += advance(r)
	}
	return width
}

// textPath returns a line's outlines in units from the start of the base line, with y
// downwards.
func textPath(line string) path {
	var p path
	pen := 0.0
	for _, r := range line {
		p.addGlyph(r, pen, 0)
		pen += advance(r)
	}
	return p
}

func (p *path) addGlyph(r rune, x, y float64) {
	g := loadFont().glyphs[r]
	if g.shape != 0 {
		p.addGlyph(g.base, x, y)
		p.addGlyph(g.shape, x+g.x, y+g.y)
		return
	}
	d := g.outline
	d.append(p, x, y)
}

// A glyphDecoder reads glyphData.
type glyphDecoder []byte

func (d *glyphDecoder) unsigned() uint64 {
	n, length := binary.Uvarint(*d)
	*d = (*d)[length:]
	return n
}

func (d *glyphDecoder) signed() int64 {
	n, length := binary.Varint(*d)
	*d = (*d)[length:]
	return n
}

// append adds an outline's contours, moved to the right and down.
func (d *glyphDecoder) append(p *path, right, down float64) {
	// A curve's four bytes or more become six coordinates.
	p.commands, p.coords = slices.Grow(p.commands, len(*d)/2), slices.Grow(p.coords, 3*len(*d)/2)
	x, y := 0.0, 0.0
	next := func(dx int64) (float64, float64) {
		x, y = x+float64(dx), y-float64(d.signed())
		return x + right, y + down
	}
	for len(*d) > 0 {
		fromX, fromY := next(d.signed())
		p.add(moveTo, fromX, fromY)
		for range d.unsigned() {
			step := d.signed()
			toX, toY := next(step >> 1)
			if step&1 == 0 {
				p.add(lineTo, toX, toY)
			} else {
				controlX, controlY := toX, toY
				toX, toY = next(d.signed())
				start := len(p.coords)
				p.quadTo(fromX, fromY, controlX, controlY, toX, toY)
				for i := start; i < len(p.coords); i++ {
					p.coords[i] = math.Round(p.coords[i]) // shorter, and moves a point by half a unit
				}
			}
			fromX, fromY = toX, toY
		}
		p.add(closePath)
	}
}

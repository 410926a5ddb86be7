package qrprint

import (
	_ "embed"
	"encoding/binary"
	"math"
	"sync"
)

// glyphData are the outlines of Go Medium for Latin, Greek and Cyrillic. Command glyphs
// in internal/harness writes the file and describes its format. LICENSE-GO-FONT is the
// licence of the font.
//
//go:embed glyphs.bin
var glyphData []byte

// unitsPerEm is the number of units in a font size of 1.
const unitsPerEm = 2048

// Heights of the font, in units above and below the base line.
const (
	ascent    = 1900 // includes the accents of capitals
	capHeight = 1456
	descent   = 440
)

// glyphs returns the part of glyphData for each character that the font has.
var glyphs = sync.OnceValue(func() map[rune][]byte {
	all := make(map[rune][]byte)
	r := rune(0)
	for d := glyphDecoder(glyphData); len(d) > 0; {
		r += rune(d.unsigned())
		length := d.unsigned()
		all[r] = d[:length]
		d = d[length:]
	}
	return all
})

// hasGlyph reports whether the font has a character.
func hasGlyph(r rune) bool {
	_, ok := glyphs()[r]
	return ok
}

// advance returns the distance from a character to the next one, in units.
func advance(r rune) float64 {
	d := glyphDecoder(glyphs()[r])
	return float64(d.unsigned())
}

// textWidth returns the width of a line of text in units.
func textWidth(line string) float64 {
	width := 0.0
	for _, r := range line {
		width += advance(r)
	}
	return width
}

// textPath returns the outlines of a line of text in units, from the start of its base
// line, with y downwards.
func textPath(line string) path {
	var p path
	pen := 0.0
	for _, r := range line {
		d := glyphDecoder(glyphs()[r])
		width := float64(d.unsigned())
		d.append(&p, pen)
		pen += width
	}
	return p
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

// append adds the contours of a glyph, moved to the right.
func (d *glyphDecoder) append(p *path, right float64) {
	x, y := 0.0, 0.0
	next := func(dx int64) (float64, float64) {
		x, y = x+float64(dx), y-float64(d.signed())
		return x + right, y
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

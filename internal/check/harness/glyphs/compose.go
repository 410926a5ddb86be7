package main

import (
	"math"
	"slices"
	"unicode"
)

// above and below map combining marks to font characters with the same shape.
var (
	above = map[rune]rune{
		0x300: '`', 0x301: '´', 0x302: 'ˆ', 0x303: '˜', 0x304: '¯', 0x306: '˘', 0x307: '˙', 0x308: '¨', 0x309: hook, 0x30A: '˚', 0x30B: '˝', 0x30C: 'ˇ',
	}
	below = map[rune]rune{0x323: '˙', 0x324: '¨', 0x325: '˚', 0x327: '¸', 0x32D: 'ˆ', 0x32E: '˘', 0x330: '˜', 0x331: '¯'}
)

const (
	hook = 0x309 // is the question mark without its dot
	horn = 0x31B // is an apostrophe

	gap = 70 // between a letter and its mark
)

// addLetters composes missing Latin letters with marks. Letters with two marks depend on
// letters with one.
func addLetters(glyphs map[rune]glyph) {
	glyphs[hook] = glyphs['?'].largest().scaled(0.38)
	for range 2 {
		for r := rune(0xC0); r < 0x1F00; r++ {
			letter, mark := parts(r)
			base, known := glyphs[letter]
			if _, has := glyphs[r]; has || !known || !unicode.Is(unicode.Latin, r) {
				continue
			}
			if g, ok := compose(glyphs, letter, base, mark); ok {
				glyphs[r] = g
			}
		}
	}
	for r, same := range map[rune]rune{'ʻ': '‘', 'ʼ': '’'} {
		glyphs[r] = glyphs[same]
	}
}

func compose(glyphs map[rune]glyph, letter rune, base glyph, mark rune) (glyph, bool) {
	over := above[mark]
	if letter == 'i' && over != 0 {
		letter, base = 'ı', glyphs['ı']
	}
	b := boxOf(glyphs, base)
	g := glyph{advance: base.advance, base: letter}
	switch {
	case over != 0 && letter != 'j':
		m := glyphs[over].box()
		g.shape, g.at = over, point{(b.left + b.right - m.left - m.right) / 2, b.top + gap - m.bottom}
	case below[mark] != 0:
		g.shape = below[mark]
		m := glyphs[g.shape].box()
		g.at = point{(b.left + b.right - m.left - m.right) / 2, b.bottom - gap - m.top}
		if b.bottom < -200 { // next to the tail
			g.at = point{b.right - m.right, -gap - m.top}
		}
		if mark == 0x327 { // a cedilla touches its letter
			g.at.y = b.bottom
		}
	case mark == horn:
		g.shape = '’'
		m := glyphs[g.shape].box()
		g.at = point{b.right - m.left - 120, b.top - m.top + gap}
		g.advance += 100
	default:
		return glyph{}, false
	}
	return g, true
}

// addSigns draws currency signs: letters with bars, and the signs of rupee and lira.
func addSigns(glyphs map[rune]glyph) {
	const thick, reach = 110, 60 // of a bar, and how far it extends beyond the letter
	barred := func(letter rune, ys ...int64) glyph {
		g := glyphs[letter]
		b := g.box()
		for _, y := range ys {
			g = g.with(polygon(point{b.left - reach, y}, point{b.left - reach, y + thick}, point{b.right + reach, y + thick}, point{b.right + reach, y}))
		}
		return g
	}
	glyphs['₦'] = barred('N', 530, 800)
	glyphs['₩'] = barred('W', 530, 800)
	glyphs['₫'] = barred('đ', -260)
	p := glyphs['P'].box()
	ruble := glyphs['P']
	for _, end := range []point{{p.right - 250, 250}, {p.left + 250, 540}} {
		ruble = ruble.with(polygon(point{p.left - 150, end.y}, point{p.left - 150, end.y + 150}, point{end.x, end.y + 150}, point{end.x, end.y}))
	}
	glyphs['₽'] = ruble

	bar := func(y int64) glyph {
		return polygon(point{80, y}, point{80, y + 140}, point{1040, y + 140}, point{1040, y})
	}
	rupee := bar(1316).with(bar(1000))
	rupee = rupee.with(polygon(point{80, 700}, point{330, 700}, point{900, 0}, point{650, 0}))
	rupee.contours = append(rupee.contours, contour{point{80, 1456}, []segment{
		{to: point{430, 1456}},
		{true, point{880, 1456}, point{880, 1080}},
		{true, point{880, 660}, point{430, 660}},
		{to: point{80, 660}},
		{to: point{80, 800}},
		{to: point{430, 800}},
		{true, point{700, 800}, point{700, 1080}},
		{true, point{700, 1316}, point{430, 1316}},
		{to: point{80, 1316}},
	}})
	rupee.advance = 1120
	glyphs['₹'] = rupee

	slanted := func(y int64) glyph {
		return polygon(point{60, y}, point{60, y + 140}, point{700, y + 440}, point{700, y + 300})
	}
	lira := polygon(point{280, 0}, point{280, 1456}, point{460, 1456}, point{460, 0}).with(slanted(480)).with(slanted(760))
	lira.contours = append(lira.contours, contour{point{280, 0}, []segment{
		{to: point{280, 150}},
		{to: point{460, 150}},
		{true, point{860, 150}, point{900, 640}},
		{to: point{1080, 640}},
		{true, point{1040, 0}, point{430, 0}},
	}})
	lira.advance = 1160
	glyphs['₺'] = lira
}

// boxOf returns the box of a glyph, which may be composed.
func boxOf(glyphs map[rune]glyph, g glyph) box {
	if g.shape == 0 {
		return g.box()
	}
	b, m := boxOf(glyphs, glyphs[g.base]), glyphs[g.shape].box()
	return box{min(b.left, m.left+g.at.x), min(b.bottom, m.bottom+g.at.y), max(b.right, m.right+g.at.x), max(b.top, m.top+g.at.y)}
}

// polygon returns a clockwise area, like a letter's.
func polygon(points ...point) glyph {
	c := contour{start: points[0]}
	for _, p := range points[1:] {
		c.segments = append(c.segments, segment{to: p})
	}
	return glyph{contours: []contour{c}}
}

// mapped returns the glyph with each point changed.
func (g glyph) mapped(f func(point) point) glyph {
	out := glyph{advance: g.advance}
	for _, c := range g.contours {
		segments := slices.Clone(c.segments)
		for i, s := range segments {
			segments[i] = segment{s.isCurve, f(s.control), f(s.to)}
		}
		out.contours = append(out.contours, contour{f(c.start), segments})
	}
	return out
}

func (g glyph) scaled(by float64) glyph {
	scale := func(v int64) int64 { return int64(math.Round(float64(v) * by)) }
	return g.mapped(func(p point) point { return point{scale(p.x), scale(p.y)} })
}

// with returns the glyph with a part added.
func (g glyph) with(part glyph) glyph {
	return glyph{advance: g.advance, contours: append(slices.Clone(g.contours), part.contours...)}
}

// largest returns the tallest contour alone.
func (g glyph) largest() glyph {
	height := func(c contour) int64 {
		b := glyph{contours: []contour{c}}.box()
		return b.top - b.bottom
	}
	return glyph{advance: g.advance, contours: []contour{slices.MaxFunc(g.contours, func(a, b contour) int { return int(height(a) - height(b)) })}}
}

// A box holds all points on the outline of a glyph.
type box struct{ left, bottom, right, top int64 }

func (g glyph) box() box {
	b := box{math.MaxInt64, math.MaxInt64, math.MinInt64, math.MinInt64}
	add := func(p point) {
		b = box{min(b.left, p.x), min(b.bottom, p.y), max(b.right, p.x), max(b.top, p.y)}
	}
	for _, c := range g.contours {
		add(c.start)
		for _, s := range c.segments {
			add(s.to)
		}
	}
	return b
}

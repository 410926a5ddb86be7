package qrprint

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
)

const link1 = "https://wa.me/jane.doe"

// The rectangles of a symbol are its dark modules, each once.
func TestModules(t *testing.T) {
	for version := 1; version <= maxVersion; version += 3 {
		s, err := qrcode.Encode(link1, qrcode.EncodeOptions{MinVersion: version})
		require.NoError(t, err)
		n := s.Modules()
		hole := func(x, y int) bool { return covers(n, 5, 3, x, y) }
		count := make([]int, n*n)
		p := modules(s, hole)
		p.each(func(c command, r []float64) {
			require.Equal(t, rectangle, c)
			for y := int(r[1]); y < int(r[1]+r[3]); y++ {
				for x := int(r[0]); x < int(r[0]+r[2]); x++ {
					count[y*n+x]++
				}
			}
		})
		for y := range n {
			for x := range n {
				want := 0
				if s.Dark(x, y) && !hole(x, y) {
					want = 1
				}
				require.Equal(t, want, count[y*n+x], "version %d, %d %d", s.Version(), x, y)
			}
		}
	}
}

// Text that fits keeps its characters, within its width, in legible letters.
func TestTextFits(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	letters := []rune("abcdefghij klm nop .._-@ÄÉςЖ/ 0123")
	fitted := 0
	for range 2000 {
		var b strings.Builder
		b.WriteByte('x')
		for range random.IntN(60) {
			b.WriteRune(letters[random.IntN(len(letters))])
		}
		b.WriteByte('x')
		text := b.String()
		width, size, lines := 5+60*random.Float64(), 1+4*random.Float64(), 1+random.IntN(4)
		block, fits := fitText(text, width, size, lines)
		require.LessOrEqual(t, len(block.lines), lines)
		require.LessOrEqual(t, block.width(), width+1e-6)
		require.LessOrEqual(t, block.size, size)
		if !fits {
			continue
		}
		fitted++
		require.GreaterOrEqual(t, block.size, minFontSize-1e-6)
		without := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		require.Equal(t, without(text), without(strings.Join(block.lines, "")))
	}
	require.Greater(t, fitted, 500)

	block, fits := fitText("two\nlines", 50, 3, 3)
	require.True(t, fits)
	require.Equal(t, []string{"two", "lines"}, block.lines)
	block, fits = fitText("", 50, 3, 3)
	require.True(t, fits)
	require.Zero(t, block.height())
}

// Every character of the languages that Latin, Greek and Cyrillic serve has a glyph, and
// every glyph can be decoded.
func TestGlyphs(t *testing.T) {
	for _, r := range "ABCXYZabcxyz0189 .,:;!?@_-/()'\"&%+#€£$©®™°" +
		"ÄÖÜäöüßÀÇÉÈÊÑÓÕàçéèêñóõÅÆØåæøĄĆĘŁŃŚŹŻąćęłńśźżĞİŞğışČŘŠŽčřšžŐŰőűĂȘȚășț" +
		"ễặỌọẸẹṢṣỮựƠƯỷỵẺịḤṬẍʻʼ₹₺₦₽₩₫" + "ΑΒΓΔΩαβγδωάέήίόύώϊΐς" + "АБВГДЯабвгдяЁёІіЇїЄєҐґЎўЉЊЋЏљњћџ" {
		require.True(t, hasGlyph(r), "%c", r)
	}
	for _, r := range "日本سلامअ😀\u200b\u0301\n\t" {
		require.False(t, hasGlyph(r), "%U", r)
	}
	require.Greater(t, len(loadFont().glyphs), 500)
	for r := range loadFont().glyphs {
		p := textPath(string(r))
		require.Positive(t, advance(r), "%U", r)
		if len(p.commands) > 0 {
			left, top, right, bottom := p.bounds()
			require.True(t, left > -unitsPerEm && right < 2*unitsPerEm && top > -1.3*unitsPerEm && bottom < unitsPerEm, "%U", r)
		}
	}
	require.Equal(t, textWidth("AB"), advance('A')+advance('B'))
	_, top, _, bottom := boundsOf("H")
	require.InDelta(t, -capHeight, top, 40)
	require.InDelta(t, 0, bottom, 1)
}

// Letters with combining marks are their precomposed characters, whatever order the marks
// have, as the Unicode standard pairs them.
func TestCompose(t *testing.T) {
	for text, want := range map[string]string{
		"José": "José", "Jose\u0301": "José", "Zoe\u0308 A\u030A": "Zoë Å", "e\u0302\u0303": "ễ", "ê\u0323": "ệ", "e\u0323\u0302": "ệ",
		"a\u0323\u0306": "ặ", "a\u0306\u0323": "ặ", "u\u031B\u0303": "ữ", "\u0438\u0306": "й", "ε\u0301": "έ",
		"q\u0301": "q\u0301", "\u0301": "\u0301", "e\u0301\u0301": "é\u0301",
	} {
		require.Equal(t, want, compose(text))
		_, err := Code{Text: link1, Caption: text, Frame: text}.Page()
		require.Equal(t, strings.ContainsAny(want, "\u0301"), err != nil, "%q", text)
	}
	decomposed, err := Poster{Code: Code{Text: link1}, Heading: "Jose\u0301", Text: "a\u0306\u0323"}.Page()
	require.NoError(t, err)
	composed, err := Poster{Code: Code{Text: link1}, Heading: "José", Text: "ặ"}.Page()
	require.NoError(t, err)
	require.Equal(t, composed, decomposed)
	// Marks on capitals stay out of the quiet zone.
	page, err := Code{Text: link1, Caption: "Ẫ"}.Page()
	require.NoError(t, err)
	m := page.Codes()[0]
	for _, s := range page.shapes {
		if s.text == "Ẫ" {
			_, top, _, _ := s.path.bounds()
			require.GreaterOrEqual(t, s.at.y+top*s.at.scaleY, float64(m.Y+widthOf(m)+4*m.ModuleWidth)-1e-9)
		}
	}
}

func boundsOf(line string) (left, top, right, bottom float64) {
	p := textPath(line)
	return p.bounds()
}

// The version is the smallest in which every block keeps half of its correction and the
// reserve for dirt, as a count of its own shows, and a share that a message names works.
func TestLogoLeavesHalf(t *testing.T) {
	logo, err := ParseLogo([]byte(`<svg viewBox="0 0 1 1"><path d="M0 0H1V1H0z"/></svg>`))
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(5, 6))
	rejected := 0
	for range 25 {
		c := Code{Text: strings.Repeat("x", 1+random.IntN(300)), ModuleWidth: 0.5, Logo: logo, LogoShare: minLogoShare + (maxLogoShare-minLogoShare)*random.Float64()}
		p, err := c.Page()
		if err != nil {
			require.ErrorIs(t, err, CodeLogoTooLarge)
			rejected++
			_, err = fmt.Sscanf(err.Error(), "logo may take at most %g of", &c.LogoShare)
			require.NoError(t, err)
			p, err = c.Page()
			require.NoError(t, err)
		}
		m := p.Codes()[0]
		n := m.Symbol.Modules()
		width, height := m.LogoModules[0], m.LogoModules[1]
		require.Equal(t, width, height)
		require.Equal(t, 1, width%2)
		require.LessOrEqual(t, float64(width), c.LogoShare*float64(n)+1e-9)
		require.Greater(t, float64(width+2), c.LogoShare*float64(n)-1e-9)
		require.GreaterOrEqual(t, m.Symbol.Level(), qrcode.LevelQ)

		damaged, total, restores := damage(m.Symbol, width, height)
		for block, count := range damaged {
			require.LessOrEqual(t, 2*count, restores, "block %d", block)
			require.GreaterOrEqual(t, float64(restores-count), dirtShare*float64(total[block]))
		}
		for version := 1; version < m.Symbol.Version(); version++ {
			s, err := qrcode.Encode(c.Text, qrcode.EncodeOptions{MinVersion: version, MinLevel: qrcode.LevelQ})
			require.NoError(t, err)
			if side := oddWithin(c.LogoShare, s.Modules()); s.Version() < m.Symbol.Version() && side >= minLogoModules {
				damaged, total, restores := damage(s, side, side)
				fits := true
				for block, count := range damaged {
					fits = fits && 2*count <= restores && float64(restores-count) >= dirtShare*float64(total[block])
				}
				require.False(t, fits, "version %d", version)
			}
		}
	}
	require.Positive(t, rejected)
}

// damage counts the codewords of each block, and those of which an area in the middle has
// a module.
func damage(s qrcode.Symbol, width, height int) (damaged, total map[int]int, restores int) {
	codewords, restores := codewordsOf(s.Version(), s.Level())
	damaged, total = map[int]int{}, map[int]int{}
	for _, word := range codewords {
		hit := false
		for _, at := range word.modules {
			hit = hit || abs(2*int(at[0])-s.Modules()+1) < width && abs(2*int(at[1])-s.Modules()+1) < height
		}
		total[word.block]++
		if hit {
			damaged[word.block]++
		}
	}
	return damaged, total, restores
}

func abs(n int) int { return max(n, -n) }

func near(t *testing.T, want, got, delta Millimeters) {
	t.Helper()
	require.InDelta(t, float64(want), float64(got), float64(delta))
}

// The formats lie on their paper, in its middle.
func TestProducts(t *testing.T) {
	for _, name := range LabelNames() {
		l, err := ParseLabels(name)
		require.NoError(t, err)
		require.Empty(t, l.problems(), name)
		width, height := l.Paper.size()
		right := width - l.Left - l.PitchX*Millimeters(l.Columns-1) - l.Width
		bottom := height - l.Top - l.PitchY*Millimeters(l.Rows-1) - l.Height
		near(t, l.Left, right, 0.15)
		near(t, l.Top, bottom, 0.15)
	}
	hyphen, err := ParseLabels("avery-l7160")
	require.NoError(t, err)
	spaces, err := ParseLabels(" Avery  L7160 ")
	require.NoError(t, err)
	require.Equal(t, hyphen, spaces)
	_, err = ParseLabels("avery-0000")
	require.ErrorIs(t, err, CodeInvalidLabels)
}

func TestParsePath(t *testing.T) {
	for data, want := range map[string]string{
		"M1 2L3 4":                 "M1 2L3 4",
		"m1,2,3,4-1-1z":            "M1 2L4 6L3 5Z",
		"M0 0h10v10H0z":            "M0 0L10 0L10 10L0 10Z",
		"M.5.5l1e1-1":              "M0.5 0.5L10.5-0.5",
		"M0 0C1 2 3 4 5 6S9 8 9 9": "M0 0C1 2 3 4 5 6C7 8 9 8 9 9",
		"M0 0Q3 3 6 0T12 0":        "M0 0C2 2 4 2 6 0C8-2 10-2 12 0",
		"M0 0A1 1 0 012 0":         "M0 0C0-0.5523 0.4477-1 1-1C1.5523-1 2-0.5523 2 0",
		"M0 0A0 1 0 0 1 2 0":       "M0 0L2 0",
		"M0 0zL1 1":                "M0 0ZM0 0L1 1",
		"M0 0 1 1M2 2 3 3":         "M0 0L1 1ZM2 2L3 3",
		" \n":                      "",
	} {
		p, err := parsePath(data)
		require.NoError(t, err, data)
		require.Equal(t, want, string(p.appendSVG(nil)), data)
	}
	for _, data := range []string{"L1 1", "M1", "M1 2 3", "M0 0A1 1 0 2 0 1 1", "M0 0 x", "M0 0Z1", "M1e9 0", "M0 0L", "1 2", "M--1 0", "Mnan 0", "M0 0l1e400 1"} {
		_, err := parsePath(data)
		require.ErrorIs(t, err, CodeInvalidLogo, data)
	}
}

func TestParseLogo(t *testing.T) {
	for _, svg := range []string{
		`<svg viewBox="0 0 24 24"><title>x</title><g fill="#25d366"><path d="M0 0H9V9z"/><path fill="none" d="M0 0"/></g></svg>`,
		`<svg xmlns="http://www.w3.org/2000/svg"><path style="fill:#fff; fill-rule:evenodd" d="M-5-5H5V5z"/></svg>`,
		`<?xml version="1.0"?><svg viewBox="0,0,10,20"><path fill="currentColor" stroke="none" opacity="1" d="M0 0H9V19z"/></svg>`,
	} {
		_, err := ParseLogo([]byte(svg))
		require.NoError(t, err, svg)
	}
	for _, svg := range []string{
		``, `text`, `<svg>`, `<svg/>`, `<html/>`, `<svg viewBox="0 0 0 1"><path d="M0 0H1V1z"/></svg>`, `<svg viewBox="0 0 1"><path d="M0 0H1V1z"/></svg>`,
		`<svg viewBox="0 0 100 1"><path d="M0 0H1V1z"/></svg>`, `<svg viewBox="0 0 9 9"><path d="M0 0H99V1z"/></svg>`,
		`<svg viewBox="0 0 9 9"><rect width="9" height="9"/></svg>`, `<svg viewBox="0 0 9 9"><g transform="scale(2)"><path d="M0 0H1V1z"/></g></svg>`,
		`<svg viewBox="0 0 9 9"><path fill="url(#a)" d="M0 0H1V1z"/></svg>`, `<svg viewBox="0 0 9 9"><path stroke="red" d="M0 0H1V1z"/></svg>`,
		`<svg viewBox="0 0 9 9"><path class="a" d="M0 0H1V1z"/></svg>`, `<svg viewBox="0 0 9 9"><path style="fill:red;" d="M0 0H1V1z"/></svg>`,
		`<svg><svg/></svg>`, `<svg viewBox="0 0 9 9"><path d="M0 0"/></svg`, "\x89PNG\r\n\x1a\n", strings.Repeat(" ", maxLogoBytes+1),
		`<svg><path d="M1 1"/></svg>`,
	} {
		_, err := ParseLogo([]byte(svg))
		require.ErrorIs(t, err, CodeInvalidLogo, "%.100s", svg)
	}
}

// A Logo that didn't come from ParseLogo has no size to scale.
func TestZeroLogo(t *testing.T) {
	_, err := Code{Text: link1, Logo: new(Logo)}.Page()
	require.ErrorIs(t, err, CodeInvalidLogo)
}

// The cascade of CSS: a style wins over attributes, its last declaration over the others,
// and what is not displayed can't be displayed again, while what is hidden can.
func TestLogoCascade(t *testing.T) {
	const red, green = "#ff0000", "#00ff00"
	square := func(attributes string) string { return "<path " + attributes + ` d="M0 0H9V9H0z"/>` }
	for inner, want := range map[string]string{
		square(`style="fill:#ff0000" fill="#00ff00"`):                                             red,
		square(`fill="#00ff00" style="fill:#ff0000"`):                                             red,
		square(`style="fill:#00ff00;; FILL : #ff0000 ;"`):                                         red,
		`<g style="fill:#00ff00">` + square(`fill="#ff0000"`) + `</g>`:                            red,
		`<g fill="#ff0000">` + square(``) + `</g>`:                                                red,
		square(`fill="#ff0000"`) + square(`display="none" fill="#00ff00"`):                        red,
		square(`fill="#ff0000"`) + square(`style="display:none" fill="#00ff00"`):                  red,
		square(`fill="#ff0000"`) + square(`style="DISPLAY:None" display="inline" fill="#00ff00"`): red,
		square(`fill="#ff0000" display="none" style="display:inline"`):                            red,
		square(`fill="#ff0000"`) + square(`visibility="hidden" fill="#00ff00"`):                   red,
		square(`fill="#ff0000"`) + square(`style="visibility:collapse" fill="#00ff00"`):           red,
		square(`fill="#ff0000"`) + square(`fill="#00ff00" style="fill:none"`):                     red,
		square(`fill="#ff0000"`) + `<g display="none">` + square(`display="inline"`) + `</g>`:     red,
		square(`fill="#ff0000"`) + `<g display="none"><g>` + square(``) + `</g></g>`:              red,
		`<g visibility="hidden">` + square(`fill="#00ff00" visibility="visible"`) + `</g>`:        green,
		`<g display="none">` + square(``) + `</g>` + square(`fill="#00ff00"`):                     green,
		square(`fill="#00ff00" font-family="'a;fill:#ff0000;'"`):                                  green,
		square(`style="font-family:'a;fill:#ff0000;';fill:#00ff00"`):                              green,
		square(`fill="#00ff00" xmlns:i="urn:i" i:fill="#ff0000" i:transform="scale(2)"`):          green,
	} {
		logo, err := ParseLogo([]byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">` + inner + `</svg>`))
		require.NoError(t, err, inner)
		require.Len(t, logo.paths, 1, inner)
		r, g, _, _ := logo.paths[0].fill.RGBA()
		require.Equal(t, want, fmt.Sprintf("#%02x%02x00", r>>8, g>>8), inner)
	}
	const path = `<path d="M0 0H9V9H0z"/>`
	for _, svg := range []string{
		`<svg viewBox="0 0 9 9"><x:path xmlns:x="urn:foo" d="M0 0H9V9H0z"/></svg>`,
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path xmlns="" d="M0 0H9V9H0z"/></svg>`,
		`<svg xmlns="urn:foo" viewBox="0 0 9 9">` + path + `</svg>`,
		`<svg viewBox="0 0 9 9">` + path + `</svg>` + path,
		`<svg viewBox="0 0 9 9">` + path + `</svg><svg viewBox="0 0 9 9">` + path + `</svg>`,
		`<svg viewBox="0 0 9 9">` + path + `</svg>text`, `text<svg viewBox="0 0 9 9">` + path + `</svg>`,
		`<?xml-stylesheet href="a.css"?><svg viewBox="0 0 9 9">` + path + `</svg>`,
		`<!DOCTYPE svg [<!ATTLIST path display CDATA "none">]><svg viewBox="0 0 9 9">` + path + `</svg>`,
		`<svg viewBox="0 0 9 9">` + path + `<metadata><style>path{fill:red}</style></metadata></svg>`,
		`<svg viewBox="0 0 9 9" display="none">` + path + `</svg>`,
		`<svg viewBox="0 0 9 9" preserveAspectRatio="none">` + path + `</svg>`,
	} {
		_, err := ParseLogo([]byte(svg))
		require.ErrorIs(t, err, CodeInvalidLogo, svg)
	}
	for _, property := range []string{
		"mask:url(#a)", "-webkit-mask-image:url(#a)", "transform:scale(2)", "translate:1px", "opacity:0.5", "clip-path:url(#a)", "filter:url(#a)",
		"mix-blend-mode:multiply", "d:path('')", "all:unset", "display:nonsense", "visibility:nonsense", "fill:red", "fill:var(--a)", "fill:#f00 !important",
		"fill-rule:nonsense", "fill:#f00/**/", `fi\6cl:#f00`, "fill", "stroke:#f00", "font-family:'a",
	} {
		_, err := ParseLogo([]byte(`<svg viewBox="0 0 9 9"><path style="` + property + `" d="M0 0H9V9H0z"/></svg>`))
		require.ErrorIs(t, err, CodeInvalidLogo, property)
		if name, value, _ := strings.Cut(property, ":"); value != "" && name != "d" && name != "fi\\6cl" && name != "font-family" {
			_, err = ParseLogo([]byte(`<svg viewBox="0 0 9 9"><g ` + name + `="` + value + `">` + path + `</g></svg>`))
			require.ErrorIs(t, err, CodeInvalidLogo, property)
		}
	}
	for _, attribute := range []string{"class", "systemLanguage", "requiredExtensions", "requiredFeatures"} {
		_, err := ParseLogo([]byte(`<svg viewBox="0 0 9 9"><path ` + attribute + `="en" d="M0 0H9V9H0z"/></svg>`))
		require.ErrorIs(t, err, CodeInvalidLogo, attribute)
	}
	for _, property := range []string{"mask:none", "opacity:1", "transform:none", "mix-blend-mode:normal", "stroke-width:3", "-inkscape-font-specification:'Open Sans'"} {
		_, err := ParseLogo([]byte("\uFEFF" + `<svg viewBox="0 0 9 9"><path style="` + property + `" d="M0 0H9V9H0z"/></svg>`))
		require.NoError(t, err, property)
	}
}

// The circle of an arc is on the side that its flags say.
func TestArcs(t *testing.T) {
	s := 10 * math.Sqrt2 / 2
	for data, middle := range map[string][2]float64{ // of a circle around 0 10 or 10 0
		"M0 0A10 10 0 0 1 10 10":   {s, 10 - s},
		"M0 0A10 10 0 0 0 10 10":   {10 - s, s},
		"M0 0A10 10 0 1 1 10 10":   {10 + s, -s},
		"M0 0A10 10 0 1 0 10 10":   {-s, 10 + s},
		"M0 0A10 10 77 1 0 10 10":  {-s, 10 + s},
		"m0 0a10 10 0 1 0 10 10":   {-s, 10 + s},
		"M0 0A20 10 90 0 1 10 20":  {s, 20 - 2*s}, // half as wide as high, around 0 20
		"M0 0A-10-10 0 0 1 10 10":  {s, 10 - s},
		"M0 0A.1 .1 0 0 1 14.14 0": {7.07, -7.07}, // a radius that is too small grows
	} {
		p, err := parsePath(data)
		require.NoError(t, err)
		var curves [][]float64
		x, y := 0.0, 0.0
		p.each(func(c command, n []float64) {
			if c == curveTo {
				curves = append(curves, append([]float64{x, y}, n...))
				x, y = n[4], n[5]
			}
		})
		at := func(c []float64, t float64) [2]float64 {
			u := 1 - t
			point := func(i int) float64 { return u*u*u*c[i] + 3*u*u*t*c[i+2] + 3*u*t*t*c[i+4] + t*t*t*c[i+6] }
			return [2]float64{point(0), point(1)}
		}
		got := at(curves[len(curves)/2], 0.5)
		if len(curves)%2 == 0 {
			got = at(curves[len(curves)/2], 0)
		}
		require.InDelta(t, middle[0], got[0], 0.01, data)
		require.InDelta(t, middle[1], got[1], 0.01, data)
	}
}

// Any file is read or rejected, and a logo that is read can be drawn.
func FuzzParseLogo(f *testing.F) {
	f.Add([]byte(`<svg viewBox="0 0 24 24"><path fill="#25d366" d="M12 2A10 10 0 1 0 22 12zm-1 5h2v6h-2z"/></svg>`))
	f.Add([]byte(`<svg><g style="fill:none"><path d="M0 0q1 1 2 2t3 3s1 1 2 2"/></g></svg>`))
	f.Add([]byte("\x89PNG\r\n\x1a\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		logo, err := ParseLogo(data)
		if err != nil {
			require.ErrorIs(t, err, CodeInvalidLogo)
			return
		}
		page, err := Code{Text: link1, DPI: 150, Logo: logo}.Page()
		require.NoError(t, err)
		for _, f := range []qrcode.Format{PDF, EPS, qrcode.SVG, qrcode.PNG} {
			_, err := page.Append(nil, f)
			require.NoError(t, err)
		}
	})
}

// Any text is encoded and captioned, or rejected.
func FuzzCode(f *testing.F) {
	f.Add(link1, "@jane.doe", "Chat with us", 25.0, 300)
	f.Add("x", "Ελλάς\nПривет", "", 4.0, 0)
	f.Fuzz(func(t *testing.T, text, caption, frame string, size float64, dpi int) {
		if len(text) > 200 || dpi > 600 || size > 60 {
			return
		}
		page, err := Code{Text: text, Caption: caption, Frame: frame, Width: Millimeters(size), DPI: dpi}.Page()
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		for _, f := range []qrcode.Format{PDF, EPS, qrcode.SVG} {
			_, err := page.Append(nil, f)
			require.NoError(t, err)
		}
	})
}

func newSheet(t *testing.T, l Labels) (*SheetWriter, *[]*Page) {
	t.Helper()
	var pages []*Page
	w, err := newSheetWriter(l, func(p *Page) error {
		pages = append(pages, p)
		return nil
	}, func() error { return nil })
	require.NoError(t, err)
	return w, &pages
}

// Codes are on the labels from the start, and a code that is rejected uses no label.
func TestSheetKeepsLabels(t *testing.T) {
	labels, err := ParseLabels("avery-l7160")
	require.NoError(t, err)
	labels.Start, labels.Left, labels.Top = 20, labels.Left+1.5, labels.Top-0.5
	w, pages := newSheet(t, labels)
	for i := range 25 {
		warnings, err := w.Add(Code{Text: fmt.Sprint(link1, i), Caption: "日本", DPI: 600})
		require.Empty(t, warnings)
		require.ErrorIs(t, err, CodeUnsupportedCharacter)
		_, err = w.Add(Code{Text: fmt.Sprint(link1, i), Caption: fmt.Sprint("@jane.doe", i), DPI: 600})
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.ErrorIs(t, w.Close(), errClosed)
	_, err = w.Add(Code{Text: link1})
	require.ErrorIs(t, err, errClosed)

	require.Len(t, *pages, 3)
	position := 19
	for _, p := range *pages {
		width, height := p.Size()
		require.Equal(t, [2]Millimeters{210, 297}, [2]Millimeters{width, height})
		for _, m := range p.Codes() {
			left := labels.Left + Millimeters(position%3)*labels.PitchX
			top := labels.Top + Millimeters(position/3)*labels.PitchY
			quiet := 4 * m.ModuleWidth
			require.GreaterOrEqual(t, m.X-quiet, left)
			require.GreaterOrEqual(t, m.Y-quiet, top)
			require.LessOrEqual(t, m.X+widthOf(m)+quiet, left+labels.Width)
			require.LessOrEqual(t, m.Y+widthOf(m)+quiet, top+labels.Height)
			position = (position + 1) % 21
		}
	}
	require.Equal(t, (19+25)%21, position)
}

func TestSheetProblems(t *testing.T) {
	labels, err := ParseLabels("avery-l7160")
	require.NoError(t, err)
	for _, c := range []struct {
		change func(*Labels)
		code   error
	}{
		{func(l *Labels) { l.Start = 22 }, CodeInvalidStart},
		{func(l *Labels) { l.Start = -1 }, CodeInvalidStart},
		{func(l *Labels) { l.Left += 21 }, CodeInvalidLabels},
		{func(l *Labels) { l.Padding = -1 }, CodeInvalidLength},
		{func(l *Labels) { *l = Labels{} }, CodeInvalidLabels},
		{func(l *Labels) { l.Columns = 4 }, CodeInvalidLabels},
		{func(l *Labels) { l.PitchY = 30 }, CodeInvalidLabels},
		{func(l *Labels) { l.Paper = 9 }, CodeInvalidPaper},
	} {
		l := labels
		c.change(&l)
		_, err := NewSheetWriter(io.Discard, l)
		require.ErrorIs(t, err, c.code)
	}
	w, _ := newSheet(t, labels)
	_, err = w.Add(Code{Text: link1, Width: 50})
	require.ErrorIs(t, err, CodeDoesNotFit)
	_, err = w.Add(Code{Text: strings.Repeat(link1, 60)})
	require.ErrorIs(t, err, CodeModuleTooSmall)
	require.Contains(t, err.Error(), "on a larger label or paper")
}

// An error of the file reaches the caller, and is not about the code.
func TestSheetEmitError(t *testing.T) {
	labels := Labels{Paper: A5, Columns: 1, Rows: 1, Width: 60, Height: 60, Borders: true}
	w, err := newSheetWriter(labels, func(*Page) error { return errClosed }, func() error { return nil })
	require.NoError(t, err)
	_, err = w.Add(Code{Text: link1})
	require.ErrorIs(t, err, errClosed)
	require.NoError(t, w.Close(), "nothing is left")
}

func TestPosters(t *testing.T) {
	for _, paper := range []Paper{A4, A5, Letter} {
		p := Poster{Paper: paper, Code: Code{Text: link1, Caption: "@jane.doe", Bleed: 3}, Heading: "Write to us", Text: "We answer soon."}
		page, err := p.Page()
		require.NoError(t, err)
		width, height := paper.size()
		m := page.Codes()[0]
		require.Len(t, page.Codes(), 1)
		near(t, width/2, m.X+widthOf(m)/2, 1e-9)
		near(t, width*0.72, widthOf(m)+8*m.ModuleWidth, 1e-3)
		require.Greater(t, m.ModuleWidth, Millimeters(1), "read from 1 to 2 meters")

		tent, err := p.Tent()
		require.NoError(t, err)
		turned, upright := tent.Codes()[0], tent.Codes()[1]
		near(t, widthOf(upright), widthOf(turned), 1e-9)
		near(t, height, turned.Y+widthOf(turned)+upright.Y, 1e-9) // mirrored at the fold
		near(t, width, turned.X+widthOf(turned)+upright.X, 1e-9)
	}
	for _, c := range []struct {
		poster Poster
		code   error
	}{
		{Poster{Paper: 9, Code: Code{Text: link1}}, CodeInvalidPaper},
		{Poster{Code: Code{Text: link1, Bleed: -1}}, CodeInvalidLength},
		{Poster{Code: Code{Text: ""}}, qrcode.CodeMissingText},
		{Poster{Code: Code{Text: link1}, Heading: "日"}, CodeUnsupportedCharacter},
		{Poster{Code: Code{Text: link1}, Text: strings.Repeat("\n", maxText)}, CodeTextDoesNotFit},
		{Poster{Code: Code{Text: link1, Width: 190}}, CodeDoesNotFit},
		{Poster{Code: Code{Text: strings.Repeat("x", 5000)}}, problem.Code("text_too_long")},
	} {
		_, err := c.poster.Page()
		require.ErrorIs(t, err, c.code)
		_, err = c.poster.Tent()
		require.ErrorIs(t, err, c.code)
	}
}

// Images that lie beyond the edges of a page are cut off, and shapes that overlap
// follow their fill rule.
func TestRaster(t *testing.T) {
	r := newRaster(10, 10)
	var p path
	p.add(rectangle, -5, -5, 10, 10)
	p.add(rectangle, 2.5, 2, 20, 1)
	r.fill(&p, move(0, 0), false, black)
	alpha := func(x, y int) uint8 { return r.image.RGBAAt(x, y).A }
	require.Equal(t, uint8(255), alpha(0, 0))
	require.Equal(t, uint8(255), alpha(9, 2))
	require.Equal(t, uint8(255), alpha(3, 2))
	require.Equal(t, uint8(0), alpha(5, 5))
	r = newRaster(10, 10)
	r.fill(&p, move(0, 0), true, black)
	require.Equal(t, uint8(0), alpha(3, 2))
	require.Equal(t, uint8(128), alpha(2, 2))
}

func widthOf(m Measure) Millimeters { return m.ModuleWidth * Millimeters(m.Symbol.Modules()) }

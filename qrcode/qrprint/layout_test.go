package qrprint

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"rsc.io/qr/coding"

	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/internal/grid"
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
		"ΑΒΓΔΩαβγδωάέήίόύώϊΐς" + "АБВГДЯабвгдяЁёІіЇїЄєҐґЎўЉЊЋЏљњћџ" {
		require.True(t, hasGlyph(r), "%c", r)
	}
	for _, r := range "日本سلامअ😀\u200b\u0301\n\t" {
		require.False(t, hasGlyph(r), "%U", r)
	}
	require.Greater(t, len(glyphs()), 500)
	for r := range glyphs() {
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
	refused := 0
	for range 25 {
		c := Code{Text: strings.Repeat("x", 1+random.IntN(300)), Module: 0.5, Logo: logo, LogoShare: minLogoShare + (maxLogoShare-minLogoShare)*random.Float64()}
		p, err := c.Page()
		if err != nil {
			require.ErrorIs(t, err, CodeLogoTooLarge)
			refused++
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

		codewords, restores := grid.Codewords(m.Symbol.Version(), coding.Level(m.Symbol.Level()))
		damaged, total := map[int]int{}, map[int]int{}
		for _, word := range codewords {
			hit := false
			for _, at := range word.Modules {
				hit = hit || abs(2*int(at[0])-n+1) < width && abs(2*int(at[1])-n+1) < height
			}
			total[word.Block]++
			if hit {
				damaged[word.Block]++
			}
		}
		for block, count := range damaged {
			require.LessOrEqual(t, 2*count, restores, "block %d", block)
			require.GreaterOrEqual(t, float64(restores-count), dirtShare*float64(total[block]))
		}
		for version := 1; version < m.Symbol.Version(); version++ {
			s, err := qrcode.Encode(c.Text, qrcode.EncodeOptions{MinVersion: version, MinLevel: qrcode.LevelQ})
			require.NoError(t, err)
			if side := oddWithin(c.LogoShare, s.Modules()); s.Version() < m.Symbol.Version() && side >= minLogoModules {
				covered, restores := Covered(s, side, side)
				words, _ := grid.Codewords(s.Version(), coding.Level(s.Level()))
				longest := 0
				for _, word := range words {
					longest = max(longest, word.Block)
				}
				longest = len(words)/(longest+1) + 1
				require.True(t, 2*covered > restores || float64(restores-covered) < dirtShare*float64(longest))
			}
		}
	}
	require.Positive(t, refused)
}

func abs(n int) int { return max(n, -n) }

// The formats lie on their paper, in its middle.
func TestProducts(t *testing.T) {
	for _, name := range LabelNames() {
		l, err := ParseLabels(name)
		require.NoError(t, err)
		require.Empty(t, l.problems(), name)
		width, height := l.Paper.Size()
		right := width - l.Left - l.PitchX*float64(l.Columns-1) - l.Width
		bottom := height - l.Top - l.PitchY*float64(l.Rows-1) - l.Height
		require.InDelta(t, l.Left, right, 0.15, name)
		require.InDelta(t, l.Top, bottom, 0.15, name)
	}
	_, err := ParseLabels("avery-0000")
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
		`<svg><svg/></svg>`, `<svg viewBox="0 0 9 9"><path d="M0 0"/></svg`, "\x89PNG\r\n\x1a\n", strings.Repeat(" ", MaxLogoBytes+1),
		`<svg><path d="M1 1"/></svg>`,
	} {
		_, err := ParseLogo([]byte(svg))
		require.ErrorIs(t, err, CodeInvalidLogo, "%.100s", svg)
	}
}

// Any file is read or refused, and a logo that is read can be drawn.
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
		for f := PDF; f <= PNG; f++ {
			_, err := page.Append(nil, f)
			require.NoError(t, err)
		}
	})
}

// Any text is encoded and captioned, or refused.
func FuzzCode(f *testing.F) {
	f.Add(link1, "@jane.doe", "Chat with us", 25.0, 300)
	f.Add("x", "Ελλάς\nПривет", "", 4.0, 0)
	f.Fuzz(func(t *testing.T, text, caption, frame string, size float64, dpi int) {
		if len(text) > 200 || dpi > 600 || size > 60 {
			return
		}
		page, err := Code{Text: text, Caption: caption, Frame: frame, Size: size, DPI: dpi}.Page()
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		for f := PDF; f < PNG; f++ {
			_, err := page.Append(nil, f)
			require.NoError(t, err)
		}
	})
}

func newSheet(t *testing.T, s Sheet) (*SheetWriter, *[]*Page) {
	t.Helper()
	var pages []*Page
	w, err := NewSheetWriter(s, func(p *Page) error {
		pages = append(pages, p)
		return nil
	})
	require.NoError(t, err)
	return w, &pages
}

// Codes are on the labels from the start, and a code that is refused uses no label.
func TestSheetKeepsLabels(t *testing.T) {
	labels, err := ParseLabels("avery-l7160")
	require.NoError(t, err)
	w, pages := newSheet(t, Sheet{Labels: labels, Start: 20, OffsetX: 1.5, OffsetY: -0.5})
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
		require.Equal(t, [2]float64{210, 297}, [2]float64{width, height})
		for _, m := range p.Codes() {
			left := labels.Left + 1.5 + float64(position%3)*labels.PitchX
			top := labels.Top - 0.5 + float64(position/3)*labels.PitchY
			quiet := 4 * m.Module
			require.GreaterOrEqual(t, m.X-quiet, left)
			require.GreaterOrEqual(t, m.Y-quiet, top)
			require.LessOrEqual(t, m.X+m.Size()+quiet, left+labels.Width)
			require.LessOrEqual(t, m.Y+m.Size()+quiet, top+labels.Height)
			position = (position + 1) % 21
		}
	}
	require.Equal(t, (19+25)%21, position)
}

func TestSheetProblems(t *testing.T) {
	labels, err := ParseLabels("avery-l7160")
	require.NoError(t, err)
	emit := func(*Page) error { return nil }
	for _, c := range []struct {
		change func(*Sheet)
		code   error
	}{
		{func(s *Sheet) { s.Start = 22 }, CodeInvalidStart},
		{func(s *Sheet) { s.Start = -1 }, CodeInvalidStart},
		{func(s *Sheet) { s.OffsetX = 21 }, CodeInvalidLength},
		{func(s *Sheet) { s.Padding = -1 }, CodeInvalidLength},
		{func(s *Sheet) { s.Labels = Labels{} }, CodeInvalidLabels},
		{func(s *Sheet) { s.Labels.Columns = 4 }, CodeInvalidLabels},
		{func(s *Sheet) { s.Labels.PitchY = 30 }, CodeInvalidLabels},
		{func(s *Sheet) { s.Labels.Paper = 9 }, CodeInvalidPaper},
	} {
		s := Sheet{Labels: labels}
		c.change(&s)
		_, err := NewSheetWriter(s, emit)
		require.ErrorIs(t, err, c.code)
	}
	w, _ := newSheet(t, Sheet{Labels: labels})
	_, err = w.Add(Code{Text: link1, Size: 50})
	require.ErrorIs(t, err, CodeCodeDoesNotFit)
	_, err = w.Add(Code{Text: strings.Repeat(link1, 60)})
	require.ErrorIs(t, err, CodeModuleTooSmall)
	require.Contains(t, err.Error(), "on a larger label or paper")
}

// An error of emit reaches the caller, and is not about the code.
func TestSheetEmitError(t *testing.T) {
	labels := Labels{Paper: A5, Columns: 1, Rows: 1, Width: 60, Height: 60}
	w, err := NewSheetWriter(Sheet{Labels: labels, Borders: true}, func(*Page) error { return errClosed })
	require.NoError(t, err)
	_, err = w.Add(Code{Text: link1})
	require.ErrorIs(t, err, errClosed)
	require.NoError(t, w.Close(), "nothing is left")
}

func TestPosters(t *testing.T) {
	for _, paper := range []Paper{A4, A5, Letter} {
		p := Poster{Paper: paper, Code: Code{Text: link1, Caption: "@jane.doe"}, Heading: "Write to us", Text: "We answer soon.", Bleed: 3}
		page, err := p.Page()
		require.NoError(t, err)
		width, height := paper.Size()
		m := page.Codes()[0]
		require.Len(t, page.Codes(), 1)
		require.InDelta(t, width/2, m.X+m.Size()/2, 0.1)
		require.Greater(t, m.Size(), width/3)
		require.Greater(t, m.Module, 1.0, "read from 1 to 2 metres")

		tent, err := p.Tent()
		require.NoError(t, err)
		turned, upright := tent.Codes()[0], tent.Codes()[1]
		require.True(t, turned.Turned)
		require.False(t, upright.Turned)
		require.InDelta(t, upright.Size(), turned.Size(), 1e-9)
		require.InDelta(t, height, turned.Y+turned.Size()+upright.Y, 1e-9, "mirrored at the fold")
		require.InDelta(t, width, turned.X+turned.Size()+upright.X, 1e-9)
	}
	for _, c := range []struct {
		poster Poster
		code   error
	}{
		{Poster{Paper: 9, Code: Code{Text: link1}}, CodeInvalidPaper},
		{Poster{Code: Code{Text: link1}, Bleed: -1}, CodeInvalidLength},
		{Poster{Code: Code{Text: ""}}, qrcode.CodeMissingText},
		{Poster{Code: Code{Text: link1}, Heading: "日"}, CodeUnsupportedCharacter},
		{Poster{Code: Code{Text: link1}, Text: strings.Repeat("\n", MaxText)}, CodeTextDoesNotFit},
		{Poster{Code: Code{Text: link1, Size: 190}}, CodeCodeDoesNotFit},
		{Poster{Code: Code{Text: strings.Repeat("x", 5000)}}, qrcode.CodeTextTooLong},
	} {
		_, err := c.poster.Page()
		require.ErrorIs(t, err, c.code)
		_, err = c.poster.Tent()
		require.ErrorIs(t, err, c.code)
	}
}

// Pictures that lie beyond the edges of a page are cut off, and shapes that overlap
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

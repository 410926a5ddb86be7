package qrprint

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"
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
		n := s.Size()
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
	logo, err := ParseLogo(plainPNG(t, 1, 1))
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
		n := m.Symbol.Size()
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
			if side := oddWithin(c.LogoShare, s.Size()); s.Version() < m.Symbol.Version() && side >= minLogoModules {
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
			hit = hit || abs(2*int(at[0])-s.Size()+1) < width && abs(2*int(at[1])-s.Size()+1) < height
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

// plainPNG returns a white image.
func plainPNG(t testing.TB, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))))
	return b.Bytes()
}

func TestParseLogo(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {20, 1}, {1, 20}, {maxLogoPixels, 100}, {100, maxLogoPixels}} {
		_, err := ParseLogo(plainPNG(t, size[0], size[1]))
		require.NoError(t, err, size)
	}
	for _, size := range [][2]int{{21, 1}, {1, 21}, {maxLogoPixels + 1, 101}, {101, maxLogoPixels + 1}} {
		_, err := ParseLogo(plainPNG(t, size[0], size[1]))
		require.ErrorIs(t, err, CodeInvalidLogo, size)
	}
	whole := plainPNG(t, 9, 9)
	for _, data := range [][]byte{nil, []byte("text"), []byte("<svg/>"), []byte("\xFF\xD8\xFF"), []byte("\x89PNG\r\n\x1a\n"), whole[:len(whole)/2], append(whole, make([]byte, maxLogoBytes)...)} {
		_, err := ParseLogo(data)
		require.ErrorIs(t, err, CodeInvalidLogo, "%.100s", data)
	}
	_, err := ParseLogo([]byte("<svg/>"))
	require.ErrorContains(t, err, "logo isn't a PNG; save it as one")
}

// A Logo that didn't come from ParseLogo has no size to scale.
func TestZeroLogo(t *testing.T) {
	_, err := Code{Text: link1, Logo: new(Logo)}.Page()
	require.ErrorIs(t, err, CodeInvalidLogo)
}

// Any file is read or rejected, and a logo that is read can be drawn.
func FuzzParseLogo(f *testing.F) {
	f.Add(plainPNG(f, 2, 1))
	f.Add([]byte(`<svg/>`))
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

func widthOf(m Measure) Millimeters { return m.ModuleWidth * Millimeters(m.Symbol.Size()) }

package qrprint_test

import (
	"bytes"
	"compress/zlib"
	"encoding/ascii85"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

func sheetOf(t *testing.T, l qrprint.Labels, codes ...qrprint.Code) *qrprint.Page {
	t.Helper()
	page, err := l.Page(codes...)
	require.NoError(t, err)
	return page
}

func labels(t *testing.T, name string) qrprint.Labels {
	t.Helper()
	l, err := qrprint.ParseLabels(name)
	require.NoError(t, err)
	return l
}

func pixelsOf(t *testing.T, p *qrprint.Page) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(file(t, p, qrcode.PNG)))
	require.NoError(t, err)
	return img
}

// requireModules requires that every pixel of a code and its quiet zone has the color of
// its module.
func requireModules(t *testing.T, img image.Image, m qrprint.Measure, turned bool, bleed qrprint.Millimeters, dpi int, dark, light color.RGBA) {
	t.Helper()
	dot := 25.4 / float64(dpi)
	pixel := func(at qrprint.Millimeters) int {
		whole := math.Round(float64(at) / dot)
		require.InDelta(t, whole, float64(at)/dot, 1e-6, "off the grid of dots")
		return int(whole)
	}
	left, top, n := pixel(m.X+bleed), pixel(m.Y+bleed), m.Symbol.Size()
	for y := -4 * m.Dots; y < (n+4)*m.Dots; y++ {
		for x := -4 * m.Dots; x < (n+4)*m.Dots; x++ {
			column, row := (x+4*m.Dots)/m.Dots-4, (y+4*m.Dots)/m.Dots-4
			if turned {
				column, row = n-1-column, n-1-row
			}
			want := light
			if column >= 0 && row >= 0 && column < n && row < n && m.Symbol.Dark(column, row) {
				want = dark
			}
			if got := color.RGBAModel.Convert(img.At(left+x, top+y)); got != want {
				require.Equal(t, want, got, "module %d %d", column, row)
			}
		}
	}
}

// Every kind of page draws its background and whole modules, also upside down.
func TestDrawnPixels(t *testing.T) {
	const dpi = 103 // at which paper is no whole number of dots
	code := qrprint.Code{
		Text: address, Caption: "@jane.doe", DPI: dpi,
		Style: qrcode.Style{Foreground: qrcode.RGB(255, 255, 255), Background: qrcode.RGB(0, 0, 0x80)},
	}
	trimmed := code
	trimmed.Bleed = 3.3
	bleeding, err := trimmed.Page()
	require.NoError(t, err)
	pages := map[string]*qrprint.Page{"page": page(t, code), "bleed": bleeding}
	for _, paper := range []qrprint.Paper{qrprint.A4, qrprint.A5, qrprint.Letter} {
		poster := qrprint.Poster{Paper: paper, Code: code, Heading: "Questions?", Text: "Ask."}
		pages["poster "+paper.String()], err = poster.Page()
		require.NoError(t, err)
		pages["tent "+paper.String()], err = poster.Tent()
		require.NoError(t, err)
	}
	for _, name := range []string{"avery-l7160", "avery-5162"} {
		l := labels(t, name)
		l.Left += 0.77
		pages[name] = sheetOf(t, l, code, code, code, code)
	}
	for name, p := range pages {
		t.Run(fmt.Sprint(name, dpi), func(t *testing.T) {
			img, bleed := pixelsOf(t, p), qrprint.Millimeters(0)
			if name == "bleed" { // whole dots
				bleed = qrprint.Millimeters(math.Ceil(3.3*float64(dpi)/25.4) * 25.4 / float64(dpi))
			}
			require.NotEmpty(t, p.Codes())
			for i, m := range p.Codes() {
				requireModules(t, img, m, strings.HasPrefix(name, "tent") && i == 0, bleed, dpi, color.RGBA{255, 255, 255, 255}, color.RGBA{0, 0, 0x80, 255})
			}
			corner := color.RGBAModel.Convert(img.At(0, 0))
			if strings.Contains(name, "avery") { // paper without ink
				require.Equal(t, color.RGBA{}, corner)
			} else {
				require.Equal(t, color.RGBA{0, 0, 0x80, 255}, corner)
			}
		})
	}
}

// The middle of a code is the middle of its place, and its background
// fills the label without its padding.
func TestPlaces(t *testing.T) {
	l := labels(t, "avery-l7651")
	l.Start, l.Left, l.Top = 7, l.Left+1.25, l.Top-2.5
	c := qrprint.Code{Text: address, Style: qrcode.Style{Background: qrcode.RGB(0xdc, 0xf8, 0xc6)}}
	for _, padding := range []qrprint.Millimeters{0, 0.5, 1.5} {
		l.Padding = padding
		p := sheetOf(t, l, c)
		m := p.Codes()[0]
		left, top := l.Left+l.PitchX, l.Top+l.PitchY // the second label of the second row
		middle := func(at qrprint.Millimeters) float64 { return float64(at + widthOf(m)/2) }
		require.InDelta(t, float64(left+l.Width/2), middle(m.X), 1e-9)
		require.InDelta(t, float64(top+l.Height/2), middle(m.Y), 1e-9)
		require.InDelta(t, float64(l.Height-2*padding), float64(37*m.ModuleWidth), 1e-4)
		require.Contains(t, string(file(t, p, qrcode.SVG)), fmt.Sprintf(`<path fill="#dcf8c6" transform="translate(0 0)scale(1)" d="M%s %sh%sv%sh-%sz"/>`,
			short(left+padding), short(top+padding), short(l.Width-2*padding), short(l.Height-2*padding), short(l.Width-2*padding)))
	}
	// Without a text the code is in the middle of the paper, and with a bleed 3 mm from the edge.
	trimmed := c
	trimmed.Bleed = 2
	for _, draw := range []func() (*qrprint.Page, error){
		c.Page, trimmed.Page, qrprint.Poster{Code: trimmed}.Page,
	} {
		p, err := draw()
		require.NoError(t, err)
		width, height := p.Size()
		m := p.Codes()[0]
		require.InDelta(t, float64(width), float64(2*m.X+widthOf(m)), 1e-9)
		require.InDelta(t, float64(height), float64(2*m.Y+widthOf(m)), 1e-9)
	}
	p, err := trimmed.Page()
	require.NoError(t, err)
	require.InDelta(t, 3, float64(p.Codes()[0].X-4*p.Codes()[0].ModuleWidth), 1e-9)
}

// short formats a length as SVG does.
func short(v qrprint.Millimeters) string {
	return strconv.FormatFloat(math.Round(float64(v)*1e4)/1e4, 'f', -1, 64)
}

// A link of a PDF lies on its code, also where the code is upside down.
func TestLinks(t *testing.T) {
	const mm = 72 / 25.4
	tent, err := qrprint.Poster{Paper: qrprint.A5, Code: qrprint.Code{Text: address, Bleed: 2}, Heading: "Hi"}.Tent()
	require.NoError(t, err)
	_, height := tent.Size()
	rects := regexp.MustCompile(`/Rect\[(\S+) (\S+) (\S+) (\S+)]`).FindAllStringSubmatch(string(file(t, tent, qrprint.PDF)), -1)
	require.Len(t, rects, 2)
	for i, m := range tent.Codes() {
		for j, want := range []qrprint.Millimeters{m.X, height - m.Y - widthOf(m), m.X + widthOf(m), height - m.Y} {
			got, err := strconv.ParseFloat(rects[i][j+1], 64)
			require.NoError(t, err)
			require.InDelta(t, float64(want+2)*mm, got, 1e-4)
		}
	}
}

// Borders are lines: neither the label nor the space between labels is filled.
func TestBorders(t *testing.T) {
	l := labels(t, "avery-5162")
	l.Borders, l.Start = true, 3
	p := sheetOf(t, l, qrprint.Code{Text: address, DPI: 150})
	img := pixelsOf(t, p)
	alpha := func(x, y qrprint.Millimeters) uint32 {
		_, _, _, a := img.At(int(x/25.4*150), int(y/25.4*150)).RGBA()
		return a
	}
	require.Zero(t, alpha(l.Left+l.Width/2, l.Top+l.Height/2))
	require.Zero(t, alpha(l.Left+l.Width+2, l.Top+l.Height/2))
	require.NotZero(t, alpha(l.Left, l.Top+l.Height/2))
	require.NotZero(t, alpha(l.Left+l.Width, l.Top+l.Height/2))
	require.NotZero(t, alpha(l.Left+l.Width/2, l.Top))
}

// A label without room for a code is an error, whatever is left of it.
func TestNoRoom(t *testing.T) {
	for _, side := range []qrprint.Millimeters{0.1, 2.9, 3, 3.1, 6} {
		w, err := qrprint.NewSheetWriter(io.Discard, qrprint.Labels{Columns: 2, Rows: 1, Width: side, Height: side, PitchX: 6, Padding: 1.5})
		require.NoError(t, err)
		for _, c := range []qrprint.Code{{Text: address}, {Text: address, DPI: 300}, {Text: address, Caption: "@jane.doe", Frame: "Hi"}} {
			_, err = w.Add(c)
			require.ErrorIs(t, err, problem.Code("print_module_too_small"), "%g mm", side)
		}
		_, err = w.Add(qrprint.Code{Text: address, Width: 25})
		require.ErrorIs(t, err, problem.Code("print_code_does_not_fit"), "%g mm", side)
	}
}

func TestPadding(t *testing.T) {
	l := labels(t, "avery-l7160")
	require.Equal(t, qrprint.Millimeters(1.5), l.Padding)
	for _, l.Padding = range []qrprint.Millimeters{-1, 51, qrprint.Millimeters(math.NaN())} {
		_, err := qrprint.NewSheetWriter(io.Discard, l)
		require.ErrorIs(t, err, problem.Code("print_invalid_length"))
	}
}

// Labels may lie half a millimeter beyond the paper, as some descriptions say, and no more.
func TestLabelsOnPaper(t *testing.T) {
	for left, valid := range map[qrprint.Millimeters]bool{-0.6: false, -0.4: true, 110.4: true, 110.6: false} {
		_, err := qrprint.NewSheetWriter(io.Discard, qrprint.Labels{Columns: 1, Rows: 1, Width: 100, Height: 100, Left: left})
		require.Equal(t, valid, err == nil, "%g mm: %v", left, err)
	}
}

// A margin is a width or is left out.
func TestMargins(t *testing.T) {
	near := page(t, qrprint.Code{Text: address, Style: qrcode.Style{Margin: qrcode.NoMargin}}).Codes()[0]
	require.Zero(t, near.X)
	far := page(t, qrprint.Code{Text: address, Style: qrcode.Style{Margin: 7}}).Codes()[0]
	require.InDelta(t, float64(7*far.ModuleWidth), float64(far.X), 1e-9)
	for _, c := range []qrprint.Code{{Style: qrcode.Style{Margin: -2}}, {Style: qrcode.Style{Margin: 3}}, {Style: qrcode.Style{Margin: 101}}} {
		c.Text = address
		_, err := c.Page()
		require.Equal(t, []problem.Code{problem.Code("invalid_margin")}, problem.All(err).Codes())
	}
}

// A caption has as many lines as it has room for.
func TestCaptionLines(t *testing.T) {
	_, one := page(t, qrprint.Code{Text: address, Caption: "x"}).Size()
	_, six := page(t, qrprint.Code{Text: address, Caption: "1\n2\n3\n4\n5\n6"}).Size()
	require.Greater(t, six, one)
	require.Less(t, six, 2*one)
	_, err := qrprint.Code{Text: address, Caption: strings.Repeat("x\n", 120) + "x"}.Page()
	require.EqualError(t, err, "caption has 121 lines; at most 6 are allowed")
	_, err = qrprint.Code{Text: address, Frame: "a\nb\nc"}.Page()
	require.ErrorIs(t, err, problem.Code("print_text_does_not_fit"))
}

// Nothing is written to a PDF after its end.
func TestPDFIsClosed(t *testing.T) {
	var out bytes.Buffer
	w, err := qrprint.NewSheetWriter(&out, labels(t, "avery-l7160"))
	require.NoError(t, err)
	_, err = w.Add(qrprint.Code{Text: address})
	require.NoError(t, err)
	require.NoError(t, w.Close())
	whole := out.Len()
	_, err = w.Add(qrprint.Code{Text: address})
	require.EqualError(t, err, "qrprint: the writer is closed")
	require.EqualError(t, w.Close(), "qrprint: the writer is closed")
	require.Equal(t, whole, out.Len())
}

// A sheet as a page is the sheet in a file, and has room for as many codes as labels.
func TestLabelsPage(t *testing.T) {
	l := labels(t, "avery-5164")
	l.Start = 5
	codes := []qrprint.Code{{Text: address, Title: "Labels"}, {Text: address, Caption: "@jane.doe"}}
	var want bytes.Buffer
	w, err := qrprint.NewSheetWriter(&want, l)
	require.NoError(t, err)
	for _, c := range codes {
		_, err = w.Add(c)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.Equal(t, want.String(), string(file(t, sheetOf(t, l, codes...), qrprint.PDF)))
	for _, codes := range [][]qrprint.Code{nil, append(codes, codes[0])} {
		_, err := l.Page(codes...)
		require.EqualError(t, err, fmt.Sprintf("sheet has %d codes; 1 to 2 are allowed", len(codes)))
	}
	_, err = l.Page(qrprint.Code{})
	require.NotEmpty(t, problem.All(err))
	l.Start = 7
	_, err = l.Page(codes[0])
	require.ErrorIs(t, err, problem.Code("print_invalid_start"))
}

// An image with transparent parts is blended with the background, in EPS before it is drawn.
func TestTransparentImage(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 2, 2))
	for i := range 4 {
		img.Set(i%2, i/2, color.NRGBA{200, 0, 0, 51}) // a fifth
	}
	var out bytes.Buffer
	require.NoError(t, png.Encode(&out, img))
	logo, err := qrprint.ParseLogo(out.Bytes())
	require.NoError(t, err)
	p := page(t, qrprint.Code{Text: address, DPI: 300, Logo: logo, Style: qrcode.Style{Background: qrcode.RGB(200, 200, 100)}})
	m := p.Codes()[0]
	dots := m.Dots*m.Symbol.Size()/2 + m.Dots*4
	require.Equal(t, color.RGBA{200, 160, 80, 255}, color.RGBAModel.Convert(pixelsOf(t, p).At(dots, dots)))

	_, data, found := strings.Cut(string(file(t, p, qrprint.EPS)), "FlateDecode filter>>image\n")
	require.True(t, found)
	data, _, found = strings.Cut(data, "~>")
	require.True(t, found)
	r, err := zlib.NewReader(ascii85.NewDecoder(strings.NewReader(data)))
	require.NoError(t, err)
	rgb, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, bytes.Repeat([]byte{200, 160, 80}, 4), rgb)
}

// A frame is dark, so it needs a quiet zone between itself and the code.
func TestFrameNeedsQuietZone(t *testing.T) {
	_, err := qrprint.Code{Text: address, Style: qrcode.Style{Margin: qrcode.NoMargin}, Frame: "Scan me"}.Page()
	require.Equal(t, []problem.Code{problem.Code("invalid_margin")}, problem.All(err).Codes())
}

// Programs on Windows end lines with CRLF.
func TestCaptionWithCRLF(t *testing.T) {
	want := page(t, qrprint.Code{Text: address, Caption: "a\nb", Frame: "c\nd"})
	got := page(t, qrprint.Code{Text: address, Caption: "a\r\nb", Frame: "c\r\nd"})
	require.Equal(t, string(file(t, want, qrcode.SVG)), string(file(t, got, qrcode.SVG)))
}

// The codes of a page have one resolution, because the page is printed in one.
func TestSheetHasOneResolution(t *testing.T) {
	w, err := qrprint.NewSheetWriter(io.Discard, labels(t, "avery-l7160"))
	require.NoError(t, err)
	_, err = w.Add(qrprint.Code{Text: address, DPI: 203})
	require.NoError(t, err)
	for _, dpi := range []int{0, 300} {
		_, err = w.Add(qrprint.Code{Text: address, DPI: dpi})
		require.Equal(t, []problem.Code{problem.Code("print_invalid_dpi")}, problem.All(err).Codes())
	}
	_, err = w.Add(qrprint.Code{Text: address, DPI: 203})
	require.NoError(t, err)
}

// Only the padding may extend beyond the paper.
func TestPaddingBeyondPaper(t *testing.T) {
	l := qrprint.Labels{Columns: 2, Rows: 2, Width: 80, Height: 100, Left: 10, Top: 20, PitchX: 80, PitchY: 110, Padding: 1.5} // to 170 and 230 of 210 x 297
	for offset, valid := range map[[2]qrprint.Millimeters]bool{
		{-11.9, 0}: true, {-12.1, 0}: false, {0, -20}: true, {20, 20}: true,
	} {
		moved := l
		moved.Left, moved.Top = moved.Left+offset[0], moved.Top+offset[1]
		_, err := qrprint.NewSheetWriter(io.Discard, moved)
		require.Equal(t, valid, err == nil, "%v: %v", offset, err)
	}
	l.Left, l.Top = 40, 77 // to 200 and 287
	for offset, valid := range map[[2]qrprint.Millimeters]bool{
		{11.9, 0}: true, {12.1, 0}: false, {0, 11.9}: true, {0, 12.1}: false,
	} {
		moved := l
		moved.Left, moved.Top = moved.Left+offset[0], moved.Top+offset[1]
		_, err := qrprint.NewSheetWriter(io.Discard, moved)
		require.Equal(t, valid, err == nil, "%v: %v", offset, err)
	}
}

// Settings that a page or label can't follow are rejected.
func TestSettingsWithoutEffect(t *testing.T) {
	w, err := qrprint.NewSheetWriter(io.Discard, labels(t, "avery-l7160"))
	require.NoError(t, err)
	_, err = w.Add(qrprint.Code{Text: address, Bleed: 1})
	require.Equal(t, []problem.Code{"print_invalid_length"}, problem.All(err).Codes())
}

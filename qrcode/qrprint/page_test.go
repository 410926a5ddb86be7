package qrprint_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

const address = "https://wa.me/jane.doe?text=Hi%20there" // version 3

func page(t *testing.T, c qrprint.Code) *qrprint.Page {
	t.Helper()
	p, err := c.Page()
	require.NoError(t, err)
	return p
}

func file(t *testing.T, p *qrprint.Page, f qrcode.Format) []byte {
	t.Helper()
	data, err := p.Append(nil, f)
	require.NoError(t, err)
	return data
}

// stream returns the content of the only page of a PDF, and how many bytes it takes.
func stream(t *testing.T, pdf []byte) (content string, length int) {
	t.Helper()
	_, rest, found := bytes.Cut(pdf, []byte("/Filter/FlateDecode>>\nstream\n"))
	require.True(t, found)
	compressed, _, found := bytes.Cut(rest, []byte("\nendstream"))
	require.True(t, found)
	r, err := zlib.NewReader(bytes.NewReader(compressed))
	require.NoError(t, err)
	plain, err := io.ReadAll(r)
	require.NoError(t, err)
	return string(plain), len(compressed)
}

func TestPDF(t *testing.T) {
	p, err := qrprint.Code{Text: address, Title: "Chat (with) Jürgen", Bleed: 3}.Page()
	require.NoError(t, err)
	require.Equal(t, 3, p.Codes()[0].Symbol.Version())
	pdf := file(t, p, qrprint.PDF)
	text := string(pdf)
	content, _ := stream(t, pdf)

	// All dark modules are one path in black ink alone, which takes few bytes.
	for _, link := range []string{address, "https://wa.me/16505551234?text=Hello", "https://wa.me/the.longest_name.9999"} {
		p := page(t, qrprint.Code{Text: link})
		require.Equal(t, 3, p.Codes()[0].Symbol.Version())
		_, length := stream(t, file(t, p, qrprint.PDF))
		t.Logf("the content of a PDF of version 3 takes %d bytes", length)
		require.LessOrEqual(t, length, 700)
	}
	require.Equal(t, 1, strings.Count(content, "0 0 0 1 k\n"))
	require.Equal(t, 1, strings.Count(content, "0 0 0 0 k\n"), "the background")
	require.Equal(t, 2, strings.Count(content, "f Q\n"))
	require.NotContains(t, content, "rg")
	require.Contains(t, content, "/Span/T0 BDC")

	for _, part := range []string{
		"/Properties<</T0<</ActualText(" + address + ")>>>>", "/ViewerPreferences<</PrintScaling/None/DisplayDocTitle true>>", "/Subtype/Link", "/A<</S/URI/URI(" + address + ")>>",
		"/Title<FEFF0043006800610074002000280077006900740068002900200", "/Producer(Hailmark)",
	} {
		require.Contains(t, text, part)
	}
	require.NotContains(t, text, "Date")

	// The boxes are the trimmed page and its bleed.
	box := func(name string) []float64 {
		var n [4]float64
		_, err := fmt.Sscanf(regexp.MustCompile(name + `\[([^]]*)]`).FindStringSubmatch(text)[1], "%g %g %g %g", &n[0], &n[1], &n[2], &n[3])
		require.NoError(t, err)
		return n[:]
	}
	w, h := p.Size()
	width, height := float64(w), float64(h)
	const mm = 72 / 25.4
	require.InDeltaSlice(t, []float64{0, 0, (width + 6) * mm, (height + 6) * mm}, box("MediaBox"), 1e-4)
	require.Equal(t, box("MediaBox"), box("BleedBox"))
	require.InDeltaSlice(t, []float64{3 * mm, 3 * mm, (width + 3) * mm, (height + 3) * mm}, box("TrimBox"), 1e-4)

	// Every offset of the cross-reference table is that of its object.
	_, table, found := strings.Cut(text, "xref\n0 ")
	require.True(t, found)
	entries := regexp.MustCompile(`(\d{10}) 00000 n `).FindAllStringSubmatch(table, -1)
	require.GreaterOrEqual(t, len(entries), 5)
	for i, entry := range entries {
		offset, err := strconv.Atoi(entry[1])
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(text[offset:], fmt.Sprintf("%d 0 obj\n", i+1)))
	}
	start, err := strconv.Atoi(regexp.MustCompile(`startxref\n(\d+)`).FindStringSubmatch(text)[1])
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(text[start:], "xref\n"))
}

// A text that is no address has no link, and a text that PDF strings escape is kept.
func TestPDFText(t *testing.T) {
	pdf := file(t, page(t, qrprint.Code{Text: `WIFI:S:a(b)\;;`}), qrprint.PDF)
	require.NotContains(t, string(pdf), "/Annots")
	require.Contains(t, string(pdf), `ActualText(WIFI:S:a\(b\)\\;;)`)
}

func everything(t *testing.T) *qrprint.Page {
	t.Helper()
	logo, err := qrprint.ParseLogo(picture(t))
	require.NoError(t, err)
	p, err := qrprint.Code{
		Text: address, DPI: 300, Caption: "@jane.doe", Frame: "Chat with us", Logo: logo,
		Style: qrcode.Style{Foreground: qrcode.RGB(7, 94, 84), Background: qrcode.RGB(240, 240, 240)},
		Bleed: 2,
	}.Page()
	require.NoError(t, err)
	return p
}

func TestSameBytes(t *testing.T) {
	for _, f := range []qrcode.Format{qrprint.PDF, qrprint.EPS, qrcode.SVG, qrcode.PNG} {
		first, second := everything(t), everything(t)
		require.Equal(t, file(t, first, f), file(t, second, f), f)
		prefix := []byte("prefix")
		appended, err := first.Append(prefix, f)
		require.NoError(t, err)
		require.Equal(t, "prefix"+string(file(t, second, f)), string(appended))
	}
}

// With a resolution, modules have the whole number of dots that is nearest to the width, and
// a warning reports any visible difference.
func TestWholeDots(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		c := qrprint.Code{Text: address, Width: qrprint.Millimeters(20 + 200*random.Float64()), DPI: 150 + random.IntN(2400)}
		if random.IntN(2) == 0 {
			c.Width, c.ModuleWidth = 0, c.Width/29
		}
		p := page(t, c)
		m := p.Codes()[0]
		dot := 25.4 / float64(c.DPI)
		require.InDelta(t, float64(m.ModuleWidth), float64(m.Dots)*dot, 1e-9)
		off := math.Abs(float64(widthOf(m) - max(c.Width, 29*c.ModuleWidth)))
		require.LessOrEqual(t, off, 29*dot/2+1e-9)
		require.Equal(t, off >= 0.05, slices.Contains(p.Warnings().Codes(), problem.Code("print_width_rounded")), off)
		for _, v := range []qrprint.Millimeters{m.X, m.Y} {
			require.InDelta(t, math.Round(float64(v)/dot), float64(v)/dot, 1e-6)
		}
	}
	// On a label the nearest width that fits can be the smaller one, and the smallest module
	// is never rounded down.
	labels := qrprint.Labels{Columns: 1, Rows: 1, Width: 33, Height: 33}
	sheet := sheetOf(t, labels, qrprint.Code{Text: address, Width: 24.94, DPI: 254}) // 8.6 dots; 9 need 33.3 mm
	require.Equal(t, 8, sheet.Codes()[0].Dots)
	require.Equal(t, []problem.Code{"print_width_rounded"}, sheet.Warnings().Codes())
	require.Equal(t, 2, page(t, qrprint.Code{Text: address, ModuleWidth: 0.25, DPI: 150}).Codes()[0].Dots)
}

// A PNG shows each module as a square of whole pixels in two colors, with its quiet zone,
// and names its resolution.
func TestPNG(t *testing.T) {
	for _, dpi := range []int{203, 300, 600} {
		p := page(t, qrprint.Code{Text: address, DPI: dpi, Style: qrcode.Style{Background: qrcode.RGB(0xdc, 0xf8, 0xc6), Foreground: qrcode.RGB(7, 94, 84)}})
		m := p.Codes()[0]
		data := file(t, p, qrcode.PNG)
		img, err := png.Decode(bytes.NewReader(data))
		require.NoError(t, err)
		n := m.Symbol.Size()
		require.Equal(t, image.Rect(0, 0, (n+8)*m.Dots, (n+8)*m.Dots), img.Bounds())
		for y := range (n + 8) * m.Dots {
			for x := range (n + 8) * m.Dots {
				want := color.RGBA{0xdc, 0xf8, 0xc6, 0xFF}
				if m.Symbol.Dark(x/m.Dots-4, y/m.Dots-4) {
					want = color.RGBA{7, 94, 84, 0xFF}
				}
				if got := color.RGBAModel.Convert(img.At(x, y)); got != want {
					require.Equal(t, want, got, "%d %d", x, y)
				}
			}
		}
		require.Len(t, img.(*image.Paletted).Palette, 2)

		_, chunk, found := bytes.Cut(data, []byte("pHYs"))
		require.True(t, found)
		perMeter := binary.BigEndian.Uint32(chunk)
		require.Equal(t, dpi, int(math.Round(float64(perMeter)*0.0254)))
		require.Equal(t, perMeter, binary.BigEndian.Uint32(chunk[4:]))
		require.Equal(t, byte(1), chunk[8])
	}

	_, err := page(t, qrprint.Code{Text: address}).Append([]byte("kept"), qrcode.PNG)
	require.ErrorIs(t, err, problem.Code("print_invalid_dpi"))
	dst, err := page(t, qrprint.Code{Text: address, Width: 1000, DPI: 2400}).Append([]byte("kept"), qrcode.PNG)
	require.ErrorIs(t, err, problem.Code("print_invalid_dpi"))
	require.Equal(t, "kept", string(dst))

	transparent := page(t, qrprint.Code{Text: address, DPI: 300, Style: qrcode.Style{Background: qrcode.Transparent()}, Caption: "@jane.doe"})
	img, err := png.Decode(bytes.NewReader(file(t, transparent, qrcode.PNG)))
	require.NoError(t, err)
	_, _, _, alpha := img.At(0, 0).RGBA()
	require.Zero(t, alpha)
}

func TestFormats(t *testing.T) {
	dst, err := page(t, qrprint.Code{Text: address}).Append([]byte("kept"), "gif")
	require.ErrorIs(t, err, problem.Code("invalid_format"))
	require.Equal(t, "kept", string(dst))
	for p := qrprint.A4; p <= qrprint.Letter; p++ {
		text, err := p.MarshalText()
		require.NoError(t, err)
		var again qrprint.Paper
		require.NoError(t, again.UnmarshalText(text))
		require.Equal(t, p, again)
	}
	var paper qrprint.Paper
	require.ErrorIs(t, paper.UnmarshalText([]byte("a3")), problem.Code("print_invalid_paper"))
	_, err = qrprint.Paper(9).MarshalText()
	require.ErrorIs(t, err, problem.Code("print_invalid_paper"))
	require.Equal(t, "Paper(9)", qrprint.Paper(9).String())
}

// Numbers that are no lengths are rejected, and nothing panics.
func TestStrangeNumbers(t *testing.T) {
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 1e300, 5e-324} {
		v := qrprint.Millimeters(f)
		for _, c := range []qrprint.Code{
			{Text: address, Width: v},
			{Text: address, ModuleWidth: v},
		} {
			_, err := c.Page()
			require.True(t, errors.Is(err, problem.Code("print_invalid_length")) || v == 5e-324 && err == nil, "%+v: %v", c, err)
		}
		_, err := qrprint.Code{Text: address, Bleed: v}.Page()
		require.True(t, errors.Is(err, problem.Code("print_invalid_length")) || v == 5e-324 && err == nil, "%v", err)
		_, err = qrprint.Code{Text: address, LogoShare: float64(v)}.Page()
		require.ErrorIs(t, err, problem.Code("print_logo_too_large"))
	}
}

// A writer that fails ends a PDF with its error.
func TestPDFWriterErrors(t *testing.T) {
	var out bytes.Buffer
	w, err := qrprint.NewSheetWriter(&out, labels(t, "avery-l7160"))
	require.NoError(t, err)
	require.EqualError(t, w.Close(), "qrprint: the PDF has no page; add at least one code")
	full := errors.New("disk full")
	for room := range 40 {
		w, err := qrprint.NewSheetWriter(&limited{room: 100 * room, err: full}, labels(t, "avery-l7160"))
		require.NoError(t, err)
		_, err = w.Add(qrprint.Code{Text: address})
		require.NoError(t, err)
		err = w.Close()
		if room < 15 {
			require.ErrorIs(t, err, full, room)
		}
	}
}

type limited struct {
	room int
	err  error
}

func (w *limited) Write(p []byte) (int, error) {
	if w.room -= len(p); w.room < 0 {
		return 0, w.err
	}
	return len(p), nil
}

func picture(t *testing.T) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, 40, 40))
	for y := range 40 {
		for x := range 40 {
			img.Set(x, y, color.NRGBA{0x25, 0xd3, 0x66, uint8(6 * min(x, 39-x))})
		}
	}
	var out bytes.Buffer
	require.NoError(t, png.Encode(&out, img))
	return out.Bytes()
}

func BenchmarkCode(b *testing.B) {
	for _, f := range []qrcode.Format{qrprint.PDF, qrcode.SVG, qrcode.PNG} {
		b.Run(f.String(), func(b *testing.B) {
			b.ReportAllocs()
			var out []byte
			for b.Loop() {
				p, err := qrprint.Code{Text: address, DPI: 300, Caption: "@jane.doe"}.Page()
				if err != nil {
					b.Fatal(err)
				}
				if out, err = p.Append(out[:0], f); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func widthOf(m qrprint.Measure) qrprint.Millimeters {
	return m.ModuleWidth * qrprint.Millimeters(m.Symbol.Size())
}

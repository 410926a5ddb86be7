package qrprint_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

// Crop marks are outside of the bleed, in line with the edges of the trimmed page.
func TestCropMarks(t *testing.T) {
	const dpi = 254 // ten dots a millimeter
	for _, c := range []struct{ bleed, margin qrprint.Millimeters }{{0, 3 + 5}, {2, 3 + 5}, {4, 4 + 5}} {
		code := qrprint.Code{Text: address, DPI: dpi, Bleed: c.bleed, CropMarks: true, BackgroundCMYK: qrprint.CMYK{Y: 30}}
		p := page(t, code)
		width, height := p.Size()
		img, err := png.Decode(bytes.NewReader(file(t, p, qrcode.PNG)))
		require.NoError(t, err)
		require.Equal(t, image.Rect(0, 0, int(10*(width+2*c.margin)+0.5), int(10*(height+2*c.margin)+0.5)), img.Bounds())
		dark := func(x, y qrprint.Millimeters) bool {
			_, green, _, alpha := img.At(int(10*(x+c.margin)), int(10*(y+c.margin))).RGBA()
			return green+0xFFFF-alpha < 0xC000 // on white paper
		}
		for _, edge := range []struct{ x, y qrprint.Millimeters }{{0, 0}, {width, 0}, {0, height}, {width, height}} {
			outX, outY := qrprint.Millimeters(-1), qrprint.Millimeters(-1)
			if edge.x > 0 {
				outX = 1
			}
			if edge.y > 0 {
				outY = 1
			}
			near, far := max(c.bleed, 3), c.margin
			for _, at := range []qrprint.Millimeters{near + 0.3, far - 0.3} {
				require.True(t, dark(edge.x, edge.y+outY*at), "a vertical mark")
				require.True(t, dark(edge.x+outX*at, edge.y), "a horizontal mark")
			}
			require.False(t, dark(edge.x, edge.y+outY*(near-0.3)), "nothing next to the page")
			require.False(t, dark(edge.x+outX*(near+1), edge.y+outY*(near+1)))
		}

		pdf := string(file(t, p, qrprint.PDF))
		const mm = 72 / 25.4
		for name, outside := range map[string]qrprint.Millimeters{"MediaBox": c.margin, "BleedBox": c.bleed, "TrimBox": 0} {
			var n [4]float64
			_, err := fmt.Sscanf(regexp.MustCompile(name + `\[([^]]*)]`).FindStringSubmatch(pdf)[1], "%g %g %g %g", &n[0], &n[1], &n[2], &n[3])
			require.NoError(t, err)
			first := float64(c.margin-outside) * mm
			require.InDeltaSlice(t, []float64{first, first, float64(c.margin+width+outside) * mm, float64(c.margin+height+outside) * mm}, n[:], 1e-3, name)
		}
		content, _ := stream(t, []byte(pdf))
		require.Contains(t, content, "1 1 1 1 k\n", "the marks are on every plate")
	}

	labels, err := qrprint.ParseLabels("avery-l7160")
	require.NoError(t, err)
	_, err = labels.Page(qrprint.Code{Text: address, CropMarks: true})
	require.EqualError(t, err, "labels are cut already; leave the crop marks out")
	for _, draw := range []func() (*qrprint.Page, error){
		qrprint.Poster{Code: qrprint.Code{Text: address, CropMarks: true}}.Page,
		qrprint.Poster{Code: qrprint.Code{Text: address, CropMarks: true}}.Tent,
	} {
		p, err := draw()
		require.NoError(t, err)
		require.Contains(t, string(file(t, p, qrcode.SVG)), `width="226mm" height="313mm"`)
	}
}

// The outer width is that of the trimmed page, whatever is on it.
func TestOuterWidth(t *testing.T) {
	for _, c := range []qrprint.Code{
		{},
		{Caption: "@jane.doe"},
		{Frame: "Scan me", Caption: "@jane.doe"},
		{Bleed: 3},
		{CropMarks: true, Frame: "Scan me"},
		{Style: qrcode.Style{Margin: qrcode.NoMargin}},
		{Style: qrcode.Style{Margin: 9}},
	} {
		for _, dpi := range []int{0, 300, 600} {
			c.Text, c.OuterWidth, c.DPI = address, 40, dpi
			p := page(t, c)
			width, _ := p.Size()
			const dot = 25.4 / 300
			require.InDelta(t, 40, float64(width), dot)
			m := p.Codes()[0]
			modules := qrprint.Millimeters(m.Symbol.Size())
			require.GreaterOrEqual(t, m.X, qrprint.Millimeters(0))
			require.LessOrEqual(t, m.X+modules*m.ModuleWidth, width)
			if dpi == 0 && c.Frame == "" && c.Bleed == 0 {
				margin := qrprint.Millimeters(max(c.Margin, 4))
				if c.Margin == qrcode.NoMargin {
					margin = 0
				}
				require.InDelta(t, float64(40/(modules+2*margin)), float64(m.ModuleWidth), 1e-9)
			}
		}
	}

	p := page(t, qrprint.Code{Text: address, OuterWidth: 40, DPI: 203})
	require.Equal(t, problem.Code("print_width_rounded"), p.Warnings().Codes()[0])
	require.Contains(t, p.Warnings()[0].Message, "the code with its quiet zone is 37.")

	for _, c := range []qrprint.Code{
		{OuterWidth: 40, Width: 25}, {OuterWidth: 40, ModuleWidth: 1}, {OuterWidth: 3}, {OuterWidth: 1001},
	} {
		c.Text = address
		_, err := c.Page()
		require.Equal(t, []problem.Code{"print_invalid_length"}, problem.All(err).Codes())
	}
	_, err := qrprint.Code{Text: address, OuterWidth: 7, Bleed: 3}.Page()
	require.ErrorIs(t, err, problem.Code("print_module_too_small"))

	labels, err := qrprint.ParseLabels("avery-l7160")
	require.NoError(t, err)
	w, err := qrprint.NewSheetWriter(io.Discard, labels)
	require.NoError(t, err)
	_, err = w.Add(qrprint.Code{Text: address, OuterWidth: 30, Caption: "@jane.doe"})
	require.NoError(t, err)
	_, err = w.Add(qrprint.Code{Text: address, OuterWidth: 36})
	require.ErrorIs(t, err, problem.Code("print_code_does_not_fit"))
}

package qrprint_test

import (
	"bytes"
	"image/color"
	"image/png"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

// A caption keeps a distance of a module from the frame on all sides, and has its ink in the middle.
// So has the text of the frame, up and down.
func TestInkDistance(t *testing.T) {
	for _, caption := range []string{"@jane.doe – Café Ölmühle", "WWWWWWWWWWWW", "j", "gypsy\nÄÖÜ", "fly, jolly pyjamas"} {
		const dpi = 600
		p := page(t, qrprint.Code{Text: address, Width: 25, DPI: dpi, Caption: caption, Frame: "Schreib uns"})
		file, err := p.Append(nil, qrcode.PNG)
		require.NoError(t, err)
		img, err := png.Decode(bytes.NewReader(file))
		require.NoError(t, err)
		dark := func(x, y int) bool { return color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y < 128 }
		width, height := img.Bounds().Dx(), img.Bounds().Dy()
		m := p.Codes()[0]
		border := 0
		for !dark(border, height/3) { // outside of the rounded corners there is none
			border++
		}
		inner := border
		for dark(inner, height/3) {
			inner++
		}
		codeEnd := int(float64(m.Y)/25.4*dpi) + m.Dots*m.Symbol.Size()
		corner := 2 * m.Dots // the inner corners are round
		isBand := func(y int) bool {
			for x := inner + corner; x < width-inner-corner; x++ {
				if !dark(x, y) {
					return false
				}
			}
			return true
		}
		bandTop := codeEnd + 1
		for !isBand(bandTop) {
			bandTop++
		}
		left, right, bottom := width, 0, 0
		for y := codeEnd + 1; y < bandTop-2; y++ {
			for x := inner + m.Dots/2; x < width-inner-m.Dots/2; x++ {
				if dark(x, y) && y < bandTop-corner || dark(x, y) && x > inner+corner && x < width-inner-corner {
					left, right, bottom = min(left, x), max(right, x), max(bottom, y)
				}
			}
		}
		require.Less(t, left, right, caption)
		require.GreaterOrEqual(t, left-inner, m.Dots-1, caption)
		require.GreaterOrEqual(t, width-inner-right, m.Dots-1, caption)
		require.GreaterOrEqual(t, bandTop-bottom, m.Dots-2, caption)
		require.InDelta(t, left-inner, width-inner-1-right, 2, caption)
	}
}

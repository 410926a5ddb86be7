package qrprint

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/qrcode"
)

// drawn returns the rows of a square image.
func drawn(width int, at transform, shapes ...shape) (rows [][]uint8, repeated int) {
	for pixels, isRepeated := range newRaster(width, width, shapes, at).rows {
		rows = append(rows, bytes.Clone(pixels))
		if isRepeated {
			repeated++
		}
	}
	return rows, repeated
}

func filled(p path, c qrcode.Color) shape {
	return shape{path: p, at: move(0, 0), fill: ink{screen: c}}
}

// Images that lie beyond the edges of a page are cut off, and shapes that overlap
// are filled once.
func TestRaster(t *testing.T) {
	var p path
	p.add(rectangle, -5, -5, 10, 10)
	p.add(rectangle, 2.5, 2, 20, 1)
	rows, _ := drawn(10, move(0, 0), filled(p, black))
	alpha := func(x, y int) uint8 { return rows[y][4*x+3] }
	require.Equal(t, uint8(255), alpha(0, 0))
	require.Equal(t, uint8(255), alpha(9, 2))
	require.Equal(t, uint8(255), alpha(3, 2))
	require.Equal(t, uint8(0), alpha(5, 5))
	p = path{}
	p.add(rectangle, 2.5, 2, 20, 1)
	rows, _ = drawn(10, move(0, 0), filled(p, black))
	require.Equal(t, uint8(136), alpha(2, 2)) // 8 of 15 shades
}

// A row that repeats the one above is what it would be without it: each row is the first of a page
// that begins there.
func TestRepeatedRows(t *testing.T) {
	const width = 40
	sum := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		length := func() float64 {
			if r.IntN(2) == 0 {
				return float64(r.IntN(width))
			}
			return r.Float64() * width
		}
		var shapes []shape
		for range 1 + r.IntN(4) {
			var p path
			for range 1 + r.IntN(3) {
				if r.IntN(3) == 0 {
					p.round(length()-5, length()-5, length(), length(), 4*r.Float64(), r.IntN(2) == 0)
				} else {
					p.add(rectangle, length()-5, length()-5, length(), length())
				}
			}
			shapes = append(shapes, filled(p, qrcode.RGB(uint8(r.IntN(256)), 0, uint8(r.IntN(256)))))
		}
		rows, repeated := drawn(width, move(0, 0), shapes...)
		sum += repeated
		for y, row := range rows {
			first, _ := drawn(width, move(0, float64(-y)), shapes...)
			for i := range row { // sums of fractions are rounded
				require.InDelta(t, first[0][i], row[i], 1, "seed %d, row %d, pixel %d", seed, y, i/4)
			}
		}
	}
	require.Greater(t, sum, 1000)
}

// A file contains the pixels that were drawn, whatever the number of colors and their alpha.
func TestPNGOfAnyColors(t *testing.T) {
	for _, colors := range []int{1, 2, 3, 4, 5, 16, 17, 255, 256, 257, 1000} {
		for seed := range uint64(4) {
			r := rand.New(rand.NewPCG(seed, uint64(colors)))
			width := 33 + r.IntN(9)
			p := &Page{width: float64(width) * inch / 100, height: float64(width) * inch / 100, dpi: 100}
			for i := range colors - 1 { // nothing is the first color
				var one path
				one.add(rectangle, float64(i%width), float64(i/width), 1, 1+r.Float64())
				at := scale(inch/100, 0, 0)
				p.shapes = append(p.shapes, shape{path: one, at: at, fill: ink{screen: qrcode.RGB(uint8(i), uint8(i>>8), uint8(r.IntN(256)))}})
			}
			file, err := p.appendPNG([]byte("before"))
			require.NoError(t, err)
			require.Equal(t, "before", string(file[:6]))
			got, err := png.Decode(bytes.NewReader(file[6:]))
			require.NoError(t, err)
			require.Equal(t, image.Rect(0, 0, width, width), got.Bounds())
			rows, _ := drawn(width, scale(100/inch, 0, 0), p.shapes...)
			for y, row := range rows {
				for x := range width {
					want := color.NRGBAModel.Convert(color.RGBA{row[4*x], row[4*x+1], row[4*x+2], row[4*x+3]})
					require.Equal(t, want, color.NRGBAModel.Convert(got.At(x, y)), "%d colors, %d %d", colors, x, y)
				}
			}
		}
	}
}

package qrprint

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// The pixels of a logo are those that package image/draw computes.
func TestPixels(t *testing.T) {
	area := image.Rect(0, 0, 40, 40)
	for _, original := range []draw.Image{
		image.NewNRGBA(area), image.NewRGBA(area), image.NewNRGBA64(area), image.NewGray(area), image.NewGray16(area),
		image.NewPaletted(area, color.Palette{color.White, color.Transparent, color.NRGBA{200, 3, 4, 77}}),
	} {
		random := rand.New(rand.NewPCG(1, 2))
		value := func() uint16 { return uint16(random.Uint32()) }
		for y := range area.Dy() {
			for x := range area.Dx() {
				original.Set(x, y, color.NRGBA64{R: value(), G: value(), B: value(), A: value()})
			}
		}
		var file bytes.Buffer
		require.NoError(t, png.Encode(&file, original))
		got, err := parseBitmap(file.Bytes())
		require.NoError(t, err)

		decoded, err := png.Decode(&file)
		require.NoError(t, err)
		pixels, flat := image.NewNRGBA(area), image.NewNRGBA(area)
		draw.Draw(pixels, area, decoded, image.Point{}, draw.Src)
		require.Equal(t, pixels.Pix, got.pixels.Pix, "%T", original)
		draw.Draw(flat, area, image.White, image.Point{}, draw.Src)
		draw.Draw(flat, area, pixels, image.Point{}, draw.Over)
		require.Equal(t, flat.Pix, got.on(white).pixels.Pix, "%T", original)
	}
}

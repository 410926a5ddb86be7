package qrcode

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
)

// appendPNG appends s as a PNG of opts.Size pixels square with a palette of the two
// colours, which takes one bit a pixel.
func (s Symbol) appendPNG(dst []byte, opts Options) []byte {
	scale := opts.Size / (s.Size() + 2*quietZone)
	margin := (opts.Size - s.Size()*scale) / 2
	img := image.NewPaletted(image.Rect(0, 0, opts.Size, opts.Size), color.Palette{opts.Background.nrgba(), opts.Foreground.nrgba()})
	for y := range s.Size() * scale {
		for x := range s.Size() * scale {
			if s.Dark(x/scale, y/scale) {
				img.SetColorIndex(margin+x, margin+y, 1)
			}
		}
	}
	buf := bytes.NewBuffer(dst)
	enc := png.Encoder{CompressionLevel: png.BestCompression}
	if err := enc.Encode(buf, img); err != nil {
		panic(err) // a buffer takes all, and the image is within bounds
	}
	return buf.Bytes()
}

func (c Color) nrgba() color.NRGBA {
	if c == Transparent() {
		return color.NRGBA{255, 255, 255, 0}
	}
	return color.NRGBA{c.r, c.g, c.b, 255}
}

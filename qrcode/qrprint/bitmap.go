package qrprint

import (
	"bytes"
	"image"
	"image/color"
	"image/png"

	"github.com/hailmark/hailmark/qrcode"
)

// A bitmap is a PNG image to draw on a page.
type bitmap struct {
	width, height int
	pixels        *image.NRGBA
	png           []byte // the image as a file
}

func parseBitmap(data []byte) (*bitmap, error) {
	config, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, logoProblem("is a PNG with a damaged header")
	}
	if config.Width > maxLogoPixels || config.Height > maxLogoPixels || config.Width > 20*config.Height || config.Height > 20*config.Width {
		return nil, logoProblem("has %d x %d pixels; a side may have at most %d, and 20 times those of the other",
			config.Width, config.Height, maxLogoPixels)
	}
	decoded, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, logoProblem("is a damaged PNG")
	}
	p := &bitmap{width: config.Width, height: config.Height, png: bytes.Clone(data)}
	p.pixels = toNRGBA(decoded)
	return p, nil
}

// toNRGBA converts an image. image/draw would do the same, but add two percent to the
// WebAssembly module.
func toNRGBA(decoded image.Image) *image.NRGBA {
	if pixels, ok := decoded.(*image.NRGBA); ok {
		return pixels
	}
	pixels := image.NewNRGBA(decoded.Bounds())
	source := decoded.(image.RGBA64Image) // as all images of package image are
	for y := range pixels.Rect.Dy() {
		for x := range pixels.Rect.Dx() {
			pixels.SetRGBA64(x, y, source.RGBA64At(x, y))
		}
	}
	return pixels
}

// channel returns one byte per pixel.
func (p *bitmap) channel(index int) []byte {
	out := make([]byte, p.width*p.height)
	for i := range out {
		out[i] = p.pixels.Pix[4*i+index]
	}
	return out
}

// alpha returns the pixels' opacity, or nil for an opaque image.
func (p *bitmap) alpha() []byte {
	alpha := p.channel(3)
	for _, a := range alpha {
		if a != 0xFF {
			return alpha
		}
	}
	return nil
}

// gray returns gray values, or nil if a visible pixel is colored.
func (p *bitmap) gray() []byte {
	for i := 0; i < len(p.pixels.Pix); i += 4 {
		if v := p.pixels.Pix[i : i+4]; v[3] != 0 && (v[0] != v[1] || v[1] != v[2]) {
			return nil
		}
	}
	return p.channel(0)
}

// rgb returns three bytes per pixel.
func (p *bitmap) rgb() []byte {
	out := make([]byte, 0, 3*p.width*p.height)
	for i := 0; i < len(p.pixels.Pix); i += 4 {
		out = append(out, p.pixels.Pix[i:i+3]...)
	}
	return out
}

// on returns the image without transparency, blended with a background.
func (p *bitmap) on(ground qrcode.Color) *bitmap {
	red, green, blue, _ := ground.RGBA()
	flat := &bitmap{width: p.width, height: p.height, pixels: image.NewNRGBA(p.pixels.Rect)}
	for y := range p.height {
		for x := range p.width {
			c := p.pixels.RGBA64At(x, y)
			// The colors of c are multiplied by its opacity.
			through := func(v uint32) uint16 { return uint16(v * uint32(0xFFFF-c.A) / 0xFFFF) }
			flat.pixels.SetRGBA64(x, y, color.RGBA64{R: c.R + through(red), G: c.G + through(green), B: c.B + through(blue), A: 0xFFFF})
		}
	}
	return flat
}

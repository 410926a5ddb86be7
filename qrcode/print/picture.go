package print

import (
	"bytes"
	"image"
	"image/draw"
	"image/png"
)

// A picture is a PNG that is drawn on a page.
type picture struct {
	width, height int
	pixels        *image.NRGBA
	png           []byte // the picture as a file
}

func parsePicture(data []byte) (*picture, error) {
	config, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, logoProblem("a valid header: the PNG is damaged")
	}
	if config.Width > maxLogoPixels || config.Height > maxLogoPixels || config.Width > 20*config.Height || config.Height > 20*config.Width {
		return nil, logoProblem("at most %d pixels on a side, and one side at most 20 times the other; it has %d x %d pixels",
			maxLogoPixels, config.Width, config.Height)
	}
	decoded, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, logoProblem("all of its data: the PNG is damaged")
	}
	p := &picture{width: config.Width, height: config.Height, png: bytes.Clone(data)}
	p.pixels = image.NewNRGBA(image.Rect(0, 0, p.width, p.height))
	draw.Draw(p.pixels, p.pixels.Rect, decoded, decoded.Bounds().Min, draw.Src)
	return p, nil
}

// channel returns one byte of each pixel.
func (p *picture) channel(index int) []byte {
	out := make([]byte, p.width*p.height)
	for i := range out {
		out[i] = p.pixels.Pix[4*i+index]
	}
	return out
}

// alpha returns the opacity of the pixels, or nil if all are opaque.
func (p *picture) alpha() []byte {
	alpha := p.channel(3)
	for _, a := range alpha {
		if a != 0xFF {
			return alpha
		}
	}
	return nil
}

// gray returns the pixels as greys, or nil if a visible one has a colour.
func (p *picture) gray() []byte {
	for i := 0; i < len(p.pixels.Pix); i += 4 {
		if v := p.pixels.Pix[i : i+4]; v[3] != 0 && (v[0] != v[1] || v[1] != v[2]) {
			return nil
		}
	}
	return p.channel(0)
}

// rgb returns the pixels as three bytes each.
func (p *picture) rgb() []byte {
	out := make([]byte, 0, 3*p.width*p.height)
	for i := 0; i < len(p.pixels.Pix); i += 4 {
		out = append(out, p.pixels.Pix[i:i+3]...)
	}
	return out
}

// onWhite returns the picture without transparency.
func (p *picture) onWhite() *picture {
	flat := &picture{width: p.width, height: p.height, pixels: image.NewNRGBA(p.pixels.Rect)}
	draw.Draw(flat.pixels, flat.pixels.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(flat.pixels, flat.pixels.Rect, p.pixels, image.Point{}, draw.Over)
	return flat
}

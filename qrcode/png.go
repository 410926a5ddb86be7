package qrcode

import "github.com/hailmark/hailmark/qrcode/internal/bilevel"

// drawPNG returns s as a PNG with one bit per pixel.
func (s *Symbol) drawPNG(opts *Options, w *bilevel.Writer) []byte {
	c := opts.canvas()
	scale := c.scale(s.Version())
	p := bilevel.Image{
		Size:    opts.Size,
		Modules: &s.modules,
		Scale:   scale,
		Offset:  c.offset(s.Version(), scale),
		Light:   opts.Background.rgb(),
		Dark:    opts.Foreground.rgb(),
	}
	if opts.Background == Transparent() {
		p.Light, p.Transparent = white.rgb(), true
	}
	return w.Append(nil, p)
}

func (c Color) rgb() [3]uint8 { return [3]uint8{c.r, c.g, c.b} }

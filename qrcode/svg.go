package qrcode

import (
	"encoding/xml"
	"strconv"
	"strings"

	svg "github.com/ajstarks/svgo"
)

// An svgWriter writes SVG files. It reuses its memory.
type svgWriter struct {
	out     []byte
	path    []byte
	outline outline
}

// Write implements [io.Writer] for svgo.
func (w *svgWriter) Write(p []byte) (int, error) {
	w.out = append(w.out, p...)
	return len(p), nil
}

// draw returns s as an SVG, in modules from the upper left corner of the symbol. A single
// outline contains all dark modules, so that renderers don't draw lines between them. svgo
// writes the elements but not the header, which would contain a comment and an unused
// namespace.
func (w *svgWriter) draw(s *Symbol, opts *Options) []byte {
	w.path = w.outline.append(w.path[:0], &s.modules)
	const elements = 400 // more than everything but the path and the title takes
	w.out = make([]byte, 0, elements+len(opts.Title)+len(w.path))

	margin := opts.Margin
	side := s.Size() + 2*margin
	w.text(`<svg xmlns="http://www.w3.org/2000/svg" width="`)
	w.number(opts.Size)
	w.text(`" height="`)
	w.number(opts.Size)
	w.text(`" viewBox="`)
	for _, n := range [...]int{-margin, -margin, side} {
		w.number(n)
		w.text(" ")
	}
	w.number(side)
	w.text(`" role="img" shape-rendering="crispEdges" fill-rule="evenodd" fill="`)
	w.color(opts.Foreground)
	w.text(`">`)
	if opts.Title != "" {
		w.text("<title>")
		w.escaped(opts.Title)
		w.text("</title>")
	}
	if opts.Background != Transparent() {
		w.text(`<path fill="`)
		w.color(opts.Background)
		w.text(`" d="M`)
		w.number(-margin)
		w.text(" ")
		w.number(-margin)
		w.text("h")
		w.number(side)
		w.text("v")
		w.number(side)
		w.text("h-")
		w.number(side)
		w.text(`"/>`)
	}
	canvas := svg.New(w)
	canvas.Path(string(w.path))
	canvas.End()
	out := w.out
	w.out = nil
	return out
}

func (w *svgWriter) text(s string) { w.out = append(w.out, s...) }

func (w *svgWriter) number(n int) { w.out = strconv.AppendInt(w.out, int64(n), 10) }

// escaped writes text between tags. It replaces characters that XML doesn't allow with
// U+FFFD.
func (w *svgWriter) escaped(s string) {
	plain := strings.IndexFunc(s, func(r rune) bool {
		return r < ' ' || r == '&' || r == '<' || r == '>' || r >= 0xFFFD
	}) < 0
	if plain {
		w.text(s)
		return
	}
	_ = xml.EscapeText(w, []byte(s)) // Write returns no error
}

// color writes a CSS color, if possible with three digits.
func (w *svgWriter) color(c Color) {
	const digits = "0123456789abcdef"
	w.out = append(w.out, '#')
	short := c.r%17 == 0 && c.g%17 == 0 && c.b%17 == 0 // both digits are the same
	for _, v := range c.rgb() {
		if !short {
			w.out = append(w.out, digits[v>>4])
		}
		w.out = append(w.out, digits[v&15])
	}
}

package qrprint

import (
	"math"

	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
)

// A Page is a drawing to write in any format. It is immutable and therefore safe for
// concurrent use. [Code.Page], [Poster.Page], [Poster.Tent] and
// [Labels.Page] return pages.
type Page struct {
	width, height float64 // the trimmed page
	bleed         float64
	margin        float64 // around the trimmed page, for the bleed and crop marks
	dpi           int
	title         string
	shapes        []shape
	links         []link
	codes         []Measure
	warnings      problem.List
}

// A shape is a filled area or an image.
type shape struct {
	path   path // filled by nonzero winding numbers
	bitmap *bitmap
	at     transform // from the path's units, or from the image's unit square
	fill   ink       // or the color behind the image
	text   string    // the text that the shape shows, for people who copy or hear it
}

// A link is an area that opens a URL.
type link struct {
	box
	address string
}

// A Measure describes a code on a page.
type Measure struct {
	Symbol      qrcode.Symbol
	X, Y        Millimeters // upper left corner of the symbol on the trimmed page, without the quiet zone
	ModuleWidth Millimeters // the symbol's width divided by Symbol.Size()
	Dots        int         // printer dots in the width of a module, or 0 if Code.DPI is 0

	// LogoModules contains the width and height, in modules, covered by the logo.
	LogoModules [2]int
}

// Size returns the trimmed page's width and height.
func (p *Page) Size() (width, height Millimeters) {
	return Millimeters(p.width), Millimeters(p.height)
}

// Codes describes the codes in the order in which they were added.
func (p *Page) Codes() []Measure { return append([]Measure(nil), p.codes...) }

// Warnings returns the warnings listed in the package documentation.
func (p *Page) Warnings() problem.List { return append(problem.List(nil), p.warnings...) }

// Append appends the page to dst in format f, which is [PDF], [EPS], [qrcode.SVG] or [qrcode.PNG].
// On an error, it returns dst unchanged. A PNG requires [Code].DPI and may have at most 40 million
// pixels; otherwise, the error contains [CodeInvalidDPI].
func (p *Page) Append(dst []byte, f qrcode.Format) ([]byte, error) {
	switch f {
	case PDF:
		return p.appendPDF(dst), nil
	case EPS:
		return p.appendEPS(dst), nil
	case qrcode.SVG:
		return p.appendSVG(dst), nil
	case qrcode.PNG:
		return p.appendPNG(dst)
	default:
		return dst, problem.List{problem.New("format", qrcode.CodeInvalidFormat, "format isn't pdf, eps, svg or png")}.Err()
	}
}

// A box is a rectangle.
type box struct{ x, y, width, height float64 }

// addCropMarks draws two lines at each corner of the trimmed page.
func (p *Page) addCropMarks() {
	const (
		distance  = 3 // from the trimmed page, in millimeters
		length    = 5
		thickness = 0.1
	)
	inner := max(p.bleed, dots(distance, p.dpi, math.Ceil))
	p.margin = inner + dots(length, p.dpi, math.Ceil)
	var marks path
	for _, x := range []float64{0, p.width} {
		marks.add(rectangle, x-thickness/2, -p.margin, thickness, p.margin-inner)
		marks.add(rectangle, x-thickness/2, p.height+inner, thickness, p.margin-inner)
	}
	for _, y := range []float64{0, p.height} {
		marks.add(rectangle, -p.margin, y-thickness/2, p.margin-inner, thickness)
		marks.add(rectangle, p.width+inner, y-thickness/2, p.margin-inner, thickness)
	}
	p.shapes = append(p.shapes, shape{path: marks, at: move(0, 0), fill: registration})
}

// area returns the page without its bleed.
func (p *Page) area() box { return box{0, 0, p.width, p.height} }

// place draws a figure and its background in the middle of a room. The symbol's upper left
// corner moves to the nearest printer dot, because modules are whole dots.
func (p *Page) place(f *figure, room, ground box, turned bool) {
	p.fill(f, ground)
	at := move(room.x+(room.width-f.width)/2, room.y+(room.height-f.height)/2)
	if turned {
		at = transform{-1, -1, at.x + f.width, at.y + f.height}
	}
	width := float64(f.measure.ModuleWidth) * float64(f.measure.Symbol.Size())
	symbol := at.box(box{float64(f.measure.X), float64(f.measure.Y), width, width})
	x, y := dots(symbol.x, f.dpi, math.Round), dots(symbol.y, f.dpi, math.Round)
	at = at.then(move(x-symbol.x, y-symbol.y))
	for _, s := range f.shapes {
		s.at = s.at.then(at)
		p.shapes = append(p.shapes, s)
	}
	for _, l := range f.links {
		p.links = append(p.links, link{at.box(l.box), l.address})
	}
	m := f.measure
	m.X, m.Y = Millimeters(x), Millimeters(y)
	p.codes = append(p.codes, m)
	p.warnings = append(p.warnings, f.warnings...)
}

// fill draws a background in whole dots, including the bleed next to the page's edges.
func (p *Page) fill(f *figure, ground box) {
	if f.background.screen == qrcode.Transparent() {
		return
	}
	left, top := dots(ground.x, f.dpi, math.Floor), dots(ground.y, f.dpi, math.Floor)
	right, bottom := dots(ground.x+ground.width, f.dpi, math.Ceil), dots(ground.y+ground.height, f.dpi, math.Ceil)
	if left <= 0 {
		left -= p.bleed
	}
	if top <= 0 {
		top -= p.bleed
	}
	if right >= p.width {
		right += p.bleed
	}
	if bottom >= p.height {
		bottom += p.bleed
	}
	var area path
	area.add(rectangle, left, top, right-left, bottom-top)
	p.shapes = append(p.shapes, shape{path: area, at: move(0, 0), fill: f.background})
}

// dots rounds a length to whole printer dots, if the page specifies a resolution.
func dots(length float64, dpi int, round func(float64) float64) float64 {
	if dpi == 0 {
		return length
	}
	n := length * float64(dpi) / inch
	if nearest := math.Round(n); math.Abs(n-nearest) < 1e-6 {
		n = nearest
	}
	return round(n) * inch / float64(dpi)
}

const inch = 25.4

// The formats besides [qrcode.SVG] and [qrcode.PNG].
const (
	PDF qrcode.Format = "pdf"
	EPS qrcode.Format = "eps"
)

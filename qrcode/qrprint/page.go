package qrprint

import (
	"fmt"
	"math"

	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
)

// A Page is a drawing that is ready for printing: one list of shapes, from which the files
// of all formats are made. It never changes, and is safe for concurrent use. [Code.Page],
// [Poster.Page], [Poster.Tent] and a [SheetWriter] make pages.
type Page struct {
	width, height float64 // the trimmed page
	bleed         float64
	dpi           int
	title         string
	shapes        []shape
	links         []link
	codes         []Measure
	warnings      problem.List
}

// A shape is a filled area or a picture.
type shape struct {
	path    path
	evenOdd bool // the fill rule, which is otherwise that of nonzero winding numbers
	picture *picture
	at      transform    // from the units of the path, or from the unit square of the picture
	fill    qrcode.Color // or what is behind the picture
	text    string       // the text that the shape shows, for people who copy or hear it
}

// A link is an area of a page that opens an address.
type link struct {
	box
	address string
}

// A Measure describes a code on a page.
type Measure struct {
	Symbol      qrcode.Symbol
	X, Y        Millimeters // upper left corner of the symbol on the trimmed page, without the quiet zone
	ModuleWidth Millimeters
	Dots        int  // printer dots in the width of a module, or 0 if Code.DPI is 0
	Turned      bool // the code is upside down, as on one half of a table tent

	// LogoModules is the width and height, in modules, of the area that a logo covers.
	LogoModules [2]int
}

// Width returns the width of the symbol, without its quiet zone.
func (m Measure) Width() Millimeters { return m.ModuleWidth * Millimeters(m.Symbol.Modules()) }

// Size returns the width and height of the trimmed page.
func (p *Page) Size() (width, height Millimeters) {
	return Millimeters(p.width), Millimeters(p.height)
}

// WithTitle returns the page with another title of its files. Without it, the title is the
// text of the first code.
func (p *Page) WithTitle(title string) *Page {
	titled := *p
	titled.title = title
	return &titled
}

// Codes describes the codes on the page, in the order in which they were added.
func (p *Page) Codes() []Measure { return append([]Measure(nil), p.codes...) }

// Warnings returns what makes the codes harder to scan, although they are drawn. The
// package comment lists the codes.
func (p *Page) Warnings() problem.List { return append(problem.List(nil), p.warnings...) }

// Append appends the page to dst as a file of format f. A PNG that is too large, or that has
// no resolution because Code.DPI was 0, is rejected with [CodeInvalidDPI], and an unknown
// format with [qrcode.CodeInvalidFormat]; dst is then returned unchanged.
func (p *Page) Append(dst []byte, f Format) ([]byte, error) {
	switch f {
	case PDF:
		return p.appendPDF(dst), nil
	case EPS:
		return p.appendEPS(dst), nil
	case SVG:
		return p.appendSVG(dst), nil
	case PNG:
		return p.appendPNG(dst)
	default:
		return dst, problem.List{formatProblem()}
	}
}

// A box is a rectangle with its upper left corner.
type box struct{ x, y, width, height float64 }

// area returns the whole page without its bleed.
func (p *Page) area() box { return box{0, 0, p.width, p.height} }

// place draws a figure in the middle of a part of the page, upside down if it is turned,
// and its background, which also fills the bleed next to the ground. The upper left corner
// of the symbol moves to the nearest printer dot, because all lengths in a figure that have
// to be whole dots are.
func (p *Page) place(f *figure, room, ground box, turned bool) {
	p.fill(f, ground)
	at := move(room.x+(room.width-f.width)/2, room.y+(room.height-f.height)/2)
	if turned {
		at = transform{-1, -1, at.x + f.width, at.y + f.height}
	}
	width := float64(f.measure.Width())
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
	m.X, m.Y, m.Turned = Millimeters(x), Millimeters(y), turned
	p.codes = append(p.codes, m)
	p.warnings = append(p.warnings, f.warnings...)
}

// fill draws the background of a figure in whole dots, with the bleed at the edges of the
// page that it reaches.
func (p *Page) fill(f *figure, ground box) {
	if f.background == qrcode.Transparent() {
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

// dots rounds a length to whole printer dots, up or down by round. A page without a
// resolution has no dots.
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

// inch is the length of an inch in millimeters.
const inch = 25.4

// A Format is a kind of file.
type Format uint8

// The formats.
const (
	PDF Format = iota
	EPS
	SVG
	PNG
)

var formatNames = [...]string{PDF: "pdf", EPS: "eps", SVG: "svg", PNG: "png"}

// ParseFormat returns the format named pdf, eps, svg or png. Its error has
// [qrcode.CodeInvalidFormat].
func ParseFormat(s string) (Format, error) {
	for f, name := range formatNames {
		if s == name {
			return Format(f), nil
		}
	}
	return 0, formatProblem()
}

// String returns the name that ParseFormat reads, which is also the usual file name
// extension.
func (f Format) String() string {
	if int(f) >= len(formatNames) {
		return fmt.Sprintf("Format(%d)", uint8(f))
	}
	return formatNames[f]
}

// MarshalText returns the name of the format. A value that is not a format is an error.
func (f Format) MarshalText() ([]byte, error) {
	if int(f) >= len(formatNames) {
		return nil, formatProblem()
	}
	return []byte(f.String()), nil
}

// UnmarshalText reads what ParseFormat reads.
func (f *Format) UnmarshalText(text []byte) error {
	parsed, err := ParseFormat(string(text))
	if err == nil {
		*f = parsed
	}
	return err
}

func formatProblem() problem.Problem {
	return problem.New(qrcode.CodeInvalidFormat, "format must be pdf, eps, svg or png")
}

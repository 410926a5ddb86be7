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
	at      transform // from the units of the path, or from the unit square of the picture
	fill    qrcode.Color
	text    string // the text that the shape shows, for people who copy or hear it
}

// A link is an area of a page that opens an address.
type link struct {
	x, y, width, height float64
	address             string
}

// A Measure describes a code on a page. Lengths are in millimetres.
type Measure struct {
	Symbol qrcode.Symbol
	X, Y   float64 // upper left corner of the symbol on the trimmed page, without the quiet zone
	Module float64 // width of a module
	Dots   int     // printer dots in the width of a module, or 0 if Code.DPI is 0
	Turned bool    // the code is upside down, as on one half of a table tent

	// LogoModules is the width and height, in modules, of the area that a logo covers.
	LogoModules [2]int
}

// Size returns the width of the symbol in millimetres, without its quiet zone.
func (m Measure) Size() float64 { return m.Module * float64(m.Symbol.Modules()) }

// Size returns the width and height of the trimmed page in millimetres.
func (p *Page) Size() (width, height float64) { return p.width, p.height }

// Codes describes the codes on the page, in the order in which they were added.
func (p *Page) Codes() []Measure { return append([]Measure(nil), p.codes...) }

// Warnings returns what makes the codes harder to scan, although they are drawn. The
// package comment lists the codes.
func (p *Page) Warnings() problem.List { return append(problem.List(nil), p.warnings...) }

// Append appends the page to dst as a file of format f. A PNG that is too large, or that has
// no resolution because Code.DPI was 0, is refused with [CodeInvalidDPI], and an unknown
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

// place adds a figure whose upper left corner is at a point of the page, or whose lower
// right corner is there if it is turned by half a turn.
func (p *Page) place(f *figure, x, y float64, turned bool) {
	at := move(x, y)
	if turned {
		at = transform{-1, -1, x, y}
	}
	for _, s := range f.shapes {
		s.at = s.at.then(at)
		p.shapes = append(p.shapes, s)
	}
	for _, l := range f.links {
		l.x, l.y = l.x*at.scaleX+x, l.y*at.scaleY+y
		if turned {
			l.x, l.y = l.x-l.width, l.y-l.height
		}
		p.links = append(p.links, l)
	}
	if f.measure.Module > 0 {
		m := f.measure
		m.X, m.Y = m.X*at.scaleX+x, m.Y*at.scaleY+y
		if turned {
			m.X, m.Y, m.Turned = m.X-m.Size(), m.Y-m.Size(), true
		}
		p.codes = append(p.codes, m)
	}
}

// background fills the page and its bleed.
func (p *Page) background(c qrcode.Color) {
	if c == qrcode.Transparent() {
		return
	}
	var area path
	area.add(rectangle, -p.bleed, -p.bleed, p.width+2*p.bleed, p.height+2*p.bleed)
	p.shapes = append(p.shapes, shape{path: area, at: move(0, 0), fill: c})
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

// inch is the length of an inch in millimetres.
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

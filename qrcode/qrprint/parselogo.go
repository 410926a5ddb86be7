package qrprint

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
)

// The limits of the files that [ParseLogo] reads.
const (
	MaxLogoBytes  = 4 << 20
	maxLogoPixels = 2000 // on a side
	maxLogoPoints = 100_000
)

// ParseLogo reads a logo from a PNG or SVG file.
//
// An SVG may have elements path, with fills and without strokes, and elements g around
// them. A path without a fill, or with the fill currentColor, is drawn in Code.Foreground.
// Everything else, such as transforms, gradients, other shapes and texts, is refused:
// convert it to plain paths in a drawing program. Its error has [CodeInvalidLogo].
func ParseLogo(data []byte) (*Logo, error) {
	if len(data) > MaxLogoBytes {
		return nil, logoProblem("at most %d bytes; the file has %d", MaxLogoBytes, len(data))
	}
	if bytes.HasPrefix(data, []byte("\x89PNG\r\n")) {
		p, err := parsePicture(data)
		if err != nil {
			return nil, err
		}
		return &Logo{width: float64(p.width), height: float64(p.height), picture: p}, nil
	}
	return parseSVG(data)
}

func logoProblem(format string, args ...any) problem.Problem {
	return problem.New(CodeInvalidLogo, "logo must be a PNG, or an SVG of plain paths, with "+format, args...)
}

// logoUnits is the longer side of a drawing in units.
const logoUnits = 1000

func parseSVG(data []byte) (*Logo, error) {
	r := svgReader{fills: []svgFill{{}}}
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, logoProblem("valid XML: the file could not be read as SVG")
		}
		switch t := token.(type) {
		case xml.StartElement:
			if err := r.start(d, t); err != nil {
				return nil, err
			}
		case xml.EndElement:
			r.fills = r.fills[:len(r.fills)-1]
		}
	}
	return r.logo()
}

// An svgReader collects the paths of an SVG.
type svgReader struct {
	seen    bool // the element svg
	viewBox []float64
	fills   []svgFill // one for each open element
	paths   []logoPath
	points  int
}

// An svgFill is how an element and those inside of it are filled.
type svgFill struct {
	color   qrcode.Color
	none    bool
	evenOdd bool
}

func (r *svgReader) start(d *xml.Decoder, e xml.StartElement) error {
	name := e.Name.Local
	switch {
	case !r.seen && name != "svg":
		return logoProblem("svg as its first element, not %s", name)
	case name == "title" || name == "desc" || name == "metadata":
		if err := d.Skip(); err != nil {
			return logoProblem("valid XML: the file could not be read as SVG")
		}
		return nil
	case name == "svg" && r.seen, name != "svg" && name != "g" && name != "path":
		return logoProblem("no element %s: convert it to a path in a drawing program", name)
	}
	r.seen = true
	fill := r.fills[len(r.fills)-1]
	data := ""
	for _, a := range e.Attr {
		var err error
		switch a.Name.Local {
		case "viewBox":
			r.viewBox, err = parseNumbers(a.Value)
			if name != "svg" || err != nil || len(r.viewBox) != 4 || !(r.viewBox[2] > 0 && r.viewBox[3] > 0) {
				err = logoProblem("a viewBox of four numbers, the last two above 0")
			}
		case "d":
			data = a.Value
		case "style":
			for declaration := range strings.SplitSeq(a.Value, ";") {
				property, value, _ := strings.Cut(declaration, ":")
				if err = fill.set(strings.TrimSpace(property), strings.TrimSpace(value)); err != nil {
					break
				}
			}
		default:
			err = fill.set(a.Name.Local, strings.TrimSpace(a.Value))
		}
		if err != nil {
			return err
		}
	}
	r.fills = append(r.fills, fill)
	if name != "path" || fill.none {
		return nil
	}
	p, err := parsePath(data)
	if err != nil {
		return err
	}
	if r.points += len(p.coords) / 2; r.points > maxLogoPoints {
		return logoProblem("at most %d points", maxLogoPoints)
	}
	if len(p.commands) > 0 {
		r.paths = append(r.paths, logoPath{p, fill.evenOdd, fill.color})
	}
	return nil
}

// set reads a presentation attribute.
func (f *svgFill) set(property, value string) error {
	switch property {
	case "fill":
		f.none = value == "none"
		switch {
		case f.none || value == "currentColor":
			f.color = qrcode.Color{}
		case value == "black":
			f.color = black
		case value == "white":
			f.color = white
		default:
			digits, found := strings.CutPrefix(value, "#")
			color, err := qrcode.ParseColor(digits)
			if !found || err != nil {
				return logoProblem("fills such as #25d366, none or currentColor, not %.20q", value)
			}
			f.color = color
		}
	case "fill-rule":
		f.evenOdd = value == "evenodd"
	case "transform", "opacity", "fill-opacity", "clip-path", "mask", "filter", "class":
		if value != "1" && value != "none" {
			return logoProblem("no attribute %s: convert the drawing to plain paths in a drawing program", property)
		}
	case "stroke":
		if value != "none" {
			return logoProblem("no strokes: convert them to paths in a drawing program")
		}
	}
	return nil
}

// logo returns the drawing, scaled to logoUnits.
func (r *svgReader) logo() (*Logo, error) {
	if !r.seen {
		return nil, logoProblem("svg as its first element: the file is neither")
	}
	if len(r.paths) == 0 {
		return nil, logoProblem("at least one filled path")
	}
	if r.viewBox == nil { // without one, the drawing is as large as its paths
		left, top, right, bottom := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
		for _, p := range r.paths {
			l, t, ri, b := p.path.bounds()
			left, top, right, bottom = min(left, l), min(top, t), max(right, ri), max(bottom, b)
		}
		r.viewBox = []float64{left, top, right - left, bottom - top}
	}
	x, y, width, height := r.viewBox[0], r.viewBox[1], r.viewBox[2], r.viewBox[3]
	if ratio := width / height; !(ratio >= 0.05 && ratio <= 20) {
		return nil, logoProblem("one side at most 20 times as long as the other")
	}
	s := logoUnits / max(width, height)
	l := &Logo{width: width * s, height: height * s, paths: r.paths}
	for _, p := range l.paths {
		for i := 0; i < len(p.path.coords); i += 2 { // paths of SVG have no rectangles
			p.path.coords[i] = (p.path.coords[i] - x) * s
			p.path.coords[i+1] = (p.path.coords[i+1] - y) * s
		}
		left, top, right, bottom := p.path.bounds()
		const outside = logoUnits / 100
		if !(left >= -outside && top >= -outside && right <= l.width+outside && bottom <= l.height+outside) {
			return nil, logoProblem("all paths and their control points inside of its viewBox")
		}
	}
	return l, nil
}

func parseNumbers(s string) ([]float64, error) {
	var numbers []float64
	for field := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' || r == '\n' || r == '\r' }) {
		n, err := strconv.ParseFloat(field, 64)
		if err != nil || math.IsNaN(n) || math.Abs(n) > maxCoordinate {
			return nil, logoProblem("numbers")
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}

// maxCoordinate is the largest coordinate of a logo.
const maxCoordinate = 1e6

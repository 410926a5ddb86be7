package qrprint

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
)

// Limits for logo files.
const (
	maxLogoBytes  = 4 << 20
	maxLogoPixels = 2000   // on a side
	maxLogoPoints = 10_000 // drawing takes time in proportion to points times rows of pixels
)

// ParseLogo parses a PNG or SVG file of at most 4 MiB. A PNG may be at most 2,000 pixels wide and
// high.
//
// An SVG may contain filled path elements in g elements, with at most 10,000 points. They
// look as in browsers: the attribute style takes precedence, and hidden elements, definitions
// and drawing programs' elements are ignored. Paths without a fill, or with the fill
// currentColor, are drawn in [Code].Foreground. Everything else is rejected, for example
// strokes, transforms, gradients, style sheets, other shapes and texts. Drawing programs can
// convert them to plain paths.
//
// The error is a [problem.Problem] with [CodeInvalidLogo].
func ParseLogo(data []byte) (*Logo, error) {
	if len(data) > maxLogoBytes {
		return nil, logoProblem("is larger than %d MiB", maxLogoBytes>>20)
	}
	if bytes.HasPrefix(data, []byte("\x89PNG\r\n")) {
		p, err := parseBitmap(data)
		if err != nil {
			return nil, err
		}
		return &Logo{width: float64(p.width), height: float64(p.height), bitmap: p}, nil
	}
	return parseSVG(data)
}

func logoProblem(format string, args ...any) problem.Problem {
	return problem.New("logo", CodeInvalidLogo, "logo "+format, args...)
}

// logoUnits is a drawing's longer side.
const logoUnits = 1000

// Files without a namespace are accepted as well.
const svgNamespace = "http://www.w3.org/2000/svg"

func parseSVG(data []byte) (*Logo, error) {
	var r svgReader
	d := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\uFEFF"))))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return r.logo()
		}
		if err != nil {
			return nil, logoProblem("is neither a PNG nor valid XML, which an SVG is")
		}
		switch t := token.(type) {
		case xml.StartElement:
			err = r.start(t)
		case xml.EndElement:
			r.open = r.open[:len(r.open)-1]
		case xml.CharData:
			if len(r.open) == 0 && len(bytes.TrimSpace(t)) > 0 {
				err = logoProblem("contains something before or after its svg element; remove it")
			}
		case xml.ProcInst:
			if t.Target != "xml" {
				err = logoProblem("has a style sheet; convert the drawing to plain paths in a drawing program")
			}
		case xml.Directive: // of which an internal subset can set attributes
			if bytes.IndexByte(t, '[') >= 0 {
				err = logoProblem("has a document type of its own; remove it")
			}
		}
		if err != nil {
			return nil, err
		}
	}
}

// An svgReader collects an SVG's paths.
type svgReader struct {
	seen      bool // the element svg
	namespace string
	viewBox   []float64
	open      []svgElement
	paths     []logoPath
	points    int
}

// An svgElement specifies how to draw an element and its children.
type svgElement struct {
	notDrawn bool // a title, metadata, a definition that nothing uses, or of another language
	color    qrcode.Color
	none     bool // no fill
	evenOdd  bool
	unseen   bool // not visible, which an element inside can change back
	removed  bool // display none, which it can't
	inside   bool // inside of a removed element
}

func (r *svgReader) start(e xml.StartElement) error {
	name := e.Name.Local
	var element svgElement
	if len(r.open) > 0 {
		element = r.open[len(r.open)-1]
		element.inside, element.removed = element.inside || element.removed, false
	}
	switch {
	case name == "style" || name == "script":
		return logoProblem("contains the element %s; convert the drawing to plain paths in a drawing program", name)
	case element.notDrawn:
		r.open = append(r.open, element)
		return nil
	case !r.seen && name != "svg":
		return logoProblem("begins with the element %s; use a PNG, or an SVG of plain paths", name)
	case !r.seen && (e.Name.Space == "" || e.Name.Space == svgNamespace):
		r.seen, r.namespace = true, e.Name.Space
	case !r.seen:
		return logoProblem("begins with an svg element of another language; use a PNG, or an SVG of plain paths")
	case len(r.open) == 0:
		return logoProblem("contains something before or after its svg element; remove it")
	case e.Name.Space != r.namespace || name == "title" || name == "desc" || name == "metadata" || name == "defs":
		element.notDrawn = true
		r.open = append(r.open, element)
		return nil
	case name != "g" && name != "path":
		return logoProblem("contains the element %s; convert it to a path in a drawing program", name)
	}
	data, err := r.attributes(&element, e)
	if err != nil {
		return err
	}
	r.open = append(r.open, element)
	if name != "path" {
		return nil
	}
	p, err := parsePath(data)
	if err != nil {
		return err
	}
	if r.points += len(p.coords) / 2; r.points > maxLogoPoints {
		return logoProblem("has more than %d points; simplify it in a drawing program", maxLogoPoints)
	}
	if len(p.commands) > 0 && !element.none && !element.unseen && !element.removed && !element.inside {
		r.paths = append(r.paths, logoPath{p, element.evenOdd, element.color})
	}
	return nil
}

// attributes applies the attributes of an element, and returns its path data.
func (r *svgReader) attributes(element *svgElement, e xml.StartElement) (data string, _ error) {
	var style []xml.Attr
	for _, a := range e.Attr {
		var err error
		switch {
		case a.Name.Space != "" || a.Name.Local == "xmlns": // notes of drawing programs, among others
		case a.Name.Local == "viewBox":
			r.viewBox, err = parseNumbers(a.Value)
			if e.Name.Local != "svg" || err != nil || len(r.viewBox) != 4 || !(r.viewBox[2] > 0 && r.viewBox[3] > 0) {
				err = logoProblem("has a viewBox that isn't four numbers, the last two above 0")
			}
		case a.Name.Local == "d":
			data = a.Value
		case a.Name.Local == "style":
			style, err = declarations(a.Value)
		default:
			err = element.set(a.Name.Local, a.Value)
		}
		if err != nil {
			return "", err
		}
	}
	for _, s := range style { // which win over attributes, the last one over the others
		if s.Name.Local == "d" {
			return "", logoProblem("has path data in a style; write it into the attribute d")
		}
		if err := element.set(s.Name.Local, s.Value); err != nil {
			return "", err
		}
	}
	return data, nil
}

// declarations returns the properties in a style attribute (CSS Style Attributes), with
// lowercase names. Semicolons in quotes aren't separators.
func declarations(style string) ([]xml.Attr, error) {
	var list []xml.Attr
	quote := rune(0)
	parts := strings.FieldsFunc(style, func(r rune) bool {
		switch {
		case r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote = r
		}
		return r == ';' && quote == 0
	})
	if quote != 0 || strings.ContainsAny(style, `\{}@`) || strings.Contains(style, "/*") {
		return nil, logoProblem("has a style that isn't a list of plain properties; convert the drawing to plain paths in a drawing program")
	}
	for _, part := range parts {
		if strings.TrimSpace(part) == "" {
			continue
		}
		property, value, found := strings.Cut(part, ":")
		if !found {
			return nil, logoProblem("has %.20q in a style, which isn't a plain property", part)
		}
		list = append(list, xml.Attr{Name: xml.Name{Local: strings.ToLower(strings.TrimSpace(property))}, Value: value})
	}
	return list, nil
}

func noAttribute(name string) error {
	return logoProblem("has the attribute %s; convert the drawing to plain paths in a drawing program", name)
}

// A property has words as values. Without set, these are the values without an effect on a fill.
type property struct {
	values []string
	set    func(e *svgElement, word string)
}

// properties contains the properties with an effect on a fill, except for those that set checks itself.
var properties = map[string]property{
	"fill-rule":  {[]string{"evenodd", "nonzero"}, func(e *svgElement, word string) { e.evenOdd = word == "evenodd" }},
	"display":    {[]string{"none", "inline", "block"}, func(e *svgElement, word string) { e.removed = word == "none" }},
	"visibility": {[]string{"visible", "hidden", "collapse"}, func(e *svgElement, word string) { e.unseen = word != "visible" }},

	"class": {}, "systemLanguage": {}, "requiredExtensions": {}, "requiredFeatures": {}, "all": {},

	"transform": noEffect, "translate": noEffect, "rotate": noEffect, "scale": noEffect, "zoom": noEffect, "offset-path": noEffect,
	"opacity": noEffect, "fill-opacity": noEffect, "clip": noEffect, "clip-path": noEffect, "filter": noEffect,
	"mix-blend-mode": noEffect, "content-visibility": noEffect,
}

var noEffect = property{values: []string{"1", "none", "normal", "auto", "visible"}}

// set applies a property. It ignores properties without effect on a fill.
func (e *svgElement) set(name, value string) error {
	value = strings.TrimSpace(value)
	word := strings.ToLower(value)
	switch {
	case name == "fill":
		return e.setFill(value, word)
	case name == "stroke" && word != "none":
		return logoProblem("has strokes; convert them to paths in a drawing program")
	case name == "preserveAspectRatio" && !strings.HasPrefix(word, "xmidymid"),
		strings.HasPrefix(strings.TrimPrefix(name, "-webkit-"), "mask") && word != "none":
		return noAttribute(name)
	}
	p, hasEffect := properties[name]
	isKnown := slices.Contains(p.values, word)
	switch {
	case !hasEffect:
	case p.set == nil && !isKnown:
		return noAttribute(name)
	case !isKnown:
		last := len(p.values) - 1
		return logoProblem("has the %s %.20q; use %s or %s", name, value, strings.Join(p.values[:last], ", "), p.values[last])
	case p.set != nil:
		p.set(e, word)
	}
	return nil
}

func (e *svgElement) setFill(value, word string) error {
	switch word {
	case "none", "currentcolor":
		e.color = qrcode.Color{}
	case "black":
		e.color = black
	case "white":
		e.color = white
	default:
		digits, found := strings.CutPrefix(value, "#")
		color, err := qrcode.ParseColor(digits)
		if !found || err != nil {
			return logoProblem("has the fill %.20q; use one such as #25d366, none or currentColor", value)
		}
		e.color = color
	}
	e.none = word == "none"
	return nil
}

// logo returns the drawing, scaled to logoUnits.
func (r *svgReader) logo() (*Logo, error) {
	if !r.seen {
		return nil, logoProblem("is neither a PNG nor an SVG")
	}
	if len(r.paths) == 0 {
		return nil, logoProblem("contains no filled path")
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
		return nil, logoProblem("has a side that is more than 20 times as long as the other")
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
			return nil, logoProblem("has paths or control points outside of its viewBox; move them inside, or enlarge it")
		}
	}
	return l, nil
}

func parseNumbers(s string) ([]float64, error) {
	var numbers []float64
	for field := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' || r == '\n' || r == '\r' }) {
		n, err := strconv.ParseFloat(field, 64)
		if err != nil || math.IsNaN(n) || math.Abs(n) > maxCoordinate {
			return nil, logoProblem("contains something else where it needs a number")
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}

const maxCoordinate = 1e6

package qrprint

import (
	"math"

	"github.com/hailmark/hailmark/problem"
)

// A Poster is a code on a whole sheet of paper, with texts.
type Poster struct {
	// Paper is the size of the trimmed page.
	Paper Paper

	// Code is as large as possible, unless it has a Size or Module.
	Code Code

	// Heading is printed above the code, and Text below it. Newlines break lines.
	Heading, Text string

	// Bleed is the width by which the background extends beyond the trimmed page, from 0 to
	// MaxBleed.
	Bleed float64
}

// The arrangement of a poster, in shares of its shorter side.
const (
	posterMargin  = 0.08
	posterHeading = 0.085 // font size
	posterText    = 0.045
	posterCode    = 0.72
)

// Page returns the poster as one page.
func (p Poster) Page() (*Page, error) {
	page, l, err := p.page()
	if err != nil {
		return nil, err
	}
	f, err := p.panel(l, page.width, page.height)
	if err != nil {
		return nil, err
	}
	page.warnings = f.warnings
	page.place(f, 0, 0, false)
	return page, nil
}

// Tent returns a table tent: the content twice on one page, once upside down, to fold in
// the middle. Short lines at the edges mark the fold.
func (p Poster) Tent() (*Page, error) {
	page, l, err := p.page()
	if err != nil {
		return nil, err
	}
	f, err := p.panel(l, page.width, page.height/2)
	if err != nil {
		return nil, err
	}
	page.warnings = f.warnings
	page.place(f, page.width, page.height/2, true)
	page.place(f, 0, page.height/2, false)
	const length, thickness = 4, 0.2
	var marks path
	marks.add(rectangle, 0, (page.height-thickness)/2, length, thickness)
	marks.add(rectangle, page.width-length, (page.height-thickness)/2, length, thickness)
	page.shapes = append(page.shapes, shape{path: marks, at: move(0, 0), fill: l.foreground})
	return page, nil
}

// page returns the empty page and the checked code.
func (p Poster) page() (*Page, *layout, error) {
	var list problem.List
	width, height := p.Paper.Size()
	if width == 0 {
		list = append(list, paperProblem())
	}
	if !(0 <= p.Bleed && p.Bleed <= MaxBleed) {
		list = append(list, problem.New(CodeInvalidLength, "bleed must be from 0 to %d mm; got %g", MaxBleed, p.Bleed))
	}
	list = append(list, checkText("heading", p.Heading)...)
	list = append(list, checkText("text", p.Text)...)
	l, err := newLayout(p.Code)
	if err = joined(list, err); err != nil {
		return nil, nil, err
	}
	page := &Page{width: width, height: height, bleed: p.Bleed, dpi: p.Code.DPI, title: l.title()}
	page.background(l.background)
	return page, l, nil
}

// joined returns the problems of both. An error that is not about the caller's value does
// not occur.
func joined(list problem.List, err error) error {
	return append(list, problem.All(err)...).Err()
}

// panel arranges heading, code and text from the top to the bottom of an area.
func (p Poster) panel(l *layout, width, height float64) (*figure, error) {
	short := min(width, height)
	margin := max(posterMargin*short, SafeDistance)
	inner := width - 2*margin
	heading, fits := fitText(p.Heading, inner, posterHeading*short, maxLines)
	text, textFits := fitText(p.Text, inner, posterText*short, 2*maxLines)
	room := height - 2*margin
	if p.Heading != "" {
		room -= heading.height() + margin/2
	}
	if p.Text != "" {
		room -= text.height() + margin/2
	}
	if !fits || !textFits || room < height/4 {
		return nil, problem.List{problem.New(CodeTextDoesNotFit,
			"heading and text must fit on the paper in letters of at least 5 points and leave a quarter of its height to the code: shorten them, or choose a larger paper")}
	}
	codeRoom := area{inner, room}
	if l.Size == 0 && l.Module == 0 {
		codeRoom = area{min(posterCode*width, inner), room}
	}
	code, err := l.figureBelow(codeRoom)
	if err != nil {
		return nil, err
	}
	f := &figure{width: width, height: height, warnings: code.warnings}
	y := margin
	if p.Heading != "" {
		f.shapes = append(f.shapes, heading.shapes(margin, y, inner, l.foreground)...)
		y += heading.height() + margin/2
	}
	sheet := Page{}
	sheet.place(code, dots((width-code.width)/2, l.DPI, math.Round), dots(y+(room-code.height)/2, l.DPI, math.Round), false)
	f.shapes = append(f.shapes, sheet.shapes...)
	f.links, f.measure = sheet.links, sheet.codes[0]
	if p.Text != "" {
		f.shapes = append(f.shapes, text.shapes(margin, height-margin-text.height(), inner, l.foreground)...)
	}
	return f, nil
}

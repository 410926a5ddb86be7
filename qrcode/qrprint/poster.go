package qrprint

import "github.com/hailmark/hailmark/problem"

// A Poster describes a code on a sheet of paper with texts.
type Poster struct {
	// Paper is the trimmed page.
	Paper Paper

	// Code is as large as possible unless it specifies Width or ModuleWidth.
	Code Code

	// Heading is printed above the code in up to three lines, and Text below it in up to six
	// lines.
	Heading, Text string
}

// A poster's arrangement, relative to its shorter side.
const (
	posterMargin  = 0.08
	posterHeading = 0.085 // font size
	posterText    = 0.045
	posterCode    = 0.72
)

// Page returns the poster.
func (p Poster) Page() (*Page, error) {
	p.Heading, p.Text = compose(p.Heading), compose(p.Text)
	page, l, err := p.page()
	if err != nil {
		return nil, err
	}
	f, err := p.panel(l, page.width, page.height)
	if err != nil {
		return nil, err
	}
	page.place(f, page.area(), page.area(), false)
	return page, nil
}

// Tent returns a table tent to fold in the middle. It contains everything twice, first upside
// down. Short lines at the edges mark the fold.
func (p Poster) Tent() (*Page, error) {
	p.Heading, p.Text = compose(p.Heading), compose(p.Text)
	page, l, err := p.page()
	if err != nil {
		return nil, err
	}
	fold := page.height / 2
	f, err := p.panel(l, page.width, fold)
	if err != nil {
		return nil, err
	}
	lower := box{0, fold, page.width, fold}
	// The background is drawn once more below the fold, so that no renderer shows a seam.
	page.place(f, box{0, 0, page.width, fold}, page.area(), true)
	page.place(f, lower, lower, false)
	page.warnings = f.warnings
	const length, thickness = 4, 0.2
	var marks path
	marks.add(rectangle, 0, fold-thickness/2, length, thickness)
	marks.add(rectangle, page.width-length, fold-thickness/2, length, thickness)
	page.shapes = append(page.shapes, shape{path: marks, at: move(0, 0), fill: l.foreground})
	return page, nil
}

func (p Poster) page() (*Page, *layout, error) {
	var list problem.List
	width, height := p.Paper.size()
	if width == 0 {
		list = append(list, paperProblem())
	}
	list = append(list, checkText("heading", p.Heading, maxLines)...)
	list = append(list, checkText("text", p.Text, 2*maxLines)...)
	l, err := newLayout(p.Code)
	if err = joined(list, err); err != nil {
		return nil, nil, err
	}
	return l.newPage(float64(width), float64(height)), l, nil
}

// panel arranges heading, code and text from top to bottom.
func (p Poster) panel(l *layout, width, height float64) (*figure, error) {
	short := min(width, height)
	margin := max(posterMargin*short, safeDistance)
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
		return nil, problem.List{problem.New("text", CodeTextDoesNotFit,
			"heading and text don't fit: in letters of at least 5 points, they leave less than a quarter of the paper's height to the code; shorten them, or choose a larger paper")}.Err()
	}
	codeRoom := area{inner, room}
	if l.Width == 0 && l.ModuleWidth == 0 && l.OuterWidth == 0 {
		codeRoom.width = min(posterCode*width, inner)
	}
	f, err := l.figure(&codeRoom, false)
	if err != nil {
		return nil, err
	}
	y := margin
	if p.Heading != "" {
		y += heading.height() + margin/2
	}
	f.moveTo(box{0, 0, width, height}, (width-f.width)/2, y+(room-f.height)/2)
	f.shapes = append(f.shapes, heading.shapes(margin, margin, inner, l.foreground)...)
	f.shapes = append(f.shapes, text.shapes(margin, height-margin-text.height(), inner, l.foreground)...)
	return f, nil
}

// moveTo moves a figure within a larger area.
func (f *figure) moveTo(whole box, x, y float64) {
	f.width, f.height = whole.width, whole.height
	at := move(x, y)
	for i := range f.shapes {
		f.shapes[i].at = f.shapes[i].at.then(at)
	}
	for i := range f.links {
		f.links[i].box = at.box(f.links[i].box)
	}
	f.measure.X, f.measure.Y = f.measure.X+Millimeters(x), f.measure.Y+Millimeters(y)
}

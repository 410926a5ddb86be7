package qrprint

import (
	"maps"
	"slices"
	"strings"

	"github.com/hailmark/hailmark/problem"
)

// Labels describes a sheet of labels and how to print on it. [ParseLabels] returns known
// products; for others, set the fields. The zero Labels isn't valid. If a printer shifts the
// paper, correct Left and Top.
type Labels struct {
	Paper          Paper
	Columns, Rows  int
	Width, Height  Millimeters // size of a label
	Left, Top      Millimeters // distance of the first label from the edges of the paper
	PitchX, PitchY Millimeters // distance from one label to the next, from edge to same edge

	// Padding is the space inside the edges of a label, from 0 to 50 mm. ParseLabels sets
	// 1.5 mm. Each label's area inside the padding must lie on the paper.
	Padding Millimeters `json:"-"`

	// Start is the first label to print on, from 1, if the sheet is already partly used. Labels
	// are counted by rows. The default is 1.
	Start int `json:"-"`

	// Borders draws all labels' edges. Use it to check their positions on plain paper.
	Borders bool `json:"-"`

	radius Millimeters // of the corners, for borders
}

// Limit and default of the padding, in millimeters.
const (
	maxPadding     = 50
	defaultPadding = 1.5
)

func (l Labels) count() int { return l.Columns * l.Rows }

// products contains labels described by both LibreOffice (extras/source/labels/labels.xml)
// and gLabels (github.com/jimevins/glabels-qt, avery-iso, avery-us and herma-iso). For Avery,
// both agree within 0.2 mm. For Herma, the positions are LibreOffice's, which center the
// labels within 0.1 mm, whereas gLabels rounds to half millimeters. 10007 is a removable
// 4677.
//
// Manufacturers only specify size and number of the labels. Therefore users should print a
// sheet with borders on plain paper first.
var products = map[string]product{
	"avery-l7160": {A4, 3, 7, 63.5, 38.1, 7.21, 15.15, 66.04, 38.1, 1.8},
	"avery-l7163": {A4, 2, 7, 99.1, 38.1, 4.65, 15.15, 101.6, 38.1, 1.8},
	"avery-l7165": {A4, 2, 4, 99.1, 67.7, 4.65, 13.1, 101.6, 67.7, 0},
	"avery-l7651": {A4, 5, 13, 38.1, 21.2, 4.75, 10.7, 40.6, 21.2, 1.8},
	"avery-l4732": {A4, 5, 16, 35.56, 16.93, 11.02, 13.05, 38.1, 16.93, 1.5},
	"avery-5160":  {Letter, 3, 10, 66.675, 25.4, 4.7625, 12.7, 69.85, 25.4, 1.6},
	"avery-5161":  {Letter, 2, 10, 101.6, 25.4, 3.96875, 12.7, 106.3625, 25.4, 1.6},
	"avery-5162":  {Letter, 2, 7, 101.6, 33.8667, 3.96875, 21.1667, 106.3625, 33.8667, 1.6},
	"avery-5163":  {Letter, 2, 5, 101.6, 50.8, 3.96875, 12.7, 106.3625, 50.8, 3.2},
	"avery-5164":  {Letter, 2, 3, 101.6, 84.6667, 3.96875, 12.7, 106.3625, 84.6667, 3.2},
	"avery-5167":  {Letter, 4, 20, 44.45, 12.7, 7.14375, 12.7, 52.3875, 12.7, 1.6},
	"herma-4606":  {A4, 5, 13, 38.1, 21.2, 9.75, 10.7, 38.1, 21.2, 0},
	"herma-4608":  {A4, 4, 11, 48.26, 25.4, 8.48, 8.8, 48.26, 25.4, 0},
	"herma-4614":  {A4, 3, 8, 66, 33.87, 6, 13.03, 66, 33.87, 0},
	"herma-4677":  {A4, 3, 7, 63.5, 38.1, 7.21, 15.15, 66.04, 38.1, 0},
	"herma-4667":  {A4, 2, 5, 96, 50.8, 7.73, 21.5, 98.54, 50.8, 0},
	"herma-10007": {A4, 3, 7, 63.5, 38.1, 7.21, 15.15, 66.04, 38.1, 0},
}

// A product contains the first fields of Labels.
type product struct {
	paper                                            Paper
	columns, rows                                    int
	width, height, left, top, pitchX, pitchY, radius Millimeters
}

// LabelNames returns the sorted names that [ParseLabels] accepts.
func LabelNames() []string { return slices.Sorted(maps.Keys(products)) }

// ParseLabels returns a product's labels. The name consists of manufacturer and number, such
// as avery-l7160 or Avery L7160; [LabelNames] lists all names. The error is a
// [problem.Problem] with [CodeInvalidLabels].
func ParseLabels(name string) (Labels, error) {
	p, ok := products[strings.ToLower(strings.Join(strings.Fields(name), "-"))]
	if !ok {
		return Labels{}, problem.New("labels", CodeInvalidLabels, "labels aren't a known format such as avery-l7160 or herma-4614; measure the sheet and give its columns, rows and distances")
	}
	return Labels{
		Paper: p.paper, Columns: p.columns, Rows: p.rows, Width: p.width, Height: p.height,
		Left: p.left, Top: p.top, PitchX: p.pitchX, PitchY: p.pitchY, Padding: defaultPadding, radius: p.radius,
	}, nil
}

// maxLabels limits columns and rows.
const maxLabels = 100

// tolerance is the width in millimeters that labels may extend beyond the paper.
const tolerance = 0.5

func (l Labels) problems() problem.List {
	width, height := l.Paper.size()
	if width == 0 {
		return problem.List{paperProblem()}
	}
	if l.Columns < 1 || l.Columns > maxLabels || l.Rows < 1 || l.Rows > maxLabels {
		return problem.List{problem.New("labels", CodeInvalidLabels, "labels have %d columns and %d rows; 1 to %d of each are allowed", l.Columns, l.Rows, maxLabels)}
	}
	apart := func(size, pitch Millimeters, n int) bool { return size > 0 && (n == 1 || pitch >= size-1e-6) }
	first, last := l.printable(0), l.printable(l.count()-1)
	var list problem.List
	if !(0 <= l.Padding && l.Padding <= maxPadding) {
		list = append(list, problem.New("padding", CodeInvalidLength, "padding is %g mm; 0 to %d mm are allowed", l.Padding, maxPadding))
	} else if !apart(l.Width, l.PitchX, l.Columns) || !apart(l.Height, l.PitchY, l.Rows) ||
		!(first.x >= -tolerance && first.y >= -tolerance && last.x+last.width <= float64(width)+tolerance && last.y+last.height <= float64(height)+tolerance) {
		list = append(list, problem.New("labels", CodeInvalidLabels,
			"labels overlap or don't lie on the paper: %d columns of %g mm every %g mm from %g mm, and %d rows of %g mm every %g mm from %g mm, on %g x %g mm",
			l.Columns, l.Width, l.PitchX, l.Left, l.Rows, l.Height, l.PitchY, l.Top, width, height))
	}
	if n := l.count(); l.Start < 0 || l.Start > n {
		list = append(list, problem.New("start", CodeInvalidStart, "start is %d; 1 to %d, the labels on a sheet, are allowed", l.Start, n))
	}
	return list
}

func (l Labels) label(i int) box {
	column, row := Millimeters(i%l.Columns), Millimeters(i/l.Columns)
	return box{float64(l.Left + column*l.PitchX), float64(l.Top + row*l.PitchY), float64(l.Width), float64(l.Height)}
}

// printable returns a label without its padding, which may be empty.
func (l Labels) printable(i int) box {
	b, padding := l.label(i), float64(l.Padding)
	return box{b.x + padding, b.y + padding, max(0, b.width-2*padding), max(0, b.height-2*padding)}
}

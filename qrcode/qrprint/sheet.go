package qrprint

import (
	"errors"
	"math"

	"github.com/hailmark/hailmark/problem"
)

// A Sheet describes how to print on sheets of labels.
type Sheet struct {
	// Labels contains the labels' positions; see [ParseLabels].
	Labels Labels

	// Start is the first label to print on, from 1, if the sheet is already partly used. Labels are
	// counted by rows. The default is 1.
	Start int

	// Borders draws all labels' edges. Use it to check their positions on plain paper.
	Borders bool

	// OffsetX and OffsetY move everything to the right and down, by -20 to 20 mm, if a
	// printer shifts the paper. Labels without their padding must stay on the paper.
	OffsetX, OffsetY Millimeters

	// Padding is the space inside the edges of a label, at most 50 mm. The default is 1.5 mm.
	Padding Millimeters

	// NoPadding prints up to the edges.
	NoPadding bool
}

// Limits and defaults of a Sheet, in millimeters.
const (
	maxOffset      = 20
	maxPadding     = 50
	defaultPadding = 1.5
)

// A SheetWriter prints codes on sheets of labels row by row and passes each full sheet to a
// function:
//
//	pdf := qrprint.NewPDFWriter(file, "Labels")
//	sheet, err := qrprint.NewSheetWriter(qrprint.Sheet{Labels: labels}, pdf.WritePage)
//	warnings, err := sheet.Add(qrprint.Code{Text: "https://wa.me/janedoe"}) // for each label
//	err = sheet.Close()
//	err = pdf.Close()
//
// It only keeps one page in memory. It isn't safe for concurrent use. Use [NewSheetWriter],
// because the zero SheetWriter isn't valid.
type SheetWriter struct {
	sheet  Sheet
	emit   func(*Page) error
	page   *Page
	next   int // the next label on the page, from 0
	closed bool
}

// NewSheetWriter returns a SheetWriter that calls emit with each page, during Add or Close.
// To write a PDF, use [PDFWriter.WritePage] as emit. The error is a [problem.List] of all
// problems with the sheet.
func NewSheetWriter(s Sheet, emit func(*Page) error) (*SheetWriter, error) {
	list := s.Labels.problems()
	if s.Start == 0 {
		s.Start = 1
	}
	if n := s.Labels.count(); list == nil && (s.Start < 1 || s.Start > n) {
		list = append(list, problem.New(codeInvalidStart, "start must be from 1 to %d, the labels on a sheet; got %d", n, s.Start))
	}
	if !(math.Abs(float64(s.OffsetX)) <= maxOffset && math.Abs(float64(s.OffsetY)) <= maxOffset) {
		list = append(list, problem.New(codeInvalidLength, "offsets must be from -%d to %d mm; got %g and %g", maxOffset, maxOffset, s.OffsetX, s.OffsetY))
	}
	if !(0 <= s.Padding && s.Padding <= maxPadding) || s.NoPadding && s.Padding != 0 {
		list = append(list, problem.New(codeInvalidLength, "padding must be above 0 and at most %d mm, or left out with NoPadding; got %g", maxPadding, s.Padding))
	}
	if s.Padding == 0 && !s.NoPadding {
		s.Padding = defaultPadding
	}
	if list == nil && !s.isOnPaper() {
		list = append(list, problem.New(codeInvalidLength, "offsets must leave the labels without their padding on the paper; got %g and %g", s.OffsetX, s.OffsetY))
	}
	if list != nil {
		return nil, list
	}
	return &SheetWriter{sheet: s, emit: emit, next: s.Start - 1}, nil
}

// Add prints c on the next label and returns its warnings. All codes on a page must specify
// the same DPI. By default, a code is as large as the label allows. If c can't be printed,
// the error is a [problem.List] and the next code uses the label instead. Any other error
// comes from emit; a page is then lost, so stop writing.
func (w *SheetWriter) Add(c Code) (problem.List, error) {
	if w.closed {
		return nil, errClosed
	}
	l, err := newLayout(c)
	if err != nil {
		return nil, err
	}
	if c.Bleed != 0 {
		return nil, problem.List{problem.New(codeInvalidLength, "bleed must be 0 on labels; got %g", c.Bleed)}
	}
	if w.page != nil && w.page.dpi != c.DPI {
		return nil, problem.List{problem.New(codeInvalidDPI, "resolution must be the same for all codes of a sheet; got %d dpi after %d dpi", c.DPI, w.page.dpi)}
	}
	on := w.sheet.printable(w.next)
	beside := on.width > wideLabel*on.height && c.Caption != "" && c.Frame == ""
	f, err := l.figure(&area{on.width, on.height}, beside)
	if err != nil {
		return nil, err
	}
	if w.page == nil {
		width, height := w.sheet.Labels.Paper.size()
		w.page = l.newPage(float64(width), float64(height))
	}
	w.page.place(f, on, on, false)
	if w.next++; w.next == w.sheet.Labels.count() {
		return f.warnings, w.flush()
	}
	return f.warnings, nil
}

// Close emits the last page unless it's empty. It doesn't close a PDFWriter.
func (w *SheetWriter) Close() error {
	if w.closed {
		return errClosed
	}
	w.closed = true
	return w.flush()
}

func (w *SheetWriter) flush() error {
	page := w.page
	w.page = nil
	if page == nil {
		return nil
	}
	w.next = 0
	if w.sheet.Borders { // above the backgrounds of the codes
		w.borders(page)
	}
	return w.emit(page)
}

var (
	errClosed  = errors.New("qrprint: the writer is closed")
	errNoPages = errors.New("qrprint: a PDF must have at least one page")
)

func (s *Sheet) label(i int) box {
	l := s.Labels
	column, row := Millimeters(i%l.Columns), Millimeters(i/l.Columns)
	return box{
		float64(l.Left + column*l.PitchX + s.OffsetX), float64(l.Top + row*l.PitchY + s.OffsetY),
		float64(l.Width), float64(l.Height),
	}
}

// printable returns a label without its padding, which may be empty.
func (s *Sheet) printable(i int) box {
	b, padding := s.label(i), float64(s.Padding)
	return box{b.x + padding, b.y + padding, max(0, b.width-2*padding), max(0, b.height-2*padding)}
}

func (s *Sheet) isOnPaper() bool {
	width, height := s.Labels.Paper.size()
	first, last := s.printable(0), s.printable(s.Labels.count()-1)
	return first.x >= -tolerance && first.y >= -tolerance &&
		last.x+last.width <= float64(width)+tolerance && last.y+last.height <= float64(height)+tolerance
}

func (w *SheetWriter) borders(page *Page) {
	const half = 0.05 // of the thickness
	radius := float64(w.sheet.Labels.radius)
	var lines path
	for i := range w.sheet.Labels.count() {
		b := w.sheet.label(i)
		lines.round(b.x-half, b.y-half, b.width+2*half, b.height+2*half, radius, false)
		lines.round(b.x+half, b.y+half, b.width-2*half, b.height-2*half, radius-2*half, true)
	}
	page.shapes = append(page.shapes, shape{path: lines, at: move(0, 0), fill: black})
}

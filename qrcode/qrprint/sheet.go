package qrprint

import (
	"errors"
	"math"

	"github.com/hailmark/hailmark/problem"
)

// A Sheet describes sheets of labels and how codes are printed on them. Lengths are in
// millimetres.
type Sheet struct {
	// Labels are the positions of the labels; see [ParseLabels].
	Labels Labels

	// Start is the first label to print on, counted by rows from 1, for a sheet with
	// labels that are already used. 0 stands for 1.
	Start int

	// Borders draws the edges of all labels, to check their positions on plain paper.
	Borders bool

	// OffsetX and OffsetY move everything to the right and down, or to the left and up if
	// they are negative, by at most MaxOffset: for printers that shift the paper.
	OffsetX, OffsetY float64

	// Padding is the space between the edges of a label and what is printed on it. 0 stands
	// for DefaultPadding.
	Padding float64
}

// Limits and defaults of a Sheet, in millimetres.
const (
	MaxOffset      = 20
	MaxPadding     = 50
	DefaultPadding = 1.5
)

// A SheetWriter prints codes on sheets of labels, one label after the other by rows. Each
// full sheet is a [Page], which goes to the function that [NewSheetWriter] was called with:
//
//	pdf := qrprint.NewPDFWriter(file, "Labels")
//	sheet, err := qrprint.NewSheetWriter(qrprint.Sheet{Labels: labels}, pdf.WritePage)
//	warnings, err := sheet.Add(qrprint.Code{Text: "https://wa.me/janedoe"}) // for each label
//	err = sheet.Close()
//	err = pdf.Close()
//
// It keeps only one page in memory. It is not safe for concurrent use.
type SheetWriter struct {
	sheet  Sheet
	emit   func(*Page) error
	page   *Page
	next   int // the next label on the page, from 0
	closed bool
}

// NewSheetWriter returns a SheetWriter that calls emit for each page, during Add or Close.
// To write a PDF, use the method WritePage of a [PDFWriter]. The error is a problem.List of
// everything that is wrong with the sheet.
func NewSheetWriter(s Sheet, emit func(*Page) error) (*SheetWriter, error) {
	list := s.Labels.problems()
	if s.Start == 0 {
		s.Start = 1
	}
	if n := s.Labels.Count(); list == nil && (s.Start < 1 || s.Start > n) {
		list = append(list, problem.New(CodeInvalidStart, "start must be from 1 to %d, the labels on a sheet; got %d", n, s.Start))
	}
	if !(math.Abs(s.OffsetX) <= MaxOffset && math.Abs(s.OffsetY) <= MaxOffset) {
		list = append(list, problem.New(CodeInvalidLength, "offsets must be from -%d to %d mm; got %g and %g", MaxOffset, MaxOffset, s.OffsetX, s.OffsetY))
	}
	if s.Padding == 0 {
		s.Padding = DefaultPadding
	}
	if !(0 <= s.Padding && s.Padding <= MaxPadding) {
		list = append(list, problem.New(CodeInvalidLength, "padding must be from 0 to %d mm; got %g", MaxPadding, s.Padding))
	}
	if list != nil {
		return nil, list
	}
	return &SheetWriter{sheet: s, emit: emit, next: s.Start - 1}, nil
}

// Add prints c on the next label, and returns its warnings. Without Size and Module, the code
// is as large as the label allows. If c cannot be printed, the error is a problem.List, and
// the next code gets the label. After any other error, which is that of emit, a page is lost:
// stop writing.
func (w *SheetWriter) Add(c Code) (problem.List, error) {
	if w.closed {
		return nil, errClosed
	}
	l, err := newLayout(c)
	if err != nil {
		return nil, err
	}
	labels, padding := w.sheet.Labels, w.sheet.Padding
	f, err := l.figure(area{labels.Width - 2*padding, labels.Height - 2*padding})
	if err != nil {
		return nil, err
	}
	if w.page == nil {
		w.page = w.newPage(l)
	}
	x, y := w.position(w.next)
	x += (labels.Width - f.width) / 2
	y += (labels.Height - f.height) / 2
	w.page.place(f, dots(x, c.DPI, math.Round), dots(y, c.DPI, math.Round), false)
	w.page.warnings = append(w.page.warnings, f.warnings...)
	w.page.dpi = max(w.page.dpi, c.DPI)
	if w.next++; w.next == labels.Count() {
		return f.warnings, w.flush()
	}
	return f.warnings, nil
}

// Close emits the last page, unless it is empty. It does not close a PDFWriter.
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
	errClosed  = errors.New("qrprint: the sheet is closed")
	errNoPages = errors.New("qrprint: a PDF must have at least one page")
)

// position returns the upper left corner of a label.
func (w *SheetWriter) position(label int) (x, y float64) {
	l := w.sheet.Labels
	column, row := label%l.Columns, label/l.Columns
	return l.Left + float64(column)*l.PitchX + w.sheet.OffsetX, l.Top + float64(row)*l.PitchY + w.sheet.OffsetY
}

func (w *SheetWriter) newPage(l *layout) *Page {
	p := &Page{title: l.title()}
	p.width, p.height = w.sheet.Labels.Paper.Size()
	return p
}

// borders draws thin lines along the edges of all labels.
func (w *SheetWriter) borders(page *Page) {
	const thickness = 0.1
	l := w.sheet.Labels
	var lines path
	for i := range l.Count() {
		x, y := w.position(i)
		lines.round(x-thickness/2, y-thickness/2, l.Width+thickness, l.Height+thickness, l.Radius, false)
		lines.round(x+thickness/2, y+thickness/2, l.Width-thickness, l.Height-thickness, l.Radius-thickness, true)
	}
	page.shapes = append(page.shapes, shape{path: lines, at: move(0, 0), fill: black})
}

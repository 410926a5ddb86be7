package qrprint

import (
	"errors"
	"io"

	"github.com/hailmark/hailmark/problem"
)

// A SheetWriter prints codes on sheets of labels row by row and writes a PDF file:
//
//	sheets, err := qrprint.NewSheetWriter(file, labels)
//	warnings, err := sheets.Add(qrprint.Code{Text: "https://wa.me/janedoe"}) // for each label
//	err = sheets.Close()
//
// It only keeps one page in memory. It isn't safe for concurrent use. Use [NewSheetWriter],
// because the zero SheetWriter isn't valid.
type SheetWriter struct {
	labels Labels
	emit   func(*Page) error
	end    func() error
	page   *Page
	next   int // the next label on the page, from 0
	closed bool
}

// NewSheetWriter returns a SheetWriter that writes to out, during Add and Close. The file's
// title is "Labels". The error contains all problems with the labels.
func NewSheetWriter(out io.Writer, l Labels) (*SheetWriter, error) {
	pdf := newPDFWriter(out, "Labels")
	return newSheetWriter(l, pdf.writePage, pdf.close)
}

func newSheetWriter(l Labels, emit func(*Page) error, end func() error) (*SheetWriter, error) {
	if list := l.problems(); list != nil {
		return nil, list.Err()
	}
	return &SheetWriter{labels: l, emit: emit, end: end, next: max(l.Start, 1) - 1}, nil
}

// Page returns a single sheet with the codes, as a [SheetWriter] prints them. It returns an error
// if there are no codes, or more than labels.
func (l Labels) Page(codes ...Code) (*Page, error) {
	var pages []*Page
	w, err := newSheetWriter(l, func(p *Page) error {
		pages = append(pages, p)
		return nil
	}, func() error { return nil })
	if err != nil {
		return nil, err
	}
	if n := l.count() - w.next; len(codes) < 1 || len(codes) > n {
		return nil, problem.List{problem.New("start", CodeInvalidStart, "sheet has %d codes; 1 to %d are allowed", len(codes), n)}.Err()
	}
	for _, c := range codes {
		if _, err := w.Add(c); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return pages[0], nil
}

// Add prints c on the next label and returns its warnings. All codes on a page must specify
// the same DPI. By default, a code is as large as the label allows. If c can't be printed,
// the error contains problems and the next code uses the label instead. Any other error
// comes from the underlying writer; the file is then incomplete, so stop writing.
func (w *SheetWriter) Add(c Code) (problem.List, error) {
	if w.closed {
		return nil, errClosed
	}
	l, err := newLayout(c)
	if err != nil {
		return nil, err
	}
	if c.Bleed != 0 {
		return nil, problem.List{problem.New("bleed", CodeInvalidLength, "bleed is %g mm; on labels, it must be 0", c.Bleed)}.Err()
	}
	if c.CropMarks {
		return nil, problem.List{problem.New("cropMarks", CodeInvalidLabels, "labels are cut already; leave the crop marks out")}.Err()
	}
	if w.page != nil && w.page.dpi != c.DPI {
		return nil, problem.List{problem.New("dpi", CodeInvalidDPI, "resolution is %d dpi after %d dpi; all codes of a sheet need the same", c.DPI, w.page.dpi)}.Err()
	}
	on := w.labels.printable(w.next)
	beside := on.width > wideLabel*on.height && c.Caption != "" && c.Frame == ""
	f, err := l.figure(&area{on.width, on.height}, beside)
	if err != nil {
		return nil, err
	}
	if w.page == nil {
		width, height := w.labels.Paper.size()
		w.page = l.newPage(float64(width), float64(height))
	}
	w.page.place(f, on, on, false)
	if w.next++; w.next == w.labels.count() {
		return f.warnings, w.flush()
	}
	return f.warnings, nil
}

// Close completes the file but doesn't close the underlying writer. It returns an error if no
// code was added.
func (w *SheetWriter) Close() error {
	if w.closed {
		return errClosed
	}
	w.closed = true
	if err := w.flush(); err != nil {
		return err
	}
	return w.end()
}

func (w *SheetWriter) flush() error {
	page := w.page
	w.page = nil
	if page == nil {
		return nil
	}
	w.next = 0
	if w.labels.Borders { // above the backgrounds of the codes
		w.borders(page)
	}
	return w.emit(page)
}

var (
	errClosed  = errors.New("qrprint: the writer is closed")
	errNoPages = errors.New("qrprint: the PDF has no page; add at least one code")
)

func (w *SheetWriter) borders(page *Page) {
	const half = 0.05 // of the thickness
	radius := float64(w.labels.radius)
	var lines path
	for i := range w.labels.count() {
		b := w.labels.label(i)
		lines.round(b.x-half, b.y-half, b.width+2*half, b.height+2*half, radius, false)
		lines.round(b.x+half, b.y+half, b.width-2*half, b.height-2*half, radius-2*half, true)
	}
	page.shapes = append(page.shapes, shape{path: lines, at: move(0, 0), fill: ink{screen: black}})
}

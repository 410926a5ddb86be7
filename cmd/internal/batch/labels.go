package batch

import (
	"errors"
	"io"
	"math"

	"github.com/hailmark/hailmark/cmd/internal/table"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

// PrintLabels writes a PDF with label sheets. It requires config.Paper, and ignores WriteFile,
// Archive and the format.
// Invalid rows don't use a label. If all rows are invalid, PrintLabels writes nothing to pdf.
func PrintLabels(input io.Reader, pdf io.Writer, config Config, labels qrprint.Labels) (Counts, error) {
	config.Table = config.tableConfig()
	p, err := newLabelPrinter(pdf, &config, labels)
	if err != nil {
		return Counts{}, err
	}
	t, err := table.NewReader(input, config.Table)
	if err != nil {
		return Counts{}, err
	}
	out, err := newOutput(&config, true)
	if err != nil {
		return Counts{}, err
	}
	for err == nil {
		if err = step(t, p.print, out); config.Progress != nil {
			config.Progress(out.counts, 0)
		}
	}
	if errors.Is(err, io.EOF) {
		err = errors.Join(p.finish(out.counts.OK > 0), out.close())
	}
	return out.counts, err
}

// Shift moves everything on labels by x to the right and y down, for printers that shift the
// paper.
func Shift(labels *qrprint.Labels, x, y qrprint.Millimeters) error {
	const limit = 20
	if !(math.Abs(float64(x)) <= limit && math.Abs(float64(y)) <= limit) {
		return problem.New("offset", qrprint.CodeInvalidLength, "offsets are %g and %g mm; -%d to %d mm are allowed", x, y, limit, limit)
	}
	labels.Left += x
	labels.Top += y
	return nil
}

type labelPrinter struct {
	config *Config
	sheets *qrprint.SheetWriter
	next   int // the next label on all pages, from 0
	onPage int // labels per page
}

func newLabelPrinter(pdf io.Writer, config *Config, labels qrprint.Labels) (p *labelPrinter, err error) {
	p = &labelPrinter{config: config, next: max(labels.Start, 1) - 1, onPage: labels.Columns * labels.Rows}
	p.sheets, err = qrprint.NewSheetWriter(pdf, labels)
	return p, err
}

// finish completes the PDF, unless it's empty.
func (p *labelPrinter) finish(printed bool) error {
	if !printed {
		return nil
	}
	return p.sheets.Close()
}

// print prints a row. It returns only output errors; others are in the result.
func (p *labelPrinter) print(row *table.Row) (Result, error) {
	r := Result{Row: row.Number, Status: Skipped}
	if row.IsEmpty() {
		return r, nil
	}
	c, err := p.config.parse(row)
	if err == nil {
		var warnings problem.List
		warnings, err = p.sheets.Add(p.config.paper(&c))
		r.Warnings = append(c.warnings, warnings...)
	}
	switch {
	case len(problem.All(err)) > 0:
		r.fail(row, err)
		return r, nil
	case err != nil:
		return r, err
	}
	r.Status, r.Link = OK, c.link
	r.Page, r.Label = p.next/p.onPage+1, p.next%p.onPage+1
	p.next++
	return r, nil
}

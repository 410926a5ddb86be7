package batch

import (
	"errors"
	"io"

	"github.com/hailmark/hailmark/cmd/internal/table"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

// PrintLabels writes a PDF with the codes of an input on sheets of labels. It needs
// config.Paper, and ignores Out, Resume and the format.
//
// A row that cannot be printed takes no label. If no row can be printed, nothing is
// written to pdf.
func PrintLabels(input io.Reader, pdf io.Writer, config Config, sheet qrprint.Sheet) (Counts, error) {
	config.Table.Columns, config.Out, config.onLabels = columns, "", true
	p, err := newLabelPrinter(pdf, &config, sheet)
	if err != nil {
		return Counts{}, err
	}
	t, err := table.NewReader(input, config.Table)
	if err != nil {
		return Counts{}, err
	}
	c, err := newCommitter(&config, [32]byte{})
	if err != nil {
		return Counts{}, err
	}
	err = p.run(t, c)
	return c.counts, errors.Join(err, c.close(err == nil))
}

// A labelPrinter prints rows on labels.
type labelPrinter struct {
	config *Config
	sheet  *qrprint.SheetWriter
	pdf    *qrprint.PDFWriter
	next   int // the next label, from 0 on, counted on all pages
	onPage int // the labels on a page
}

func newLabelPrinter(pdf io.Writer, config *Config, sheet qrprint.Sheet) (p *labelPrinter, err error) {
	p = &labelPrinter{config: config, pdf: qrprint.NewPDFWriter(pdf, "Labels"), next: max(sheet.Start, 1) - 1, onPage: sheet.Labels.Count()}
	p.sheet, err = qrprint.NewSheetWriter(sheet, p.pdf.WritePage)
	return p, err
}

func (p *labelPrinter) run(t *table.Reader, c *committer) error {
	for {
		row, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		r, err := p.print(&row)
		if err != nil {
			return err
		}
		if err := c.commit(&r); err != nil {
			return err
		}
		if p.config.Progress != nil && row.Number%rowsAChunk == 0 {
			p.config.Progress(c.counts)
		}
	}
	return p.finish(c.counts.OK > 0)
}

// finish completes the PDF, unless it has no labels.
func (p *labelPrinter) finish(printed bool) error {
	if err := p.sheet.Close(); err != nil || !printed {
		return err
	}
	return p.pdf.Close()
}

// print prints a row. Its error is a fault of the output.
func (p *labelPrinter) print(row *table.Row) (Result, error) {
	r := Result{Row: row.Number, Status: Skipped}
	if row.IsEmpty() {
		return r, nil
	}
	c, err := p.config.parse(row)
	if err == nil {
		r.Warnings, err = p.sheet.Add(p.config.paper(&c))
	}
	switch list := problem.All(err); {
	case len(list) > 0:
		r.Status, r.Problem, r.Warnings = Failed, list[0], nil
		return r, nil
	case err != nil:
		return r, err
	}
	r.Status, r.Link = OK, c.link
	r.Page, r.Label = p.next/p.onPage+1, p.next%p.onPage+1
	p.next++
	return r, nil
}

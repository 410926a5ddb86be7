//go:build !core && !npm

package calls

import (
	"github.com/hailmark/hailmark/cmd/internal/batch"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

// A product is a sheet of labels.
type product struct {
	name string
	qrprint.Labels
}

var labelMembers = []member[product]{
	textOf("name", func(p *product) string { return p.name }),
	textOf("paper", func(p *product) string { return p.Paper.String() }),
	intOf("columns", func(p *product) int { return p.Columns }),
	intOf("rows", func(p *product) int { return p.Rows }),
	floatOf("width", func(p *product) float64 { return float64(p.Width) }),
	floatOf("height", func(p *product) float64 { return float64(p.Height) }),
	floatOf("left", func(p *product) float64 { return float64(p.Left) }),
	floatOf("top", func(p *product) float64 { return float64(p.Top) }),
	floatOf("pitchX", func(p *product) float64 { return float64(p.PitchX) }),
	floatOf("pitchY", func(p *product) float64 { return float64(p.PitchY) }),
}

// labelProducts returns the measures of all labels.
func labelProducts(_ *arguments, r *result) error {
	names := qrprint.LabelNames()
	r.int(len(names))
	for _, name := range names {
		l, err := qrprint.ParseLabels(name)
		if err != nil {
			return err
		}
		write(r, labelMembers, &product{name, l})
	}
	return nil
}

// labelSheet draws a sheet with one code, as an SVG.
func labelSheet(a *arguments, r *result) error {
	code, err := a.code()
	code.Title, code.Bleed, code.CropMarks = "", 0, false
	o := a.object("labelOptions")
	labels, unknown := qrprint.ParseLabels(o.text("labels"))
	labels.Start, labels.Borders = o.int("start"), o.bool("border")
	if err := problemsOf(unknown, err); err != nil {
		return err
	}
	if err := batch.Shift(&labels, o.length("offsetX"), o.length("offsetY")); err != nil {
		return err
	}
	page, err := labels.Page(code)
	if err != nil {
		return err
	}
	r.problems(page.Warnings())
	r.data, err = page.Append(r.data, qrcode.SVG)
	return err
}

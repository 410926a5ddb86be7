//go:build !core

package calls

import (
	"github.com/hailmark/hailmark/cmd/internal/batch"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

// labelProducts returns the measures of all labels.
func labelProducts(_ *arguments, r *result) error {
	names := qrprint.LabelNames()
	r.int(len(names))
	for _, name := range names {
		l, err := qrprint.ParseLabels(name)
		if err != nil {
			return err
		}
		r.string(name)
		r.string(l.Paper.String())
		r.int(l.Columns)
		r.int(l.Rows)
		for _, length := range []qrprint.Millimeters{l.Width, l.Height, l.Left, l.Top, l.PitchX, l.PitchY} {
			r.float(float64(length))
		}
	}
	return nil
}

// labelSheet draws a sheet with one code, as an SVG.
func labelSheet(a *arguments, r *result) error {
	code, err := a.code()
	labels, unknown := qrprint.ParseLabels(a.string())
	labels.Start, labels.Borders = a.int(), a.bool()
	x, y := a.length(), a.length()
	if err := problemsOf(unknown, err); err != nil {
		return err
	}
	if err := batch.Shift(&labels, x, y); err != nil {
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

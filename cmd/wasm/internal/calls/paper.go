//go:build !core

package calls

import (
	"bytes"

	"github.com/hailmark/hailmark/cmd/internal/batch"
	"github.com/hailmark/hailmark/internal/textvalue"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

// logo is the logo of the last call, which is the logo of most calls.
var logo struct {
	data   []byte
	parsed *qrprint.Logo
}

func (a *arguments) logo() (*qrprint.Logo, error) {
	data := a.bytes()
	if len(data) == 0 {
		return nil, nil
	}
	if logo.parsed == nil || !bytes.Equal(data, logo.data) {
		parsed, err := qrprint.ParseLogo(data)
		if err != nil {
			return nil, err
		}
		logo.data, logo.parsed = bytes.Clone(data), parsed
	}
	return logo.parsed, nil
}

// code reads a code for paper. The text is the first argument.
func (a *arguments) code() (c qrprint.Code, err error) {
	var errs [5]error
	c.Text, errs[4] = a.content()
	c.Width, c.ModuleWidth, c.DPI = a.length(), a.length(), a.int()
	errs[0] = setting(a, &c.MinLevel, textvalue.Parse[qrcode.Level])
	c.Margin = a.margin()
	c.Caption, c.Frame = a.string(), a.string()
	c.Logo, errs[1] = a.logo()
	c.LogoShare = a.float()
	errs[2] = setting(a, &c.Foreground, qrcode.ParseColor)
	errs[3] = setting(a, &c.Background, qrcode.ParseBackground)
	return c, problemsOf(errs[:]...)
}

func (a *arguments) length() qrprint.Millimeters { return qrprint.Millimeters(a.float()) }

// page returns the measures of a code, and its file if it gets a format.
func page(a *arguments, r *result) error {
	code, err := a.code()
	code.Title, code.Bleed = a.string(), a.length()
	var format qrcode.Format
	var invalid error
	draws := a.bool()
	if draws {
		format, invalid = batch.ParsePaperFormat(a.string())
	}
	if err != nil || invalid != nil {
		return problemsOf(invalid, err)
	}
	page, err := code.Page()
	if err != nil {
		return err
	}
	width, height := page.Size()
	r.float(float64(width))
	r.float(float64(height))
	r.problems(page.Warnings())
	m := page.Codes()[0]
	r.symbol(m.Symbol)
	r.float(float64(m.X))
	r.float(float64(m.Y))
	r.float(float64(m.ModuleWidth))
	r.float(float64(m.ModuleWidth) * float64(m.Symbol.Modules()))
	r.int(m.Dots)
	r.int(m.LogoModules[0])
	r.int(m.LogoModules[1])
	if draws {
		r.data, err = page.Append(r.data, format)
	}
	return err
}

//go:build !core && !npm

package calls

import (
	"bytes"
	"strings"

	"github.com/hailmark/hailmark/cmd/internal/batch"
	"github.com/hailmark/hailmark/internal/textvalue"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

// logo is the logo of the last call, which is the logo of most calls.
var logo struct {
	data   []byte
	parsed *qrprint.Logo
}

func (o *object) logo() (*qrprint.Logo, error) {
	data, isSet := o.bytes("logo")
	if !isSet {
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

// code reads a code for paper.
func (a *arguments) code() (c qrprint.Code, err error) {
	o := a.object("code")
	var errs [3]error
	c.Text, errs[2] = checkContent(o.text("text"))
	c.Width, c.OuterWidth, c.ModuleWidth, c.DPI = o.length("size"), o.length("outer"), o.length("module"), o.int("dpi")
	errs[0] = o.style(&c.Style)
	c.Caption, c.Frame = o.text("caption"), o.text("frame")
	c.Logo, errs[1] = o.logo()
	c.LogoShare = o.float("logoShare")
	c.Title, c.Bleed, c.CropMarks = o.text("title"), o.length("bleed"), o.bool("cropMarks")
	return c, problemsOf(errs[:]...)
}

func (o *object) length(name string) qrprint.Millimeters { return qrprint.Millimeters(o.float(name)) }

// format reads the name of a format for paper. "" means that nothing is to be drawn.
func (a *arguments) format() (f qrcode.Format, draws bool, err error) {
	draws = a.bool()
	if draws {
		f, err = batch.ParsePaperFormat(a.string())
	}
	return f, draws, err
}

// page returns the measures of a code, and its file if it gets a format.
func page(a *arguments, r *result) error {
	code, err := a.code()
	format, draws, invalid := a.format()
	if err != nil || invalid != nil {
		return problemsOf(invalid, err)
	}
	page, err := code.Page()
	if err != nil {
		return err
	}
	return r.page(page, format, draws)
}

// posterPage is like page for a poster or a table tent.
func posterPage(a *arguments, r *result) error {
	code, err := a.code()
	o := a.object("posterOptions")
	poster := qrprint.Poster{Paper: qrprint.A4, Code: code, Heading: o.text("heading"), Text: o.text("footer")}
	unknown := setting(o, "paper", &poster.Paper, textvalue.Parse[qrprint.Paper])
	format, draws, invalid := a.format()
	if err != nil || unknown != nil || invalid != nil {
		return problemsOf(invalid, unknown, err)
	}
	draw := poster.Page
	if o.bool("tent") {
		draw = poster.Tent
	}
	page, err := draw()
	if err != nil {
		list := problem.All(err)
		for i, p := range list {
			if p.Field == "text" && strings.HasPrefix(string(p.Code), "print_") { // not the code's
				list[i].Field = "footer"
			}
		}
		return list.Err()
	}
	return r.page(page, format, draws)
}

// measures are those of a page and its first code.
type measures struct {
	width, height qrprint.Millimeters
	qrprint.Measure
}

var measureMembers = []member[measures]{
	floatOf("width", func(m *measures) float64 { return float64(m.width) }),
	floatOf("height", func(m *measures) float64 { return float64(m.height) }),
	floatOf("x", func(m *measures) float64 { return float64(m.X) }),
	floatOf("y", func(m *measures) float64 { return float64(m.Y) }),
	floatOf("module", func(m *measures) float64 { return float64(m.ModuleWidth) }),
	floatOf("size", func(m *measures) float64 { return float64(m.ModuleWidth) * float64(m.Symbol.Size()) }),
	intOf("dots", func(m *measures) int { return m.Dots }),
}

func (r *result) page(page *qrprint.Page, format qrcode.Format, draws bool) (err error) {
	m := measures{Measure: page.Codes()[0]}
	m.width, m.height = page.Size()
	write(r, measureMembers, &m)
	r.int(m.LogoModules[0])
	r.int(m.LogoModules[1])
	r.symbol(m.Symbol)
	r.problems(page.Warnings())
	if draws {
		r.data, err = page.Append(r.data, format)
	}
	return err
}

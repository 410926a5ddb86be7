package calls

import (
	"bytes"
	"unicode/utf8"

	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

// content reads a code's text. Hosts encode a lone surrogate, which isn't a character, as
// invalid UTF-8.
func (a *arguments) content() (string, error) {
	s := a.string()
	if !utf8.ValidString(s) {
		return s, problem.New(chatlink.CodeInvalidText, "text must be valid Unicode, but it has a lone surrogate")
	}
	return s, nil
}

// setting parses an argument unless it's empty.
func setting[T any](a *arguments, to *T, parse func(string) (T, error)) error {
	s := a.string()
	if s == "" {
		return nil
	}
	v, err := parse(s)
	if err == nil {
		*to = v
	}
	return err
}

func (a *arguments) options() (o qrcode.Options, err error) {
	format := setting(a, &o.Format, qrcode.ParseFormat)
	o.Size = a.int()
	level := setting(a, &o.MinLevel, qrcode.ParseLevel)
	o.Margin, o.NoMargin = a.margin()
	o.Title = a.string()
	foreground := setting(a, &o.Foreground, qrcode.ParseColor)
	background := setting(a, &o.Background, qrcode.ParseBackground)
	if format == nil && level == nil && foreground == nil && background == nil {
		return o, nil
	}
	return o, problemsOf(format, level, foreground, background)
}

func render(a *arguments, r *result) error {
	text, err := a.content()
	o, invalid := a.options()
	if err != nil || invalid != nil {
		return problemsOf(invalid, err)
	}
	r.data, err = qrcode.AppendQR(r.data, text, o)
	return err
}

func encode(a *arguments, r *result) error {
	text, err := a.content()
	version := a.int()
	var level qrcode.Level
	invalid := setting(a, &level, qrcode.ParseLevel)
	if err != nil || invalid != nil {
		return problemsOf(invalid, err)
	}
	s, err := qrcode.Encode(text, qrcode.EncodeOptions{MinVersion: version, MinLevel: level})
	if err != nil {
		return err
	}
	r.symbol(s)
	r.int(s.Modules() * s.Modules())
	for y := range s.Modules() {
		for x := range s.Modules() {
			module := byte(0)
			if s.Dark(x, y) {
				module = 1
			}
			r.data = append(r.data, module)
		}
	}
	return nil
}

func (r *result) symbol(s qrcode.Symbol) {
	r.int(s.Version())
	r.string(s.Level().String())
	r.int(s.Mask())
	r.int(s.Modules())
}

// logo caches the last logo, because most calls use the same logo.
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

// code reads a code for paper.
func (a *arguments) code() (c qrprint.Code, err error) {
	var errs [5]error
	c.Text, errs[4] = a.content()
	c.Width, c.ModuleWidth, c.DPI = a.length(), a.length(), a.int()
	errs[0] = setting(a, &c.MinLevel, qrcode.ParseLevel)
	c.Margin, c.NoMargin = a.margin()
	c.Caption, c.Frame = a.string(), a.string()
	c.Logo, errs[1] = a.logo()
	c.LogoShare = a.float()
	errs[2] = setting(a, &c.Foreground, qrcode.ParseColor)
	errs[3] = setting(a, &c.Background, qrcode.ParseBackground)
	return c, problemsOf(errs[:]...)
}

// margin reads a number of modules. Unlike in Go, 0 specifies no margin; the host provides the
// default.
func (a *arguments) margin() (modules int, none bool) {
	modules = a.int()
	return modules, modules == 0
}

func (a *arguments) length() qrprint.Millimeters { return qrprint.Millimeters(a.float()) }

// page returns the measurements, along with the file if the arguments specify a format.
func page(a *arguments, r *result) error {
	code, err := a.code()
	title, bleed := a.string(), a.length()
	var format qrprint.Format
	var invalid error
	draws := a.bool()
	if draws {
		format, invalid = qrprint.ParseFormat(a.string())
	}
	if err != nil || invalid != nil {
		return problemsOf(invalid, err)
	}
	page, err := code.PageWithBleed(bleed)
	if err != nil {
		return err
	}
	if title != "" {
		page = page.WithTitle(title)
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
	r.float(float64(m.Width()))
	r.int(m.Dots)
	r.int(m.LogoModules[0])
	r.int(m.LogoModules[1])
	if draws {
		r.data, err = page.Append(r.data, format)
	}
	return err
}

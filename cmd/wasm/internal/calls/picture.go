package calls

import (
	"math"
	"unicode/utf8"

	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/internal/textvalue"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
)

// content reads a code's text. Hosts encode a lone surrogate, which isn't a character, as
// invalid UTF-8.
func (a *arguments) content() (string, error) {
	s := a.string()
	if !utf8.ValidString(s) {
		return s, problem.New("text", chatlink.CodeInvalidText, "text isn't valid Unicode; it contains a lone surrogate")
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
	level := setting(a, &o.MinLevel, textvalue.Parse[qrcode.Level])
	o.Margin = a.margin()
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
	image, err := qrcode.RenderQR(text, o)
	r.data = append(r.data, image...)
	return err
}

func encode(a *arguments, r *result) error {
	text, err := a.content()
	version := a.int()
	var level qrcode.Level
	invalid := setting(a, &level, textvalue.Parse[qrcode.Level])
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

// margin reads a number of modules. Unlike in Go, 0 specifies no margin, no negative number does,
// and the host provides the default.
func (a *arguments) margin() int {
	switch modules := a.int(); {
	case modules == 0:
		return qrcode.NoMargin
	case modules < 0:
		return math.MinInt32
	default:
		return modules
	}
}

func (r *result) symbol(s qrcode.Symbol) {
	r.int(s.Version())
	r.string(s.Level().String())
	r.int(s.Mask())
	r.int(s.Modules())
}

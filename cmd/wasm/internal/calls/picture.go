package calls

import (
	"unicode/utf8"

	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
)

func (a *arguments) content() (string, error) { return checkContent(a.string()) }

// checkContent checks a code's text. Hosts encode a lone surrogate, which isn't a character, as
// invalid UTF-8.
func checkContent(s string) (string, error) {
	if !utf8.ValidString(s) {
		return s, problem.New("text", chatlink.CodeInvalidText, "text isn't valid Unicode; it contains a lone surrogate")
	}
	return s, nil
}

func (a *arguments) options() (o qrcode.Options, err error) {
	options := a.object("qrOptions")
	format := setting(options, "format", &o.Format, qrcode.ParseFormat)
	o.Size = options.int("size")
	o.Title = options.text("title")
	return o, problemsOf(format, options.style(&o.Style))
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
	options := a.object("encodeOptions")
	var level qrcode.Level
	invalid := setting(options, "minLevel", &level, qrcode.ParseLevel)
	if err != nil || invalid != nil {
		return problemsOf(invalid, err)
	}
	s, err := qrcode.Encode(text, qrcode.EncodeOptions{MinVersion: options.int("minVersion"), MinLevel: level})
	if err != nil {
		return err
	}
	r.symbol(s)
	r.int(s.Size() * s.Size())
	for y := range s.Size() {
		for x := range s.Size() {
			module := byte(0)
			if s.Dark(x, y) {
				module = 1
			}
			r.data = append(r.data, module)
		}
	}
	return nil
}

// verdict appends the verdict on a code with these warnings, and the warnings.
func (r *result) verdict(warnings problem.List) {
	v := qrcode.VerdictOf(warnings, nil)
	r.string(string(v.Light))
	r.string(v.Sentence)
	r.problems(warnings)
}

var symbolMembers = []member[qrcode.Symbol]{
	intOf("version", func(s *qrcode.Symbol) int { return s.Version() }),
	textOf("level", func(s *qrcode.Symbol) string { return s.Level().String() }),
	intOf("mask", func(s *qrcode.Symbol) int { return s.Mask() }),
	intOf("modules", func(s *qrcode.Symbol) int { return s.Size() }),
}

func (r *result) symbol(s qrcode.Symbol) { write(r, symbolMembers, &s) }

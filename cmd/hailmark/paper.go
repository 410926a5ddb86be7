package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/hailmark/hailmark/cmd/hailmark/internal/outfile"
	"github.com/hailmark/hailmark/cmd/internal/batch"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

type paper struct {
	mm, module, outer, dpi, bleed   string
	caption, frame, logo, logoShare string
	cropMarks                       bool
}

// forPaper begins each description of a flag for paper. The help lists these flags separately.
const forPaper = "for paper: "

func (p *paper) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&p.mm, "mm", "", forPaper+"the width of the code in `mm`, without its quiet zone (default 25; on a label or poster, as large as fits)")
	flags.StringVar(&p.module, "module", "", forPaper+"the width of a module in `mm`, instead of --mm")
	flags.StringVar(&p.outer, "outer", "", forPaper+"the width in `mm` with the quiet zone and frame, instead of --mm; that of a page without other content")
	flags.StringVar(&p.dpi, "dpi", "", forPaper+"the printer's resolution in `dots` per inch, so that modules are whole dots")
	flags.StringVar(&p.caption, "caption", "", forPaper+"a `text` below the code")
	flags.StringVar(&p.frame, "frame", "", forPaper+"a `text` in a frame around the code, for example Scan me")
	flags.StringVar(&p.logo, "logo", "", forPaper+"a PNG `file` for the middle of the code")
	flags.StringVar(&p.logoShare, "logo-share", "", forPaper+"the maximum `share` of the width for the logo (default 0.25)")
}

func (p *paper) addBleed(flags *pflag.FlagSet) {
	flags.StringVar(&p.bleed, "bleed", "", forPaper+"the `mm` by which the background extends beyond the trimmed page")
	flags.BoolVar(&p.cropMarks, "crop-marks", false, forPaper+"draw lines around the page that show where to trim it")
}

// defaultDPI is the default resolution for a PNG for paper.
const defaultDPI = 300

func (p *picture) isForPaper() bool {
	return p.format == "pdf" || p.format == "eps" || p.paper != (paper{})
}

// code returns the code and its format. The caller should set its text.
func (p *picture) code(files *outfile.Files) (qrprint.Code, qrcode.Format, error) {
	if p.size != "" {
		return qrprint.Code{}, "", usage("--size is in pixels, for screens; use --mm for paper")
	}
	format := qrcode.PNG
	if err := flagValue("format", p.format, &format, batch.ParsePaperFormat); err != nil {
		return qrprint.Code{}, "", err
	}
	if format != qrprint.PDF && format != qrprint.EPS && p.style.hasInks() {
		return qrprint.Code{}, "", errInks()
	}
	code, err := p.paper.code(files, p.style)
	if code.DPI == 0 && format == qrcode.PNG {
		code.DPI = defaultDPI
	}
	return code, format, err
}

// code returns a code without text.
func (p *paper) code(files *outfile.Files, s style) (qrprint.Code, error) {
	foreground, background, s, inksErr := s.inks()
	o, err := s.options()
	c := qrprint.Code{
		ForegroundCMYK: foreground, BackgroundCMYK: background, CropMarks: p.cropMarks,
		Caption: p.caption, Frame: p.frame,
		Style: o.Style,
	}
	set := 0
	for _, width := range []string{p.mm, p.module, p.outer} {
		if width != "" {
			set++
		}
	}
	if set > 1 {
		return c, usage("--mm, --module and --outer are mutually exclusive")
	}
	err = errors.Join(
		inksErr, err,
		flagValue("mm", p.mm, &c.Width, parseLength),
		flagValue("module", p.module, &c.ModuleWidth, parseLength),
		flagValue("outer", p.outer, &c.OuterWidth, parseLength),
		flagValue("bleed", p.bleed, &c.Bleed, parseLength),
		flagValue("dpi", p.dpi, &c.DPI, parseDPI),
		flagValue("logo-share", p.logoShare, &c.LogoShare, parseShare),
	)
	if err == nil && p.logo != "" {
		c.Logo, err = readLogo(files, p.logo)
	}
	return c, err
}

// inks returns the colors for a press, and the style without them.
func (s style) inks() (foreground, background qrprint.CMYK, rest style, err error) {
	rest = s
	if isInk(s.color) {
		err = flagValue("color", s.color, &foreground, qrprint.ParseCMYK)
		rest.color = ""
	}
	if isInk(s.background) {
		err = errors.Join(err, flagValue("background", s.background, &background, qrprint.ParseCMYK))
		rest.background = ""
	}
	return foreground, background, rest, err
}

func (s style) hasInks() bool { return isInk(s.color) || isInk(s.background) }

func isInk(color string) bool { return strings.HasPrefix(color, "cmyk:") }

func errInks() error {
	return usage("--color and --background with cmyk: need PDF or EPS, because PNG and SVG have no inks; use hexadecimal digits such as 25d366")
}

// parseLength parses a length. Package qrprint checks its limits.
func parseLength(s string) (qrprint.Millimeters, error) {
	v, err := parsePositive(s, "length isn't a number of millimeters above 0, for example 25 or 0.5")
	return qrprint.Millimeters(v), err
}

func parseShare(s string) (float64, error) {
	return parsePositive(s, "share isn't a number above 0, for example 0.2 for a fifth of the width")
}

// parsePositive parses a finite number above 0.
func parsePositive(s, rule string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v > 0) || math.IsInf(v, 0) {
		return 0, errors.New(rule)
	}
	return v, nil
}

func parseDPI(s string) (int, error) {
	v, err := strconv.Atoi(s)
	if err != nil || v <= 0 {
		return 0, errors.New("resolution isn't a whole number of dots per inch, for example 300")
	}
	return v, nil
}

func readLogo(files *outfile.Files, name string) (*qrprint.Logo, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	const tooLarge = 5 << 20 // ParseLogo rejects it
	data, err := io.ReadAll(io.LimitReader(f, tooLarge))
	if err != nil {
		return nil, err
	}
	return qrprint.ParseLogo(data)
}

func (a *app) warn(place string, warnings problem.List) {
	if place != "" {
		place += ": "
	}
	for _, w := range warnings {
		fmt.Fprintf(a.stderr, "hailmark: warning: %s%s (%s)\n", place, w.Message, w.Code)
	}
}

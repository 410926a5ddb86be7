package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hailmark/hailmark/cmd/hailmark/internal/outfile"
	"github.com/hailmark/hailmark/cmd/internal/batch"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
)

const qrHelp = `The target is a username, a phone number, or a link that hailmark parse supports; hailmark link
--help describes them.

Without --output, the code appears in the terminal. Otherwise, the file extension determines
the format: png, svg, pdf or eps. With "-o -", it's PNG unless --format sets another.

PDF and EPS are for paper. PNG and SVG are for screens, or for paper if a flag for paper is
set. By default, a code for paper is 25 mm wide, and a PNG for paper has 300 dots per inch. A
code that can't be printed well is rejected, and one that some scanners may not read gets a
warning.

In a terminal, the code is black on white. With NO_COLOR set, or if the output isn't a
terminal, the text has no colors and needs a dark theme; --light is for a light one.`

type picture struct {
	format, size string
	style        style
	paper        paper
}

// A style holds the flags that all images support.
type style struct {
	color, background, level, margin string
}

func (p *picture) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&p.format, "format", "", "image `format`: png, svg, pdf or eps")
	settingFlag(flags, &p.size, "size", "")
	p.style.addFlags(flags)
	p.paper.addFlags(flags)
	p.paper.addBleed(flags)
}

func (s *style) addFlags(flags *pflag.FlagSet) {
	settingFlag(flags, &s.color, "color", ", or cmyk:0,0,0,100 in PDF and EPS")
	settingFlag(flags, &s.background, "bg", "")
	settingFlag(flags, &s.level, "level", "")
	settingFlag(flags, &s.margin, "margin", "")
}

// settingFlag adds a flag for a setting of package qrcode. more continues its description.
func settingFlag(flags *pflag.FlagSet, value *string, name, more string) {
	s := settingOf(name)
	flags.StringVar(value, s.Word, "", s.Sentence+more+" (default "+s.Default+")")
}

func settingOf(name string) qrcode.Setting {
	all := qrcode.Settings()
	return all[slices.IndexFunc(all, func(s qrcode.Setting) bool { return s.Name == name })]
}

// set sets an option unless the flag is empty.
func set(o *qrcode.Options, name, value string) error {
	if value == "" {
		return nil
	}
	if err := o.Set(name, value); err != nil {
		return usage("--%s: %v", settingOf(name).Word, err)
	}
	return nil
}

// options returns the options for a screen.
func (p *picture) options() (qrcode.Options, error) {
	o, err := p.style.options()
	return o, errors.Join(err, flagValue("format", p.format, &o.Format, parseScreenFormat), set(&o, "size", p.size))
}

// options returns the options for a style without inks.
func (s *style) options() (o qrcode.Options, err error) {
	if s.hasInks() {
		return o, errInks()
	}
	return o, errors.Join(set(&o, "margin", s.margin), set(&o, "color", s.color), set(&o, "bg", s.background), set(&o, "level", s.level))
}

// flagValue parses a flag unless it's empty.
func flagValue[T any](flag, value string, to *T, parse func(string) (T, error)) error {
	if value == "" {
		return nil
	}
	parsed, err := parse(value)
	if err != nil {
		return usage("--%s: %v", flag, err)
	}
	*to = parsed
	return nil
}

// parseScreenFormat parses a format. Its error also lists the formats for paper.
func parseScreenFormat(s string) (qrcode.Format, error) {
	format, err := qrcode.ParseFormat(s)
	if err != nil {
		_, err = batch.ParsePaperFormat(s)
	}
	return format, err
}

func (a *app) newQR() *cobra.Command {
	var (
		p      picture
		chat   chatFlags
		output string
		light  bool
	)
	cmd := &cobra.Command{
		Use:        "qr <target>",
		SuggestFor: []string{"code", "qrcode"},
		Short:      "Draw a QR code as PNG, SVG, PDF or EPS, or in the terminal",
		Long:       qrHelp,
		GroupID:    "make",
		Example: `  hailmark qr jane.doe
  hailmark qr jane.doe -o jane.png --size 1024
  hailmark qr jane.doe -o jane.pdf --mm 25 --dpi 300 --caption "@jane.doe" --logo logo.png
  hailmark qr +16505551234 --text "Hi" -o - --format svg`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			link, err := a.linkOf(args[0], chat)
			if err != nil {
				return err
			}
			if output == "" {
				return a.drawText(link, p, light)
			}
			if light {
				return usage("--light is for codes in the terminal; remove --output or --light")
			}
			return a.drawPicture(link, p, output)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "the image `file` to write")
	chat.addFlags(cmd.Flags())
	cmd.Flags().BoolVar(&light, "light", false, "draw text without colors for a light theme")
	p.addFlags(cmd.Flags())
	a.forceFlag(cmd.Flags())
	return cmd
}

// linkOf returns the link to a target, which may be a link itself.
func (a *app) linkOf(arg string, flags chatFlags) (string, error) {
	c, err := flags.parse()
	if err != nil {
		return "", err
	}
	link, err := a.chatLink(arg, c)
	if err != nil {
		return "", err
	}
	return link.String(), nil
}

func (a *app) drawText(link string, p picture, light bool) error {
	if p != (picture{style: style{level: p.style.level}}) {
		return usage("image flags, such as --format, --size or --mm, need --output")
	}
	o, err := p.options()
	if err != nil {
		return err
	}
	symbol, err := qrcode.Encode(link, qrcode.EncodeOptions{MinLevel: o.MinLevel})
	if err != nil {
		return err
	}
	text := string(symbol.AppendTerminal(nil))
	switch {
	case light:
		text = forLightTheme(text)
	case a.isTerminal(a.stdout) && a.getenv("NO_COLOR") == "":
		text = blackOnWhite(text)
	}
	_, err = fmt.Fprint(a.stdout, text)
	return err
}

// blackOnWhite sets the colors line by line, so that the theme doesn't matter.
func blackOnWhite(text string) string {
	const white, black, reset = "\x1b[38;5;231m", "\x1b[48;5;16m", "\x1b[0m"
	return white + black + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", reset+"\n"+white+black) + reset + "\n"
}

// forLightTheme swaps dark and light. The last line is only light.
func forLightTheme(text string) string {
	text = strings.NewReplacer("█", " ", " ", "█", "▀", "▄", "▄", "▀").Replace(text)
	body := text[:strings.LastIndex(strings.TrimSuffix(text, "\n"), "\n")+1]
	width := len([]rune(body[:strings.Index(body, "\n")]))
	return body + strings.Repeat(" ", width) + "\n"
}

func (a *app) drawPicture(link string, p picture, output string) error {
	if err := p.setFormat(output); err != nil {
		return err
	}
	drawing, warnings, err := p.draw(a.files, link)
	if err != nil {
		return err
	}
	return a.writePicture(output, p.format, drawing, warnings)
}

func (a *app) writePicture(output, format string, drawing []byte, warnings problem.List) error {
	a.warn("", warnings)
	return a.write(output, format, drawing)
}

func (a *app) write(output, format string, data []byte) error {
	w, err := a.create(output, format)
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}

// create opens an output. It rejects a terminal that can't show the format.
func (a *app) create(output, format string) (io.Writer, error) {
	if output == "-" && format != "svg" && format != "eps" && a.isTerminal(a.stdout) {
		return nil, fmt.Errorf("the terminal can't show %s; write it to a file with -o file.%s", strings.ToUpper(format), format)
	}
	return a.files.Create(output)
}

// setFormat infers the format from the file extension.
func (p *picture) setFormat(output string) error {
	if output == "-" {
		if p.format == "" {
			p.format = "png"
		}
		return nil
	}
	switch extension := strings.TrimPrefix(strings.ToLower(filepath.Ext(output)), "."); {
	case extension != "png" && extension != "svg" && extension != "pdf" && extension != "eps":
		if p.format == "" {
			return usage("--output %s doesn't end in .png, .svg, .pdf or .eps; rename it or set --format", filepath.Base(output))
		}
	case p.format != "" && p.format != extension:
		return usage("--format %s doesn't match the extension of %s", p.format, filepath.Base(output))
	default:
		p.format = extension
	}
	return nil
}

func (p *picture) draw(files *outfile.Files, link string) ([]byte, problem.List, error) {
	if !p.isForPaper() {
		o, err := p.options()
		if err != nil {
			return nil, nil, err
		}
		o.Title = link
		drawing, err := qrcode.RenderQR(link, o)
		warnings, _ := o.CheckText(link) // RenderQR returns the error
		return drawing, warnings, err
	}
	code, format, err := p.code(files)
	if err != nil {
		return nil, nil, err
	}
	code.Text = link
	page, err := code.Page()
	if err != nil {
		return nil, nil, err
	}
	drawing, err := page.Append(nil, format)
	return drawing, page.Warnings(), err
}

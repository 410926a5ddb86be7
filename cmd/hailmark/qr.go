package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/qrcode"
)

const qrHelp = `QR draws the QR code of a target: a username, a phone number with its country code, or a
link that hailmark parse knows.

Without --output it draws the code as text, for the terminal. Otherwise the format follows
the ending of the file: png or svg. With "-o -" the picture goes to the standard output, in
the format that --format names.

In a terminal the code is black on white, whatever the theme is. With NO_COLOR set, or if
the output is not a terminal, the text has no colours and fits a dark theme; --light fits a
light one.`

// A picture has the flags of a picture.
type picture struct {
	format, size, color, background, level string
	margin                                 int
}

func (p *picture) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&p.format, "format", "", "png or svg")
	flags.StringVar(&p.size, "size", "", "the width and height in `pixels` (default 512)")
	flags.StringVar(&p.color, "color", "", "the `colour` of the dark modules, as 000000")
	flags.StringVar(&p.background, "background", "", "the `colour` of the background, as ffffff, or transparent")
	flags.StringVar(&p.level, "level", "", "the least error correction `level`: L, M, Q or H")
	flags.IntVar(&p.margin, "margin", 0, "the quiet zone in `modules` (default 4)")
}

// options returns the options of package qrcode.
func (p *picture) options() (o qrcode.Options, err error) {
	var errs []error
	set := func(flag, value string, parse func(string) error) {
		if value == "" {
			return
		}
		if err := parse(value); err != nil {
			errs = append(errs, usage("--%s: %v", flag, err))
		}
	}
	o.Margin = p.margin
	set("format", p.format, func(s string) (err error) { o.Format, err = qrcode.ParseFormat(s); return err })
	set("size", p.size, func(s string) (err error) { o.Size, err = parseSize(s); return err })
	set("color", p.color, func(s string) (err error) { o.Foreground, err = parseColor(s); return err })
	set("background", p.background, func(s string) (err error) { o.Background, err = parseBackground(s); return err })
	set("level", p.level, func(s string) (err error) { o.MinLevel, err = qrcode.ParseLevel(strings.ToUpper(s)); return err })
	return o, errors.Join(errs...)
}

func parseSize(s string) (int, error) {
	size, err := strconv.ParseUint(s, 10, 16)
	if err != nil || size < qrcode.MinSize || size > qrcode.MaxSize {
		return 0, fmt.Errorf("size must be from %d to %d pixels", qrcode.MinSize, qrcode.MaxSize)
	}
	return int(size), nil
}

// People write colours with a leading #.
func parseColor(s string) (qrcode.Color, error) {
	return qrcode.ParseColor(strings.TrimPrefix(s, "#"))
}

func parseBackground(s string) (qrcode.Color, error) {
	return qrcode.ParseBackground(strings.TrimPrefix(s, "#"))
}

func (a *app) newQR() *cobra.Command {
	var (
		p                  picture
		output, text, host string
		light              bool
	)
	cmd := &cobra.Command{
		Use:     "qr target",
		Short:   "Draw a QR code",
		Long:    qrHelp,
		GroupID: "make",
		Example: `  hailmark qr jane.doe
  hailmark qr jane.doe -o jane.png --size 1024
  hailmark qr +16505551234 --text "Hi" -o - --format svg`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			link, err := a.linkOf(args[0], host, text)
			if err != nil {
				return err
			}
			if output == "" {
				return a.drawText(link, p, light)
			}
			if light {
				return usage("--light is for the terminal, without --output")
			}
			return a.drawPicture(link, p, output)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "write a picture to this `file`")
	cmd.Flags().StringVar(&text, "text", "", "a message that is ready to send")
	cmd.Flags().StringVar(&host, "host", chatlink.DefaultHost, "the `host` of the link")
	cmd.Flags().BoolVar(&light, "light", false, "draw text without colours for a light theme")
	p.addFlags(cmd.Flags())
	return cmd
}

// linkOf returns the link of a target, which may be a link itself.
func (a *app) linkOf(arg, host, text string) (string, error) {
	h, t, err := parseLinkOptions(host, text)
	if err != nil {
		return "", err
	}
	if strings.Contains(arg, "/") {
		link, err := h.ParseLink(arg)
		if err == nil && text != "" {
			err = usage("--text is for usernames and numbers: a link has its own text")
		}
		if h != (chatlink.Host{}) {
			return arg, err // the canonical form is on wa.me
		}
		return link.String(), err
	}
	to, err := parseTarget(arg)
	return to.link(h, t), err
}

// drawText draws a code as text.
func (a *app) drawText(link string, p picture, light bool) error {
	if p != (picture{level: p.level}) {
		return usage("--format, --size, --color, --background and --margin need --output")
	}
	o, err := p.options()
	if err != nil {
		return err
	}
	symbol, err := qrcode.EncodeAtLeast(link, 1, o.MinLevel)
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

// blackOnWhite sets the colours of each line, so that the theme does not matter.
func blackOnWhite(text string) string {
	const white, black, reset = "\x1b[38;5;231m", "\x1b[48;5;16m", "\x1b[0m"
	return white + black + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", reset+"\n"+white+black) + reset + "\n"
}

// forLightTheme exchanges dark and light. The last line is only light.
func forLightTheme(text string) string {
	text = strings.NewReplacer("█", " ", " ", "█", "▀", "▄", "▄", "▀").Replace(text)
	body := text[:strings.LastIndex(strings.TrimSuffix(text, "\n"), "\n")+1]
	width := len([]rune(body[:strings.Index(body, "\n")]))
	return body + strings.Repeat(" ", width) + "\n"
}

// printFormats are the formats for printers.
var printFormats = []string{"pdf", "eps"}

// drawPicture writes a code to a file, or to the standard output for "-".
func (a *app) drawPicture(link string, p picture, output string) error {
	if output != "-" {
		ending := strings.TrimPrefix(strings.ToLower(filepath.Ext(output)), ".")
		for _, f := range printFormats {
			if ending == f {
				return usage("this version writes png and svg; for print use svg, which scales without loss")
			}
		}
		if ending != "png" && ending != "svg" && p.format == "" {
			return usage("--output must end in .png or .svg, or --format must name one of them")
		}
		if ending == "png" || ending == "svg" {
			if p.format != "" && p.format != ending {
				return usage("--format %s does not fit the ending of %s", p.format, filepath.Base(output))
			}
			p.format = ending
		}
	}
	o, err := p.options()
	if err != nil {
		return err
	}
	o.Title = link
	picture, err := qrcode.RenderQR(link, o)
	if err != nil {
		return err
	}
	for _, warning := range qrcode.Warnings(o) {
		fmt.Fprintf(a.stderr, "hailmark: warning: %s (%s)\n", warning.Message, warning.Code)
	}
	if output != "-" {
		return os.WriteFile(output, picture, 0o644)
	}
	if o.Format == qrcode.PNG && a.isTerminal(a.stdout) {
		return errors.New("a PNG is not written to a terminal; send it to a file with -o file.png, or draw text without -o")
	}
	_, err = a.stdout.Write(picture)
	return err
}

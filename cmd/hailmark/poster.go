package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/hailmark/hailmark/internal/textvalue"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

const posterHelp = `The target is a username, a phone number, or a link that hailmark parse supports; hailmark link
--help describes them. With --tent, the sheet contains everything twice, once upside down, so that it can be
folded in the middle.

The file extension determines the format: pdf, eps, svg or png. With "-o -", the format is PDF
unless --format is set. The code is as large as the paper allows, unless --mm or --module is
set. Texts break at spaces and newlines.`

type poster struct {
	picture       picture
	poster        qrprint.Poster
	chat          chatFlags
	output, paper string
	tent          bool
}

func (a *app) newPoster() *cobra.Command {
	var p poster
	cmd := &cobra.Command{
		Use:     "poster <target>",
		Short:   "Draw a poster or table tent with a QR code",
		Long:    posterHelp,
		GroupID: "make",
		Example: `  hailmark poster jane.doe -o poster.pdf --heading "Questions?" --footer "We answer soon."
  hailmark poster jane.doe -o a5.pdf --paper a5 --caption "@jane.doe" --frame "Scan to chat"
  hailmark poster +16505551234 -o tent.pdf --paper letter --tent --heading "Chat with us"`,
		Args:              cobra.ExactArgs(1),
		RunE:              func(_ *cobra.Command, args []string) error { return a.drawPoster(&p, args[0]) },
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	flags := cmd.Flags()
	flags.StringVarP(&p.output, "output", "o", "", "the `file` to write (required)")
	flags.StringVar(&p.paper, "paper", qrprint.A4.String(), "the paper `size`: a4, a5 or letter")
	flags.StringVar(&p.poster.Heading, "heading", "", "a `text` above the code")
	flags.StringVar(&p.poster.Text, "footer", "", "a `text` below the code")
	flags.BoolVar(&p.tent, "tent", false, "draw a table tent")
	p.chat.addFlags(flags)
	flags.StringVar(&p.picture.format, "format", "", "image `format`: pdf, eps, svg or png")
	p.picture.style.addFlags(flags)
	p.picture.paper.addFlags(flags)
	p.picture.paper.addBleed(flags)
	a.forceFlag(flags)
	return cmd
}

func (a *app) drawPoster(p *poster, target string) error {
	link, err := a.linkOf(target, p.chat)
	if err != nil {
		return err
	}
	switch {
	case p.output == "":
		return usage("--output is required, for example -o poster.pdf")
	case p.output == "-" && p.picture.format == "":
		p.picture.format = qrprint.PDF.String()
	}
	if err := p.picture.setFormat(p.output); err != nil {
		return err
	}
	if err := flagValue("paper", strings.ToLower(p.paper), &p.poster.Paper, textvalue.Parse[qrprint.Paper]); err != nil {
		return err
	}
	code, format, err := p.picture.code(a.files)
	if err != nil {
		return err
	}
	code.Text = link
	p.poster.Code = code
	draw := p.poster.Page
	if p.tent {
		draw = p.poster.Tent
	}
	page, err := draw()
	if err != nil {
		return err
	}
	drawing, err := page.Append(nil, format)
	if err != nil {
		return err
	}
	return a.writePicture(p.output, string(format), drawing, page.Warnings())
}

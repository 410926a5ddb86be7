package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

const posterHelp = `Poster draws the QR code of a target on a whole sheet of paper, with a heading above it and a
text below it. The target is a username, a phone number with its country code, or a link
that hailmark parse knows.

With --tent it draws a table tent: the content twice, once upside down, on a sheet to fold in
the middle.

The format follows the ending of the file: pdf, eps, svg or png. With "-o -" the poster goes
to the standard output, as a PDF unless --format is set. The code is as large as the paper
allows, unless --mm or --module is set. Texts break at spaces, and at newlines.`

// A poster has the flags of the command poster.
type poster struct {
	picture            picture
	poster             qrprint.Poster
	output, text, host string
	paper              string
	tent               bool
}

func (a *app) newPoster() *cobra.Command {
	var p poster
	cmd := &cobra.Command{
		Use:     "poster target",
		Short:   "Draw a QR code on a poster or a table tent",
		Long:    posterHelp,
		GroupID: "make",
		Example: `  hailmark poster jane.doe -o poster.pdf --heading "Questions?" --footer "We answer soon."
  hailmark poster jane.doe -o poster.pdf --paper a5 --caption "@jane.doe" --frame "Scan to chat"
  hailmark poster +16505551234 -o tent.pdf --paper letter --tent --heading "Chat with us"`,
		Args:              cobra.ExactArgs(1),
		RunE:              func(_ *cobra.Command, args []string) error { return a.drawPoster(&p, args[0]) },
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	flags := cmd.Flags()
	flags.StringVarP(&p.output, "output", "o", "", "the `file` to write (required)")
	flags.StringVar(&p.paper, "paper", qrprint.A4.String(), "the `size` of the paper: a4, a5 or letter")
	flags.StringVar(&p.poster.Heading, "heading", "", "a `text` above the code")
	flags.StringVar(&p.poster.Text, "footer", "", "a `text` below the code")
	flags.BoolVar(&p.tent, "tent", false, "draw a table tent")
	flags.StringVar(&p.text, "text", "", "a message that is ready to send")
	flags.StringVar(&p.host, "host", chatlink.DefaultHost, "the `host` of the link")
	flags.StringVar(&p.picture.format, "format", "", "pdf, eps, svg or png")
	p.picture.style.addFlags(flags)
	p.picture.paper.addFlags(flags)
	p.picture.paper.addBleed(flags)
	return cmd
}

func (a *app) drawPoster(p *poster, target string) error {
	link, err := a.linkOf(target, p.host, p.text)
	if err != nil {
		return err
	}
	switch {
	case p.output == "":
		return usage("--output must name the file to write, such as poster.pdf")
	case p.output == "-" && p.picture.format == "":
		p.picture.format = qrprint.PDF.String()
	}
	if err := p.picture.setFormat(p.output); err != nil {
		return err
	}
	if err := flagValue("paper", strings.ToLower(p.paper), &p.poster.Paper, qrprint.ParsePaper); err != nil {
		return err
	}
	code, format, err := p.picture.code()
	if err != nil {
		return err
	}
	code.Text = link
	p.poster.Code = code
	if p.poster.Bleed, err = p.picture.paper.bleedWidth(); err != nil {
		return err
	}
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
	return a.writePicture(p.output, format.String(), drawing, page.Warnings())
}

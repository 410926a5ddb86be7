package qrprint

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

const text = "https://wa.me/jane.doe?text=Hi%20there"

// A sample is a page and the texts of its codes.
type sample struct {
	name  string
	page  *qrprint.Page
	texts []string
	gray  bool // printed with black ink alone
}

// disc returns a PNG of a green disc on a transparent ground.
func disc(t *testing.T) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, 96, 96))
	for y := range 96 {
		for x := range 96 {
			if (x-48)*(x-48)+(y-48)*(y-48) < 48*48 {
				img.Set(x, y, color.NRGBA{0x12, 0x8c, 0x7e, 0xFF})
			}
		}
	}
	var out bytes.Buffer
	require.NoError(t, png.Encode(&out, img))
	return out.Bytes()
}

func logo(t *testing.T, data []byte) *qrprint.Logo {
	t.Helper()
	l, err := qrprint.ParseLogo(data)
	require.NoError(t, err)
	return l
}

// samples returns pages of every kind.
func samples(t *testing.T) []sample {
	t.Helper()
	var list []sample
	add := func(name string, gray bool, page *qrprint.Page, err error, texts ...string) {
		require.NoError(t, err, name)
		if texts == nil {
			texts = []string{text}
		}
		list = append(list, sample{name, page, texts, gray})
	}
	code := func(name string, gray bool, c qrprint.Code) {
		if c.Text == "" {
			c.Text = text
		}
		if name == "shop" || name == "colors" {
			c.Bleed = 3
		}
		page, err := c.Page()
		add(name, gray, page, err, c.Text)
	}
	code("plain", true, qrprint.Code{DPI: 300})
	code("shop", true, qrprint.Code{Width: 30})
	code("caption", true, qrprint.Code{DPI: 300, Caption: "@jane.doe"})
	code("scripts", true, qrprint.Code{DPI: 203, Caption: "Grüße · Ελλάς · Привет"})
	code("frame", true, qrprint.Code{DPI: 600, Caption: "@jane.doe", Frame: "Chat with us"})
	code("picture", false, qrprint.Code{DPI: 300, Logo: logo(t, disc(t)), Caption: "@jane.doe"})
	code("transparent", true, qrprint.Code{DPI: 300, Style: qrcode.Style{Background: qrcode.Transparent()}})
	code("colors", false, qrprint.Code{DPI: 300, Style: qrcode.Style{Foreground: qrcode.RGB(0x07, 0x5e, 0x54), Background: qrcode.RGB(0xdc, 0xf8, 0xc6)}})
	code("gray", true, qrprint.Code{DPI: 300, Style: qrcode.Style{Foreground: qrcode.RGB(60, 60, 60)}})
	code("dense", true, qrprint.Code{Text: "https://wa.me/jane.doe?text=" + strings.Repeat("Hello%20there.", 60), ModuleWidth: 0.5, DPI: 300})
	poster := qrprint.Poster{
		Code:    qrprint.Code{Text: text, DPI: 300, Caption: "@jane.doe", Frame: "Scan to chat"},
		Heading: "Questions?\nWrite to us!",
		Text:    "We answer from Monday to Friday, 9 to 17.",
	}
	for _, paper := range []qrprint.Paper{qrprint.A4, qrprint.A5, qrprint.Letter} {
		poster.Paper = paper
		page, err := poster.Page()
		add("poster "+paper.String(), true, page, err)
		page, err = poster.Tent()
		add("tent "+paper.String(), true, page, err, text, text)
	}
	for _, name := range []string{"avery-l7160", "avery-5160", "herma-4614"} {
		labels, err := qrprint.ParseLabels(name)
		require.NoError(t, err)
		var texts []string
		var codes []qrprint.Code
		for i := range labels.Columns*labels.Rows - 4 {
			c := qrprint.Code{Text: fmt.Sprintf("https://wa.me/jane.doe%d", i), Caption: fmt.Sprintf("@jane.doe%d", i), DPI: 300}
			texts, codes = append(texts, c.Text), append(codes, c)
		}
		labels.Start, labels.Borders = 5, true
		page, err := labels.Page(codes...)
		add("sheet "+name, true, page, err, texts...)
		require.Empty(t, page.Warnings())
	}
	return list
}

// write writes a page to a file in a folder and returns its name.
func write(t *testing.T, dir string, s sample, f qrcode.Format) string {
	t.Helper()
	data, err := s.page.Append(nil, f)
	require.NoError(t, err, s.name)
	name := filepath.Join(dir, strings.ReplaceAll(s.name, " ", "-")+"."+f.String())
	require.NoError(t, os.WriteFile(name, data, 0o600))
	return name
}

// run runs a program and returns what it prints, messages included.
func run(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
	require.NoError(t, err, "%s %s: %s", program, strings.Join(args, " "), out)
	return string(out)
}

func needTools(t *testing.T) {
	t.Helper()
	testenv.Slow(t)
	testenv.Needs(t, "qpdf", "Debian package qpdf")
	testenv.Needs(t, "mutool", "Debian package mupdf-tools")
	testenv.Needs(t, "gs", "Debian package ghostscript")
	testenv.Needs(t, "pdftoppm", "Debian package poppler-utils")
	testenv.Needs(t, "rsvg-convert", "Debian package librsvg2-bin")
	testenv.Needs(t, "zbarimg", "Debian package zbar-tools")
	testenv.Needs(t, "ZXingReader", "Debian package zxing-cpp-tools")
}

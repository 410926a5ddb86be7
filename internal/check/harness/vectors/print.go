package main

import (
	"errors"
	"math"
	"strings"

	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

// A printedCode is the output of print_code.json. Lengths are in micrometers.
type printedCode struct {
	Version  int            `json:"version"`
	Level    string         `json:"level"`
	Module   int            `json:"module"`
	Dots     int            `json:"dots,omitempty"`
	Size     int            `json:"size"`
	Logo     []int          `json:"logo,omitempty"`
	Warnings []problem.Code `json:"warnings,omitempty"`
}

func printed(in struct {
	Text                  string
	Repeat                int
	Size, Module          float64
	DPI                   int
	Margin                *int
	Level, Caption, Frame string
	Logo                  string
	LogoShare             float64
	Color, BG             string
},
) (printedCode, error) {
	c := qrprint.Code{
		Text: strings.Repeat(in.Text, max(in.Repeat, 1)), Width: qrprint.Millimeters(in.Size), ModuleWidth: qrprint.Millimeters(in.Module), DPI: in.DPI,
		Caption: in.Caption, Frame: in.Frame, LogoShare: in.LogoShare,
	}
	if in.Margin != nil {
		if c.Margin = *in.Margin; c.Margin == 0 {
			c.Margin = qrcode.NoMargin
		}
	}
	var errs [4]error
	if in.Level != "" {
		errs[0] = c.MinLevel.UnmarshalText([]byte(in.Level))
	}
	if in.Logo != "" {
		c.Logo, errs[1] = qrprint.ParseLogo([]byte(in.Logo))
	}
	if in.Color != "" {
		c.Foreground, errs[2] = qrcode.ParseColor(in.Color)
	}
	if in.BG != "" {
		c.Background, errs[3] = qrcode.ParseBackground(in.BG)
	}
	if err := errors.Join(errs[:]...); err != nil {
		return printedCode{}, err
	}
	page, err := c.Page()
	if err != nil {
		return printedCode{}, err
	}
	m := page.Codes()[0]
	micrometers := func(mm qrprint.Millimeters) int { return int(math.Round(1000 * float64(mm))) }
	out := printedCode{
		Version: m.Symbol.Version(), Level: m.Symbol.Level().String(), Module: micrometers(m.ModuleWidth), Dots: m.Dots,
		Size: micrometers(m.ModuleWidth * qrprint.Millimeters(m.Symbol.Modules())), Warnings: page.Warnings().Codes(),
	}
	if m.LogoModules != [2]int{} {
		out.Logo = m.LogoModules[:]
	}
	return out, nil
}

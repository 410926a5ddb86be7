package qrprint_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/vectors"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

// A codeInput is the input of vectors/print_code.json.
type codeInput struct {
	Text           string
	Repeat         int
	Size, Module   float64
	DPI            int
	Level          string
	Margin         *int
	Caption, Frame string
	Logo           string // an SVG
	LogoShare      float64
	Color, BG      string
}

func (in codeInput) page() (*qrprint.Page, error) {
	c := qrprint.Code{
		Text: strings.Repeat(in.Text, max(in.Repeat, 1)), Width: qrprint.Millimeters(in.Size), ModuleWidth: qrprint.Millimeters(in.Module), DPI: in.DPI,
		Caption: in.Caption, Frame: in.Frame, LogoShare: in.LogoShare,
	}
	if in.Margin != nil {
		if c.Margin = *in.Margin; c.Margin == 0 {
			c.Margin = qrcode.NoMargin
		}
	}
	var err error
	if in.Level != "" {
		if err = c.MinLevel.UnmarshalText([]byte(in.Level)); err != nil {
			return nil, err
		}
	}
	if in.Logo != "" {
		if c.Logo, err = qrprint.ParseLogo([]byte(in.Logo)); err != nil {
			return nil, err
		}
	}
	if in.Color != "" {
		if c.Foreground, err = qrcode.ParseColor(in.Color); err != nil {
			return nil, err
		}
	}
	if in.BG != "" {
		if c.Background, err = qrcode.ParseBackground(in.BG); err != nil {
			return nil, err
		}
	}
	return c.Page()
}

// A codeOutput is the output of vectors/print_code.json. Lengths are in micrometers.
type codeOutput struct {
	Version  int            `json:"version"`
	Level    string         `json:"level"`
	Module   int            `json:"module"`
	Dots     int            `json:"dots,omitempty"`
	Size     int            `json:"size"`
	Logo     []int          `json:"logo,omitempty"` // width and height in modules
	Warnings []problem.Code `json:"warnings,omitempty"`
}

func outputOf(page *qrprint.Page) codeOutput {
	m := page.Codes()[0]
	micrometers := func(mm qrprint.Millimeters) int { return int(math.Round(1000 * float64(mm))) }
	out := codeOutput{
		Version: m.Symbol.Version(), Level: m.Symbol.Level().String(), Module: micrometers(m.ModuleWidth), Dots: m.Dots,
		Size: micrometers(widthOf(m)), Warnings: page.Warnings().Codes(),
	}
	if m.LogoModules != [2]int{} {
		out.Logo = m.LogoModules[:]
	}
	return out
}

func TestCodeVectors(t *testing.T) {
	file, err := vectors.Load[codeInput, codeOutput]("print_code.json")
	require.NoError(t, err)
	for _, v := range file.Vectors {
		t.Run(v.ID, func(t *testing.T) {
			page, err := v.Input.page()
			if v.Codes != nil {
				require.Equal(t, v.Codes, problem.All(err).Codes(), "%v", err)
				for _, p := range problem.All(err) {
					require.NotEmpty(t, p.Field, p.Code)
				}
				return
			}
			require.NoError(t, err)
			require.Equal(t, *v.Output, outputOf(page))
		})
	}
}

package qrprint_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

func TestParseCMYK(t *testing.T) {
	for s, want := range map[string]qrprint.CMYK{
		"cmyk:0,0,0,100":      {K: 100},
		"cmyk:100, 72, 0, 18": {C: 100, M: 72, K: 18},
	} {
		c, err := qrprint.ParseCMYK(s)
		require.NoError(t, err)
		require.Equal(t, want, c)
	}
	for _, s := range []string{
		"", "cmyk:", "cmyk:0,0,0", "cmyk:0,0,0,100,0", "cmyk:0,0,0,0", "cmyk:0,0,0,101", "cmyk:0,0,0,-1", "cmyk:0,0,0,1e2", "cmyk:0,0,0,5%",
		"cmyk:0,0,0,356", "cmyk:0,,0,1", "cmyk:0 0 0 100", "0,0,0,100", "CMYK:0,0,0,100", "000000",
	} {
		_, err := qrprint.ParseCMYK(s)
		require.ErrorIs(t, err, qrcode.CodeInvalidColor, s)
	}
}

// Shapes contain the inks that were specified, and every other color as before.
func TestInks(t *testing.T) {
	code := qrprint.Code{
		Text: address, Caption: "@jane.doe", Frame: "Chat with us",
		ForegroundCMYK: qrprint.CMYK{C: 100, M: 72, K: 18}, BackgroundCMYK: qrprint.CMYK{Y: 7},
	}
	content, _ := stream(t, file(t, page(t, code), qrprint.PDF))
	require.Contains(t, content, "1 0.72 0 0.18 k\n")
	require.Contains(t, content, "0 0 0.07 0 k\n")
	require.NotContains(t, content, "rg\n")
	require.NotContains(t, content, "0 0 0 1 k\n")
	require.Contains(t, string(file(t, page(t, code), qrprint.EPS)), "1 0.72 0 0.18 setcmykcolor\n")
	require.Contains(t, string(file(t, page(t, code), qrcode.SVG)), `fill="#0019d1"`, "100 - 100 - 18, 100 - 72 - 18 and 100 - 18 percent")

	code.Style = qrcode.Style{Foreground: qrcode.RGB(0, 0, 0), Background: qrcode.Transparent()}
	_, err := code.Page()
	require.Equal(t, []problem.Code{"invalid_color", "invalid_bg"}, problem.All(err).Codes(), "two colors for the same thing")
	for _, unreadable := range []qrprint.Code{
		{Text: address, ForegroundCMYK: qrprint.CMYK{Y: 60}},
		{Text: address, BackgroundCMYK: qrprint.CMYK{K: 95}},
	} {
		_, err := unreadable.Page()
		require.ErrorIs(t, err, qrcode.CodeLowContrast)
	}
	_, err = qrprint.Code{Text: address, ForegroundCMYK: qrprint.CMYK{C: 101, K: 100}}.Page()
	require.ErrorIs(t, err, qrcode.CodeInvalidColor)
	require.Equal(t, []problem.Code{"light_on_dark"},
		page(t, qrprint.Code{Text: address, ForegroundCMYK: qrprint.CMYK{Y: 5}, BackgroundCMYK: qrprint.CMYK{K: 100}}).Warnings().Codes())
}

// The warning about a contrast of 39.6 % doesn't say that it's 40 %.
func TestWeakContrastIsNotRoundedUp(t *testing.T) {
	gray, err := qrcode.ParseColor("a9a9a9") // black on it is dark enough for decoders
	require.NoError(t, err)
	warnings := page(t, qrprint.Code{Text: address, Style: qrcode.Style{Background: gray}}).Warnings()
	require.Equal(t, []problem.Code{qrcode.CodeWeakContrast}, warnings.Codes())
	require.Contains(t, warnings[0].Message, "the colors differ by 39 % in reflectance; printed codes need at least 40 %")
}

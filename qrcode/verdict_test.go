package qrcode_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
)

// Of two random colors, every one that is rejected or warned of as too pale has a suggestion that
// is neither, unless the background is too dark for black. The suggestion is the nearest: the color
// itself is never one.
func TestSuggestedColor(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	color := func() qrcode.Color {
		return qrcode.RGB(uint8(random.IntN(256)), uint8(random.IntN(256)), uint8(random.IntN(256)))
	}
	suggested := 0
	for range 20_000 {
		style := qrcode.Style{Foreground: color(), Background: color()}
		warnings, err := style.Check()
		for _, p := range append(problem.All(err), warnings...) {
			if p.Code != qrcode.CodeLowContrast && p.Code != qrcode.CodeWeakContrast {
				continue
			}
			all := p.Suggestions.All()
			if len(all) == 0 {
				_, err := qrcode.Style{Background: style.Background}.Check()
				require.ErrorIs(t, err, qrcode.CodeLowContrast)
				continue
			}
			suggested++
			better, err := qrcode.ParseColor(all[0])
			require.NoError(t, err)
			require.NotEqual(t, style.Foreground, better)
			warnings, err := qrcode.Style{Foreground: better, Background: style.Background}.Check()
			require.NoError(t, err)
			require.Empty(t, warnings)
		}
	}
	require.Greater(t, suggested, 1000)
}

func TestVerdict(t *testing.T) {
	pale := qrcode.Style{Foreground: qrcode.RGB(0x98, 0x98, 0x98)}
	for name, tt := range map[string]struct {
		opts  qrcode.Options
		text  string
		light qrcode.Light
		codes []problem.Code
	}{
		"plain":          {qrcode.Options{}, "x", qrcode.Green, nil},
		"pale":           {qrcode.Options{Style: pale}, "x", qrcode.Yellow, []problem.Code{qrcode.CodeWeakContrast}},
		"small":          {qrcode.Options{Size: qrcode.MinSize}, "https://wa.me/jane.doe?text=Hello", qrcode.Yellow, []problem.Code{qrcode.CodeSmallModule}},
		"a scalable one": {qrcode.Options{Size: qrcode.MinSize, Format: qrcode.SVG}, "https://wa.me/jane.doe?text=Hello", qrcode.Green, nil},
		"no border":      {qrcode.Options{Style: qrcode.Style{Margin: qrcode.NoMargin}}, "x", qrcode.Yellow, []problem.Code{qrcode.CodeNoQuietZone}},
		"inverted":       {qrcode.Options{Style: qrcode.Style{Foreground: qrcode.RGB(255, 255, 255), Background: qrcode.RGB(0, 0, 0)}}, "x", qrcode.Yellow, []problem.Code{qrcode.CodeLightOnDark}},
		"yellow":         {qrcode.Options{Style: qrcode.Style{Foreground: qrcode.RGB(255, 255, 0)}}, "x", qrcode.Red, nil},
		"too much":       {qrcode.Options{Size: qrcode.MinSize}, string(slices.Repeat([]byte("x"), 2000)), qrcode.Red, nil},
		"nothing":        {qrcode.Options{}, "", qrcode.Red, nil},
	} {
		warnings, err := tt.opts.CheckText(tt.text)
		verdict := qrcode.VerdictOf(warnings, err)
		require.Equal(t, tt.light, verdict.Light, name)
		require.Regexp(t, `^(S|Some s)canners .*[^.]\.$`, verdict.Sentence, name)
		require.Equal(t, tt.codes, warnings.Codes(), name)
		_, drawn := qrcode.RenderQR(tt.text, tt.opts)
		require.Equal(t, drawn, err, name)
	}
	require.Equal(t, qrcode.Green, qrcode.VerdictOf(problem.List{{Code: "phone_missing_plus"}}, nil).Light)
	require.Equal(t, "Scanners can't read this code: x.", qrcode.VerdictOf(nil, errors.New("x")).Sentence)
}

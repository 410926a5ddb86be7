package qrprint

import (
	"image"
	"image/color"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

// A logo looks as librsvg draws it, with hidden parts, styles, fill rules and curves, or is
// rejected.
func TestLogosLookAsInBrowsers(t *testing.T) {
	needTools(t)
	const low, high = `d="M0 12H24V24H0z"`, `d="M0 0H24V12H0z"`
	drawn := 0
	for _, inner := range []string{
		`<path ` + low + `/>`,
		`<path ` + low + ` style="fill:#ff0000" fill="#00ff00"/>`,
		`<path ` + low + ` fill="#00ff00" style="fill:#ff0000;fill:#0000ff"/>`,
		`<path ` + low + `/><path ` + high + ` display="none"/>`,
		`<path ` + low + `/><path ` + high + ` style="display:none" display="inline"/>`,
		`<path ` + low + `/><path ` + high + ` style="display:inline" display="none"/>`,
		`<path ` + low + `/><g display="none"><path ` + high + ` display="inline"/></g>`,
		`<path ` + low + `/><g visibility="hidden"><path ` + high + ` visibility="visible"/></g>`,
		`<path ` + low + `/><g visibility="hidden"><g><path ` + high + `/></g></g>`,
		`<path ` + low + `/><g style="visibility:collapse"><path ` + high + `/></g>`,
		`<path ` + low + `/><x:path xmlns:x="urn:foo" ` + high + `/>`,
		`<path ` + low + `/><path ` + high + ` style="fill:none"/>`,
		`<path ` + low + `/><path ` + high + ` mask="none" opacity="1"/>`,
		`<path ` + low + `/><path ` + high + ` mask="url(#m)"/>`,
		`<g fill="#aa0000"><path ` + low + `/><path ` + high + ` fill="#00aa00"/></g>`,
		`<path fill-rule="evenodd" d="M0 0H24V24H0zM6 6H18V18H6z"/>`,
		`<path fill-rule="evenodd" style="fill-rule:nonzero" d="M0 0H24V24H0zM6 6H18V18H6z"/>`,
		`<path fill="#128c7e" d="M12 2A10 10 0 1 0 22 12 10 10 0 0 0 12 2zm-1 5h2v6h-2zm0 8h2v2h-2z" fill-rule="evenodd"/>`,
		`<path d="M6 12A6 3 30 0 1 16 13A3 5 -20 0 1 8 16z"/>`,
		`<path d="M2 2a6 3 45 1 1 8 8a6 3 45 0 1-8-8m8 12a5 5 0 1 1 9 3z"/>`,
		`<path d="M4 12q4-8 8 0t8-1v6H4z"/><path d="M2 2c4 0 4 6 8 6s4-6 8-6z" fill="#128c7e"/>`,
	} {
		svg := `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">` + inner + `</svg>`
		logo, err := qrprint.ParseLogo([]byte(svg))
		if err != nil {
			require.ErrorIs(t, err, problem.Code("print_invalid_logo"))
			continue
		}
		drawn++
		page, err := qrprint.Code{Text: text, ModuleWidth: 0.8, DPI: 1270, Logo: logo}.Page()
		require.NoError(t, err)
		m := page.Codes()[0]
		require.Equal(t, 40, m.Dots)
		side := (m.LogoModules[0] - 1) * m.Dots // half a module is free on each side
		corner := (4+m.Symbol.Modules()/2)*m.Dots + m.Dots/2 - side/2
		dir := t.TempDir()
		read := func(name string) image.Image {
			f, err := os.Open(name)
			require.NoError(t, err)
			defer f.Close()
			img, _, err := image.Decode(f)
			require.NoError(t, err)
			return img
		}
		ours := read(write(t, dir, sample{name: "page", page: page}, qrcode.PNG))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "logo.svg"), []byte(svg), 0o600))
		run(t, "rsvg-convert", "-w", strconv.Itoa(side), "-h", strconv.Itoa(side), "--background-color", "white", "-o", filepath.Join(dir, "logo.png"), filepath.Join(dir, "logo.svg"))
		theirs := read(filepath.Join(dir, "logo.png"))
		require.Equal(t, side, theirs.Bounds().Dx())
		differ := 0
		for y := range side {
			for x := range side {
				a, _ := color.NRGBAModel.Convert(ours.At(corner+x, corner+y)).(color.NRGBA)
				b, _ := color.NRGBAModel.Convert(theirs.At(x, y)).(color.NRGBA)
				if far(a.R, b.R) || far(a.G, b.G) || far(a.B, b.B) {
					differ++
				}
			}
		}
		require.Less(t, differ, side*side/500, strings.TrimSpace(inner))
	}
	require.Equal(t, 20, drawn)
}

// far reports whether two values differ by more than renderers differ at an edge.
func far(a, b uint8) bool { return max(int(a)-int(b), int(b)-int(a)) > 100 }

package scan

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
)

// palest is the measurement behind the warning weak_contrast: the palest gray on white, in steps of
// 16 shades, that the two most demanding of six decoders read in modules of some pixels. The others
// read all of them.
var palest = map[int]map[string]string{
	4:  {"jsQR": "a7a7a7", "zxing-cpp 1.4": "979797"},
	16: {"jsQR": "777777", "zxing-cpp 1.4": "b7b7b7"},
	31: {"jsQR": "777777", "zxing-cpp 1.4": "979797"},
}

// TestSafeContrast has six decoders read colors around the limit of the warning. All read the
// suggestion, which is the palest color without it, on four backgrounds.
func TestSafeContrast(t *testing.T) {
	testenv.Slow(t)
	testenv.Needs(t, "ZXingReader", "Debian package zxing-cpp-tools")
	all := append(decoders(t), jsqrAndQuirc(t)...)
	all = append(all, decoder{name: "zxing-cpp 1.4", read: func(t *testing.T, files []string) []string { return zxingReader(t, files) }})
	const text = "https://wa.me/16505551234"
	symbol, err := qrcode.Encode(text, qrcode.EncodeOptions{})
	require.NoError(t, err)
	dir := t.TempDir()
	draw := func(pixels int, style qrcode.Style) string {
		data, err := qrcode.RenderQR(text, qrcode.Options{Size: max(pixels*(symbol.Size()+8), qrcode.MinSize), Style: style})
		require.NoError(t, err)
		file := filepath.Join(dir, fmt.Sprintf("%d-%v-%v.png", pixels, style.Foreground, style.Background))
		require.NoError(t, os.WriteFile(file, data, 0o600))
		return file
	}
	for pixels, want := range palest {
		var safe []string
		for _, bg := range []string{"ffffff", "dcf8c6", "ffe082", "c0c0c0"} {
			for _, fg := range []string{"a0a0a0", "25d366", "7777ff", "ff7043"} {
				style := qrcode.Style{}
				style.Foreground, _ = qrcode.ParseColor(fg)
				style.Background, _ = qrcode.ParseColor(bg)
				warnings, err := style.Check()
				list := append(problem.All(err), warnings...)
				require.NotEmpty(t, list, "%s on %s", fg, bg)
				style.Foreground, err = qrcode.ParseColor(list[0].Suggestions.All()[0])
				require.NoError(t, err)
				safe = append(safe, draw(pixels, style))
			}
		}
		var grays, files []string
		for v := 0x67; v <= 0xc7; v += 16 {
			gray := qrcode.RGB(uint8(v), uint8(v), uint8(v))
			grays = append(grays, gray.String())
			files = append(files, draw(pixels, qrcode.Style{Foreground: gray}))
		}
		for _, d := range all {
			for i, got := range d.read(t, safe) {
				require.Equal(t, text, got, "%s, %s", d.name, filepath.Base(safe[i]))
			}
			last := ""
			for i, got := range d.read(t, files) {
				if got != text {
					break
				}
				last = grays[i]
			}
			expected := want[d.name]
			if expected == "" {
				expected = grays[len(grays)-1]
			}
			require.Equal(t, expected, last, "%s, modules of %d pixels", d.name, pixels)
		}
	}
}

package scan

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
)

// TestContrast has images in random colors read. All that are dark on light, and of a
// contrast that package qrcode accepts, must be. The log says how the decoders fared with
// the others: this is the measurement behind qrcode.minContrast.
func TestContrast(t *testing.T) {
	testenv.Slow(t)
	all := decoders(t)
	random := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	n := 120
	if full {
		n = 6000
	}
	var files []string
	var accepted, lightOnDark []bool
	const text = "https://wa.me/16505551234"
	for i := range n {
		fg, bg := randomColor(random), randomColor(random)
		data, err := qrcode.RenderQR(text, qrcode.Options{Size: 128 << random.IntN(3)})
		require.NoError(t, err)
		img, err := png.Decode(bytes.NewReader(data))
		require.NoError(t, err)
		p, ok := img.(*image.Paletted)
		require.True(t, ok)
		p.Palette = color.Palette{bg, fg}
		files = append(files, filepath.Join(dir, fmt.Sprintf("%d.png", i)))
		require.NoError(t, os.WriteFile(files[i], encode(t, p), 0o600))

		_, err = qrcode.RenderQR(text, qrcode.Options{Style: qrcode.Style{Foreground: qrcode.RGB(fg.R, fg.G, fg.B), Background: qrcode.RGB(bg.R, bg.G, bg.B)}})
		require.True(t, err == nil || errors.Is(err, problem.Code("low_contrast")))
		accepted = append(accepted, err == nil)
		lightOnDark = append(lightOnDark, gray(fg) > gray(bg))
	}
	for _, d := range all {
		type key struct{ accepted, lightOnDark bool }
		total, read := map[key]int{}, map[key]int{}
		for i, got := range d.read(t, files) {
			k := key{accepted[i], lightOnDark[i]}
			total[k]++
			if got == text {
				read[k]++
			} else if k == (key{accepted: true}) {
				t.Errorf("%s does not read %s", d.name, files[i])
			}
		}
		for k, n := range total {
			t.Logf("%s, accepted %v, light on dark %v: %d of %d", d.name, k.accepted, k.lightOnDark, read[k], n)
		}
	}
}

// randomColor favors pairs that are near to each other.
func randomColor(random *rand.Rand) color.RGBA {
	channel := func() uint8 { return uint8(64 + random.IntN(128)) }
	if random.IntN(2) == 0 {
		channel = func() uint8 { return uint8(random.IntN(256)) }
	}
	return color.RGBA{channel(), channel(), channel(), 255}
}

func gray(c color.RGBA) uint8 { return color.GrayModel.Convert(c).(color.Gray).Y }

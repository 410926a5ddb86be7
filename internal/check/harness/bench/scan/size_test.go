package scan

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"rsc.io/qr/coding"

	"github.com/hailmark/hailmark/internal/check/testenv"
	"github.com/hailmark/hailmark/qrcode"
)

// A drawing is an image that every decoder has to read.
type drawing struct{ name, text, file string }

// TestOnePixelModules draws every version and level at one pixel a module, at sizes of
// both parities, with texts that fill the symbol. Masks follow from the texts.
func TestOnePixelModules(t *testing.T) {
	testenv.Slow(t)
	all := decoders(t)
	random := rand.New(rand.NewPCG(5, 6))
	dir := t.TempDir()
	var drawings []drawing
	for version := 10; version <= 40; version++ {
		for level, codingLevel := range []coding.Level{coding.L, coding.M, coding.Q, coding.H} {
			texts := 1
			if full {
				texts = 3
			} else if (version+level)%8 != 0 {
				continue
			}
			for range texts {
				text := fill(random, version, codingLevel)
				least := 17 + 4*version + 9
				for _, size := range []int{least, least + 1, least + 2 + random.IntN(20)} {
					drawings = append(drawings, drawText(t, dir, text, qrcode.Options{Size: max(size, qrcode.MinSize), Style: qrcode.Style{MinLevel: qrcode.Level(level)}}))
				}
			}
		}
	}
	requireAllRead(t, all, drawings)
}

// TestEverySizeStep draws every version at the smallest and the largest size of each
// number of pixels a module, up to 1,024 pixels.
func TestEverySizeStep(t *testing.T) {
	testenv.Slow(t)
	all := decoders(t)
	random := rand.New(rand.NewPCG(7, 8))
	dir := t.TempDir()
	var drawings []drawing
	for version := 1; version <= 40; version++ {
		if !full && version%10 != 0 {
			continue
		}
		text := fill(random, version, coding.M)
		side := 17 + 4*version + 8
		for scale := 1; scale*side <= 1024; scale++ {
			for _, size := range []int{scale*side + 1, scale*side + side - 1} {
				if size < qrcode.MinSize || size > 1024 {
					continue
				}
				drawings = append(drawings, drawText(t, dir, text, qrcode.Options{Size: size}))
			}
		}
	}
	requireAllRead(t, all, drawings)
}

// fill returns a random text of lower-case letters that takes the whole of a symbol.
func fill(random *rand.Rand, version int, level coding.Level) string {
	header := 2 // bytes for the mode indicator and the count
	if version > 9 {
		header = 3
	}
	text := make([]byte, coding.Version(version).DataBytes(level)-header)
	for i := range text {
		text[i] = byte('a' + random.IntN(26))
	}
	return string(text)
}

func drawText(t *testing.T, dir, text string, opts qrcode.Options) drawing {
	t.Helper()
	data, err := qrcode.RenderQR(text, opts)
	require.NoError(t, err)
	name := temporary() + ".png"
	d := drawing{fmt.Sprintf("%d bytes at %d pixels, level %v or higher", len(text), opts.Size, opts.MinLevel), text, filepath.Join(dir, name)}
	require.NoError(t, os.WriteFile(d.file, data, 0o600))
	return d
}

func requireAllRead(t *testing.T, all []decoder, drawings []drawing) {
	t.Helper()
	files := make([]string, len(drawings))
	for i, d := range drawings {
		files[i] = d.file
	}
	for _, decoder := range all {
		read := 0
		for i, got := range decoder.read(t, files) {
			if got == drawings[i].text {
				read++
			} else {
				t.Errorf("%s missed %s", decoder.name, drawings[i].name)
			}
		}
		t.Logf("%s read %d of %d", decoder.name, read, len(drawings))
	}
}

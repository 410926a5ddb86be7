package scan

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"math/rand/v2"
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

// logoDrawings are a dark disc, a wide drawing, and a colored square.
var logoDrawings = []string{
	`<svg viewBox="0 0 24 24"><path d="M12 0A12 12 0 1 0 24 12 12 12 0 0 0 12 0z"/></svg>`,
	`<svg viewBox="0 0 30 12"><path d="M0 0H30V12H0zM4 4V8H26V4z" fill-rule="evenodd"/></svg>`,
	`<svg viewBox="0 0 8 8"><path fill="#25d366" d="M0 0H8V8H0z"/><path fill="#fff" d="M2 2H6V6H2z"/></svg>`,
}

// TestLogos has codes with logos read by six decoders: clean, and with a tenth of the
// symbol covered by dirt. The dirt is one spot that spares what has no error correction of
// this kind: the finder patterns, the format information and the alignment pattern in the
// lower right.
func TestLogos(t *testing.T) {
	testenv.Slow(t)
	decoders := append(decoders(t), jsqrAndQuirc(t)...)
	testenv.Needs(t, "ZXingReader", "Debian package zxing-cpp-tools")
	decoders = append(decoders, decoder{name: "zxing-cpp 1.4", read: func(t *testing.T, files []string) []string { return zxingReader(t, files) }})
	random := rand.New(rand.NewPCG(17, 18))
	dir := t.TempDir()
	lengths := []int{25, 60, 120}
	if full {
		lengths = []int{25, 40, 60, 90, 120, 160, 200}
	}
	var texts, clean, dirty []string
	for i, length := range lengths {
		for j, drawing := range logoDrawings {
			logo, err := qrprint.ParseLogo(rasterize(t, []byte(strings.Replace(drawing, "<svg ", `<svg xmlns="http://www.w3.org/2000/svg" `, 1)), 600))
			require.NoError(t, err)
			text := ("https://wa.me/" + randomWords(random, length))[:length]
			page, err := qrprint.Code{Text: text, ModuleWidth: 0.5, DPI: 300, Logo: logo}.Page()
			require.NoError(t, err)
			file, err := page.Append(nil, qrcode.PNG)
			require.NoError(t, err)
			img := rgba(t, file)
			texts = append(texts, text)
			clean = append(clean, save(t, dir, fmt.Sprintf("clean-%d-%d.png", i, j), img))
			soil(img, page.Codes()[0], random)
			dirty = append(dirty, save(t, dir, fmt.Sprintf("dirty-%d-%d.png", i, j), img))
		}
	}
	for _, d := range decoders {
		require.Equal(t, texts, d.read(t, clean), d.name)
		read := 0
		for i, text := range d.read(t, dirty) {
			if text == texts[i] {
				read++
			} else {
				t.Errorf("%s does not read %s", d.name, filepath.Base(dirty[i]))
			}
		}
		t.Logf("%s reads all of %d clean codes, and %d of %d with dirt", d.name, len(clean), read, len(dirty))
	}
}

// soil covers a tenth of the symbol with one gray disc at a random place.
func soil(img *image.RGBA, m qrprint.Measure, random *rand.Rand) {
	n := float64(m.Symbol.Size())
	radius := n * math.Sqrt(0.1/math.Pi)
	const function = 9 // modules of a finder pattern with its separator and the format information
	for {
		x, y := random.Float64()*n, random.Float64()*n
		inside := x-radius >= 0 && y-radius >= 0 && x+radius <= n && y+radius <= n
		apart := true
		for _, corner := range [][4]float64{{0, 0, function, function}, {n - function, 0, n, function}, {0, n - function, function, n}, {n - function, n - function, n - 4, n - 4}} {
			dx := max(corner[0]-x, x-corner[2], 0)
			dy := max(corner[1]-y, y-corner[3], 0)
			apart = apart && math.Hypot(dx, dy) > radius
		}
		if !inside || !apart {
			continue
		}
		dots := float64(m.Dots)
		left, top := float64(m.X/m.ModuleWidth)*dots, float64(m.Y/m.ModuleWidth)*dots
		for py := range img.Rect.Dy() {
			for px := range img.Rect.Dx() {
				if math.Hypot(float64(px)-left-x*dots, float64(py)-top-y*dots) <= radius*dots {
					img.Set(px, py, color.Gray{90})
				}
			}
		}
		return
	}
}

func rgba(t *testing.T, file []byte) *image.RGBA {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(file))
	require.NoError(t, err)
	out := image.NewRGBA(img.Bounds())
	draw.Draw(out, out.Rect, img, image.Point{}, draw.Src)
	return out
}

func save(t *testing.T, dir, name string, img image.Image) string {
	t.Helper()
	path := filepath.Join(dir, name)
	f, err := os.Create(path)
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, png.Encode(f, img))
	return path
}

// zxingReader reads one file a run.
func zxingReader(t *testing.T, files []string, options ...string) []string {
	t.Helper()
	texts := make([]string, len(files))
	for i, f := range files {
		out, _ := exec.Command("ZXingReader", append(options, "-format", "QRCode", "-1", f)...).Output() // an error if nothing is found
		if _, rest, found := strings.Cut(string(out), `"`); found {
			texts[i] = rest[:strings.LastIndexByte(rest, '"')]
		}
	}
	return texts
}

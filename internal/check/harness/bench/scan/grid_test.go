package scan

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
)

// texts are links of 20 to 900 bytes and what else people draw.
func texts() []string {
	list := []string{
		"https://wa.me/abc", "https://wa.me/hailmark", "https://wa.me/16505551234", "https://wa.me/491511234567",
		"https://wa.me/a_username.of_thirty_five_letters", "https://wa.me/5215512345678?text=Hola",
		"HTTPS://WA.ME/16505551234", "+1 650 555 1234", "16505551234", "1", "A", "a",
		"é", "Grüße aus München", "Olá, tudo bem? 😀", "日本語テキスト", "한국어 텍스트", "שלום עולם", "Привет, мир", "नमस्ते दुनिया",
		"https://wa.me/hailmark?text=Olá, já viu? ¿Qué tal? Ünïcödé ½ £",
	}
	const words = "Hello%2C%20I%20saw%20your%20offer%20and%20would%20like%20to%20know%20more%20about%20the%20price.%20"
	for _, n := range []int{60, 80, 100, 120, 140, 160, 180, 200, 230, 260, 300, 350, 400, 450, 500, 600, 700, 800, 900} {
		list = append(list, ("https://wa.me/16505551234?text=" + strings.Repeat(words, 10))[:n])
	}
	return list
}

var sizes = []int{128, 200, 256, 300, 333, 400, 512, 640, 768, 1024}

// A look is a pair of colors, and what lies behind a transparent background.
type look struct {
	fg, bg string
	behind uint8
}

var looks = []look{
	{fg: "000000", bg: "ffffff"},
	{fg: "25d366", bg: "ffffff"},
	{fg: "075e54", bg: "dcf8c6"},
	{fg: "000000", bg: "transparent", behind: 255},
	{fg: "000000", bg: "transparent", behind: 192},
	{fg: "25d366", bg: "transparent", behind: 255},
	{fg: "ffffff", bg: "000000"},
}

func (l look) lightOnDark() bool { return l.fg == "ffffff" }

// A gridImage is one image in the grid. For decoders that can't read light on dark, its
// colors are inverted in the file.
type gridImage struct {
	name, text string
	file       string
	inverted   string // the file with inverted colors, if it is light on dark
	fractional bool   // the modules of an SVG do not fall on whole pixels
}

// TestGrid draws every text in every size and look as PNG and as SVG, and has each read by
// three decoders. An image whose text does not fit its size is left out, and so is an
// SVG with less than three pixels for a module.
//
// All three must read all, but for one weakness: where the modules of an SVG do not fall
// on whole pixels, gozxing misses symbols of some versions that the other two read, and
// nearly as many of them with smooth edges.
func TestGrid(t *testing.T) {
	testenv.Slow(t)
	all := decoders(t)
	testenv.Needs(t, "rsvg-convert", "Debian package librsvg2-bin")
	dir := t.TempDir()
	var grid []gridImage
	n := 0
	for _, text := range texts() {
		for _, size := range sizes {
			for _, l := range looks {
				for _, format := range []qrcode.Format{qrcode.PNG, qrcode.SVG} {
					if n++; !full && n%101 != 0 {
						continue
					}
					if p, ok := drawPicture(t, dir, text, size, l, format); ok {
						grid = append(grid, p)
					}
				}
			}
		}
	}
	t.Logf("%d images", len(grid))
	missed := make([][]string, len(grid)) // by whom
	for _, d := range all {
		files := make([]string, len(grid))
		for i, p := range grid {
			files[i] = p.file
			if p.inverted != "" && !d.inverts {
				files[i] = p.inverted
			}
		}
		read := 0
		for i, got := range d.read(t, files) {
			if got == grid[i].text {
				read++
			} else {
				missed[i] = append(missed[i], d.name)
			}
		}
		t.Logf("%s read %d of %d", d.name, read, len(grid))
	}
	for i, names := range missed {
		switch p := grid[i]; {
		case len(names) == 0:
		case len(names) == 1 && names[0] == "gozxing" && p.fractional:
			t.Logf("gozxing alone missed %s", p.name)
		default:
			t.Errorf("%v missed %s", names, p.name)
		}
	}
}

func drawPicture(t *testing.T, dir, text string, size int, l look, format qrcode.Format) (gridImage, bool) {
	t.Helper()
	opts := qrcode.Options{Format: format, Size: size}
	var err error
	opts.Foreground, err = qrcode.ParseColor(l.fg)
	require.NoError(t, err)
	opts.Background, err = qrcode.ParseBackground(l.bg)
	require.NoError(t, err)
	symbol, err := qrcode.Encode(text, qrcode.EncodeOptions{})
	require.NoError(t, err)
	if format == qrcode.SVG && size < 3*(symbol.Size()+8) {
		return gridImage{}, false
	}
	data, err := qrcode.RenderQR(text, opts)
	if err != nil {
		require.ErrorIs(t, err, problem.Code("text_too_long"))
		return gridImage{}, false
	}
	name := fmt.Sprintf("the %v of %d pixels, %s on %s over %d, version %d-%v: %.40q", format, size, l.fg, l.bg, l.behind, symbol.Version(), symbol.Level(), text)
	if format == qrcode.SVG {
		data = rasterize(t, data, size)
	}
	img, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	p := gridImage{fractional: format == qrcode.SVG && size%(symbol.Size()+8) != 0, name: name, text: text, file: filepath.Join(dir, fmt.Sprintf("%s.png", temporary()))}
	if l.bg == "transparent" {
		img = over(img, l.behind)
		data = encode(t, img)
	}
	require.NoError(t, os.WriteFile(p.file, data, 0o600))
	if l.lightOnDark() {
		p.inverted = strings.TrimSuffix(p.file, ".png") + "-inverted.png"
		require.NoError(t, os.WriteFile(p.inverted, encode(t, inverted(img)), 0o600))
	}
	return p, true
}

var drawn int

// temporary returns a new name.
func temporary() string {
	drawn++
	return fmt.Sprintf("%05d", drawn)
}

func rasterize(t *testing.T, svg []byte, size int) []byte {
	t.Helper()
	var out, messages bytes.Buffer
	cmd := exec.Command("rsvg-convert", "--width", fmt.Sprint(size))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(svg), &out, &messages
	require.NoError(t, cmd.Run(), "%s", &messages)
	return out.Bytes()
}

// over lays an image over a plain gray.
func over(img image.Image, gray uint8) image.Image {
	out := image.NewRGBA(img.Bounds())
	draw.Draw(out, out.Rect, image.NewUniform(color.Gray{gray}), image.Point{}, draw.Src)
	draw.Draw(out, out.Rect, img, image.Point{}, draw.Over)
	return out
}

func inverted(img image.Image) image.Image {
	out := image.NewRGBA(img.Bounds())
	draw.Draw(out, out.Rect, img, image.Point{}, draw.Src)
	for i := range out.Pix {
		if i%4 != 3 {
			out.Pix[i] = 255 - out.Pix[i]
		}
	}
	return out
}

func encode(t *testing.T, img image.Image) []byte {
	t.Helper()
	var buf bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestSpeed}
	require.NoError(t, enc.Encode(&buf, img))
	return buf.Bytes()
}

package qrprint

import (
	"bytes"
	"image"
	"image/draw"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

func grayOf(t *testing.T, data []byte) *image.Gray {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	gray := image.NewGray(image.Rect(0, 0, img.Bounds().Dx(), img.Bounds().Dy()))
	draw.Draw(gray, gray.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(gray, gray.Rect, img, img.Bounds().Min, draw.Over)
	return gray
}

// zbar returns the texts of all codes in an image, sorted.
func zbar(file string) []string {
	out, _ := exec.Command("zbarimg", "--quiet", "--nodbus", "--raw", "-Sdisable", "-Sqrcode.enable", file).Output() // 4 if nothing is found
	return slices.Sorted(strings.FieldsSeq(string(out)))
}

// zxing returns the text of one code in an image.
func zxing(file string) []string {
	out, _ := exec.Command("ZXingReader", "-fast", "-format", "QRCode", "-1", file).Output()
	if _, rest, found := strings.Cut(string(out), `"`); found {
		return []string{rest[:strings.LastIndexByte(rest, '"')]}
	}
	return nil
}

// Every format of every page, drawn by another program, is read by zbar, and pages with one
// code by zxing-cpp.
func TestPagesDecode(t *testing.T) {
	testenv.Slow(t)
	needTools(t)
	dir := t.TempDir()
	for _, s := range samples(t) {
		want := slices.Sorted(slices.Values(s.texts))
		pictures := map[string]string{}
		out := func(name string) string {
			pictures[name] = filepath.Join(dir, name+".png")
			return pictures[name]
		}
		run(t, "pdftoppm", "-r", "300", "-gray", "-png", "-singlefile", write(t, dir, s, qrprint.PDF), strings.TrimSuffix(out("poppler"), ".png"))
		run(t, "gs", "-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", "-dEPSCrop", "-sDEVICE=pnggray", "-r300", "-o", out("ghostscript"), write(t, dir, s, qrprint.EPS))
		run(t, "rsvg-convert", "--dpi-x", "300", "--dpi-y", "300", "--background-color", "white", "-o", out("librsvg"), write(t, dir, s, qrcode.SVG))
		if s.name != "shop" { // without a resolution
			file, err := s.page.Append(nil, qrcode.PNG)
			require.NoError(t, err, s.name)
			var white bytes.Buffer
			require.NoError(t, png.Encode(&white, grayOf(t, file)))
			require.NoError(t, os.WriteFile(out("png"), white.Bytes(), 0o600))
		}
		for name, picture := range pictures {
			require.Equal(t, want, zbar(picture), "%s, %s", s.name, name)
			if len(want) == 1 {
				require.Equal(t, want, zxing(picture), "%s, %s", s.name, name)
			}
		}
	}
}

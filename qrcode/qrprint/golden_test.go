package qrprint_test

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"flag"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

var update = flag.Bool("update", false, "write the files in testdata anew")

// Every kind of page has the files of testdata, which people have looked at. Compressed data
// is compared after decompression, because its bytes may change with the release of Go.
// go test ./qrcode/qrprint -run TestGolden -update writes the files.
func TestGolden(t *testing.T) {
	photo, err := qrprint.ParseLogo(picture(t))
	require.NoError(t, err)
	const text = "HI"
	code := qrprint.Code{Text: text, DPI: 100, Caption: "@jo"}
	frame := qrprint.Code{Text: text, DPI: 100, Caption: "@jo", Frame: "Chat", Style: qrcode.Style{Foreground: qrcode.RGB(7, 94, 84), Background: qrcode.RGB(0xdc, 0xf8, 0xc6)}}
	bleed, err := qrprint.Code{Text: text, DPI: 100, Logo: photo, Style: qrcode.Style{Foreground: qrcode.RGB(255, 255, 255), Background: qrcode.RGB(0, 0, 0x80)}, Bleed: 3}.Page()
	require.NoError(t, err)
	trimmed := code
	trimmed.Bleed = 3
	tent, err := qrprint.Poster{Paper: qrprint.A5, Heading: "Hi?", Text: "Ask\nus", Code: trimmed}.Tent()
	require.NoError(t, err)
	dark := code
	dark.Foreground, dark.Background = qrcode.RGB(255, 255, 255), qrcode.RGB(0, 0, 0)
	partial := labels(t, "avery-l7163")
	partial.Start, partial.Borders = 2, true
	for name, p := range map[string]*qrprint.Page{
		"bleed": bleed,
		"frame": page(t, frame),
		"logo":  page(t, qrprint.Code{Text: text, DPI: 100, Logo: photo}),
		"sheet": sheetOf(t, partial, code, dark, frame),
		"tent":  tent,
	} {
		for _, f := range []qrcode.Format{qrprint.PDF, qrprint.EPS, qrcode.SVG, qrcode.PNG} {
			t.Run(name+"."+f.String(), func(t *testing.T) {
				path := "testdata/" + name + "." + f.String()
				got := file(t, p, f)
				if f == qrprint.EPS { // internal/check/harness/qrprint draws it with Ghostscript
					sum := sha256.Sum256([]byte(inflated(t, got)))
					require.Equal(t, epsSums[name], hex.EncodeToString(sum[:8]))
					return
				}
				if *update {
					require.NoError(t, os.MkdirAll("testdata", 0o755))
					require.NoError(t, os.WriteFile(path, got, 0o644))
				}
				want, err := os.ReadFile(path)
				require.NoError(t, err)
				if f != qrcode.PNG {
					require.Equal(t, inflated(t, want), inflated(t, got))
					return
				}
				wantPixels, wantHeader := decoded(t, want)
				gotPixels, gotHeader := decoded(t, got)
				require.Equal(t, wantHeader, gotHeader)
				require.True(t, wantPixels == gotPixels, "the pixels differ")
			})
		}
	}
}

// epsSums are the checksums of the EPS files, which are large.
var epsSums = map[string]string{
	"bleed": "588e12d6f724dc62", "frame": "4266964c9189258b", "logo": "b33d1c1ce5e86776", "sheet": "19154f606940a095", "tent": "6ae747d3526a7b38",
}

// decoded returns the pixels of a PNG as a text, and the file up to its compressed data.
func decoded(t *testing.T, data []byte) (pixels, header string) {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	out := image.NewNRGBA(img.Bounds())
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			out.Set(x, y, img.At(x, y))
		}
	}
	return string(out.Pix), string(data[:bytes.Index(data, []byte("pHYs"))+17])
}

// inflated returns a file with its compressed streams as plain text, and without what depends
// on their bytes. EPS has them in ASCII, and only for images.
func inflated(t *testing.T, data []byte) string {
	t.Helper()
	var out bytes.Buffer
	for {
		before, rest, found := bytes.Cut(data, []byte(">>\nstream\n"))
		out.Write(before)
		if !found {
			plain := compressed.ReplaceAllString(out.String(), "")
			return embedded.ReplaceAllStringFunc(plain, func(uri string) string {
				data, err := base64.StdEncoding.DecodeString(embedded.FindStringSubmatch(uri)[1])
				require.NoError(t, err)
				img, err := png.Decode(bytes.NewReader(data))
				require.NoError(t, err)
				return fmt.Sprint(img)
			})
		}
		r, err := zlib.NewReader(bytes.NewReader(rest))
		require.NoError(t, err)
		_, err = io.Copy(&out, r)
		require.NoError(t, err)
		_, data, _ = bytes.Cut(rest, []byte("\nendstream\n"))
	}
}

// compressed are the parts of PDF and EPS that compression changes: the length of a stream,
// the table of offsets, the hash, and the image of an EPS.
var compressed = regexp.MustCompile(`(?s)/Length \d+|\nxref\n.*|filter>>image\n.*?~>`)

// embedded is the image of an SVG. Its compression depends on the Go version.
var embedded = regexp.MustCompile(`data:image/png;base64,([^"]*)`)

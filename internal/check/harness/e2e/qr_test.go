package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/makiuchi-d/gozxing"
	zxing "github.com/makiuchi-d/gozxing/qrcode"
	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
	"github.com/hailmark/hailmark/qrcode"
)

// A drawing is an image and the text that decoders must find in it.
type drawing struct {
	name, text string
	file       []byte // PNG or SVG
	size       int
	inverted   bool // light on dark
}

type look struct {
	color, bg string
	inverted  bool
}

var (
	looks = []look{
		{color: "000000", bg: "ffffff"},
		{color: "25d366", bg: "ffffff"}, // brand green
		{color: "000000", bg: "transparent"},
		{color: "ffffff", bg: "000000", inverted: true},
		{color: "075e54", bg: "dcf8c6"},
		{color: "128c7e", bg: "transparent"},
		{color: "ffffff", bg: "075e54", inverted: true},
	}
	sizes   = []int{128, 257, 333, 512, 1024}
	lengths = []int{20, 80, 200, 420, 900} // of texts, in bytes
	phrases = []string{"Is the red one still there? ", "Grüße aus Köln! ", "0123456789", "¿Aún está? 😀\n", "A-Z $%*+./: "}
)

// An image from /api/v1/qr contains the link that the endpoints for links return for
// the same values.
func endpointDrawings(t *testing.T, format string, sizes []int) []drawing {
	t.Helper()
	server := serve(t, unlimited)
	get := func(path string, query url.Values) (*http.Response, []byte) {
		res, body := request{Method: http.MethodGet, Path: path + "?" + query.Encode()}.send(t, server.URL)
		require.Equal(t, http.StatusOK, res.StatusCode, "%s %s", query, body)
		return res, body
	}
	var drawings []drawing
	i := 0
	for _, target := range []struct{ parameter, value, linkPath string }{
		{"username", "janedo", "/api/v1/username-link"},
		{"phone", "16505551234", "/api/v1/phone-link"},
		{"username", "the.longest_name.that_there.is_9999", "/api/v1/username-link"},
	} {
		for _, length := range lengths {
			for _, size := range sizes {
				i++
				l := looks[(i+i/len(sizes))%len(looks)] // every size in every look
				query := url.Values{target.parameter: {target.value}}
				if room := length - len("https://wa.me/"+target.value+"?text="); room > 0 {
					query.Set("text", message(phrases[i%len(phrases)], room))
				}
				_, body := get(target.linkPath, query)
				var answer struct{ Link string }
				require.NoError(t, json.Unmarshal(body, &answer))

				query.Set("format", format)
				query.Set("size", strconv.Itoa(size))
				query.Set("color", l.color)
				query.Set("bg", l.bg)
				res, file := get("/api/v1/qr", query)
				require.Equal(t, map[string]string{"png": "image/png", "svg": "image/svg+xml"}[format], res.Header.Get("Content-Type"))
				name := fmt.Sprintf("%s of %d bytes, %d px, %s on %s", target.parameter, len(answer.Link), size, l.color, l.bg)
				drawings = append(drawings, drawing{name, answer.Link, file, size, l.inverted})
			}
		}
	}
	return drawings
}

// message repeats a phrase as often as it fits into so many bytes of a query, and
// fills the rest.
func message(phrase string, room int) string {
	var b strings.Builder
	escaped := func(s string) int { return len(strings.ReplaceAll(url.QueryEscape(s), "+", "%20")) }
	for escaped(b.String())+escaped(phrase) <= room {
		b.WriteString(phrase)
	}
	b.WriteString(strings.Repeat("x", room-escaped(b.String())))
	return b.String()
}

// libraryDrawings are of any text, not just links.
func libraryDrawings(t *testing.T, format qrcode.Format) []drawing {
	t.Helper()
	var drawings []drawing
	for i, length := range lengths {
		for j, phrase := range phrases {
			text := strings.Repeat(phrase, length)[:length]
			for !utf8.ValidString(text) {
				text = text[:len(text)-1]
			}
			size, l := sizes[(i+j)%len(sizes)], looks[(2*i+j)%len(looks)]
			fg, err := qrcode.ParseColor(l.color)
			require.NoError(t, err)
			bg, err := qrcode.ParseBackground(l.bg)
			require.NoError(t, err)
			file, err := qrcode.RenderQR(text, qrcode.Options{Format: format, Size: size, Style: qrcode.Style{Foreground: fg, Background: bg}})
			require.NoError(t, err)
			name := fmt.Sprintf("%d bytes of %q, %d px, %s on %s", len(text), phrase, size, l.color, l.bg)
			drawings = append(drawings, drawing{name, text, file, size, l.inverted})
		}
	}
	return drawings
}

func TestPNGDecodes(t *testing.T) {
	drawings := append(endpointDrawings(t, "png", sizes), libraryDrawings(t, qrcode.PNG)...)
	for _, p := range drawings {
		drawn, err := png.DecodeConfig(bytes.NewReader(p.file))
		require.NoError(t, err)
		require.Equal(t, p.size, drawn.Width)
		require.Equal(t, p.size, drawn.Height)
	}
	t.Run("gozxing", func(t *testing.T) {
		for _, p := range drawings {
			t.Run(p.name, func(t *testing.T) {
				t.Parallel()
				require.Equal(t, p.text, readGozxing(t, p.darkOnLight(t)))
			})
		}
	})
	t.Run("zbar", func(t *testing.T) { requireZbarReads(t, drawings) })
}

// An SVG is read at sizes that make modules of different widths, too.
func TestSVGDecodes(t *testing.T) {
	testenv.Slow(t)
	rsvg := testenv.Needs(t, "rsvg-convert", "Debian package librsvg2-bin")
	drawings := append(endpointDrawings(t, "svg", []int{128}), libraryDrawings(t, qrcode.SVG)...) // the size has no say
	for i, p := range drawings {
		pixels := strconv.Itoa([]int{500, 777, 1024}[i%3])
		cmd := exec.CommandContext(t.Context(), rsvg, "--width", pixels, "--height", pixels, "--background-color", "white")
		cmd.Stdin = bytes.NewReader(p.file)
		out, err := cmd.Output()
		require.NoError(t, err)
		drawings[i].file = out
	}
	requireZbarReads(t, drawings)
}

func requireZbarReads(t *testing.T, drawings []drawing) {
	t.Helper()
	testenv.Slow(t)
	zbarimg := testenv.Needs(t, "zbarimg", "Debian package zbar-tools")
	for _, p := range drawings {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "qr.png")
			if p.inverted { // which zbar cannot read
				var b bytes.Buffer
				require.NoError(t, png.Encode(&b, p.darkOnLight(t)))
				p.file = b.Bytes()
			}
			require.NoError(t, os.WriteFile(file, p.file, 0o600))
			out, err := exec.CommandContext(t.Context(), zbarimg, "--quiet", "--nodbus", "--raw", "-Sdisable", "-Sqrcode.enable", file).Output()
			require.NoError(t, err)
			require.Equal(t, p.text, strings.TrimSuffix(string(out), "\n"))
		})
	}
}

// darkOnLight returns the image in gray on a white page, inverted if need be.
func (p drawing) darkOnLight(t *testing.T) *image.Gray {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(p.file))
	require.NoError(t, err)
	gray := image.NewGray(img.Bounds())
	draw.Draw(gray, gray.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(gray, gray.Rect, img, gray.Rect.Min, draw.Over)
	if p.inverted {
		for i := range gray.Pix {
			gray.Pix[i] = ^gray.Pix[i]
		}
	}
	return gray
}

// readGozxing uses the global binarizer: the hybrid one takes a large plain area for
// white, whatever its color.
func readGozxing(t *testing.T, img image.Image) string {
	t.Helper()
	bitmap, err := gozxing.NewBinaryBitmap(gozxing.NewGlobalHistgramBinarizer(gozxing.NewLuminanceSourceFromImage(img)))
	require.NoError(t, err)
	result, err := zxing.NewQRCodeReader().Decode(bitmap, map[gozxing.DecodeHintType]any{
		gozxing.DecodeHintType_PURE_BARCODE:  true,
		gozxing.DecodeHintType_CHARACTER_SET: "UTF-8",
	})
	require.NoError(t, err)
	return result.GetText()
}

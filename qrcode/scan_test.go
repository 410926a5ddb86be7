package qrcode_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
	"github.com/hailmark/hailmark/qrcode"
)

// scan returns what zbarimg reads from each of the PNG files.
func scan(t *testing.T, files []string) []string {
	t.Helper()
	texts := make([]string, len(files))
	for i, f := range files {
		var out, messages bytes.Buffer
		cmd := exec.Command("zbarimg", "--quiet", "--nodbus", "--raw", f)
		cmd.Stdout, cmd.Stderr = &out, &messages
		require.NoError(t, cmd.Run(), "%s: %s", f, &messages)
		texts[i] = strings.TrimSuffix(out.String(), "\n")
	}
	return texts
}

var scanned = []struct {
	text string
	opts qrcode.Options
}{
	{link, qrcode.Options{}},
	{link, qrcode.Options{Size: 128}},
	{link, qrcode.Options{Size: 1024, Style: qrcode.Style{Foreground: qrcode.RGB(0x25, 0xD3, 0x66)}}},
	{link, qrcode.Options{Size: 333, Style: qrcode.Style{Background: qrcode.Transparent()}}},
	{"https://wa.me/hailmark?text=Ol%C3%A1%2C%20tudo%20bem%3F", qrcode.Options{Style: qrcode.Style{Foreground: qrcode.RGB(0x07, 0x5E, 0x54), Background: qrcode.RGB(0xDC, 0xF8, 0xC6)}}},
	{"Grüße aus München", qrcode.Options{}},
	{"日本語 한국어 שלום 😀", qrcode.Options{Size: 256}},
	{"é", qrcode.Options{Size: 128}},
	{"0123456789", qrcode.Options{}},
	{"ALL:CAPITALS 1/2 $%*+-.", qrcode.Options{}},
	{strings.Repeat(link+"?text=hello%20", 20), qrcode.Options{Size: 600}},
}

func TestScanPNG(t *testing.T) {
	testenv.Needs(t, "zbarimg", "Debian package zbar-tools")
	dir := t.TempDir()
	var files, texts []string
	for i, s := range scanned {
		img, err := qrcode.RenderQR(s.text, s.opts)
		require.NoError(t, err)
		files = append(files, filepath.Join(dir, fmt.Sprintf("%d.png", i)))
		texts = append(texts, s.text)
		require.NoError(t, os.WriteFile(files[i], img, 0o600))
	}
	require.Equal(t, texts, scan(t, files))
}

// TestScanOnePixel draws texts whose levels M and L lie in different ranges of versions.
func TestScanOnePixel(t *testing.T) {
	testenv.Needs(t, "zbarimg", "Debian package zbar-tools")
	dir := t.TempDir()
	var files, texts []string
	for text, size := range map[string]int{
		strings.Repeat("0123456789", 260):               200,
		strings.Repeat("HELLO WORLD $", 120):            200,
		link + "?text=" + strings.Repeat("%D0%BF", 240): 160,
		link + "?text=" + strings.Repeat("%D0%BF", 290): 256,
	} {
		img, err := qrcode.RenderQR(text, qrcode.Options{Size: size})
		require.NoError(t, err)
		files, texts = append(files, filepath.Join(dir, fmt.Sprintf("%d.png", len(files)))), append(texts, text)
		require.NoError(t, os.WriteFile(files[len(files)-1], img, 0o600))
	}
	require.Equal(t, texts, scan(t, files))
}

func TestScanSVG(t *testing.T) {
	testenv.Needs(t, "zbarimg", "Debian package zbar-tools")
	testenv.Needs(t, "rsvg-convert", "Debian package librsvg2-bin")
	dir := t.TempDir()
	var files, texts []string
	for i, s := range scanned {
		s.opts.Format = qrcode.SVG
		img, err := qrcode.RenderQR(s.text, s.opts)
		require.NoError(t, err)
		files = append(files, filepath.Join(dir, fmt.Sprintf("%d.png", i)))
		texts = append(texts, s.text)
		cmd := exec.Command("rsvg-convert", "--width", "500", "--background-color", "white", "--output", files[i])
		cmd.Stdin = bytes.NewReader(img)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	require.Equal(t, texts, scan(t, files))
}

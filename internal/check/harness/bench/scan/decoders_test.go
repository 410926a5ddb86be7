// Package scan reads QR codes of package qrcode back with decoders that others wrote:
// zbar, ZXing's C++ port as the npm package zxing-wasm, and its Go port gozxing. It has tests
// only, which need these programs and are skipped without them:
//
//	apt-get install zbar-tools librsvg2-bin qrencode nodejs npm
//	npm ci --prefix internal/check/harness/bench/scan
//	HAILMARK_TESTS=all go test -v .                      # a sample
//	HAILMARK_TESTS=all HAILMARK_SCAN=full go test -v .   # everything, in some minutes
package scan

import (
	"bytes"
	"encoding/json"
	"errors"
	"image"
	_ "image/png"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"
	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
)

// full is whether to draw everything.
var full = os.Getenv("HAILMARK_SCAN") == "full"

// A decoder reads PNG files. A file that it cannot read has the text "".
type decoder struct {
	name    string
	inverts bool // reads light on dark without being told to
	read    func(t *testing.T, files []string) []string
}

// decoders returns the three decoders, and skips the test if one is missing.
func decoders(t *testing.T) []decoder {
	t.Helper()
	testenv.Needs(t, "zbarimg", "Debian package zbar-tools")
	testenv.Needs(t, "node", "Debian package nodejs")
	if _, err := os.Stat("node_modules/zxing-wasm"); err != nil {
		testenv.Missing(t, "zxing-wasm", "npm ci --prefix internal/check/harness/bench/scan")
	}
	return []decoder{
		{"zbar", false, zbar},
		{"zxing-wasm", true, zxing},
		{"gozxing", false, gozxingRead},
	}
}

// zbar reads one file a run: its output for several has no text beyond ASCII. It looks for
// QR codes only. With all of its symbologies it can find a linear barcode as well: rows of
// modules one pixel wide can look like Interleaved 2 of 5, which has no checksum.
func zbar(t *testing.T, files []string) []string {
	t.Helper()
	texts := make([]string, len(files))
	for i, f := range files {
		out, err := exec.Command("zbarimg", "--quiet", "--nodbus", "--raw", "-Sdisable", "-Sqrcode.enable", f).Output()
		const nothingFound = 4
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != nothingFound {
			require.NoError(t, err)
		}
		texts[i] = strings.TrimSuffix(string(out), "\n")
	}
	return texts
}

func zxing(t *testing.T, files []string) []string {
	t.Helper()
	texts := make([]string, len(files))
	for i, line := range runLines(t, "zxing.mjs", files) {
		require.NoError(t, json.Unmarshal([]byte(line), &texts[i]))
	}
	return texts
}

// gozxingRead tries both of its ways to tell dark from light, and both of its ways to
// find a symbol, as scanners built on ZXing do.
func gozxingRead(t *testing.T, files []string) []string {
	t.Helper()
	texts := make([]string, len(files))
	for i, f := range files {
		data, err := os.ReadFile(f)
		require.NoError(t, err)
		img, _, err := image.Decode(bytes.NewReader(data))
		require.NoError(t, err)
		texts[i] = gozxingText(img)
	}
	return texts
}

func gozxingText(img image.Image) string {
	source := gozxing.NewLuminanceSourceFromImage(img)
	for _, hints := range []map[gozxing.DecodeHintType]any{nil, {gozxing.DecodeHintType_PURE_BARCODE: true}} {
		for _, binarizer := range []gozxing.Binarizer{gozxing.NewHybridBinarizer(source), gozxing.NewGlobalHistgramBinarizer(source)} {
			bitmap, err := gozxing.NewBinaryBitmap(binarizer)
			if err != nil {
				continue
			}
			if result, err := qrcode.NewQRCodeReader().Decode(bitmap, hints); err == nil {
				return result.GetText()
			}
		}
	}
	return ""
}

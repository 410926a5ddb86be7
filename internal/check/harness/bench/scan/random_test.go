package scan

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"rsc.io/qr/coding"

	"github.com/hailmark/hailmark/internal/check/testenv"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
)

// alphabets are the characters of random texts, with the bits that each takes in a symbol.
var alphabets = []struct {
	name       string
	characters []string
	bits       float64
}{
	{"digits", strings.Split("0123456789", ""), 10. / 3},
	{"alphanumeric", strings.Split("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:", ""), 5.5},
	{"Latin", strings.Split("abcdefghijklmnopqrstuvwxyz0123456789ABC_-.~/?&=", ""), 8},
	{"percent-encoded Cyrillic", []string{"%D0%B0", "%D0%B5", "%D0%BF", "%D1%80", "%D1%82", "%20"}, 33},
	{"Chinese and Japanese", strings.Split("日本語漢字請問營業時間何時ですか", ""), 24},
	{"emoji", strings.Split("😀🎉👍💬📱🛒", ""), 32},
}

// randomText returns a text of one or several alphabets that takes about this many bits.
func randomText(random *rand.Rand, bits int) string {
	kind := random.IntN(len(alphabets) + 1)
	var b strings.Builder
	for left := float64(bits); left > 0; {
		alphabet := alphabets[min(kind, len(alphabets)-1)]
		n := int(left/alphabet.bits) + 1
		if kind == len(alphabets) { // a mixture
			alphabet = alphabets[random.IntN(len(alphabets))]
			n = 1 + random.IntN(30)
			left -= 20 // for another segment
		}
		for range n {
			b.WriteString(alphabet.characters[random.IntN(len(alphabet.characters))])
		}
		left -= float64(n) * alphabet.bits
	}
	return b.String()
}

var escaped = regexp.MustCompile(`<U\+([0-9A-F]+)>`)

// zxingReaderUnescaped is zxingReader for text beyond ASCII, which ZXingReader escapes. The
// alphabets have no <. ZXingReader 1.4 does not find one in 500 symbols at two or three pixels
// per module; it reads all of these with -ispure, which takes the image for a symbol and its
// quiet zone.
func zxingReaderUnescaped(t *testing.T, files []string) []string {
	t.Helper()
	texts := zxingReader(t, files)
	for i := range texts {
		if texts[i] == "" {
			texts[i] = zxingReader(t, files[i:i+1], "-ispure")[0]
			t.Logf("ZXingReader needs -ispure (%d bytes)", len(texts[i]))
		}
		texts[i] = escaped.ReplaceAllStringFunc(texts[i], func(s string) string {
			character, err := strconv.ParseUint(escaped.FindStringSubmatch(s)[1], 16, 32)
			require.NoError(t, err)
			return string(rune(character))
		})
	}
	return texts
}

// TestRandomImages has zbar and ZXing's C++ port read 1,000 images, or 5,000, of random texts,
// sizes, margins and levels. Half of the texts are about as long as versions 9, 10, 26 and 27
// hold at some level, and most sizes are about where the pixels per module change. No image
// may be misread, and only images at one pixel per module may be missed, by one decoder.
func TestRandomImages(t *testing.T) {
	testenv.Slow(t)
	testenv.Needs(t, "zbarimg", "Debian package zbar-tools")
	testenv.Needs(t, "ZXingReader", "Debian package zxing-cpp-tools")
	random := rand.New(rand.NewPCG(41, 42))
	dir := t.TempDir()
	images := 1000
	if full {
		images = 5000
	}
	readers := []decoder{{name: "zbar", read: zbar}, {name: "ZXingReader", read: zxingReaderUnescaped}}
	missed := map[string]int{}
	onePixel := 0
	for drawn := 0; drawn < images; {
		version := 1 + random.IntN(40)
		if random.IntN(2) == 0 {
			version = []int{9, 10, 26, 27}[random.IntN(4)]
		}
		level := random.IntN(4)
		capacity := 8 * coding.Version(version).DataBytes(coding.Level(level))
		text := randomText(random, max(20, capacity-40+random.IntN(60)))
		opts := qrcode.Options{Style: qrcode.Style{MinLevel: qrcode.Level(random.IntN(level + 1))}}
		if random.IntN(2) == 0 {
			opts.Margin = 4 + random.IntN(12)
		}
		scale := 1 + random.IntN(4)
		opts.Size = max(qrcode.MinSize, scale*(17+4*version+2*max(opts.Margin, 4))+random.IntN(12)-3)
		img, err := qrcode.RenderQR(text, opts)
		if err != nil {
			require.ErrorIs(t, err, problem.Code("text_too_long"))
			continue
		}
		drawn++
		symbol, err := qrcode.Encode(text, qrcode.EncodeOptions{MinLevel: qrcode.LevelL})
		require.NoError(t, err)
		modulesAndMargin := symbol.Size() + 2*max(opts.Margin, 4)
		single := opts.Size < 2*modulesAndMargin // or a little less, if only a larger level fits
		if single {
			onePixel++
		}
		file := filepath.Join(dir, fmt.Sprintf("%d.png", drawn))
		require.NoError(t, os.WriteFile(file, img, 0o600))
		misses := 0
		for _, reader := range readers {
			switch got := reader.read(t, []string{file})[0]; got {
			case text:
			case "":
				misses++
				missed[reader.name]++
				t.Logf("%s misses %d bytes at %d pixels, margin %d, level %v", reader.name, len(text), opts.Size, opts.Margin, opts.MinLevel)
			default:
				t.Errorf("%s reads %.60q instead of %.60q at %d pixels, margin %d, level %v", reader.name, got, text, opts.Size, opts.Margin, opts.MinLevel)
			}
		}
		if misses > 0 && !single || misses == len(readers) {
			t.Errorf("%d decoders miss %.60q at %d pixels, margin %d, level %v", misses, text, opts.Size, opts.Margin, opts.MinLevel)
		}
		require.NoError(t, os.Remove(file))
	}
	t.Logf("%d images, %d at one pixel per module; missed: %v", images, onePixel, missed)
}

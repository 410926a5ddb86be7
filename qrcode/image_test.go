package qrcode_test

import (
	"bytes"
	"encoding/json"
	"image/color"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
)

// TestOnePixelModules checks sizes around the smallest that holds a text. The rejected sizes
// name one that works, and the accepted ones have an odd offset, which readPNG asserts.
func TestOnePixelModules(t *testing.T) {
	for _, text := range []string{strings.Repeat("aB1", 500), strings.Repeat("0123456789", 400), strings.Repeat("%D0%BF", 500)} {
		_, err := qrcode.RenderQR(text, qrcode.Options{Size: 128, Style: qrcode.Style{Margin: 50}})
		works := namedSize(t, err) - 92 // with a margin of 4
		for size := works - 1; size < works+3; size++ {
			opts := qrcode.Options{Size: size}
			img, err := qrcode.RenderQR(text, opts)
			if size < works {
				require.Equal(t, works, namedSize(t, err))
				continue
			}
			require.NoError(t, err)
			require.Equal(t, text, drawn(t, img, opts).text)
		}
	}
}

func namedSize(t *testing.T, err error) int {
	t.Helper()
	require.ErrorIs(t, err, problem.Code("text_too_long"))
	found := regexp.MustCompile(`a size of (\d+) or more`).FindStringSubmatch(err.Error())
	require.NotNil(t, found, err.Error())
	size, err := strconv.Atoi(found[1])
	require.NoError(t, err)
	return size
}

// TestMissedMasksAreAvoided draws symbols whose best mask zbar misses at one pixel per module.
func TestMissedMasksAreAvoided(t *testing.T) {
	missed := 0
	random := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		letters := make([]byte, 2930)
		for i := range letters {
			letters[i] = byte('a' + random.IntN(26))
		}
		text := string(letters)
		s, err := qrcode.Encode(text, qrcode.EncodeOptions{})
		require.NoError(t, err)
		require.Equal(t, 40, s.Version())
		if s.Mask() != 2 && s.Mask() != 7 {
			continue
		}
		if missed++; missed > 3 {
			break
		}
		img, err := qrcode.RenderQR(text, qrcode.Options{Size: 200})
		require.NoError(t, err)
		require.NotContains(t, []int{2, 7}, drawn(t, img, qrcode.Options{Size: 200}).Mask)
	}
	require.Positive(t, missed)
}

// TestContrastOfEachGray has pairs of which each formula for gray decides one: BT.601, BT.709
// and that of ZXing. The second background is one step too close to the foreground.
func TestContrastOfEachGray(t *testing.T) {
	for _, c := range [][3]qrcode.Color{
		{qrcode.RGB(100, 0, 0), qrcode.RGB(0, 100, 169), qrcode.RGB(0, 100, 168)},
		{qrcode.RGB(0, 0, 0), qrcode.RGB(200, 0, 75), qrcode.RGB(200, 0, 74)},
		{qrcode.RGB(0, 0, 0), qrcode.RGB(2, 95, 0), qrcode.RGB(1, 95, 0)},
		{qrcode.RGB(0, 0, 0), qrcode.RGB(0, 95, 2), qrcode.RGB(0, 95, 1)},
	} {
		_, err := qrcode.Options{Style: qrcode.Style{Foreground: c[0], Background: c[1]}}.Check()
		require.NoError(t, err)
		_, err = qrcode.Options{Style: qrcode.Style{Foreground: c[0], Background: c[2]}}.Check()
		require.ErrorIs(t, err, problem.Code("low_contrast"))
	}
}

// TestShortColors draws colors of which one share, or none, needs both of its digits.
func TestShortColors(t *testing.T) {
	for c, want := range map[qrcode.Color]string{
		qrcode.RGB(0x12, 0, 0): "#120000", qrcode.RGB(0, 0x12, 0): "#001200", qrcode.RGB(0, 0, 0x12): "#000012", qrcode.RGB(0x11, 0x22, 0x33): "#123",
	} {
		svg, err := qrcode.RenderQR(link, qrcode.Options{Format: qrcode.SVG, Style: qrcode.Style{Foreground: c}})
		require.NoError(t, err)
		require.Contains(t, string(svg), `fill="`+want+`"`)
	}
}

func TestColorWithoutOpacity(t *testing.T) {
	for _, c := range []qrcode.Color{{}, qrcode.Transparent()} {
		r, g, b, a := c.RGBA()
		require.Equal(t, [4]uint32{}, [4]uint32{r, g, b, a})
	}
}

// TestLevelFallsForWiderModules draws a text that takes 41 modules at level M or 37 at level
// L, around the sizes where level L has wider modules.
func TestLevelFallsForWiderModules(t *testing.T) {
	text := strings.Repeat("a", 105)
	const margin = 30
	for _, tt := range []struct {
		size, margin int
		level        string
	}{
		{2*(37+2*margin) - 1, margin, "M"}, // one pixel at both levels
		{2 * (37 + 2*margin), margin, "L"}, // one pixel or two
		{2*(41+2*margin) - 1, margin, "L"},
		{2 * (41 + 2*margin), margin, "M"}, // two pixels at both levels
		{4 * (37 + 8), 4, "M"},             // three pixels or four
	} {
		opts := qrcode.Options{Size: tt.size, Style: qrcode.Style{Margin: tt.margin}}
		img, err := qrcode.RenderQR(text, opts)
		require.NoError(t, err)
		got := drawn(t, img, opts)
		require.Equal(t, text, got.text)
		require.Equal(t, tt.level, got.Level, "%d pixels", tt.size)
	}
}

func TestMinLevelAndMargin(t *testing.T) {
	for level := qrcode.LevelL; level <= qrcode.LevelH; level++ {
		for _, margin := range []int{qrcode.NoMargin, 0, 4, 5, 100} {
			for _, format := range []qrcode.Format{qrcode.PNG, qrcode.SVG} {
				opts := qrcode.Options{Format: format, Size: 300, Style: qrcode.Style{MinLevel: level, Margin: margin}}
				img, err := qrcode.RenderQR(link, opts)
				require.NoError(t, err)
				got := drawn(t, img, opts)
				require.Equal(t, link, got.text)
				var l qrcode.Level
				require.NoError(t, l.UnmarshalText([]byte(got.Level)))
				require.GreaterOrEqual(t, l, level)
			}
		}
	}
	_, err := qrcode.RenderQR(strings.Repeat("a", 1274), qrcode.Options{Size: 1024, Style: qrcode.Style{MinLevel: qrcode.LevelH}})
	require.EqualError(t, err, "text has 1274 bytes; a QR code holds at most 1273 bytes at level H")
	for _, opts := range []qrcode.Options{{Style: qrcode.Style{Margin: 1}}, {Style: qrcode.Style{Margin: 3}}, {Style: qrcode.Style{Margin: 101}}, {Style: qrcode.Style{Margin: -2}}} {
		_, err = qrcode.RenderQR(link, opts)
		require.Equal(t, []problem.Code{"invalid_margin"}, codes(t, err))
	}
}

func TestEncodeOptions(t *testing.T) {
	for version := 1; version <= 40; version++ {
		for level := qrcode.LevelL; level <= qrcode.LevelH; level++ {
			s, err := qrcode.Encode("a", qrcode.EncodeOptions{MinVersion: version, MinLevel: level})
			require.NoError(t, err)
			require.Equal(t, version, s.Version())
			require.Equal(t, qrcode.LevelH, s.Level(), "as high as the version allows")
			requireReads(t, "a", s)

			s, err = qrcode.Encode("a", qrcode.EncodeOptions{MinVersion: version, MaxVersion: version, MinLevel: level, ExactLevel: true})
			require.NoError(t, err)
			require.Equal(t, version, s.Version())
			require.Equal(t, level, s.Level())
			requireReads(t, "a", s)
		}
	}

	text := strings.Repeat("a", 100) // version 5-L, 6-M, 8-Q and 10-H
	for level, version := range []int{5, 6, 8, 10} {
		s, err := qrcode.Encode(text, qrcode.EncodeOptions{MinLevel: qrcode.Level(level), ExactLevel: true})
		require.NoError(t, err)
		require.Equal(t, version, s.Version())
		s, err = qrcode.Encode(text, qrcode.EncodeOptions{MinLevel: qrcode.Level(level)})
		require.NoError(t, err)
		require.Equal(t, max(version, 6), s.Version())
	}
	s, err := qrcode.Encode(text, qrcode.EncodeOptions{MaxVersion: 5})
	require.NoError(t, err)
	require.Equal(t, qrcode.LevelL, s.Level(), "the only level that fits")
	_, err = qrcode.Encode(text+"aaaaaaa", qrcode.EncodeOptions{MaxVersion: 5})
	require.EqualError(t, err, "text has 107 bytes; a QR code holds at most 106 bytes at level L")
	_, err = qrcode.Encode(text+text, qrcode.EncodeOptions{MaxVersion: 10, MinLevel: qrcode.LevelH})
	require.EqualError(t, err, "text has 200 bytes; a QR code holds at most 119 bytes at level H")

	for _, wrong := range []qrcode.EncodeOptions{{MinVersion: -1}, {MinVersion: 41}, {MaxVersion: 41}, {MinVersion: 2, MaxVersion: 1}, {MaxVersion: -1}} {
		_, err = qrcode.Encode("a", wrong)
		require.Equal(t, []problem.Code{"invalid_version"}, codes(t, err))
	}
	_, err = qrcode.Encode("", qrcode.EncodeOptions{MinVersion: 41, MinLevel: 4})
	require.Equal(t, []problem.Code{"invalid_version", "invalid_level"}, codes(t, err))
}

func TestLargeImages(t *testing.T) {
	for _, size := range []int{1025, 2100} {
		opts := qrcode.Options{Size: size}
		img, err := qrcode.RenderQR(link, opts)
		require.NoError(t, err)
		require.Equal(t, link, drawn(t, img, opts).text)
	}
	img, err := qrcode.RenderQR(link, qrcode.Options{Size: qrcode.MaxSize})
	require.NoError(t, err)
	require.Less(t, len(img), 1<<18)
}

// TestSVGIsSmall compares with a stroke for each run of modules, which is what npm's
// package qrcode writes.
func TestSVGIsSmall(t *testing.T) {
	for _, n := range []int{25, 60, 150, 300, 900, 2900} {
		text := strings.Repeat(link, 120)[:n]
		s, err := qrcode.Encode(text, qrcode.EncodeOptions{})
		require.NoError(t, err)
		strokes := 200 // the other elements
		for y := range s.Size() {
			last := 0
			for x := 0; x < s.Size(); x++ {
				start := x
				for s.Dark(x, y) {
					x++
				}
				if x > start {
					strokes += len("m 0h") + len(strconv.Itoa(start-last)) + len(strconv.Itoa(x-start))
					last = x
				}
			}
		}
		img, err := qrcode.RenderQR(text, qrcode.Options{Format: qrcode.SVG})
		require.NoError(t, err)
		require.Less(t, len(img), strokes, "%d bytes", n)
	}
}

func TestTitle(t *testing.T) {
	for title, want := range map[string]string{
		"":                "",
		link:              "<title>" + link + "</title>",
		"a & b <c> \"d\"": "<title>a &amp; b &lt;c&gt; &#34;d&#34;</title>",
		"Grüße 😀":         "<title>Grüße 😀</title>",
		"a\x00b\xffc":     "<title>a\uFFFDb\uFFFDc</title>",
		"a\xff":           "<title>a\uFFFD</title>",
		"<a":              "<title>&lt;a</title>",
		"a\uFFFE":         "<title>a\uFFFD</title>",
		"a\x1f":           "<title>a\uFFFD</title>",
		"a ~\u007f":       "<title>a ~\u007f</title>",
	} {
		img, err := qrcode.RenderQR(link, qrcode.Options{Format: qrcode.SVG, Title: title})
		require.NoError(t, err)
		require.Equal(t, want != "", bytes.Contains(img, []byte("<title>")))
		require.Contains(t, string(img), want)
		if want == "<title>"+title+"</title>" {
			readSVG(t, img, qrcode.Options{Title: title})
		}
		withTitle, err := qrcode.RenderQR(link, qrcode.Options{Title: title})
		require.NoError(t, err)
		plain, err := qrcode.RenderQR(link, qrcode.Options{})
		require.NoError(t, err)
		require.Equal(t, plain, withTitle, "a PNG has no title")
	}
}

func TestWarnings(t *testing.T) {
	tests := []struct {
		fg, bg      string
		lightOnDark bool
	}{
		{"000000", "ffffff", false},
		{"075e54", "transparent", false},
		{"ffffff", "000000", true},
		{"ffffff", "075e54", true},
		{"000000", "808080", false},
		{"990000", "00ff00", false},
		{"00ff00", "990000", true},
	}
	for _, tt := range tests {
		fg, err := qrcode.ParseColor(tt.fg)
		require.NoError(t, err)
		bg, err := qrcode.ParseBackground(tt.bg)
		require.NoError(t, err)
		got, err := qrcode.Options{Style: qrcode.Style{Foreground: fg, Background: bg}}.Check()
		require.NoError(t, err, tt)
		if tt.lightOnDark {
			require.Equal(t, []problem.Code{"light_on_dark"}, got.Codes())
		} else {
			require.Empty(t, got)
		}
	}
}

func TestColors(t *testing.T) {
	fg, err := qrcode.ParseColor("09afAF")
	require.NoError(t, err)
	require.Equal(t, qrcode.RGB(9, 0xAF, 0xAF), fg)
	require.Equal(t, color.RGBA{9, 0xAF, 0xAF, 0xFF}, color.RGBAModel.Convert(fg))
	r, g, b, a := fg.RGBA()
	require.Equal(t, [4]uint32{0x0909, 0xAFAF, 0xAFAF, 0xFFFF}, [4]uint32{r, g, b, a})
	for _, c := range []qrcode.Color{{}, qrcode.Transparent()} {
		require.Equal(t, color.RGBA{}, color.RGBAModel.Convert(c))
	}
	for _, wrong := range []string{"/00000", ":00000", "@00000", "G00000", "`00000", "g00000"} {
		_, err := qrcode.ParseColor(wrong)
		require.ErrorIs(t, err, problem.Code("invalid_color"))
	}
	for _, opts := range []qrcode.Options{
		{Format: qrcode.SVG, Style: qrcode.Style{Foreground: qrcode.RGB(0x25, 0x33, 0x66), Background: qrcode.RGB(0xFF, 0xEE, 0xDC)}},
		{Format: qrcode.SVG, Style: qrcode.Style{Foreground: qrcode.RGB(0x11, 0x22, 0x34), Background: qrcode.RGB(0xFF, 0xED, 0xDD)}},
	} {
		img, err := qrcode.RenderQR(link, opts)
		require.NoError(t, err)
		require.Equal(t, link, drawn(t, img, opts).text)
	}
}

func TestTextForms(t *testing.T) {
	type values struct {
		Format qrcode.Format
		Level  qrcode.Level
		Color  qrcode.Color
		None   qrcode.Color
		Clear  qrcode.Color
	}
	in := values{qrcode.SVG, qrcode.LevelQ, qrcode.RGB(1, 2, 3), qrcode.Color{}, qrcode.Transparent()}
	text, err := json.Marshal(in)
	require.NoError(t, err)
	require.JSONEq(t, `{"Format": "svg", "Level": "Q", "Color": "010203", "None": "", "Clear": "transparent"}`, string(text))
	var out values
	require.NoError(t, json.Unmarshal(text, &out))
	require.Equal(t, in, out)

	_, err = json.Marshal(qrcode.Level(4))
	require.Error(t, err)
	lower, err := qrcode.ParseLevel("q")
	require.NoError(t, err)
	require.Equal(t, qrcode.LevelQ, lower)
	for _, wrong := range []string{"", "X", "lm", "LM"} {
		require.ErrorIs(t, new(qrcode.Level).UnmarshalText([]byte(wrong)), problem.Code("invalid_level"))
	}
	require.ErrorIs(t, new(qrcode.Color).UnmarshalText([]byte("red")), problem.Code("invalid_bg"))
}

func TestTitleOfOneSign(t *testing.T) {
	for title, want := range map[string]string{"&": "&amp;", "<": "&lt;", ">": "&gt;"} {
		svg, err := qrcode.RenderQR(link, qrcode.Options{Format: qrcode.SVG, Title: title})
		require.NoError(t, err)
		require.Contains(t, string(svg), "<title>"+want+"</title>")
	}
}

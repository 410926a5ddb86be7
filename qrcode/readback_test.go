package qrcode_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"rsc.io/qr/coding"

	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
)

// TestOnePixelReadsBack draws texts whose segments change with the range of versions, at
// sizes where levels M and L lie in different ranges and both have one pixel per module.
func TestOnePixelReadsBack(t *testing.T) {
	type input struct {
		text string
		opts qrcode.Options
	}
	inputs := []input{
		{strings.Repeat("0123456789", 260), qrcode.Options{Size: 200}},
		{strings.Repeat("HELLO WORLD $", 120), qrcode.Options{Size: 200}},
		{link + "?text=" + strings.Repeat("a", 170), qrcode.Options{Size: 128, Style: qrcode.Style{Margin: 12}}},
	}
	for letters := 234; letters <= 300; letters += 22 {
		text := link + "?text=" + strings.Repeat("%D0%BF", letters)
		for _, size := range []int{150, 185, 220, 256} {
			inputs = append(inputs, input{text, qrcode.Options{Size: size}})
		}
	}
	read := 0
	for _, in := range inputs {
		if img, err := qrcode.RenderQR(in.text, in.opts); err == nil {
			read++
			require.Equal(t, in.text, drawn(t, img, in.opts).text, "%d bytes at %d pixels", len(in.text), in.opts.Size)
		} else {
			require.ErrorIs(t, err, problem.Code("text_too_long"))
		}
	}
	require.Greater(t, read, len(inputs)/2)
}

// alphabets are the units of random texts, with the bits that a symbol needs for each. The
// last is a mixture of all.
var alphabets = []struct {
	units []string
	bits  float64
}{
	{strings.Split("0123456789", ""), 10. / 3},
	{strings.Split("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:", ""), 5.5},
	{[]string{"a", "b", "z", "_", "é", "\xff"}, 9},
	{[]string{"%D0%BF", "%D1%80", "%20"}, 29},
	{[]string{"日", "本", "語", "漢"}, 24},
	{[]string{"😀", "👍", "🎉"}, 32},
	{[]string{"0", "12345678", "A", "CAPITALS", "z", "lower", "%D0%BF", "日", "😀"}, 26},
}

// A randomImage is a text that takes about as many bits as a version holds at a level, and
// options for about a whole number of pixels per module.
func randomImage(random *rand.Rand) (text string, opts qrcode.Options) {
	version := 1 + random.IntN(40)
	if random.IntN(3) > 0 { // where the widths of the character counts change
		version = []int{9, 10, 26, 27}[random.IntN(4)]
	}
	level := random.IntN(4)
	a := alphabets[random.IntN(len(alphabets))]
	n := int(float64(8*coding.Version(version).DataBytes(coding.Level(level)))/a.bits) + random.IntN(12) - 8
	for range max(1, n) {
		text += a.units[random.IntN(len(a.units))]
	}
	opts.Margin = []int{0, 0, qrcode.NoMargin, 5, 12}[random.IntN(5)]
	opts.MinLevel = qrcode.Level(random.IntN(level + 1))
	opts.Size = (1+random.IntN(2))*(17+4*version+8) + random.IntN(16) - 4
	return text, opts
}

// TestRandomImagesReadBack reads random images, and checks their symbols against the rules of
// the package comment.
func TestRandomImagesReadBack(t *testing.T) {
	random := rand.New(rand.NewPCG(31, 32))
	scales := map[int]int{}
	for range 80 {
		text, opts := randomImage(random)
		name := fmt.Sprintf("%.40q, %d bytes, %+v", text, len(text), opts)
		img, err := qrcode.RenderQR(text, opts)
		if err != nil {
			continue
		}
		got := drawn(t, img, opts)
		require.Equal(t, text, got.text, name)

		// atLevel returns the symbol and its pixels per module, for a level and higher ones.
		atLevel := func(level qrcode.Level, exact bool) (s qrcode.Symbol, scale int) {
			s, err := qrcode.Encode(text, qrcode.EncodeOptions{MinLevel: level, ExactLevel: exact})
			if err != nil {
				return s, 0
			}
			margins := 2 * marginOf(opts)
			scale = opts.Size / (s.Size() + margins)
			if scale == 1 && opts.Size-s.Size()-margins < 1-margins/2%2 {
				scale = 0 // no odd offset
			}
			return s, scale
		}
		want, scale := atLevel(max(opts.MinLevel, qrcode.LevelM), false)
		if opts.MinLevel == qrcode.LevelL && scale < 2 {
			if _, lower := atLevel(qrcode.LevelL, true); lower > scale {
				want, _ = atLevel(qrcode.LevelL, true)
				want, err = qrcode.Encode(text, qrcode.EncodeOptions{MaxVersion: want.Version()})
				require.NoError(t, err)
				scale = lower
			}
		}
		require.Equal(t, want.Version(), got.Version, name)
		require.Equal(t, want.Level().String(), got.Level, name)
		scales[scale]++
	}
	require.Greater(t, scales[1], 10)
	require.Greater(t, scales[2], 10)
}

package bilevel

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash/adler32"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/qrcode/internal/bitmap"
)

// modules returns n by n modules, each dark with this probability.
func modules(random *rand.Rand, n int, probability float64) *bitmap.Bitmap {
	b := bitmap.New(n)
	for y := range n {
		for x := range n {
			if random.Float64() < probability {
				b.Set(x, y)
			}
		}
	}
	return &b
}

// requireShows draws p and compares each pixel that image/png reads. image/png also
// checks the check sums.
func requireShows(t *testing.T, w *Writer, p Image) {
	t.Helper()
	file := w.Append([]byte("before"), p)
	require.Equal(t, "before", string(file[:6]))
	img, err := png.Decode(bytes.NewReader(file[6:]))
	require.NoError(t, err)
	paletted, ok := img.(*image.Paletted)
	require.True(t, ok)
	require.Equal(t, image.Rect(0, 0, p.Size, p.Size), paletted.Rect)
	light := color.Color(color.RGBA{p.Light[0], p.Light[1], p.Light[2], 255})
	if p.Transparent {
		light = color.NRGBA{p.Light[0], p.Light[1], p.Light[2], 0}
	}
	require.Equal(t, color.Palette{light, color.RGBA{p.Dark[0], p.Dark[1], p.Dark[2], 255}}, paletted.Palette)
	margin, blank := bytes.Repeat([]byte{0}, p.Offset), make([]byte, p.Size)
	want := blank
	for y := range p.Size {
		my := (y - p.Offset) / p.Scale
		switch {
		case y < p.Offset || my >= p.Modules.Size():
			want = blank
		case (y-p.Offset)%p.Scale == 0:
			want = append([]byte(nil), margin...)
			for x := range p.Modules.Size() {
				color := byte(0)
				if p.Modules.At(x, my) {
					color = 1
				}
				want = append(want, bytes.Repeat([]byte{color}, p.Scale)...)
			}
			want = append(want, blank[len(want):]...)
		}
		require.True(t, bytes.Equal(want, paletted.Pix[y*paletted.Stride:][:p.Size]), "row %d", y)
	}
}

func TestEverySizeAndScale(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	var w Writer
	for size := 128; size <= 1024; size += 1 + random.IntN(120) {
		for range 4 {
			n := 21 + 4*random.IntN(40)
			fits := size / (n + 8)
			if fits == 0 {
				continue
			}
			requireShows(t, &w, Image{
				Size: size, Scale: fits, Offset: (size - n*fits) / 2,
				Modules: modules(random, n, []float64{0.5, 0.5, 0.5, 0, 1, 0.02, 0.98}[random.IntN(7)]),
				Light:   [3]uint8{255, 250, 245}, Dark: [3]uint8{1, 2, 3}, Transparent: random.IntN(4) == 0,
			})
		}
	}
}

func TestSmallMargins(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	var w Writer
	for _, n := range []int{21, 25, 65, 121} {
		for _, scale := range []int{1, 2, 3} {
			for extra := range 16 {
				for _, offset := range []int{0, extra / 2, extra} {
					requireShows(t, &w, Image{
						Size: n*scale + extra, Scale: scale, Offset: offset, Modules: modules(random, n, 0.5),
					})
				}
			}
		}
	}
}

// TestWideModules draws scales around the widest that the expander looks up.
func TestWideModules(t *testing.T) {
	random := rand.New(rand.NewPCG(19, 20))
	var w Writer
	for _, scale := range []int{56, 57, 58, 63, 64, 65} {
		for _, n := range []int{21, 25} {
			requireShows(t, &w, Image{
				Size: n*scale + 13, Scale: scale, Offset: random.IntN(14), Modules: modules(random, n, 0.5),
			})
		}
	}
	for _, scale := range []int{28, 29, 57, 58} { // more than one slab
		requireShows(t, &w, Image{Size: 65*scale + 3, Scale: scale, Offset: 3, Modules: modules(random, 65, 0.5)})
	}
}

// TestStreamFillsItsRoomExactly checks that plan returns the length of the stream, and
// that the four-byte stores of the bitWriter stay within it.
func TestStreamFillsItsRoomExactly(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 22))
	var w Writer
	for range 200 {
		n, scale := 21+4*random.IntN(10), 1+random.IntN(9)
		w.tokens.tokenize(&Image{Size: n*scale + 8, Scale: scale, Offset: 4, Modules: modules(random, n, 0.5)})
		size := w.deflate.plan(&w.tokens)
		stream := w.deflate.append(make([]byte, 0, size), &w.tokens)
		require.Len(t, stream, size)
	}
}

func TestAdler(t *testing.T) {
	random := rand.New(rand.NewPCG(23, 24))
	s := adler{1, 0}
	var all []byte
	for times := range 40 {
		row := make([]byte, times)
		for i := range row {
			row[i] = byte(random.Uint32() | random.Uint32()<<random.IntN(8))
		}
		sum, weighted := sums(row)
		s.zeros(5 * times)
		s.rows(sum, weighted, len(row), 9*times)
		all = append(append(all, make([]byte, 5*times)...), bytes.Repeat(row, 9*times)...)
		require.Equal(t, adler32.Checksum(all), s.sum())
	}
}

// TestCodes compares with the definition: the cost of the best code is the sum of the
// weights of all inner nodes.
func TestCodes(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 14))
	var h huffman
	for range 500 {
		weights := make([]uint32, 2+random.IntN(285))
		for i := range weights {
			weights[i] = random.Uint32N(1<<random.IntN(6)) * random.Uint32N(2)
		}
		weights[0], weights[len(weights)-1] = 1, 1
		h.build(weights, 15)
		requireComplete(t, &h, weights)
		cost := 0
		for i, w := range weights {
			cost += int(w) * int(h.lengths[i])
		}
		require.Equal(t, plainCost(weights), cost)
	}
}

// requireComplete asserts that the codes leave no bits unused, which inflaters insist on.
func requireComplete(t *testing.T, h *huffman, weights []uint32) {
	t.Helper()
	space := 0.0
	for i, w := range weights {
		require.Equal(t, w > 0, h.lengths[i] > 0)
		if w > 0 {
			space += math.Pow(2, -float64(h.lengths[i]))
		}
	}
	require.InDelta(t, 1, space, 0)
}

// plainCost joins the two lightest nodes until there is one.
func plainCost(weights []uint32) int {
	var nodes []int
	for _, w := range weights {
		if w > 0 {
			nodes = append(nodes, int(w))
		}
	}
	cost := 0
	for len(nodes) > 1 {
		slices.Sort(nodes)
		joined := nodes[0] + nodes[1]
		cost += joined
		nodes = append(nodes[2:], joined)
	}
	return cost
}

func TestLimitOfLengths(t *testing.T) {
	var h huffman
	fibonacci := []uint32{1, 1}
	for len(fibonacci) < 30 {
		fibonacci = append(fibonacci, fibonacci[len(fibonacci)-1]+fibonacci[len(fibonacci)-2])
	}
	for _, limit := range []uint8{5, 7, 15} {
		h.build(fibonacci, limit)
		requireComplete(t, &h, fibonacci)
		for _, l := range h.lengths {
			require.LessOrEqual(t, l, limit)
		}
	}
}

func TestAppendToALargeBufferDoesNotAllocate(t *testing.T) {
	random := rand.New(rand.NewPCG(15, 16))
	p := Image{Size: 512, Scale: 15, Offset: 68, Modules: modules(random, 25, 0.5)}
	var w Writer
	buf := w.Append(nil, p)
	require.Zero(t, testing.AllocsPerRun(10, func() { buf = w.Append(buf[:0], p) }))
}

func BenchmarkAppend(b *testing.B) {
	random := rand.New(rand.NewPCG(17, 18))
	for _, n := range []int{25, 41, 89, 177} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			scale := 512 / (n + 8)
			p := Image{Size: 512, Scale: scale, Offset: (512 - n*scale) / 2, Modules: modules(random, n, 0.5)}
			var w Writer
			var buf []byte
			for b.Loop() {
				buf = w.Append(buf[:0], p)
			}
			b.ReportMetric(float64(len(buf)), "bytes")
		})
	}
}

// TestBytes pins the bytes of files. Every change of them changes the files that RenderQR
// draws, and needs another rendererVersion. Other tests don't notice a file that is
// larger than necessary.
func TestBytes(t *testing.T) {
	random := rand.New(rand.NewPCG(33, 34))
	var w Writer
	hash, length := sha256.New(), 0
	for _, n := range []int{21, 61, 65, 129, 177} {
		for scale := 1; scale <= 6; scale++ {
			for _, dark := range []float64{0.5, 0.1, 0.9} {
				for extra := range 10 {
					file := w.Append(nil, Image{Size: n*scale + 3*extra, Scale: scale, Offset: extra, Modules: modules(random, n, dark), Light: [3]uint8{255, 255, 255}})
					length += len(file)
					hash.Write(file)
				}
			}
		}
	}
	require.Equal(t, 1774920, length)
	require.Equal(t, "47f9fa8c7975c876", fmt.Sprintf("%x", hash.Sum(nil)[:8]))
}

// Each literal and each match has a token of its own, and a match's token says its kind.
func TestTokensAreUnique(t *testing.T) {
	seen := map[token]bool{}
	for literal := range token(256) {
		seen[literal] = true
	}
	for i, kind := range []token{matchByte, matchRow} {
		for length := token(minMatch); length <= maxMatch; length++ {
			tok := kind + length
			require.False(t, seen[tok], "length %d of kind %d", length, i)
			seen[tok] = true
			require.Equal(t, token(i), tok/matchRow)
			require.Less(t, int(tok), stepsLen)
		}
	}
}

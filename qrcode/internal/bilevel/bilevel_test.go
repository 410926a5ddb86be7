package bilevel

import (
	"bytes"
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
)

// squares returns n by n squares, each dark with this probability.
func squares(random *rand.Rand, n int, probability float64) []uint64 {
	rows := make([]uint64, (n+63)/64*n)
	for y := range n {
		for x := range n {
			if random.Float64() < probability {
				rows[x/64*n+y] |= 1 << (63 - x%64)
			}
		}
	}
	return rows
}

// requireShows draws p and compares each pixel of what image/png reads, whose check sums
// are its own.
func requireShows(t *testing.T, w *Writer, p Picture) {
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
	margin := (p.Size - p.Scale*p.Modules) / 2
	for y := range p.Size {
		for x := range p.Size {
			mx, my := x-margin, y-margin
			want := uint8(0)
			if mx >= 0 && my >= 0 && mx < p.Scale*p.Modules && my < p.Scale*p.Modules {
				mx, my = mx/p.Scale, my/p.Scale
				want = uint8(p.Rows[mx/64*p.Modules+my] >> (63 - mx%64) & 1)
			}
			if got := paletted.ColorIndexAt(x, y); got != want {
				require.FailNow(t, "wrong pixel", "%d,%d is %d", x, y, got)
			}
		}
	}
}

func TestEverySizeAndScale(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	var w Writer
	for size := 128; size <= 1024; size += 1 + random.IntN(120) {
		for range 4 {
			modules := 21 + 4*random.IntN(40)
			fits := size / (modules + 8)
			if fits == 0 {
				continue
			}
			requireShows(t, &w, Picture{
				Size: size, Modules: modules, Scale: fits,
				Rows:  squares(random, modules, []float64{0.5, 0.5, 0.5, 0, 1, 0.02, 0.98}[random.IntN(7)]),
				Light: [3]uint8{255, 250, 245}, Dark: [3]uint8{1, 2, 3}, Transparent: random.IntN(4) == 0,
			})
		}
	}
}

func TestSmallMargins(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	var w Writer
	for _, modules := range []int{117, 121, 177} {
		for _, scale := range []int{1, 2, 3} {
			for extra := 8 * scale; extra < 8*scale+16; extra++ {
				requireShows(t, &w, Picture{
					Size: modules*scale + extra, Modules: modules, Scale: scale, Rows: squares(random, modules, 0.5),
				})
			}
		}
	}
}

func TestAdler(t *testing.T) {
	row := []byte{0, 0, 7, 255, 255, 128, 0}
	sum, weighted := uint64(0), uint64(0)
	for i, b := range row {
		sum += uint64(b)
		weighted += uint64(b) * uint64(len(row)-i)
	}
	s := adler{1, 0}
	var all []byte
	for times := range 40 {
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

func TestNothingIsAllocatedIntoARoomyBuffer(t *testing.T) {
	random := rand.New(rand.NewPCG(15, 16))
	p := Picture{Size: 512, Modules: 25, Scale: 15, Rows: squares(random, 25, 0.5)}
	var w Writer
	buf := w.Append(nil, p)
	require.Zero(t, testing.AllocsPerRun(10, func() { buf = w.Append(buf[:0], p) }))
}

func BenchmarkAppend(b *testing.B) {
	random := rand.New(rand.NewPCG(17, 18))
	for _, n := range []int{25, 41, 89, 177} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := Picture{Size: 512, Modules: n, Scale: 512 / (n + 8), Rows: squares(random, n, 0.5)}
			var w Writer
			var buf []byte
			for b.Loop() {
				buf = w.Append(buf[:0], p)
			}
			b.ReportMetric(float64(len(buf)), "bytes")
		})
	}
}

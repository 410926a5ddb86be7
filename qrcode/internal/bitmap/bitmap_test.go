package bitmap

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

var sizes = []int{1, 21, 25, 29, 32, 33, 61, 63, 64, 65, 97, 127, 128, 129, 177}

// random returns a bitmap and the same bits as a slice of lines.
func random(r *rand.Rand, size int) (Bitmap, [][]bool) {
	b, lines := New(size), make([][]bool, size)
	for y := range lines {
		lines[y] = make([]bool, size)
		for x := range lines[y] {
			if r.IntN(2) == 0 {
				b.Set(x, y)
				lines[y][x] = true
			}
		}
	}
	return b, lines
}

func requireEqual(t *testing.T, want func(x, y int) bool, b *Bitmap) {
	t.Helper()
	for y := range b.Size() {
		for x := range b.Size() {
			if want(x, y) != b.At(x, y) {
				require.FailNow(t, "wrong bit", "column %d of line %d, size %d", x, y, b.Size())
			}
		}
	}
}

func TestSetAndAt(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range sizes {
		b, lines := random(r, size)
		require.Equal(t, size, b.Size())
		requireEqual(t, func(x, y int) bool { return lines[y][x] }, &b)
		for i := range b.Slabs() {
			require.Len(t, b.Slab(i), size)
			for y, word := range b.Slab(i) {
				for bit := range 64 {
					x := 64*i + bit
					require.Equal(t, x < size && lines[y][x], word>>(63-bit)&1 == 1)
				}
			}
		}
	}
}

func TestTransposeSwapsLinesAndColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var b Bitmap
	for _, size := range sizes {
		from, lines := random(r, size)
		b.Transpose(&from)
		requireEqual(t, func(x, y int) bool { return lines[x][y] }, &b)
	}
}

func TestResetAndClone(t *testing.T) {
	b := New(100)
	b.Set(99, 99)
	c := b.Clone()
	b.Reset(70)
	requireEqual(t, func(int, int) bool { return false }, &b)
	require.True(t, c.At(99, 99), "a clone has memory of its own")
	require.Zero(t, testing.AllocsPerRun(10, func() { b.Reset(64) }))
}

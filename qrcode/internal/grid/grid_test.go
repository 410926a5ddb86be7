package grid

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"rsc.io/qr/coding"

	"github.com/hailmark/hailmark/qrcode/internal/bitmap"
)

// plainPenalty applies the rules module by module, as the standard states them.
func plainPenalty(n int, darkAt func(x, y int) bool) int {
	points, dark := 0, 0
	at := func(x, y int) bool { return x >= 0 && y >= 0 && x < n && y < n && darkAt(x, y) }
	for _, turn := range []bool{false, true} {
		look := func(line, i int) bool {
			if turn {
				return at(line, i)
			}
			return at(i, line)
		}
		for line := range n {
			run := 0
			for i := range n {
				if i > 0 && look(line, i) == look(line, i-1) {
					run++
				} else {
					run = 1
				}
				if run == 5 {
					points += 3
				} else if run > 5 {
					points++
				}
				if likeFinder(func(d int) bool { return look(line, i+d) }) {
					points += 40
				}
			}
		}
	}
	for y := range n {
		for x := range n {
			c := at(x, y)
			if c {
				dark++
			}
			if x > 0 && y > 0 && c == at(x-1, y) && c == at(x, y-1) && c == at(x-1, y-1) {
				points += 3
			}
		}
	}
	off := 0
	for 20*dark >= (10+off+1)*n*n || 20*dark <= (10-off-1)*n*n {
		off++
	}
	return points + 10*off
}

// likeFinder reports whether the modules from at(0) on are dark, light and dark as
// 1:1:3:1:1, with four light ones before or behind.
func likeFinder(at func(d int) bool) bool {
	return at(0) && !at(1) && at(2) && at(3) && at(4) && !at(5) && at(6) &&
		(!at(-1) && !at(-2) && !at(-3) && !at(-4) || !at(7) && !at(8) && !at(9) && !at(10))
}

// samples calls f for symbols of every version with random data. Small versions also
// get mostly zeros, zeros and ones, which make long runs and few dark modules.
func samples(t *testing.T, f func(t *testing.T, b *Builder, l *Layout)) {
	random := rand.New(rand.NewPCG(1, 2))
	for version := 1; version <= coding.MaxVersion; version++ {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			var b Builder
			l := For(version, coding.Level(version%4))
			data := make([]byte, l.DataCodewords)
			for i, fill := range []func() byte{
				func() byte { return byte(random.Uint32()) },
				func() byte { return byte(random.Uint32() & random.Uint32() & random.Uint32()) },
				func() byte { return 0 },
				func() byte { return 0xFF },
			} {
				if i >= 1+max(0, 20-version)/5 {
					break
				}
				for i := range data {
					data[i] = fill()
				}
				b.Place(l, data)
				f(t, &b, l)
			}
		})
	}
}

// finish returns the finished symbol.
func finish(b *Builder, mask int) bitmap.Bitmap {
	var symbol bitmap.Bitmap
	b.Finish(&symbol, mask)
	return symbol
}

func TestPenaltyIsThatOfThePlainRules(t *testing.T) {
	samples(t, func(t *testing.T, b *Builder, l *Layout) {
		lowest, best := unlimited, 0
		for mask := range 8 {
			symbol := finish(b, mask)
			want := plainPenalty(l.Modules, symbol.At)
			require.Equal(t, want, b.penalty(mask, unlimited), "mask %d", mask)
			if want < lowest {
				lowest, best = want, mask
			}
		}
		require.Equal(t, best, b.ChooseMask(0))
	})
}

func TestPenaltyOfSinglePatterns(t *testing.T) {
	// An all-light symbol of version 1: 42 lines of 21 alike, 400 blocks, all light.
	const light = 42*(3+16) + 400*3 + 10*10
	require.Equal(t, light, plainPenalty(21, func(int, int) bool { return false }))
	// A chessboard breaks no rule.
	require.Equal(t, 0, plainPenalty(21, func(x, y int) bool { return (x+y)%2 == 0 }))
}

func TestMasksToAvoid(t *testing.T) {
	samples(t, func(t *testing.T, b *Builder, _ *Layout) {
		best := b.ChooseMask(0)
		second := b.ChooseMask(1 << best)
		require.NotEqual(t, best, second)
		for mask := range 8 {
			require.Equal(t, mask, b.ChooseMask(^uint8(1<<mask)), "the only mask left")
			if mask != best {
				require.GreaterOrEqual(t, b.penalty(mask, unlimited), b.penalty(second, unlimited))
			}
		}
	})
}

func TestDeinterleave(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		word := random.Uint64()
		var odd, even uint64
		for i := range 32 {
			odd |= word >> (63 - 2*i) & 1 << (63 - i)
			even |= word >> (62 - 2*i) & 1 << (63 - i)
		}
		gotOdd, gotEven := deinterleave(word)
		require.Equal(t, [2]uint64{odd, even}, [2]uint64{gotOdd, gotEven}, "%064b", word)
	}
}

// forEachSymbol places random data in an unmasked symbol of each version and level, and
// calls test.
func forEachSymbol(b *Builder, source rand.Source, test func(version int, level coding.Level, l *Layout, data []byte)) {
	random := rand.New(source)
	for version := 1; version <= coding.MaxVersion; version++ {
		for level := coding.L; level <= coding.H; level++ {
			l := For(version, level)
			data := make([]byte, l.DataCodewords)
			for i := range data {
				data[i] = byte(random.Uint32())
			}
			b.Place(l, data)
			test(version, level, l, data)
		}
	}
}

// fixed is a coding.Encoding of given data codewords.
type fixed []byte

func (fixed) Check() error              { return nil }
func (f fixed) Bits(coding.Version) int { return 8 * len(f) }
func (f fixed) Encode(b *coding.Bits, _ coding.Version) {
	for _, c := range f {
		b.Write(uint(c), 8)
	}
}

func TestSymbolsMatchCoding(t *testing.T) {
	var b Builder
	forEachSymbol(&b, rand.NewPCG(3, 4), func(version int, level coding.Level, l *Layout, data []byte) {
		for mask := range 8 {
			code, err := newPlan(version, level, coding.Mask(mask)).Encode(fixed(data))
			require.NoError(t, err)
			require.Equal(t, code.Size, l.Modules)
			symbol := finish(&b, mask)
			for y := range l.Modules {
				for x := range l.Modules {
					if code.Black(x, y) != symbol.At(x, y) {
						require.FailNow(t, "differs", "version %d-%v, mask %d: module %d,%d", version, level, mask, x, y)
					}
				}
			}
		}
	})
}

// TestLayoutsAreShared fails under the race detector if For is not safe.
func TestLayoutsAreShared(t *testing.T) {
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			var b Builder
			for version := 1; version <= 10; version++ {
				l := For(version, coding.M)
				b.Place(l, make([]byte, l.DataCodewords))
				b.ChooseMask(0)
			}
		})
	}
	all.Wait()
}

func TestNothingIsAllocated(t *testing.T) {
	var b Builder
	l := For(20, coding.M)
	data := make([]byte, l.DataCodewords)
	symbol := bitmap.New(l.Modules)
	require.Zero(t, testing.AllocsPerRun(10, func() {
		b.Place(l, data)
		b.Finish(&symbol, b.ChooseMask(0))
	}))
}

func BenchmarkChooseMask(bench *testing.B) {
	for _, version := range []int{2, 4, 10, 18, 40} {
		bench.Run(fmt.Sprint(version), func(bench *testing.B) {
			var b Builder
			l := For(version, coding.M)
			data := make([]byte, l.DataCodewords)
			for i := range data {
				data[i] = byte(i * i)
			}
			b.Place(l, data)
			for bench.Loop() {
				b.ChooseMask(0)
			}
		})
	}
}

func BenchmarkPlace(bench *testing.B) {
	for _, version := range []int{2, 4, 10, 18, 40} {
		bench.Run(fmt.Sprint(version), func(bench *testing.B) {
			var b Builder
			l := For(version, coding.M)
			data := make([]byte, l.DataCodewords)
			for bench.Loop() {
				b.Place(l, data)
			}
		})
	}
}

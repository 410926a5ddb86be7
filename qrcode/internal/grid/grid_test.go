package grid

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"rsc.io/qr/coding"
)

// plainPenalty is the second form of the rules, module by module.
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

// samples calls f for symbols of every version, with data that is random, mostly light,
// or, for the small ones, as plain as can be: that makes long runs and few dark modules.
func samples(t *testing.T, f func(t *testing.T, b *Board, l *Layout)) {
	random := rand.New(rand.NewPCG(1, 2))
	for version := 1; version <= coding.MaxVersion; version++ {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			var b Board
			l := For(version, coding.Level(version%4))
			data := make([]byte, l.DataBytes)
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

func dark(rows []uint64, n int) func(x, y int) bool {
	return func(x, y int) bool { return rows[x/64*n+y]>>(63-x%64)&1 == 1 }
}

func TestPenaltyIsThatOfThePlainRules(t *testing.T) {
	samples(t, func(t *testing.T, b *Board, l *Layout) {
		lowest, best := unlimited, 0
		for mask := range 8 {
			want := plainPenalty(l.Size, dark(b.AppendRows(nil, mask), l.Size))
			require.Equal(t, want, b.penalty(mask, unlimited), "mask %d", mask)
			if want < lowest {
				lowest, best = want, mask
			}
		}
		require.Equal(t, best, b.Choose())
	})
}

// TestRules draws what one rule is about and nothing else.
func TestPenaltyOfSinglePatterns(t *testing.T) {
	// An all-light symbol of version 1: 42 lines of 21 alike, 400 blocks, all light.
	const light = 42*(3+16) + 400*3 + 10*10
	require.Equal(t, light, plainPenalty(21, func(int, int) bool { return false }))
	// A chessboard breaks no rule.
	require.Equal(t, 0, plainPenalty(21, func(x, y int) bool { return (x+y)%2 == 0 }))
}

func TestColumnsAreTheRowsTurned(t *testing.T) {
	samples(t, func(t *testing.T, b *Board, l *Layout) {
		byRow, byColumn := dark(b.rows, l.Size), dark(b.columns, l.Size)
		for y := range l.Size {
			for x := range l.Size {
				if byRow(x, y) != byColumn(y, x) {
					require.FailNow(t, "differs", "%d,%d", x, y)
				}
			}
		}
	})
}

// fixed is data bytes as an encoding of rsc.io/qr.
type fixed []byte

func (fixed) Check() error              { return nil }
func (f fixed) Bits(coding.Version) int { return 8 * len(f) }
func (f fixed) Encode(b *coding.Bits, _ coding.Version) {
	for _, c := range f {
		b.Write(uint(c), 8)
	}
}

func TestSymbolsAreThoseOfCoding(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var b Board
	for version := 1; version <= coding.MaxVersion; version++ {
		for level := coding.L; level <= coding.H; level++ {
			l := For(version, level)
			data := make([]byte, l.DataBytes)
			for i := range data {
				data[i] = byte(random.Uint32())
			}
			b.Place(l, data)
			for mask := range 8 {
				code, err := newPlan(version, level, coding.Mask(mask)).Encode(fixed(data))
				require.NoError(t, err)
				require.Equal(t, code.Size, l.Size)
				rows := b.AppendRows(nil, mask)
				for y := range l.Size {
					for x := range l.Size {
						if code.Black(x, y) != (rows[x/64*l.Size+y]>>(63-x%64)&1 == 1) {
							require.FailNow(t, "differs", "version %d-%v, mask %d: module %d,%d", version, level, mask, x, y)
						}
					}
				}
			}
		}
	}
}

// TestLayoutsAreShared is for the race detector.
func TestLayoutsAreShared(t *testing.T) {
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			var b Board
			for version := 1; version <= 10; version++ {
				l := For(version, coding.M)
				b.Place(l, make([]byte, l.DataBytes))
				b.Choose()
			}
		})
	}
	all.Wait()
}

func TestNothingIsAllocated(t *testing.T) {
	var b Board
	l := For(20, coding.M)
	data := make([]byte, l.DataBytes)
	rows := make([]uint64, 0, 1000)
	require.Zero(t, testing.AllocsPerRun(10, func() {
		b.Place(l, data)
		rows = b.AppendRows(rows[:0], b.Choose())
	}))
}

func BenchmarkChoose(bench *testing.B) {
	for _, version := range []int{2, 4, 10, 18, 40} {
		bench.Run(fmt.Sprint(version), func(bench *testing.B) {
			var b Board
			l := For(version, coding.M)
			data := make([]byte, l.DataBytes)
			for i := range data {
				data[i] = byte(i * i)
			}
			b.Place(l, data)
			for bench.Loop() {
				b.Choose()
			}
		})
	}
}

func BenchmarkPlace(bench *testing.B) {
	for _, version := range []int{2, 4, 10, 18, 40} {
		bench.Run(fmt.Sprint(version), func(bench *testing.B) {
			var b Board
			l := For(version, coding.M)
			data := make([]byte, l.DataBytes)
			for bench.Loop() {
				b.Place(l, data)
			}
		})
	}
}

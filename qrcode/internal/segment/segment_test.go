package segment

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"rsc.io/qr/coding"
)

// encoding returns a text in one mode as an encoding of rsc.io/qr, or nil if the mode
// cannot write it.
func encoding(m mode, text string) coding.Encoding {
	e := [modes]coding.Encoding{coding.Num(text), coding.Alpha(text), coding.String(text)}[m]
	if e.Check() != nil {
		return nil
	}
	return e
}

// plainBits returns the bits of a segment of n characters with its header. (The lengths of
// rsc.io/qr are up to one bit too long for numbers.)
func plainBits(m mode, n int, versions Range) int {
	switch m {
	case numeric:
		return 4 + versions.countBits[m] + n/3*10 + []int{0, 4, 7}[n%3]
	case alphanumeric:
		return 4 + versions.countBits[m] + n/2*11 + n%2*6
	case byteMode:
	}
	return 4 + versions.countBits[m] + 8*n
}

// brute tries every sequence of modes.
func brute(text string, versions Range) int {
	best := 1 << 30
	var try func(at, start, bits int, m mode)
	try = func(at, start, bits int, m mode) {
		if encoding(m, text[start:at]) == nil {
			return
		}
		if at == len(text) {
			best = min(best, bits+plainBits(m, at-start, versions))
			return
		}
		try(at+1, start, bits, m)
		for next := range mode(modes) {
			if next != m {
				try(at+1, at, bits+plainBits(m, at-start, versions), next)
			}
		}
	}
	for m := range mode(modes) {
		try(1, 0, 0, m)
	}
	return best
}

func TestNoSequenceOfModesIsShorter(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, versions := range Ranges() {
		for range 250 {
			text := make([]byte, 1+random.IntN(8))
			alphabet := []string{"0123456789", "01A", "A:b", "01Ab", "1aaa", "0B%x1"}[random.IntN(6)]
			for i := range text {
				text[i] = alphabet[random.IntN(len(alphabet))]
			}
			require.Equal(t, brute(string(text), versions), NewPlan(string(text), versions).Bits(), "%q", text)
		}
	}
}

// TestLongRuns measures texts of two runs of characters, too long for brute force, against
// every way to cut them.
func TestLongRuns(t *testing.T) {
	for _, versions := range Ranges() {
		for n := range 24 {
			for m := range 24 {
				for _, c := range []string{"1a", "A1", "aA"} {
					if n+m == 0 {
						continue
					}
					text := strings.Repeat(c[:1], n) + strings.Repeat(c[1:], m)
					best := 1 << 30
					for cut := range n + m + 1 {
						for first := range mode(modes) {
							for second := range mode(modes) {
								if encoding(first, text[:cut]) == nil || encoding(second, text[cut:]) == nil {
									continue
								}
								bits := 0
								if cut > 0 {
									bits += plainBits(first, cut, versions)
								}
								if cut < n+m {
									bits += plainBits(second, n+m-cut, versions)
								}
								best = min(best, bits)
							}
						}
					}
					require.Equal(t, best, NewPlan(text, versions).Bits(), "%s", text)
				}
			}
		}
	}
}

// TestBitsMatchCoding packs the segments of a plan with rsc.io/qr.
func TestBitsMatchCoding(t *testing.T) {
	for _, text := range []string{
		"1", "12", "123", "A", "AB", "a", "https://wa.me/16505551234", "HTTPS://WA.ME/16505551234",
		"a1234567890123456789012345BCDEFGHIJKLMNOPQRS", strings.Repeat("0123456789", 20), "\xff\x00",
	} {
		for _, versions := range Ranges() {
			p := NewPlan(text, versions)
			bits := p.Bits()
			var want coding.Bits
			for start := 0; start < len(text); {
				end := start
				for end < len(text) && p.modes[end] == p.modes[start] {
					end++
				}
				encoding(p.modes[start], text[start:end]).Encode(&want, coding.Version(versions.First))
				start = end
			}
			require.Equal(t, want.Bits(), bits)
			for _, size := range []int{(bits + 7) / 8, (bits+7)/8 + 1, (bits+7)/8 + 5} {
				padded := want
				(&padded).Pad(8*size - bits)
				require.Equal(t, padded.Bytes(), p.Append([]byte("x"), size)[1:], "%q in %d bytes", text, size)
			}
		}
	}
}

func TestECIOfUTF8(t *testing.T) {
	versions := Ranges()[0]
	p := NewPlan("é", versions)
	require.Equal(t, 12+4+8+2*8, p.Bits())
	require.Equal(t, []byte{0b0111_0001, 0b1010_0100, 2, 0xC3, 0xA9, 0}, p.Append(nil, 6))
	require.Equal(t, 4+8+2*8, NewPlan("\xC3\x28", versions).Bits(), "not UTF-8")
	require.Equal(t, 4+8+2*8, NewPlan("eE", versions).Bits())
}

// TestRanges compares with table 3 of ISO/IEC 18004.
func TestRanges(t *testing.T) {
	require.Equal(t, [3]Range{
		{First: 1, Last: 9, countBits: [modes]int{numeric: 10, alphanumeric: 9, byteMode: 8}},
		{First: 10, Last: 26, countBits: [modes]int{numeric: 12, alphanumeric: 11, byteMode: 16}},
		{First: 27, Last: 40, countBits: [modes]int{numeric: 14, alphanumeric: 13, byteMode: 16}},
	}, Ranges())
}

func TestBounds(t *testing.T) {
	require.Equal(t, 10+11+8, MinBits("123AB_"))
	for _, n := range []int{MaxText, MaxText + 1} {
		fits := NewPlan(strings.Repeat("7", n), Ranges()[2]).Bits() <= 8*coding.Version(coding.MaxVersion).DataBytes(coding.L)
		require.Equal(t, n == MaxText, fits, "%d digits", n)
	}
}

func FuzzPlan(f *testing.F) {
	f.Add("https://wa.me/16505551234?text=HELLO%20WORLD")
	f.Fuzz(func(t *testing.T, text string) {
		if text == "" || len(text) > 3000 {
			return
		}
		for _, versions := range Ranges() {
			p := NewPlan(text, versions)
			bits := p.Bits()
			eci := 0
			if ECIBits(text) > 0 {
				eci = utf8ECIBits
			}
			require.GreaterOrEqual(t, bits, MinBits(text))
			for m := range mode(modes) {
				if encoding(m, text) != nil {
					require.LessOrEqual(t, bits, eci+plainBits(m, len(text), versions), "one mode is never shorter")
				}
			}
			if len(text) <= 8 {
				require.Equal(t, eci+brute(text, versions), bits)
			}
			require.Len(t, p.Append(nil, (bits+7)/8), (bits+7)/8)
		}
	})
}

func BenchmarkNewPlan(b *testing.B) {
	text := strings.Repeat("https://wa.me/16505551234?text=hello%20world", 14)
	for _, n := range []int{25, 100, 600} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				NewPlan(text[:n], Ranges()[1])
			}
		})
	}
}

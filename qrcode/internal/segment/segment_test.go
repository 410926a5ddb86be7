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
// does not write it.
func encoding(m mode, text string) coding.Encoding {
	e := [modes]coding.Encoding{coding.Num(text), coding.Alpha(text), coding.String(text)}[m]
	if e.Check() != nil {
		return nil
	}
	return e
}

// plainBits is what n characters cost in a mode, in bits, behind a mode indicator and a
// count. (The lengths that rsc.io/qr gives are up to one bit too long for numbers.)
func plainBits(m mode, n int, class Class) int {
	switch m {
	case numeric:
		return 4 + class.countBits[m] + n/3*10 + []int{0, 4, 7}[n%3]
	case alphanumeric:
		return 4 + class.countBits[m] + n/2*11 + n%2*6
	case octets:
	}
	return 4 + class.countBits[m] + 8*n
}

// brute tries every sequence of modes.
func brute(text string, class Class) int {
	best := 1 << 30
	var try func(at, start, bits int, m mode)
	try = func(at, start, bits int, m mode) {
		if encoding(m, text[start:at]) == nil {
			return
		}
		if at == len(text) {
			best = min(best, bits+plainBits(m, at-start, class))
			return
		}
		try(at+1, start, bits, m)
		for next := range mode(modes) {
			if next != m {
				try(at+1, at, bits+plainBits(m, at-start, class), next)
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
	var p Packer
	for _, class := range Classes() {
		for range 250 {
			text := make([]byte, 1+random.IntN(8))
			alphabet := []string{"0123456789", "01A", "A:b", "01Ab", "1aaa", "0B%x1"}[random.IntN(6)]
			for i := range text {
				text[i] = alphabet[random.IntN(len(alphabet))]
			}
			require.Equal(t, brute(string(text), class), p.Measure(string(text), class), "%q", text)
		}
	}
}

// TestLongRuns has texts in which a change of mode pays, too long for brute force: two
// runs of characters, and every way to cut them.
func TestLongRuns(t *testing.T) {
	var p Packer
	for _, class := range Classes() {
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
									bits += plainBits(first, cut, class)
								}
								if cut < n+m {
									bits += plainBits(second, n+m-cut, class)
								}
								best = min(best, bits)
							}
						}
					}
					require.Equal(t, best, p.Measure(text, class), "%s", text)
				}
			}
		}
	}
}

// TestBitsAreThoseOfCoding packs the segments that Measure chose with rsc.io/qr.
func TestBitsAreThoseOfCoding(t *testing.T) {
	var p Packer
	for _, text := range []string{
		"1", "12", "123", "A", "AB", "a", "https://wa.me/16505551234", "HTTPS://WA.ME/16505551234",
		"a1234567890123456789012345BCDEFGHIJKLMNOPQRS", strings.Repeat("0123456789", 20), "\xff\x00",
	} {
		for _, class := range Classes() {
			bits := p.Measure(text, class)
			var want coding.Bits
			for start := 0; start < len(text); {
				end := start
				for end < len(text) && p.modes[end] == p.modes[start] {
					end++
				}
				encoding(p.modes[start], text[start:end]).Encode(&want, coding.Version(class.First))
				start = end
			}
			require.Equal(t, want.Bits(), bits)
			for _, size := range []int{(bits + 7) / 8, (bits+7)/8 + 1, (bits+7)/8 + 5} {
				p.Measure(text, class)
				padded := want
				(&padded).Pad(8*size - bits)
				require.Equal(t, padded.Bytes(), p.Append([]byte("x"), size)[1:], "%q in %d bytes", text, size)
			}
		}
	}
}

func TestMarkOfUTF8(t *testing.T) {
	var p Packer
	class := Classes()[0]
	require.Equal(t, 12+4+8+2*8, p.Measure("é", class))
	require.Equal(t, []byte{0b0111_0001, 0b1010_0100, 2, 0xC3, 0xA9, 0}, p.Append(nil, 6))
	require.Equal(t, 4+8+2*8, p.Measure("\xC3\x28", class), "not UTF-8")
	require.Equal(t, 4+8+2*8, p.Measure("eE", class))
}

func TestBounds(t *testing.T) {
	var p Packer
	require.Equal(t, 10+11+8, MinBits("123AB_"))
	for _, n := range []int{MaxText, MaxText + 1} {
		fits := p.Measure(strings.Repeat("7", n), Classes()[2]) <= 8*coding.Version(coding.MaxVersion).DataBytes(coding.L)
		require.Equal(t, n == MaxText, fits, "%d digits", n)
	}
}

func FuzzMeasure(f *testing.F) {
	f.Add("https://wa.me/16505551234?text=HELLO%20WORLD")
	f.Fuzz(func(t *testing.T, text string) {
		if text == "" || len(text) > 3000 {
			return
		}
		var p Packer
		for _, class := range Classes() {
			bits := p.Measure(text, class)
			mark := 0
			if needsMark(text) {
				mark = utf8MarkBits
			}
			require.GreaterOrEqual(t, bits, MinBits(text))
			for m := range mode(modes) {
				if encoding(m, text) != nil {
					require.LessOrEqual(t, bits, mark+plainBits(m, len(text), class), "one mode is never shorter")
				}
			}
			if len(text) <= 8 {
				require.Equal(t, mark+brute(text, class), bits)
			}
			require.Len(t, p.Append(nil, (bits+7)/8), (bits+7)/8)
		}
	})
}

func BenchmarkMeasure(b *testing.B) {
	text := strings.Repeat("https://wa.me/16505551234?text=hello%20world", 14)
	for _, n := range []int{25, 100, 600} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var p Packer
			for b.Loop() {
				p.Measure(text[:n], Classes()[1])
			}
		})
	}
}

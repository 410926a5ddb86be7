package bilevel

import "encoding/binary"

// An adler computes a zlib stream's Adler-32 checksum (RFC 1950): a is one more than the sum
// of all bytes, and b the sum of all values of a. Repeated rows are added in one step.
type adler struct{ a, b uint64 }

const adlerBase = 65521

func (s *adler) zeros(n int) { s.b = (s.b + uint64(n)*s.a) % adlerBase }

// rows adds a row of n bytes several times. sum and weighted are its sums.
func (s *adler) rows(sum, weighted uint64, n, times int) {
	t, length := uint64(times), uint64(n)
	s.b = (s.b + t*length*s.a + t*weighted + length*sum*(t*(t-1)/2)) % adlerBase
	s.a = (s.a + t*sum) % adlerBase
}

func (s *adler) sum() uint32 { return uint32(s.b<<16 | s.a) }

// sums returns the sum of all bytes, and the sum weighted by each byte's distance to the end.
// It adds 8 bytes at a time in 16-bit lanes for even and odd bytes. Multiplying by a constant
// adds the weighted lanes in the highest lane. Lanes don't overflow.
func sums(row []byte) (sum, weighted uint64) {
	const (
		lanes       = 0x00FF00FF00FF00FF
		ones        = 0x0001000100010001
		evenWeights = 0x0008000600040002
		oddWeights  = 0x0007000500030001
		top         = 48
	)
	for len(row) >= 8 {
		v := binary.LittleEndian.Uint64(row)
		even, odd := v&lanes, v>>8&lanes
		weighted += 8*sum + (even*evenWeights+odd*oddWeights)>>top
		sum += (even + odd) * ones >> top
		row = row[8:]
	}
	for _, b := range row {
		sum += uint64(b)
		weighted += sum
	}
	return sum, weighted
}

package bilevel

import "encoding/binary"

// An adler is the Adler-32 sum of a zlib stream (RFC 1950): a is one more than the sum of
// all bytes, and b is the sum of all values that a has had. Repeated rows are added in
// one step.
type adler struct{ a, b uint64 }

const adlerBase = 65521

func (s *adler) zeros(n int) { s.b = (s.b + uint64(n)*s.a) % adlerBase }

// rows adds the same row of n bytes several times. sum and weighted are its sums, as
// the function sums returns them.
func (s *adler) rows(sum, weighted uint64, n, times int) {
	t, length := uint64(times), uint64(n)
	s.b = (s.b + t*length*s.a + t*weighted + length*sum*(t*(t-1)/2)) % adlerBase
	s.a = (s.a + t*sum) % adlerBase
}

func (s *adler) sum() uint32 { return uint32(s.b<<16 | s.a) }

// sums returns the sum of the bytes of row, and the sum in which each byte counts as often
// as there are bytes from it to the end. It adds 8 bytes at a time, in four lanes of 16
// bits for the even bytes and four for the odd: a product by a constant has the sum of the
// lanes, each times its weight, in the highest lane. No lane overflows.
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

package bilevel

// An adler is the check sum of zlib (RFC 1950): a is one more than the sum of all bytes,
// and b is the sum of all values that a has had. Bytes that come again and again need
// not be looked at again.
type adler struct{ a, b uint64 }

const adlerBase = 65521

func (s *adler) zeros(n int) { s.b = (s.b + uint64(n)*s.a) % adlerBase }

// rows adds a row of n bytes some times over. The bytes of the row have this sum, and
// this sum when each counts as often as there are bytes from it to the end of the row.
func (s *adler) rows(sum, weighted uint64, n, times int) {
	t, length := uint64(times), uint64(n)
	s.b = (s.b + t*length*s.a + t*weighted + length*sum*(t*(t-1)/2)) % adlerBase
	s.a = (s.a + t*sum) % adlerBase
}

func (s *adler) sum() uint32 { return uint32(s.b<<16 | s.a) }

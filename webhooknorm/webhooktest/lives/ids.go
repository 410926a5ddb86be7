package lives

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math/bits"
)

// The numbers look like +1 NPA 555 XXXX, because subscribers never get these.
const (
	areaCodes     = 800
	numbersInArea = 10_000
	allNumbers    = areaCodes * numbersInArea
)

// phoneNumber returns the i-th number.
func phoneNumber(i int) string {
	i %= allNumbers
	// Successive numbers are far apart.
	area, line := 200+i%areaCodes, (i/areaCodes*7919+i*13)%numbersInArea
	return fmt.Sprintf("1%03d555%04d", area, line)
}

// identifier returns 16 digits, which depend only on the seed and are unique for each n.
func identifier(seed, n uint64) uint64 {
	const span = 9_000_000_000_000_000 // 2, 3 and 5 are its prime factors, and none of factor
	const factor = 7_368_787_418_321_119
	hi, lo := bits.Mul64(n+1, factor)
	lo, carry := bits.Add64(lo, mix(seed)%span, 0)
	_, rest := bits.Div64((hi+carry)%span, lo, span)
	return 1_000_000_000_000_000 + rest
}

// mix is the finalizer of SplitMix64, a bijection.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// messageID returns the n-th message ID with a prefix such as "wamid.".
func messageID(prefix string, seed, n uint64) string {
	var b [20]byte
	b[0], b[1], b[2], b[3] = 0x1c, 0x18, 0x0b, 0x31
	binary.BigEndian.PutUint64(b[4:], mix(seed^0x77616d6964)^n)
	binary.BigEndian.PutUint64(b[12:], mix(n))
	return prefix + base64.StdEncoding.EncodeToString(b[:])
}

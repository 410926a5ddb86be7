// Package ecc computes QR codes' Reed-Solomon codewords (ISO/IEC 18004, 7.5), one data
// codeword per step.
package ecc

import (
	"encoding/binary"
	"sync"

	"rsc.io/qr/coding"
	"rsc.io/qr/gf256"
)

// MaxCodewords is the maximum number of error correction codewords per block.
const MaxCodewords = 30

// A Code computes error correction codewords, the remainder after dividing the data by the
// generator polynomial. A table contains the remainder for each first byte.
type Code struct {
	n     int // error correction codewords
	table [256]remainder
}

// A remainder contains up to 32 bytes, beginning in the highest bits.
type remainder [4]uint64

var codes [MaxCodewords + 1]struct {
	once sync.Once
	code *Code
}

// For returns the Code for n codewords. It is safe for concurrent use.
func For(n int) *Code {
	c := &codes[n]
	c.once.Do(func() { c.code = build(n) })
	return c.code
}

// build adds the remainders of 1, 2, 4, … from rsc.io/qr to those of all other bytes, because
// division is linear. Addition is exclusive or.
func build(n int) *Code {
	c := &Code{n: n}
	enc := gf256.NewRSEncoder(coding.Field, n)
	for bit := 1; bit < 256; bit <<= 1 {
		var bytes [32]byte
		enc.ECC([]byte{byte(bit)}, bytes[:])
		var r remainder
		for i := range r {
			r[i] = binary.BigEndian.Uint64(bytes[8*i:])
		}
		for b := range bit {
			for i := range r {
				c.table[bit+b][i] = c.table[b][i] ^ r[i]
			}
		}
	}
	return c
}

// Append appends the error correction codewords for data.
func (c *Code) Append(dst, data []byte) []byte {
	var r0, r1, r2, r3 uint64
	for _, b := range data {
		t := &c.table[b^byte(r0>>56)]
		r0 = (r0<<8 | r1>>56) ^ t[0]
		r1 = (r1<<8 | r2>>56) ^ t[1]
		r2 = (r2<<8 | r3>>56) ^ t[2]
		r3 = r3<<8 ^ t[3]
	}
	var bytes [32]byte
	for i, r := range [4]uint64{r0, r1, r2, r3} {
		binary.BigEndian.PutUint64(bytes[8*i:], r)
	}
	return append(dst, bytes[:c.n]...)
}

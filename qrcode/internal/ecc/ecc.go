// Package ecc computes the Reed-Solomon error correction codewords of a QR code (ISO/IEC
// 18004, 7.5), one data codeword a step.
package ecc

import (
	"encoding/binary"
	"sync"

	"rsc.io/qr/coding"
	"rsc.io/qr/gf256"
)

// MaxCodewords is the largest number of error correction codewords of a block.
const MaxCodewords = 30

// A Code computes a fixed number of error correction codewords. They are the remainder of
// the data, as a polynomial, in a division by the generator polynomial. A table holds the
// remainder of each first byte.
type Code struct {
	n     int // error correction codewords
	table [256]remainder
}

// A remainder is up to 32 bytes, the first in the highest bits of the first word.
type remainder [4]uint64

var codes [MaxCodewords + 1]struct {
	once sync.Once
	code *Code
}

// For returns the Code of n codewords. It is safe for concurrent use.
func For(n int) *Code {
	c := &codes[n]
	c.once.Do(func() { c.code = build(n) })
	return c.code
}

// build takes the remainders of 1, 2, 4, … from rsc.io/qr and adds them up to those
// of all other bytes: division is linear, and addition is exclusive or.
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

// Append appends the error correction codewords of data to dst.
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

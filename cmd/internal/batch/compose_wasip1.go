package batch

import (
	"strings"
	"unicode/utf8"
	"unsafe"
)

// compose returns a text in the normal form C of Unicode. The host composes it: the tables
// would be a tenth of the module.
func compose(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return s
	}
	composed := make([]byte, maxComposed*len(s))
	n := normalize(unsafe.StringData(s), uint32(len(s)), unsafe.SliceData(composed))
	return string(composed[:n])
}

// maxComposed is how many times longer a text becomes at most (UAX #15).
const maxComposed = 3

// normalize writes the normal form C of n bytes at s to composed, and returns its length.
//
//go:wasmimport hailmark normalize
//go:noescape
func normalize(s *byte, n uint32, composed *byte) uint32

package batch

import (
	"strings"
	"unicode/utf8"
	"unsafe"
)

// compose returns s in Unicode normalization form C. JavaScript provides the function, because
// Go's tables would increase the module's size by a tenth.
func compose(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return s
	}
	composed := make([]byte, maxComposed*len(s))
	n := normalize(unsafe.StringData(s), uint32(len(s)), unsafe.SliceData(composed))
	return string(composed[:n])
}

// maxComposed is the maximum growth factor (UAX #15).
const maxComposed = 3

// normalize normalizes n bytes at s into composed and returns the new length.
//
//go:wasmimport hailmark normalize
//go:noescape
func normalize(s *byte, n uint32, composed *byte) uint32

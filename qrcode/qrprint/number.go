package qrprint

import (
	"math"
	"strconv"
)

// appendNumber appends a number with a maximum number of decimals, without trailing zeros.
func appendNumber(dst []byte, n float64, decimals int) []byte {
	if whole := math.Trunc(n); whole == n && math.Abs(n) < 1<<53 {
		return strconv.AppendInt(dst, int64(n), 10)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, n, 'f', decimals, 64)
	for dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
	}
	if dst[len(dst)-1] == '.' {
		dst = dst[:len(dst)-1]
	}
	if string(dst[start:]) == "-0" {
		dst = append(dst[:start], '0')
	}
	return dst
}

// appendNumbers appends numbers, each followed by a space.
func appendNumbers(dst []byte, decimals int, numbers ...float64) []byte {
	for _, n := range numbers {
		dst = append(appendNumber(dst, n, decimals), ' ')
	}
	return dst
}

// Decimals of numbers in files. The last decimal represents less than 0.0002 mm on any page.
const (
	lengthDecimals = 5 // millimeters and points
	scaleDecimals  = 8 // scales, which multiply up to 2048 units to the em and 177 modules
	pathDecimals   = 4 // coordinates of paths
)

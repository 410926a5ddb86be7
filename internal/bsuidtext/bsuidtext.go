// Package bsuidtext implements the grammar of BSUIDs for packages that store or classify them
// as strings. It doesn't allocate.
package bsuidtext

import "strings"

// Limits and literals of the grammar.
const (
	MaxID         = 128
	CountryLen    = len("US.")
	ParentSegment = "ENT."
)

// Is reports whether s is a BSUID, whose ID may contain letters and digits.
func Is(s string) bool { return matches(s, isAlphanumeric) }

// IsNumeric reports whether s is a BSUID whose ID contains only digits.
func IsNumeric(s string) bool { return matches(s, isDigit) }

func matches(s string, inID func(byte) bool) bool {
	if len(s) <= CountryLen || !isCapital(s[0]) || !isCapital(s[1]) || s[2] != '.' {
		return false
	}
	id := strings.TrimPrefix(s[CountryLen:], ParentSegment)
	if len(id) < 1 || len(id) > MaxID {
		return false
	}
	for i := range len(id) {
		if !inID(id[i]) {
			return false
		}
	}
	return true
}

func isCapital(c byte) bool { return 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool   { return '0' <= c && c <= '9' }
func isAlphanumeric(c byte) bool {
	return isDigit(c) || isCapital(c) || 'a' <= c && c <= 'z'
}

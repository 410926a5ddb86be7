package bsuid

import "strings"

// Limits and literals of the grammar.
const (
	maxID         = 128
	countryLen    = len("US.")
	parentSegment = "ENT."
)

// Is reports whether s is a BSUID in the grammar of [ParseBSUID]. It's for telling IDs apart,
// for example in a column with phone numbers and BSUIDs, and doesn't allocate.
func Is(s string) bool { return matches(s, isAlphanumeric) }

// isNumeric reports whether s is a BSUID whose ID contains only digits.
func isNumeric(s string) bool { return matches(s, isDigit) }

func matches(s string, inID func(byte) bool) bool {
	if len(s) <= countryLen || !isCapital(s[0]) || !isCapital(s[1]) || s[2] != '.' {
		return false
	}
	id := strings.TrimPrefix(s[countryLen:], parentSegment)
	if len(id) < 1 || len(id) > maxID {
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

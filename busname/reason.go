package busname

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A Reason is the business API's code for a rule that a username breaks.
type Reason string

// The reasons, in the order of reports. ReasonUpperCase replaces ReasonInvalidChar if a name
// contains no other invalid characters.
const (
	ReasonTooShort        Reason = "too_short"
	ReasonTooLong         Reason = "too_long"
	ReasonInvalidChar     Reason = "invalid_character"
	ReasonUpperCase       Reason = "uppercase_letter"
	ReasonNoLetter        Reason = "no_letter"
	ReasonEdgeDot         Reason = "leading_or_trailing_dot"
	ReasonConsecutiveDots Reason = "consecutive_dots"
	ReasonLeadingWWW      Reason = "leading_www"
	ReasonReservedSuffix  Reason = "reserved_domain_suffix"
)

// Reasons returns all reasons why a business can't claim s as its username. The list is never nil.
// Unlike [Validate], it rejects a leading "www" even if no period follows.
func Reasons(s string) []Reason {
	reasons := []Reason{}
	for _, code := range Validate(s).Codes() {
		switch code {
		case CodeInvalidLength:
			if utf8.RuneCountInString(s) < minLength {
				reasons = append(reasons, ReasonTooShort)
			} else {
				reasons = append(reasons, ReasonTooLong)
			}
		case CodeInvalidChars:
			if strings.ContainsFunc(s, isNeverAllowed) {
				reasons = append(reasons, ReasonInvalidChar)
			} else {
				reasons = append(reasons, ReasonUpperCase)
			}
		case CodeNoLetter:
			reasons = append(reasons, ReasonNoLetter)
		case CodeEdgePeriod:
			reasons = append(reasons, ReasonEdgeDot)
		case CodeDoublePeriod:
			reasons = append(reasons, ReasonConsecutiveDots)
		case CodeReservedSuffix:
			reasons = append(reasons, ReasonReservedSuffix)
		}
	}
	if len(s) >= 3 && strings.Trim(s[:3], "wW") == "" {
		i := len(reasons)
		if i > 0 && reasons[i-1] == ReasonReservedSuffix {
			i--
		}
		reasons = slices.Insert(reasons, i, ReasonLeadingWWW)
	}
	return reasons
}

// isNeverAllowed reports whether r is invalid even in lower case.
func isNeverAllowed(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '.' && r != '_'
}

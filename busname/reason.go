package busname

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hailmark/hailmark/problem"
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

// ValidateBusiness returns all reasons why a business can't claim s as its username, or nil. It's
// like [Validate], but [CodeLeadingWWW] stands for any leading "www", even if no period follows.
func ValidateBusiness(s string) problem.List {
	list := Validate(s)
	if len(s) < len("www") || strings.Trim(s[:len("www")], "wW") != "" || slices.Contains(list.Codes(), CodeLeadingWWW) {
		return list
	}
	i := len(list)
	if i > 0 && list[i-1].Code == CodeReservedSuffix {
		i-- // as in Validate
	}
	return slices.Insert(list, i, problem.New("username", CodeLeadingWWW, "username begins with www, which isn't allowed for a business"))
}

// Reasons returns the business API's codes for the problems that [ValidateBusiness] returns. The
// list is never nil.
func Reasons(s string) []Reason {
	reasons := []Reason{}
	for _, code := range ValidateBusiness(s).Codes() {
		reasons = append(reasons, reasonOf(code, s))
	}
	return reasons
}

// reasonOf returns the business API's code for a problem with s.
func reasonOf(code problem.Code, s string) Reason {
	switch code {
	case CodeInvalidLength:
		if utf8.RuneCountInString(s) < minLength {
			return ReasonTooShort
		}
		return ReasonTooLong
	case CodeInvalidChars:
		if strings.ContainsFunc(s, isNeverAllowed) {
			return ReasonInvalidChar
		}
		return ReasonUpperCase
	case CodeNoLetter:
		return ReasonNoLetter
	case CodeEdgePeriod:
		return ReasonEdgeDot
	case CodeDoublePeriod:
		return ReasonConsecutiveDots
	case CodeLeadingWWW:
		return ReasonLeadingWWW
	default:
		return ReasonReservedSuffix
	}
}

// isNeverAllowed reports whether r is invalid even in lower case.
func isNeverAllowed(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '.' && r != '_'
}

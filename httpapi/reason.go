package httpapi

import (
	"strings"
	"unicode/utf8"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/problem"
)

// A Reason is the API's word for a rule that a business's username breaks. The interface
// specification names the reasons, and programs that speak it over another transport need them, too.
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

// reasons contains the words for each of [busname.Rules], in their order. A rule's first line that
// applies to a name decides.
var reasons = [...]struct {
	code    problem.Code
	reason  Reason
	applies func(s string) bool // nil for all names that break the rule
}{
	{busname.CodeInvalidLength, ReasonTooShort, isShort},
	{busname.CodeInvalidLength, ReasonTooLong, nil},
	{busname.CodeInvalidChars, ReasonInvalidChar, hasForbidden},
	{busname.CodeInvalidChars, ReasonUpperCase, nil},
	{busname.CodeNoLetter, ReasonNoLetter, nil},
	{busname.CodeEdgePeriod, ReasonEdgeDot, nil},
	{busname.CodeDoublePeriod, ReasonConsecutiveDots, nil},
	{busname.CodeLeadingWWW, ReasonLeadingWWW, nil},
	{busname.CodeReservedSuffix, ReasonReservedSuffix, nil},
}

// Reasons returns the API's words for the problems that [busname.ValidateBusiness] returns. The
// list is never nil.
func Reasons(s string) []Reason {
	list := []Reason{}
	for _, code := range busname.ValidateBusiness(s).Codes() {
		for _, r := range reasons {
			if r.code == code && (r.applies == nil || r.applies(s)) {
				list = append(list, r.reason)
				break
			}
		}
	}
	return list
}

// isShort reports whether a name of a wrong length lacks characters, rather than having too many.
func isShort(s string) bool { return utf8.RuneCountInString(s) < busname.MinLength }

// hasForbidden reports whether a character of s is invalid even in lower case.
func hasForbidden(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '.' && r != '_'
	})
}

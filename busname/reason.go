package busname

// A Reason is the code of the business API for a rule that a username breaks. Released
// reasons never change.
type Reason string

// The reasons, in the order in which they are reported. ReasonUpperCase replaces
// ReasonInvalidChar for a name with upper-case letters and no other invalid character.
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

// AllReasons returns every reason, in the order in which they are reported.
func AllReasons() []Reason {
	reasons := make([]Reason, len(rules))
	for i, r := range rules {
		reasons[i] = r.reason
	}
	return reasons
}

// Reasons returns every reason why a business cannot claim s as its username, in the
// order of the constants. The list is empty for a name of the right structure. WhatsApp
// may still refuse such a name, because it can be taken or reserved.
//
// The rules are those of [Validate] with one exception: a leading "www" is refused even
// when no period follows.
func Reasons(s string) []Reason {
	f := examine(s, business)
	if f.broken == 0 {
		return nil
	}
	var reasons []Reason
	for i, r := range rules {
		if f.broken.has(ruleIndex(i)) {
			reasons = append(reasons, r.reason)
		}
	}
	return reasons
}

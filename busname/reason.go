package busname

// A Reason is a word of the business API for what is wrong with a username.
// Released words never change.
type Reason string

// The reasons, in the order in which they are reported.
const (
	ReasonTooShort        Reason = "too_short"
	ReasonTooLong         Reason = "too_long"
	ReasonInvalidChar     Reason = "invalid_character"
	ReasonUpperCase       Reason = "uppercase_letter" // instead of ReasonInvalidChar where nothing else is wrong with the characters
	ReasonNoLetter        Reason = "no_letter"
	ReasonEdgeDot         Reason = "leading_or_trailing_dot"
	ReasonConsecutiveDots Reason = "consecutive_dots"
	ReasonLeadingWWW      Reason = "leading_www"
	ReasonReservedSuffix  Reason = "reserved_domain_suffix"
)

// Reasons returns every reason why a business cannot claim s as its username, in
// the order of the constants. It is empty for a name of the right structure, which
// WhatsApp may still refuse: the name may be taken or reserved.
//
// The rules are those of [Validate] but for one: here "www" may not come first even
// without a period behind it.
func Reasons(s string) []Reason {
	f := examine(s, business)
	var reasons []Reason
	for _, rule := range []struct {
		broken bool
		reason Reason
	}{
		{f.tooShort, ReasonTooShort},
		{f.tooLong, ReasonTooLong},
		{f.offender != "" && !f.onlyUpperCase, ReasonInvalidChar},
		{f.onlyUpperCase, ReasonUpperCase},
		{f.noLetter, ReasonNoLetter},
		{f.edgePeriod, ReasonEdgeDot},
		{f.doublePeriod, ReasonConsecutiveDots},
		{f.www, ReasonLeadingWWW},
		{f.suffix != "", ReasonReservedSuffix},
	} {
		if rule.broken {
			reasons = append(reasons, rule.reason)
		}
	}
	return reasons
}

package busname

import "github.com/hailmark/hailmark/problem"

// The codes of errors, each with its remedy.
const (
	// CodeInvalidLength means that a username doesn't have 3 to 35 characters. Lengthen or shorten
	// it.
	CodeInvalidLength problem.Code = "username_length"

	// CodeInvalidChars means that a username contains other characters than a-z, 0-9, periods and
	// underscores. Replace them; the message names the first one, and suggests a valid username if
	// there's an obvious one.
	CodeInvalidChars problem.Code = "username_invalid_chars"

	// CodeNoLetter means that a username has no letter. Add one.
	CodeNoLetter problem.Code = "username_no_letter"

	// CodeEdgePeriod means that a username begins or ends with a period. Remove it.
	CodeEdgePeriod problem.Code = "username_edge_period"

	// CodeDoublePeriod means that a username has two periods in a row. Remove one.
	CodeDoublePeriod problem.Code = "username_double_period"

	// CodeLeadingWWW means that a username begins with "www.". Remove it.
	CodeLeadingWWW problem.Code = "username_starts_with_www"

	// CodeReservedSuffix means that a username ends like a web address or file, such as ".com".
	// Remove the ending.
	CodeReservedSuffix problem.Code = "username_reserved_suffix"
)

// The codes of warnings, which [Username.Warnings] returns about valid usernames.
const (
	// CodeBrandWord warns that a username contains a Meta brand, such as "whatsapp". WhatsApp's own
	// apps reject such names, although no published rule forbids them. Choose another name.
	CodeBrandWord problem.Code = "username_brand_word"

	// CodeRouterWord warns that wa.me uses the name for another kind of link, so a link to the
	// username may not open a chat. Choose another name, or link to the phone number.
	CodeRouterWord problem.Code = "username_router_word"

	// CodeBusinessSuffix warns that a username ends with ".io" or ".ai", which a provider says are
	// reserved for businesses. Choose another ending if you aren't one.
	CodeBusinessSuffix problem.Code = "username_business_suffix"
)

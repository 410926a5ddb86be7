package busname

import (
	"fmt"

	"github.com/hailmark/hailmark/problem"
)

// A rule is one rule of the grammar, with what the API for people and the API for
// businesses report when it is broken.
type rule struct {
	reason  Reason
	code    problem.Code
	broken  func(findings) bool
	message func(findings) string
}

// rules are the grammar, in the order in which problems are reported. Only [Validate]
// uses the messages, so they are about the names of people. A code has two
// rules where the business API has two reasons; at most one of them is broken.
var rules = [...]rule{
	{
		ReasonTooShort, CodeInvalidLength,
		func(f findings) bool { return f.length < MinLength },
		lengthMessage,
	},
	{
		ReasonTooLong, CodeInvalidLength,
		func(f findings) bool { return f.length > MaxLength },
		lengthMessage,
	},
	{
		ReasonInvalidChar, CodeInvalidChars,
		func(f findings) bool { return f.offender != "" && !f.onlyUpperCase },
		charsMessage,
	},
	{
		ReasonUpperCase, CodeInvalidChars,
		func(f findings) bool { return f.onlyUpperCase },
		charsMessage,
	},
	{
		ReasonNoLetter, CodeNoLetter,
		func(f findings) bool { return !f.hasLetter },
		func(findings) string { return "username must have at least one letter a-z" },
	},
	{
		ReasonEdgeDot, CodeEdgePeriod,
		func(f findings) bool { return f.edgePeriod },
		func(findings) string { return "username must not begin or end with a period" },
	},
	{
		ReasonConsecutiveDots, CodeDoublePeriod,
		func(f findings) bool { return f.doublePeriod },
		func(findings) string { return "username must not have two periods in a row" },
	},
	{
		ReasonLeadingWWW, CodeLeadingWWW,
		func(f findings) bool { return f.leadingWWW },
		func(findings) string { return fmt.Sprintf("username must not begin with %q", person.www) },
	},
	{
		ReasonReservedSuffix, CodeReservedSuffix,
		func(f findings) bool { return f.suffix >= 0 },
		func(f findings) string {
			return fmt.Sprintf("username must not end with %q", reservedSuffixes[f.suffix])
		},
	},
}

func lengthMessage(f findings) string {
	return fmt.Sprintf("username must be %d-%d characters long, not %d", MinLength, MaxLength, f.length)
}

func charsMessage(f findings) string {
	return fmt.Sprintf("username may hold only a-z, 0-9, period and underscore, not %q", f.offender)
}

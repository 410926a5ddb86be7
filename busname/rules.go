package busname

import (
	"fmt"

	"github.com/hailmark/hailmark/problem"
)

// A ruleIndex is the index of a rule in [rules].
type ruleIndex uint8

const (
	ruleTooShort ruleIndex = iota
	ruleTooLong
	ruleInvalidChar
	ruleUpperCase
	ruleNoLetter
	ruleEdgePeriod
	ruleDoublePeriod
	ruleLeadingWWW
	ruleReservedSuffix
)

// A ruleSet is a set of rules. Bit i is the rule with index i.
type ruleSet uint16

func (set *ruleSet) add(i ruleIndex)     { *set |= 1 << i }
func (set ruleSet) has(i ruleIndex) bool { return set&(1<<i) != 0 }

// A rule is one rule of the grammar, with the reason that [Reasons] reports for it, and
// the code and message that [Validate] reports.
type rule struct {
	reason  Reason
	code    problem.Code
	message func(findings) string
}

// rules are the grammar, in the order in which problems are reported; [examine] checks
// them. Only [Validate] uses the messages, so they are about the names of people. A code
// has two rules where the business API has two reasons; at most one of them is broken.
var rules = [...]rule{
	ruleTooShort:       {ReasonTooShort, CodeInvalidLength, lengthMessage},
	ruleTooLong:        {ReasonTooLong, CodeInvalidLength, lengthMessage},
	ruleInvalidChar:    {ReasonInvalidChar, CodeInvalidChars, charsMessage},
	ruleUpperCase:      {ReasonUpperCase, CodeInvalidChars, charsMessage},
	ruleNoLetter:       {ReasonNoLetter, CodeNoLetter, constant("username must have at least one letter a-z")},
	ruleEdgePeriod:     {ReasonEdgeDot, CodeEdgePeriod, constant("username must not begin or end with a period")},
	ruleDoublePeriod:   {ReasonConsecutiveDots, CodeDoublePeriod, constant("username must not have two periods in a row")},
	ruleLeadingWWW:     {ReasonLeadingWWW, CodeLeadingWWW, constant(`username must not begin with "www."`)},
	ruleReservedSuffix: {ReasonReservedSuffix, CodeReservedSuffix, suffixMessage},
}

func constant(message string) func(findings) string {
	return func(findings) string { return message }
}

func lengthMessage(f findings) string {
	return fmt.Sprintf("username must be %d-%d characters long; got %d", MinLength, MaxLength, f.length)
}

func charsMessage(f findings) string {
	return fmt.Sprintf("username may hold only a-z, 0-9, period and underscore, not %q", f.offender)
}

func suffixMessage(f findings) string {
	return fmt.Sprintf("username must not end with %q", f.suffix)
}

package busname

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/hailmark/hailmark/problem"
)

// A ruleIndex is the index of a rule in [rules].
type ruleIndex uint8

const (
	ruleLength ruleIndex = iota
	ruleChars
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

// A rule is one rule of the grammar, with the problem that [Validate] reports for it.
type rule struct {
	code    problem.Code
	message func(findings) string
}

// rules are the grammar, in the order in which problems are reported; [examine] checks
// them.
var rules = [...]rule{
	ruleLength:         {CodeInvalidLength, lengthMessage},
	ruleChars:          {CodeInvalidChars, charsMessage},
	ruleNoLetter:       {CodeNoLetter, constant("username has no letter; at least one is required")},
	ruleEdgePeriod:     {CodeEdgePeriod, constant("username begins or ends with a period; remove it")},
	ruleDoublePeriod:   {CodeDoublePeriod, constant("username has two periods in a row; only single ones are allowed")},
	ruleLeadingWWW:     {CodeLeadingWWW, constant(`username begins with "www.", like a web address; that is not allowed`)},
	ruleReservedSuffix: {CodeReservedSuffix, suffixMessage},
}

func constant(message string) func(findings) string {
	return func(findings) string { return message }
}

func lengthMessage(f findings) string {
	characters := "characters"
	if f.length == 1 {
		characters = "character"
	}
	return fmt.Sprintf("username has %d %s; %d to %d are allowed", f.length, characters, MinLength, MaxLength)
}

func charsMessage(f findings) string {
	const allowed = "a-z, 0-9, periods and underscores"
	r, _ := utf8.DecodeRuneInString(f.offender)
	switch {
	case 'A' <= r && r <= 'Z':
		return fmt.Sprintf("username contains %q; only lowercase letters are allowed", f.offender)
	case unicode.IsSpace(r):
		return fmt.Sprintf("username contains white space (%q); only %s are allowed", f.offender, allowed)
	case unicode.IsLetter(r):
		return fmt.Sprintf("username contains %q; the only letters allowed are a-z, without accents", f.offender)
	default:
		return fmt.Sprintf("username contains %q; only %s are allowed", f.offender, allowed)
	}
}

func suffixMessage(f findings) string {
	return fmt.Sprintf("username ends with %q, like a web address or file; that is not allowed", f.suffix)
}

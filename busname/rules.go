package busname

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hailmark/hailmark/problem"
)

// The limits of a username's length, in characters.
const (
	MinLength = 3
	MaxLength = 35
)

// A username can't end with one of these, because it would look like a web address or file.
var reservedSuffixes = []string{".com", ".org", ".net", ".int", ".edu", ".gov", ".mil", ".us", ".in", ".html", ".arpa", ".htm", ".txt", ".xml"}

// A Rule is a rule of usernames.
type Rule struct {
	// Code is the code of [Validate] for a name that breaks the rule.
	Code problem.Code

	// Sentence is the rule as part of a list, such as "contains a letter".
	Sentence string

	// broken returns the message about a name that breaks the rule, or "".
	broken func(n name) string
}

// A name is what the rules judge. The rules about letters ignore case, so that all problems with an
// uppercase name are reported at once.
type name struct {
	text, folded string // folded has no uppercase A-Z
	business     bool   // a business wants to claim it
}

// rules is the whole grammar, in the order of reports.
var rules = [...]Rule{
	{CodeInvalidLength, fmt.Sprintf("has %d to %d characters", MinLength, MaxLength), wrongLength},
	{CodeInvalidChars, "contains only lowercase a-z, digits, periods and underscores", wrongCharacter},
	{CodeNoLetter, "contains a letter", func(n name) string {
		return messageIf(!strings.ContainsFunc(n.folded, isLowercase), "username has no letter; at least one is required")
	}},
	{CodeEdgePeriod, "doesn't begin or end with a period", func(n name) string {
		return messageIf(strings.HasPrefix(n.text, ".") || strings.HasSuffix(n.text, "."), "username begins or ends with a period; remove it")
	}},
	{CodeDoublePeriod, "has no two periods in a row", func(n name) string {
		return messageIf(strings.Contains(n.text, ".."), "username has two periods in a row; only single ones are allowed")
	}},
	{CodeLeadingWWW, "doesn't begin with \"www.\", or for a business with \"www\"", func(n name) string {
		if strings.HasPrefix(n.folded, "www.") {
			return `username begins with "www.", like a web address; that is not allowed`
		}
		return messageIf(n.business && strings.HasPrefix(n.folded, "www"), "username begins with www, which isn't allowed for a business")
	}},
	{CodeReservedSuffix, "doesn't end like a web address or file", reservedEnding},
}

// Rules returns the rules of usernames, in the order in which [Validate] reports them.
func Rules() []Rule { return slices.Clone(rules[:]) }

// isValid reports whether a person may have the name.
func isValid(s string) bool {
	n := name{text: s, folded: foldASCII(s)}
	return !slices.ContainsFunc(rules[:], func(r Rule) bool { return r.broken(n) != "" })
}

func messageIf(broken bool, message string) string {
	if !broken {
		return ""
	}
	return message
}

func wrongLength(n name) string {
	length := utf8.RuneCountInString(n.text)
	if MinLength <= length && length <= MaxLength {
		return ""
	}
	characters := "characters"
	if length == 1 {
		characters = "character"
	}
	// The interface specification requires "3-35 characters" in this message.
	return fmt.Sprintf("username has %d %s; the length must be %d-%d characters", length, characters, MinLength, MaxLength)
}

// wrongCharacter describes the first character that isn't allowed.
func wrongCharacter(n name) string {
	const allowed = "a-z, 0-9, periods and underscores"
	i := strings.IndexFunc(n.text, func(r rune) bool {
		return !isLowercase(r) && (r < '0' || r > '9') && r != '.' && r != '_'
	})
	if i < 0 {
		return ""
	}
	r, size := utf8.DecodeRuneInString(n.text[i:])
	offender := n.text[i : i+size]
	switch {
	case 'A' <= r && r <= 'Z':
		return fmt.Sprintf("username contains %q; only lowercase letters are allowed", offender)
	case unicode.IsSpace(r):
		return fmt.Sprintf("username contains white space (%q); only %s are allowed", offender, allowed)
	case unicode.IsLetter(r):
		return fmt.Sprintf("username contains %q; the only letters allowed are a-z, without accents", offender)
	default:
		return fmt.Sprintf("username contains %q; only %s are allowed", offender, allowed)
	}
}

func reservedEnding(n name) string {
	for _, suffix := range reservedSuffixes {
		if strings.HasSuffix(n.folded, suffix) {
			return fmt.Sprintf("username ends with %q, like a web address or file; that is not allowed", suffix)
		}
	}
	return ""
}

func isLowercase(r rune) bool { return 'a' <= r && r <= 'z' }

package phone

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/hailmark/hailmark/problem"
)

// E.164 specifies the maximum.
const (
	minDigits = 8
	maxDigits = 15
)

// hasLength reports whether digits can be a number. Numbers of 7 digits exist in a few small
// countries, such as Niue, whose calling codes have three digits. After shorter codes, 7 digits would
// more often be a local number that somebody wrote without its area code.
func hasLength(digits string) bool {
	const short, longCode = 7, 3
	if len(digits) != short {
		return minDigits <= len(digits) && len(digits) <= maxDigits
	}
	plan, known := planOf(digits)
	return known && len(plan.code) == longCode && plan.possible(digits[longCode:])
}

// Parse parses an international number that begins with + or 00, such as "+1 (650) 555-1234" or
// "0049 171 1234567". It rejects every other number, because a national number can begin with
// the country code of somebody else: read as international, "917 555 1234" is in India
// (+91). Use [ParseDigits] for numbers from links and webhooks, which don't have a plus.
//
// It also rejects numbers with a 0 that is dialed only within the country, because without this
// 0 they could be somebody else's: "0171 1234567", "+49 (0)171 1234567" and "+49 0171 1234567".
// In some countries, such as Italy, the 0 is part of the number.
//
// Parse reads "001 65 8234 5678" as a number that begins with +1, although people in Hong Kong
// dial 001 before the 65 of Singapore. [ParseIn] knows what each country dials, and rejects such
// a text where both readings are possible.
//
// The error is a [problem.Problem] with [CodeMissingPlus] if only the plus is missing, and
// otherwise with [CodeInvalid].
func Parse(s string) (Number, error) {
	return parseWith(s, func(text) bool { return false })
}

// parseWith parses a number with + or 00, or one whose digits suffice.
func parseWith(s string, suffices func(text) bool) (Number, error) {
	t, bad, at, ok := scan(s)
	if !ok {
		return Number{}, rejectCharacter(s, bad, at, international{})
	}
	n, hasPlus, err := t.parse()
	if n != (Number{}) && !hasPlus && !suffices(t) {
		return Number{}, n.rejectMissingPlus()
	}
	if err != nil {
		return Number{}, err
	}
	return n, nil
}

// rejectMissingPlus suggests the number with a plus, if it's possible, and names its country, because
// it may be another one than somebody meant.
func (p Number) rejectMissingPlus() error {
	e := problem.New(field, CodeMissingPlus, "phone has no plus in front; begin with + and the country code, as in +1 650 555 1234")
	if len(p.Warnings()) > 0 {
		return e
	}
	e.Suggestions = problem.NewSuggestions(p.E164())
	e.Message += fmt.Sprintf(" (did you mean %s, %s?)", p.E164(), p.CountryName())
	return e
}

// ParseDigits parses a number that is known to begin with the country code, such as
// "16505551234" from a link or a webhook. It's like [Parse], but the + or 00 is optional, and
// the error always has [CodeInvalid].
//
// Don't use it for numbers that people type: it reads the national "917 555 1234" as a number in
// India (+91).
func ParseDigits(s string) (Number, error) {
	return parseWith(s, func(text) bool { return true })
}

// MustParse calls [Parse] and panics on an error. Use it in tests and for constants.
func MustParse(s string) Number {
	p, err := Parse(s)
	if err != nil {
		panic(err)
	}
	return p
}

func (t text) parse() (n Number, hasPlus bool, err error) {
	digits, hasPlus := t.digits, t.plus
	if !hasPlus && t.zero != 0 && t.zero != 1 { // not in (0)049
		digits, hasPlus = strings.CutPrefix(digits, "00")
	}
	if err := t.checkEnd(international{}); err != nil {
		return Number{}, false, err
	}
	switch {
	case strings.HasPrefix(digits, "0") && hasPlus:
		return Number{}, false, reject("phone has 0 after the + or 00; write the country code there, as in +49 171 1234567")
	case strings.HasPrefix(digits, "0") && len(digits) > 1:
		return Number{}, false, rejectNational(digits)
	case !hasLength(digits):
		return Number{}, false, rejectLength(len(digits))
	case t.zero > 0:
		return Number{}, false, rejectZero(strings.TrimPrefix(t.digits[:t.zero], "00"), t.digits[t.zero+1:])
	}
	n = Number{digits}
	if err := n.checkTrunkZero(hasPlus); err != nil {
		return n, hasPlus, err
	}
	if err := cmp.Or(t.checkSymbols(n), t.checkDash(n)); err != nil {
		return Number{}, false, err
	}
	return n, hasPlus, nil
}

// international is the [reader] of numbers that begin with a country code.
type international struct{}

func (international) complete(digits string) bool {
	digits = strings.TrimPrefix(digits, "00")
	plan, known := planOf(digits)
	return known && plan.possible(digits[len(plan.code):])
}

func (international) suggest(t text) problem.Suggestions {
	n, hasPlus, err := t.parse()
	if err != nil || !hasPlus && t.isSpaced() || len(n.Warnings()) > 0 {
		return none
	}
	return problem.NewSuggestions(n.E164())
}

// isSpaced reports whether something separates the digits.
func (t text) isSpaced() bool { return t.lead < len(t.digits) }

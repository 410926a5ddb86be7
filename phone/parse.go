package phone

import (
	"fmt"
	"strings"

	"github.com/hailmark/hailmark/problem"
)

// E.164 specifies the maximum.
const (
	minDigits = 8
	maxDigits = 15
)

// Parse parses an international number that begins with + or 00, such as "+1 (650) 555-1234" or
// "0049 171 1234567". It rejects every other number, because a national number can begin with
// the country code of somebody else: read as international, "650 555 1234" is in Singapore
// (+65). Use [ParseDigits] for numbers from links and webhooks, which don't have a plus.
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
	n, international, err := parse(s)
	if err == nil && !international {
		return Number{}, n.rejectMissingPlus()
	}
	return n, err
}

// rejectMissingPlus suggests the number with a plus, if it's possible, and names its country, because
// it may be another one than somebody meant.
func (p Number) rejectMissingPlus() error {
	e := problem.New(field, CodeMissingPlus, "phone has no plus in front; begin with + and the country code, as in +1 650 555 1234")
	if len(p.Warnings()) > 0 {
		return e
	}
	e.Suggestions = problem.Suggest(p.E164())
	e.Message += fmt.Sprintf(" (did you mean %s, %s?)", p.E164(), p.Country())
	return e
}

// ParseDigits parses a number that is known to begin with the country code, such as
// "16505551234" from a link or a webhook. It's like [Parse], but the + or 00 is optional, and
// the error always has [CodeInvalid]. Without + or 00, it also keeps a 0 after the country code:
// Parse rejects "+49 0171 1234567", but ParseDigits accepts "4901711234567", and
// [Number.Warnings] reports it.
//
// Don't use it for numbers that people type: it reads the national "650 555 1234" as a number in
// Singapore (+65).
func ParseDigits(s string) (Number, error) {
	n, _, err := parse(s)
	return n, err
}

// MustParse calls [Parse] and panics on an error. Use it in tests and for constants.
func MustParse(s string) Number {
	p, err := Parse(s)
	if err != nil {
		panic(err)
	}
	return p
}

// parse implements [Parse] and [ParseDigits]. The result international indicates + or 00.
func parse(s string) (n Number, international bool, err error) {
	t, bad, ok := scan(s)
	if !ok {
		return Number{}, false, rejectCharacter(s, bad)
	}
	return t.parse()
}

func (t text) parse() (n Number, international bool, err error) {
	digits, international := t.digits, t.plus
	if !international && t.zero != 0 && t.zero != 1 { // not in (0)049
		digits, international = strings.CutPrefix(digits, "00")
	}
	switch {
	case strings.HasPrefix(digits, "0") && international:
		return Number{}, false, reject("phone has 0 after the + or 00; write the country code there, as in +49 171 1234567")
	case strings.HasPrefix(digits, "0") && len(digits) > 1:
		return Number{}, false, rejectNational(digits)
	case !hasLength(digits):
		return Number{}, false, rejectLength(len(digits))
	case t.zero > 0:
		return Number{}, false, rejectZero(strings.TrimPrefix(t.digits[:t.zero], "00"), t.digits[t.zero+1:])
	}
	n = Number{digits}
	if international {
		if err := n.checkTrunkZero(); err != nil {
			return Number{}, false, err
		}
	}
	if err := t.checkSymbols(n, isComplete); err != nil {
		return Number{}, false, err
	}
	return n, international, nil
}

// isComplete reports whether digits are a possible number, even if it's shorter than a [Number].
func isComplete(digits string) bool {
	digits = strings.TrimPrefix(digits, "00")
	plan, known := planOf(digits)
	return known && plan.possible(digits[len(plan.code):])
}

// checkSymbols rejects symbols that may separate two numbers. n is the number without them.
func (t text) checkSymbols(n Number, complete func(digits string) bool) error {
	if len(t.doubts) == 0 {
		return nil
	}
	symbol, found := t.separatesNumbers(complete)
	if !found && len(n.Warnings()) > 0 {
		symbol, found = t.doubts[0].char, true
	}
	if !found {
		return nil
	}
	return reject("phone contains %q, which can separate two numbers; write one number without it", string(symbol))
}

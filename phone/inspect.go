package phone

import (
	"fmt"
	"strings"

	"github.com/hailmark/hailmark/problem"
)

// Inspect is like [ParseDigits], but also returns warnings. Use it for numbers that people type, for
// example in a form. A number with warnings is valid, so show them next to its
// [Number.CountryName] and let the person decide:
//
//	phone_missing_plus             separators but no + or 00: the country code may be missing
//	phone_unassigned_country_code  the calling code isn't assigned
//	phone_unassigned_prefix        no number in the country begins with the same digits
//	phone_impossible_length        no number with the same first digits has this length
//
// Digits without separators don't need a plus, because links and webhooks contain numbers in
// this form. The other rules are derived from libphonenumber's metadata, which changes with the
// numbering plans.
func Inspect(s string) (Number, problem.List, error) {
	t, bad, at, ok := scan(s)
	if !ok {
		return Number{}, nil, rejectCharacter(s, bad, at, international{})
	}
	n, hasPlus, err := t.parse()
	if err != nil {
		return Number{}, nil, err
	}
	var warnings problem.List
	if !hasPlus && t.isSpaced() {
		warnings = append(warnings, problem.New(field, CodeMissingPlus,
			"phone has no plus in front, so it is read as %s; if that is wrong, begin with + and the country code", n.describe()))
	}
	return n, append(warnings, n.Warnings()...), nil
}

// Warnings returns a problem if the number is impossible according to its country's numbering
// plan, and otherwise nil: at most one of [CodeUnassignedCountry], [CodeUnassignedPrefix] and
// [CodeImpossibleLength]. The rules are derived from libphonenumber's metadata, which changes
// with the numbering plans, so a number with a warning may exist. The zero Number has none.
func (p Number) Warnings() problem.List {
	if p == (Number{}) {
		return nil
	}
	plan, known := planOf(p.digits)
	if !known {
		return problem.List{problem.New(field, CodeUnassignedCountry, "phone begins with +%s; no country has that calling code", p.digits[:3])}
	}
	national := p.digits[len(plan.code):]
	other := p.Canonical().digits[len(plan.code):] // WhatsApp uses both forms
	if plan.possible(national) || plan.possible(other) {
		return nil
	}
	suggestion := hint(plan, national)
	cell := plan.cellOf(national)
	_, country := plan.region(cell.region)
	if cell.lengths == 0 {
		return problem.List{problem.New(field, CodeUnassignedPrefix, "phone has %s after +%s (%s); no number there begins with these digits",
			national[:plan.depth], plan.code, country).WithSuggestions(suggestion)}
	}
	return problem.List{problem.New(field, CodeImpossibleLength, "phone has %d digits after +%s (%s); numbers that begin with %s have %s",
		len(national), plan.code, country, national[:plan.depth], cell.lengthText()).WithSuggestions(suggestion)}
}

// hint suggests the number without what people dial only within the country, such as 0 or, in
// Argentina, 15.
func hint(plan plan, national string) problem.Suggestions {
	if rest := dialingOf(plan.main().rule).withoutTrunk(national); rest != national {
		if suggestion := didYouMean("+" + plan.code + rest); suggestion != none {
			return suggestion
		}
	}
	if national[0] == '0' {
		return withoutZero(plan.code, national[1:])
	}
	return none
}

// lengthText lists the possible lengths, as in "7 or 9".
func (c cell) lengthText() string {
	var lengths []string
	for n := range maxDigits {
		if c.lengths&(1<<n) != 0 {
			lengths = append(lengths, fmt.Sprint(n))
		}
	}
	if last := len(lengths) - 1; last > 0 {
		return strings.Join(lengths[:last], ", ") + " or " + lengths[last]
	}
	return lengths[0]
}

func (p Number) describe() string {
	if code := p.CallingCode(); code != "" {
		return fmt.Sprintf("+%s (%s)", code, p.CountryName())
	}
	return "+" + p.digits
}

package phone

import (
	"path"
	"strings"
)

// twoForms contains the countries whose numbers have two forms that WhatsApp treats as one. Everything
// that compares numbers reads it: [Number.Same], [Number.Forms], [Number.Canonical] and
// contact/identity. A test compares it with docs/numbers.md and docs/platform-facts.md.
var twoForms = []forms{
	{
		country: "Argentina", code: "54", at: 2, longer: true,
		rules:   []rule{{"54[1-3]?????????", "9"}}, // 9 for mobile phones from abroad
		checked: "2026-11-23", source: "https://github.com/chatwoot/chatwoot/issues/13932",
	},
	{
		country: "Brazil", code: "55", at: 4, longer: true, since: "2016-11-06",
		rules:   []rule{{"55??[6-9]???????", "9"}}, // the ninth digit; 2-5 is a landline
		checked: "2026-11-23", source: "https://github.com/chatwoot/chatwoot/issues/13932",
	},
	{
		country: "Mexico", code: "52", at: 2, since: "2019-08-03",
		rules:   []rule{{"52??????????", "1"}}, // 1 for mobile phones, not dialed anymore
		checked: "2026-11-23", source: "https://github.com/chatwoot/chatwoot/issues/13932",
	},
	{
		// The digits are the operator's, by the old number's second digit for mobile phones and by its third
		// for landlines. Integrators report both forms; no text of Meta's mentions them.
		country: "Côte d’Ivoire", code: "225", at: 3, longer: true, since: "2021-01-31",
		rules: []rule{
			{"225[04-9][0-3]??????", "01"},
			{"225[04-9][4-6]??????", "05"},
			{"225[04-9][7-9]??????", "07"},
			{"225[23]?0?????", "25"},
			{"2252?8?????", "21"},
			{"2252?[1-79]?????", "27"},
			{"2253?[1-9]?????", "27"},
		},
		checked: "2026-11-26", source: "https://github.com/devlikeapro/waha/issues/1894",
	},
	{
		// Integrators report both forms; no text of Meta's mentions them.
		country: "Benin", code: "229", at: 3, longer: true, since: "2024-11-30",
		rules:   []rule{{"229[2-9]???????", "01"}},
		checked: "2026-11-26", source: "https://github.com/mobi/telephone_number/issues/138",
	},
}

// forms describes the two forms of a country's numbers: a short one, and a long one with extra digits.
type forms struct {
	country string
	code    string
	at      int // how many digits precede the extra ones
	rules   []rule
	longer  bool   // the long form is canonical
	since   string // the day of the change, or "" if there was none
	checked string // the day on which somebody compared the row with its source
	source  string
}

// A rule contains the extra digits of the numbers whose short form matches a pattern of [path.Match].
type rule struct{ short, extra string }

// both returns the two forms of a number in either form.
func (f *forms) both(digits string) (short, long string, found bool) {
	for _, r := range f.rules {
		if n := f.at + len(r.extra); len(digits) > n && digits[f.at:n] == r.extra {
			if short := digits[:f.at] + digits[n:]; r.matches(short) {
				return short, digits, true
			}
		}
		if r.matches(digits) {
			return digits, digits[:f.at] + r.extra + digits[f.at:], true
		}
	}
	return "", "", false
}

func (r rule) matches(digits string) bool {
	found, _ := path.Match(r.short, digits)
	return found
}

// bothForms returns the canonical form and the other one.
func (p Number) bothForms() (canonical, other Number, found bool) {
	for i := range twoForms {
		f := &twoForms[i]
		if !strings.HasPrefix(p.digits, f.code) {
			continue
		}
		short, long, found := f.both(p.digits)
		if f.longer {
			return Number{long}, Number{short}, found
		}
		return Number{short}, Number{long}, found
	}
	return p, Number{}, false
}

// Same reports whether p and q are the same number, possibly in different forms: see
// [Number.Forms].
func (p Number) Same(q Number) bool { return p.Canonical() == q.Canonical() }

// Canonical returns a key for the number, which all its [Number.Forms] share:
//
//	Argentina      54 11 1234 5678    -> 54 9 11 1234 5678   with the mobile 9
//	Benin          229 97 12 34 56    -> 229 01 97 12 34 56  with the 01 of 2024
//	Brazil         55 11 8123 4567    -> 55 11 9 8123 4567   with the ninth digit
//	Côte d’Ivoire  225 08 12 34 56    -> 225 07 08 12 34 56  with the operator's digits of 2021
//	Mexico         52 1 55 1234 5678  -> 52 55 1234 5678     without the mobile 1
//
// For other numbers, Canonical returns p. Use the key only to compare numbers and to find them
// in a table. Send messages to the number as received, because nobody may have the key as a
// number: the key of an Argentine landline can't be dialed.
func (p Number) Canonical() Number {
	if key, _, found := p.bothForms(); found {
		return key
	}
	return p
}

// Forms returns p and then the other form of the number, if there is one. Some numbers in Argentina,
// Benin, Brazil, Côte d’Ivoire and Mexico exist in two forms, which WhatsApp treats as one, so
// a webhook may contain another form than the one that a person entered:
//
//	Argentina      54 9 11 1234 5678   and  54 11 1234 5678
//	Benin          229 01 97 12 34 56  and  229 97 12 34 56
//	Brazil         55 11 9 8123 4567   and  55 11 8123 4567
//	Côte d’Ivoire  225 07 08 12 34 56  and  225 08 12 34 56
//	Mexico         52 1 55 1234 5678   and  52 55 1234 5678
//
// Send messages to the form that a webhook contained. If the Cloud API returns error 131030,
// the recipient isn't in the test number's list of allowed recipients, which may contain the
// other form: try that one. To find a number in a table without a column for
// [Number.Canonical], look for all forms.
//
// Numbers that never existed in the other form have one form, such as Brazilian landlines and newer
// numbers. The zero Number has none.
func (p Number) Forms() []Number {
	if p == (Number{}) {
		return nil
	}
	switch key, other, found := p.bothForms(); {
	case !found:
		return []Number{p}
	case p == key:
		return []Number{p, other}
	default:
		return []Number{p, key}
	}
}

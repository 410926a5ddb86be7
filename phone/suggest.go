package phone

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/hailmark/hailmark/problem"
)

func rejectLength(n int) error {
	return reject("phone has %s; %d to %d are allowed, including the country code", countDigits(n), minDigits, maxDigits)
}

func countDigits(n int) string {
	if n == 1 {
		return "1 digit"
	}
	return fmt.Sprintf("%d digits", n)
}

// checkTrunkZero rejects a 0 after the country code where the numbers of people don't begin with
// 0. Some service numbers do.
func (p Number) checkTrunkZero(hasPlus bool) error {
	plan, known := planOf(p.digits)
	if !known || plan.zero || plan.isService() || p.digits[len(plan.code)] != '0' || plan.possible(p.digits[len(plan.code):]) {
		return nil
	}
	_, country := plan.region(0)
	remedy := "leave it out or correct the country code"
	if !hasPlus {
		remedy = "leave it out, or begin with + and the country code"
	}
	return reject("phone has 0 after +%s (%s), where people's numbers don't begin with 0; %s", plan.code, country, remedy).WithSuggestions(hint(plan, p.digits[len(plan.code):]))
}

// rejectZero returns the error for a 0 in brackets between other digits. Some Italian numbers
// contain this 0.
func rejectZero(before, after string) error {
	with, without := didYouMean("+"+before+"0"+after), withoutZero(before, after)
	switch {
	case with == none:
		return reject("phone contains (0), which is dialed only within the country; leave it out").WithSuggestions(without)
	case without == none:
		return reject("phone contains (0), but the 0 is part of the number; write it without brackets").WithSuggestions(with)
	default:
		p := reject("phone contains (0), and there are numbers with and without this 0; write the number that is dialed from abroad")
		p.Suggestions = problem.NewSuggestions(append(without.All(), with.All()...)...)
		return p
	}
}

// withoutZero suggests the number without a 0 between the country code and other digits, if it's
// possible.
func withoutZero(code, rest string) problem.Suggestions {
	if plan, _ := planOf(code + "0" + rest); !plan.zero {
		rest = strings.TrimLeft(rest, "0")
	}
	if code == "36" {
		rest = strings.TrimPrefix(rest, "6") // Hungary dials 06
	}
	return didYouMean("+" + code + rest)
}

// didYouMean suggests the number in s, if it's possible.
func didYouMean(s string) problem.Suggestions {
	n, err := ParseDigits(s)
	if err != nil || len(n.Warnings()) > 0 {
		return none
	}
	return problem.NewSuggestions(n.E164())
}

var none problem.Suggestions

// rejectNational returns the error for a number with a 0 in front. 011 and 010 are dialed
// before the country code in North America and Japan, but national numbers begin with them as
// well, for example 011 98765-4321 in São Paulo and 010-6771-2345 in Seoul.
func rejectNational(digits string) error {
	const minInternational = 10
	for _, exit := range []string{"011", "010"} {
		if rest, found := strings.CutPrefix(digits, exit); found && len(rest) >= minInternational {
			if hint := didYouMean("+" + rest); hint != none {
				return reject("phone begins with 0; begin with + and the country code").WithSuggestions(hint)
			}
		}
	}
	return reject("phone begins with 0, so it is a national number; replace the 0 with the country code, as in +49 171 1234567 for 0171 1234567")
}

// rejectCharacter returns the error for a character at an index, which can't be part of a number.
func rejectCharacter(s string, bad rune, at int, r reader) error {
	if isScientific(s) {
		return reject("phone has lost digits, because a spreadsheet has shortened it; format the column as text, and enter the number again")
	}
	hint := none
	if rest := strings.TrimLeftFunc(s, func(r rune) bool { return !strings.ContainsRune(plusSigns, r) }); rest != s && isLabel(s[:len(s)-len(rest)]) {
		hint = didYouMean(rest)
	} else if t, _, _, ok := scan(s[:at]); ok && isExtension(s[at:]) {
		hint = r.suggest(t)
	}
	switch {
	case strings.ContainsRune(plusSigns, bad):
		return reject("phone has a + that isn't in front; enter one number").WithSuggestions(hint)
	case bad != ' ' && unicode.IsSpace(bad) && bad != '\t':
		return reject("phone has several lines; enter one number")
	case strings.ContainsRune(dialCommands, bad):
		return reject("phone contains %s, which begins an extension or a dial command; enter the number without it", show(bad)).WithSuggestions(hint)
	case unicode.IsDigit(bad):
		return reject("phone contains digits of several scripts, such as %s; write all of them in one", show(bad))
	default:
		return reject("phone contains %s; only digits, spaces and symbols are allowed", show(bad)).WithSuggestions(hint)
	}
}

// show returns a quoted character, or its code point if it can't be seen.
func show(r rune) string {
	if unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) && !isIgnorable(r) {
		return fmt.Sprintf("%q", string(r))
	}
	return fmt.Sprintf("%U", r)
}

// isScientific reports whether s is a long number as spreadsheets show it, for example 1.65E+10.
func isScientific(s string) bool {
	mantissa, exponent, found := strings.Cut(strings.ToUpper(strings.TrimFunc(s, isAround)), "E")
	if !found || !isDigits(strings.TrimPrefix(exponent, "+")) {
		return false
	}
	if len(mantissa) > 2 && strings.ContainsAny(mantissa[1:2], ".,") {
		return isDigits(mantissa[:1]) && isDigits(mantissa[2:])
	}
	return len(mantissa) == 1 && isDigits(mantissa)
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// isExtension reports whether s is what follows a number of an office's telephone system, such as
// "x12", "ext. 5", ";ext=5" or ",,5", or the "0" of a decimal comma.
func isExtension(s string) bool {
	const maxDigits = 6
	word := strings.TrimRight(strings.ToLower(s), "0123456789")
	n := len(s) - len(word)
	switch strings.Trim(word, " .:=,;#/*") {
	case "", "x", "ext", "extn", "extension", "dw", "durchwahl", "poste", "ramal", "anexo", "int", "доб":
		return 0 < n && n <= maxDigits
	default:
		return false
	}
}

// isLabel reports whether s is a word in front of a number, such as "tel:" or "Mobile ".
func isLabel(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsSpace(r) && r != '.' && r != ':' })
}

// Package phone parses international phone numbers.
//
//	n, err := phone.Parse("+49 171 1234567")
//	fmt.Println(n, n.Country()) // 491711234567 Germany
//
// [Parse] is for numbers that people write. It requires the + or 00 in front of the country code,
// so that a national number can't become somebody else's. [ParseDigits] is for numbers that are
// known to begin with the country code, as in links and webhooks.
//
// [Inspect] is for numbers of both kinds. It also warns if a number looks wrong, for example
// because it's a national number that happens to begin with another country's code.
//
// # Grammar
//
// A number consists of 8 to 15 digits, beginning with the country code. A + or 00 may precede it.
// Spaces, hyphens, dashes, periods and pairs of parentheses or square brackets may separate the
// digits. A single slash may separate an area code from at least five further digits, as in
// "+49 171/1234567".
// White space and direction marks around the number are ignored. Everything else is rejected,
// because dropping it could merge two numbers or a number and its extension.
//
// Nothing is looked up, so a valid number may not exist.
package phone

import (
	"database/sql/driver"
	"fmt"
	"strings"
	"unicode"

	"github.com/hailmark/hailmark/internal/phonetext"
	"github.com/hailmark/hailmark/internal/textvalue"
	"github.com/hailmark/hailmark/problem"
)

// The codes of errors and warnings. They never change.
const (
	// CodeInvalid: the text isn't a complete international number. The message says why and what
	// to write instead.
	CodeInvalid problem.Code = "phone_invalid_format"

	// CodeMissingPlus: there's no + or 00 in front, so the country code may be missing. Ask for
	// the number with + and the country code. It's an error of [Parse] and a warning of [Inspect].
	CodeMissingPlus problem.Code = "phone_missing_plus"

	// CodeUnassignedCountry warns that no country has the calling code. Ask for the country code.
	CodeUnassignedCountry problem.Code = "phone_unassigned_country_code"

	// CodeUnassignedPrefix warns that no number in the country begins with the same digits. Show
	// [Number.Country] and ask whether it's the right country.
	CodeUnassignedPrefix problem.Code = "phone_unassigned_prefix"

	// CodeImpossibleLength warns that no number with the same first digits has this length. Ask
	// for a missing or surplus digit.
	CodeImpossibleLength problem.Code = "phone_impossible_length"
)

// E.164 specifies the maximum.
const (
	minDigits = 8
	maxDigits = 15
)

const field = "phone"

// A Number is a complete international phone number. Numbers are comparable and can be map
// keys, but note that some numbers have two forms: see [Number.Canonical]. The zero Number
// isn't valid.
type Number struct {
	digits string
}

// Parse parses an international number that begins with + or 00, such as "+1 (650) 555-1234" or
// "0049 171 1234567". It rejects every other number, because a national number can begin with
// the country code of somebody else: read as international, "650 555 1234" is in Singapore
// (+65). Use [ParseDigits] for numbers from links and webhooks, which don't have a plus.
//
// It also rejects numbers with a 0 that is dialed only within the country, because without this
// 0 they could be somebody else's: "0171 1234567", "+49 (0)171 1234567" and "+49 0171 1234567".
// In some countries, such as Italy, the 0 is part of the number.
//
// The error is a [problem.Problem] with [CodeMissingPlus] if only the plus is missing, and
// otherwise with [CodeInvalid].
func Parse(s string) (Number, error) {
	n, international, err := parse(s)
	if err == nil && !international {
		return Number{}, problem.New(field, CodeMissingPlus,
			"phone has no plus in front; begin with + and the country code, as in +1 650 555 1234%s", n.readingWithPlus())
	}
	return n, err
}

// readingWithPlus suggests the number with a plus, if it's possible.
func (p Number) readingWithPlus() string {
	if len(p.warnings()) > 0 {
		return ""
	}
	return fmt.Sprintf(" (did you mean +%s, %s?)", p.digits, p.Country())
}

// ParseDigits parses a number that is known to begin with the country code, such as
// "16505551234" from a link or a webhook. It's like [Parse], but the + or 00 is optional, and
// the error always has [CodeInvalid].
//
// Don't use it for numbers that people type: it reads the national "650 555 1234" as a number in
// Singapore (+65).
func ParseDigits(s string) (Number, error) {
	n, _, err := parse(s)
	return n, err
}

// Inspect is like [ParseDigits], but also returns warnings. Use it for numbers that people type, for
// example in a form. A number with warnings is valid, so show them next to its
// [Number.Country] and let the person decide:
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
	n, international, err := parse(s)
	if err != nil {
		return Number{}, nil, err
	}
	var warnings problem.List
	if !international && !strings.Contains(s, n.digits) {
		warnings = append(warnings, problem.New(field, CodeMissingPlus,
			"phone has no plus in front, so it is read as %s; if that is wrong, begin with + and the country code", n.describe()))
	}
	return n, append(warnings, n.warnings()...), nil
}

func reject(format string, args ...any) problem.Problem {
	return problem.New(field, CodeInvalid, format, args...)
}

// parse implements [Parse] and [ParseDigits]. The result international indicates + or 00.
func parse(s string) (n Number, international bool, err error) {
	var buffer [len("00") + maxDigits + 1]byte
	text, bad, ok := phonetext.Scan(buffer[:], s)
	if !ok {
		return Number{}, false, rejectCharacter(s, bad)
	}
	digits := text.Digits
	international = text.Plus
	inZeros := text.Slash == 1 || text.Zero == 0 || text.Zero == 1 // as in (0)049
	if !text.Plus && !inZeros && len(digits) > 2 && digits[0] == '0' && digits[1] == '0' {
		digits, international = digits[2:], true
		text.Slash, text.Zero = text.Slash-2, text.Zero-2
	}
	switch {
	case len(digits) > 0 && digits[0] == '0' && international:
		return Number{}, false, reject("phone has 0 after the + or 00; write the country code there, as in +49 171 1234567")
	case len(digits) > 1 && digits[0] == '0':
		return Number{}, false, rejectNational(string(digits))
	case len(digits) < minDigits || len(digits) > maxDigits:
		return Number{}, false, reject("phone has %d digits; %d to %d are allowed, including the country code", len(digits), minDigits, maxDigits)
	case text.Zero > 0:
		return Number{}, false, rejectZero(string(digits), text.Zero)
	}
	if len(digits) == len(s) {
		n = Number{s} // s is canonical, so it need not be copied
	} else {
		n = Number{string(digits)}
	}
	if international {
		if err := n.checkTrunkZero(); err != nil {
			return Number{}, false, err
		}
	}
	if text.Slash >= 0 && !n.slashFits(text.Slash) {
		return Number{}, false, reject(`phone contains "/", which can separate two numbers; write one number without it`)
	}
	return n, international, nil
}

// checkTrunkZero rejects a 0 after the country code where numbers don't begin with 0.
func (p Number) checkTrunkZero() error {
	if !strings.Contains(p.digits[1:4], "0") {
		return nil // as for most numbers
	}
	plan, known := planOf(p.digits)
	if !known || plan.zero || p.digits[len(plan.code)] != '0' {
		return nil
	}
	_, country := plan.region(0)
	return reject("phone has 0 after +%s (%s), where no number begins with 0; leave it out or correct the country code%s",
		plan.code, country, withoutZero(p.digits, len(plan.code)))
}

// rejectZero returns the error for a 0 in brackets. Some Italian numbers contain this 0.
func rejectZero(digits string, zero int) error {
	with, without := didYouMean("+"+digits), withoutZero(digits, zero)
	switch {
	case with == "":
		return reject("phone contains (0), which is dialed only within the country; leave it out%s", without)
	case without == "":
		return reject("phone contains (0), but the 0 is part of the number; write it without brackets%s", with)
	default:
		return reject("phone contains (0), and there are numbers with and without this 0; write the number that is dialed from abroad")
	}
}

// withoutZero suggests the number without the 0 at an index, if it's possible.
func withoutZero(digits string, zero int) string {
	code, rest := digits[:zero], digits[zero+1:]
	if plan, _ := planOf(digits); !plan.zero {
		rest = strings.TrimLeft(rest, "0")
	}
	if code == "36" {
		rest = strings.TrimPrefix(rest, "6") // Hungary dials 06
	}
	return didYouMean("+" + code + rest)
}

// didYouMean suggests the number in s, if it's possible.
func didYouMean(s string) string {
	n, err := ParseDigits(s)
	if err != nil || len(n.warnings()) > 0 {
		return ""
	}
	return " (did you mean +" + n.digits + "?)"
}

// rejectNational returns the error for a number with a 0 in front. 011 and 010 are dialed
// before the country code in North America and Japan, but national numbers begin with them as
// well, for example 011 98765-4321 in São Paulo and 010-6771-2345 in Seoul.
func rejectNational(digits string) error {
	const minInternational = 10
	for _, exit := range []string{"011", "010"} {
		if rest, found := strings.CutPrefix(digits, exit); found && len(rest) >= minInternational {
			if hint := didYouMean("+" + rest); hint != "" {
				return reject("phone begins with 0; begin with + and the country code%s", hint)
			}
		}
	}
	return reject("phone begins with 0, so it is a national number; replace the 0 with the country code, as in +49 171 1234567 for 0171 1234567")
}

func rejectCharacter(s string, bad rune) error {
	hint := ""
	if rest := strings.TrimLeftFunc(s, func(r rune) bool { return r != '+' && r != '＋' }); rest != s && isLabel(s[:len(s)-len(rest)]) {
		hint = didYouMean(rest)
	}
	switch {
	case bad == phonetext.NotClosed:
		return reject("phone has a bracket that isn't closed")
	case bad == '+' || bad == '＋':
		return reject("phone has a + that isn't in front; enter one number%s", hint)
	case bad == '\n' || bad == '\r':
		return reject("phone has several lines; enter one number")
	case strings.ContainsRune(",;#*，；＃＊", bad):
		return reject("phone contains %q, which begins an extension or a dial command; enter the number without it", bad)
	case unicode.IsDigit(bad):
		return reject("phone contains %q; only the digits 0-9 are allowed", bad)
	default:
		return reject("phone contains %q; only digits, a + in front, spaces, hyphens, periods and brackets are allowed%s", bad, hint)
	}
}

// isLabel reports whether s is a word in front of a number, such as "tel:" or "Mobile ".
func isLabel(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsSpace(r) && r != '.' && r != ':' })
}

// slashFits reports whether a slash after n digits follows an area code. Otherwise it may
// separate two numbers, or alternatives for the last few digits.
func (p Number) slashFits(n int) bool {
	const minSubscriber = 5
	plan, known := planOf(p.digits)
	return known && n >= len(plan.code) && len(p.digits)-n >= minSubscriber && !plan.possible(p.digits[len(plan.code):n])
}

// MustParse calls [Parse] and panics on an error. Use it in tests and for constants.
func MustParse(s string) Number {
	p, err := Parse(s)
	if err != nil {
		panic(err)
	}
	return p
}

// String returns the digits without a plus, as in links and webhooks, or "" for the zero value.
// To display a number or to get the E.164 format, put a plus in front.
func (p Number) String() string { return p.digits }

// CallingCode returns the country calling code, such as "98" for Iran, or "" if the number
// doesn't begin with an assigned one.
func (p Number) CallingCode() string {
	plan, _ := planOf(p.digits)
	return plan.code
}

// Country returns the country's English name, such as "Iran", or "" if the calling code isn't
// assigned. If several countries share the first digits, the name is, for example, "United States,
// Canada and others". For a service, it's a description such as "satellite phones".
func (p Number) Country() string {
	_, name := p.region()
	return name
}

// Region returns the country's ISO 3166-1 code, such as "IR", or "" if the country isn't clear.
func (p Number) Region() string {
	id, _ := p.region()
	return id
}

func (p Number) region() (id, name string) {
	plan, known := planOf(p.digits)
	if !known {
		return "", ""
	}
	return plan.region(plan.cellOf(p.digits[len(plan.code):]).region)
}

func (p Number) describe() string {
	if code := p.CallingCode(); code != "" {
		return fmt.Sprintf("+%s (%s)", code, p.Country())
	}
	return "+" + p.digits
}

// warnings returns a problem if the number is impossible. Otherwise, it returns nil.
func (p Number) warnings() problem.List {
	plan, known := planOf(p.digits)
	if !known {
		return problem.List{problem.New(field, CodeUnassignedCountry, "phone begins with +%s; no country has that calling code", p.digits[:3])}
	}
	national := p.digits[len(plan.code):]
	other := p.Canonical().digits[len(plan.code):] // WhatsApp uses both forms
	if plan.possible(national) || plan.possible(other) {
		return nil
	}
	cell := plan.cellOf(national)
	_, country := plan.region(cell.region)
	if cell.lengths == 0 {
		hint := ""
		if national[0] == '0' {
			hint = withoutZero(p.digits, len(plan.code))
		}
		return problem.List{problem.New(field, CodeUnassignedPrefix, "phone has %s after +%s (%s); no number there begins with these digits%s",
			national[:plan.depth], plan.code, country, hint)}
	}
	return problem.List{problem.New(field, CodeImpossibleLength, "phone has %d digits after +%s (%s); numbers that begin with %s have %s",
		len(national), plan.code, country, national[:plan.depth], cell.lengthText())}
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

// Same reports whether p and q are the same number, possibly in different forms: see
// [Number.Canonical].
func (p Number) Same(q Number) bool { return p.Canonical() == q.Canonical() }

// Canonical returns a key for the number. Mobile numbers in Argentina, Brazil and Mexico exist
// in two forms, which share the key:
//
//	Argentina  54 11 1234 5678    -> 54 9 11 1234 5678   with the mobile 9
//	Brazil     55 11 8123 4567    -> 55 11 9 8123 4567   with the ninth digit
//	Mexico     52 1 55 1234 5678  -> 52 55 1234 5678     without the mobile 1
//
// For other numbers, Canonical returns p. Use the key only to compare numbers, and send messages
// to the number as received: WhatsApp resolves both forms, but the key of an Argentine landline
// can't be dialed.
func (p Number) Canonical() Number {
	d := p.digits
	switch {
	case len(d) == 12 && strings.HasPrefix(d, "54") && '1' <= d[2] && d[2] <= '3':
		return Number{"549" + d[2:]}
	case len(d) == 12 && strings.HasPrefix(d, "55") && '6' <= d[4] && d[4] <= '9': // 2-5 is a landline
		return Number{d[:4] + "9" + d[4:]}
	case len(d) == 13 && strings.HasPrefix(d, "521"):
		return Number{"52" + d[3:]}
	default:
		return p
	}
}

// MarshalText implements [encoding.TextMarshaler]. The zero Number is empty text.
func (p Number) MarshalText() ([]byte, error) { return []byte(p.digits), nil }

// UnmarshalText implements [encoding.TextUnmarshaler] with [ParseDigits]. Empty text is the zero
// Number.
func (p *Number) UnmarshalText(text []byte) error { return textvalue.Unmarshal(p, text, ParseDigits) }

// Scan implements [database/sql.Scanner] with UnmarshalText. NULL is the zero Number.
func (p *Number) Scan(src any) error { return textvalue.Scan(p, src) }

// Value implements [driver.Valuer]. The zero Number is NULL.
func (p Number) Value() (driver.Value, error) { return textvalue.Value(p.String()) }

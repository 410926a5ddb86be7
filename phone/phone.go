// Package phone reads and checks international phone numbers.
//
//	n, err := phone.Parse("+49 171 1234567")
//	fmt.Println(n, n.E164(), n.Country()) // 491711234567 +491711234567 Germany
//
// [Parse] is for numbers that are known to have their country code. [Inspect] is for
// numbers that people type: it also warns about those that nobody can have, such as a
// national number that happens to begin with another country's code. [ParseInternational]
// rejects every number without a plus or 00.
//
// # Grammar
//
// A number has 8 to 15 digits, the country code first. It can begin with + or 00. Spaces,
// hyphens and dashes, periods and pairs of brackets can be anywhere between the digits. A
// single slash can be between the area code and at least five further digits, as in
// "+49 171/1234567". White space and marks for the direction of text can be around the
// whole number. Everything else is rejected, because dropping it could make another number
// of two, or of a number with an extension.
//
// Numbers are never rewritten, and a number's existence isn't checked.
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

// CodeInvalid is the code of a text that is not a full international phone number.
const CodeInvalid problem.Code = "phone_invalid_format"

// The codes of warnings. A number with a warning is still valid.
const (
	// CodeUnassignedCountry is for a number that begins with no country calling code in use.
	CodeUnassignedCountry problem.Code = "phone_unassigned_country_code"
	// CodeImpossibleLength is for a number with more or fewer digits than any number with
	// the same first digits.
	CodeImpossibleLength problem.Code = "phone_impossible_length"
	// CodeUnassignedPrefix is for a number whose digits after the country code begin no
	// number of the country.
	CodeUnassignedPrefix problem.Code = "phone_unassigned_prefix"
	// CodeMissingPlus is for a text with separators but neither + nor 00 in front, which may
	// lack the country code.
	CodeMissingPlus problem.Code = "phone_missing_plus"
)

// The number of digits of a phone number, country code included. E.164 sets the
// upper bound; it has no lower one.
const (
	MinDigits = 8
	MaxDigits = 15
)

// field is the field of all problems.
const field = "phone"

// A Number is a full international phone number. It is comparable and can be a map
// key; see [Number.Canonical] for countries where one number has two forms. The zero
// Number is not a number: IsValid reports false and String is empty.
type Number struct {
	digits string
}

// Parse reads a full international number, country code included, such as
// "+1 (650) 555-1234". The grammar is that of the package.
//
// Parse rejects national numbers, which have a 0 in front or after + and the country code,
// as in "0171 1234567", "+49 0171 1234567" and "+49 (0)171 1234567": without that 0 it
// could be somebody else's number. Where numbers of subscribers begin with 0, such as in
// Italy, the 0 after the country code is part of the number and must be there.
//
// The error is a [problem.Problem] with [CodeInvalid].
func Parse(s string) (Number, error) {
	n, _, err := parse(s)
	return n, err
}

// ParseInternational is [Parse] for input that may lack the country code: the number must
// begin with + or 00. For other numbers the error has [CodeInvalid], too.
func ParseInternational(s string) (Number, error) {
	n, international, err := parse(s)
	if err == nil && !international {
		return Number{}, reject("phone has no plus in front; begin with + and the country code, such as +1 650 555 1234")
	}
	return n, err
}

// Inspect is [Parse] for numbers that people type, such as in a form. It also returns the
// number's [Number.Warnings], after [CodeMissingPlus] if there are separators between its
// digits but neither + nor 00 in front. Digits alone are the form in links and webhooks, so
// they need no plus. A number
// with warnings is valid; show them next to its [Number.Country].
func Inspect(s string) (Number, problem.List, error) {
	n, international, err := parse(s)
	if err != nil {
		return Number{}, nil, err
	}
	var warnings problem.List
	if !international && !strings.Contains(s, n.digits) {
		warnings = append(warnings, problem.New(CodeMissingPlus,
			"phone has no plus in front, so it is read as %s; if that is wrong, begin with + and the country code", n.describe()).In(field))
	}
	return n, append(warnings, n.Warnings()...), nil
}

func reject(format string, args ...any) problem.Problem {
	return problem.New(CodeInvalid, format, args...).In(field)
}

// parse implements [Parse]. international reports whether the number begins with + or 00.
func parse(s string) (n Number, international bool, err error) {
	var buffer [len("00") + MaxDigits + 1]byte
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
	case len(digits) < MinDigits || len(digits) > MaxDigits:
		return Number{}, false, reject("phone has %d digits; %d to %d are allowed, including the country code", len(digits), MinDigits, MaxDigits)
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

// checkTrunkZero returns an error if a 0 follows the country code of a plan in which
// numbers don't begin with 0.
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

// rejectZero returns the error of a 0 in brackets. In Italy it belongs to some numbers.
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

// withoutZero suggests the number without the 0 at an index, if there can be such a number.
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

// didYouMean suggests the number that s contains, if there can be such a number.
func didYouMean(s string) string {
	n, err := Parse(s)
	if err != nil || len(n.Warnings()) > 0 {
		return ""
	}
	return " (did you mean " + n.E164() + "?)"
}

// rejectNational returns the error of a number with a 0 in front. 011 and 010 are dialed
// before the country code in North America and Japan. They also begin national numbers,
// such as 011 98765-4321 in São Paulo and 010-6771-2345 in Seoul, with up to nine digits
// after them.
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

// rejectCharacter returns the error of a character that isn't allowed where it is.
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

// slashFits reports whether a slash after n digits is behind an area code: what is before
// it isn't a number yet, and what is after it is no alternative to the last few digits.
func (p Number) slashFits(n int) bool {
	const minSubscriber = 5
	plan, known := planOf(p.digits)
	return known && n >= len(plan.code) && len(p.digits)-n >= minSubscriber && !plan.possible(p.digits[len(plan.code):n])
}

// MustParse is Parse for tests and constants: it panics on an error.
func MustParse(s string) Number {
	p, err := Parse(s)
	if err != nil {
		panic(err)
	}
	return p
}

// IsValid reports whether p is a number, that is, not the zero value.
func (p Number) IsValid() bool { return p.digits != "" }

// String returns the digits, country code first, without a plus, or "" for the zero
// value. This is the form in links and webhooks.
func (p Number) String() string { return p.digits }

// E164 returns the number with a plus, such as "+16505551234", or "" for the zero value.
func (p Number) E164() string {
	if !p.IsValid() {
		return ""
	}
	return "+" + p.digits
}

// CallingCode returns the country calling code, such as "98" for Iran, or "" if the number
// begins with no code in use.
func (p Number) CallingCode() string {
	plan, _ := planOf(p.digits)
	return plan.code
}

// Country returns the English name of the country, such as "Iran". It is "" if the calling
// code isn't in use. Where several countries share one and the first digits don't decide,
// it names them, as in "United States, Canada and others". Some codes belong to a service
// instead of a country.
func (p Number) Country() string {
	_, name := p.region()
	return name
}

// Region returns the ISO 3166-1 code of the country, such as "IR", or "" if it isn't clear.
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

// describe names the country and the calling code in a sentence.
func (p Number) describe() string {
	if code := p.CallingCode(); code != "" {
		return fmt.Sprintf("+%s (%s)", code, p.Country())
	}
	return "+" + p.digits
}

// Warnings returns what is wrong with a number that nobody can have: a country calling
// code that isn't in use ([CodeUnassignedCountry]), first digits that no number of the
// country has ([CodeUnassignedPrefix]), or a wrong number of digits
// ([CodeImpossibleLength]). There is at most one warning, and none for most numbers and
// for the zero Number.
//
// The rules come from a table of libphonenumber's metadata, which changes with the plans.
// A number without a warning need not exist.
func (p Number) Warnings() problem.List {
	if !p.IsValid() {
		return nil
	}
	plan, known := planOf(p.digits)
	if !known {
		return problem.List{problem.New(CodeUnassignedCountry, "phone begins with +%s; no country has that calling code", p.digits[:3]).In(field)}
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
		return problem.List{problem.New(CodeUnassignedPrefix, "phone has %s after +%s (%s); no number there begins with these digits%s",
			national[:plan.depth], plan.code, country, hint).In(field)}
	}
	return problem.List{problem.New(CodeImpossibleLength, "phone has %d digits after +%s (%s); numbers that begin with %s have %s",
		len(national), plan.code, country, national[:plan.depth], cell.lengthText()).In(field)}
}

// lengthText lists the lengths of numbers, as in "7 or 9".
func (c cell) lengthText() string {
	var lengths []string
	for n := range MaxDigits {
		if c.lengths&(1<<n) != 0 {
			lengths = append(lengths, fmt.Sprint(n))
		}
	}
	if last := len(lengths) - 1; last > 0 {
		return strings.Join(lengths[:last], ", ") + " or " + lengths[last]
	}
	return lengths[0]
}

// Same reports whether p and q are one number: equal, or the two forms of a mobile
// number of Argentina, Brazil or Mexico. See [Number.Canonical].
func (p Number) Same(q Number) bool { return p.Canonical() == q.Canonical() }

// Canonical returns one of the two forms that a mobile number of some countries has,
// always the same one, for use as a key. For other numbers it returns p.
//
//	Argentina  54 11 1234 5678  -> 54 9 11 1234 5678   with the mobile 9
//	Brazil     55 11 8123 4567  -> 55 11 9 8123 4567   with the ninth digit
//	Mexico     52 1 55 1234 5678 -> 52 55 1234 5678    without the mobile 1
//
// Send to the number as you received it, not to its canonical form: webhooks and
// links use both forms, and WhatsApp resolves each. An Argentine landline gets the 9,
// too, so its canonical form cannot be dialled.
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

// AppendText implements [encoding.TextAppender].
func (p Number) AppendText(dst []byte) ([]byte, error) { return append(dst, p.digits...), nil }

// MarshalText implements [encoding.TextMarshaler]. The zero Number is empty text.
func (p Number) MarshalText() ([]byte, error) { return []byte(p.digits), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]. Empty text is the zero Number;
// all other text is read by [Parse].
func (p *Number) UnmarshalText(text []byte) error { return textvalue.Unmarshal(p, text, Parse) }

// Scan implements [database/sql.Scanner]. It reads text like UnmarshalText; NULL is the
// zero Number.
func (p *Number) Scan(src any) error { return textvalue.Scan(p, src) }

// Value implements [driver.Valuer]. The zero Number is NULL.
func (p Number) Value() (driver.Value, error) { return textvalue.Value(p.String()) }

// Package phone reads international phone numbers.
package phone

import (
	"strings"
	"unicode"

	"github.com/hailmark/hailmark/problem"
)

// CodeInvalid is the code of a text that is not a full international phone number.
const CodeInvalid problem.Code = "phone_invalid_format"

// The number of digits of a phone number, country code included. E.164 sets the
// upper bound; it has no lower one.
const (
	MinDigits = 8
	MaxDigits = 15
)

// A Number is a full international phone number. It is comparable and can be a map
// key; see [Number.Canonical] for countries where one number has two forms. The zero
// Number is not a number: IsValid reports false and String is empty.
type Number struct {
	digits string
}

// Parse reads a full international number, country code included, such as
// "+1 (650) 555-1234". Symbols and spaces are dropped, then the international prefix 00;
// 8-15 digits must remain.
//
// Parse refuses a text if dropping characters could make another number of it:
//
//   - a national number, which has a 0 in front, after the plus or in brackets, as in
//     "0171 1234567", "+0171 1234567" and "+49 (0)171 1234567": without that 0 it could
//     be the number of somebody else;
//   - a dial string with one of , ; # *: the characters after it are dialled during the
//     call;
//   - a text with a letter, such as a business-scoped user ID, an extension or a web
//     address, and one with a digit outside ASCII.
//
// A number that lacks its country code is not detected unless it begins with 0, so use
// [ParseInternational] where that can happen. Whether the number exists is not checked,
// and it is never rewritten.
//
// The error is a [problem.Problem] with [CodeInvalid].
func Parse(s string) (Number, error) {
	p, _, err := parse(s)
	return p, err
}

// ParseInternational is [Parse] for input that may lack the country code, such as
// a form field: the number must begin with + or 00. For other numbers the error has
// [CodeInvalid], too.
func ParseInternational(s string) (Number, error) {
	p, hasPrefix, err := parse(s)
	if err == nil && !hasPrefix {
		return Number{}, problem.New(CodeInvalid, "phone must begin with + or 00 and the country code, such as +1 650 555 1234")
	}
	return p, err
}

// parse implements the grammar of [Parse]. hasPrefix reports whether the number begins with + or 00.
func parse(s string) (p Number, hasPrefix bool, err error) {
	var digits [len("00") + MaxDigits]byte
	n := 0
	plus := false
	for i, r := range s {
		switch {
		case '0' <= r && r <= '9':
			if n < len(digits) {
				digits[n] = byte(r)
			}
			n++
		case r == '+' || r == '＋':
			plus = plus || n == 0
		case r == '(' || r == '[':
			if isTrunkZero(s[i+1:]) {
				return Number{}, false, problem.New(CodeInvalid,
					"phone must not contain a national (0): leave it out, as in +49 171 1234567 for +49 (0)171 1234567")
			}
		case strings.ContainsRune(",;#*，；＃＊", r):
			return Number{}, false, problem.New(CodeInvalid,
				"phone must be a number without extension or dial commands, such as +1 650 555 1234; it contains %q", r)
		case unicode.IsLetter(r), unicode.IsNumber(r):
			return Number{}, false, problem.New(CodeInvalid, "phone must be a full international number such as +1 650 555 1234; it contains %q", r)
		}
	}

	number := digits[:min(n, len(digits))]
	doubleZero := !plus && n >= 2 && number[0] == '0' && number[1] == '0'
	if doubleZero {
		number, n = number[2:], n-2
	}
	switch {
	case n > 0 && number[0] == '0' && (plus || doubleZero):
		return Number{}, false, problem.New(CodeInvalid, "phone must have the country code after + or 00, and no country code begins with 0, as in +49 171 1234567")
	case n > 0 && number[0] == '0':
		return Number{}, false, problem.New(CodeInvalid,
			"phone must be a full international number, but a 0 in front marks a national one: replace it with the country code, as in +49 171 1234567 for 0171 1234567")
	case n < MinDigits || n > MaxDigits:
		return Number{}, false, problem.New(CodeInvalid, "phone must have %d to %d digits including the country code; got %d", MinDigits, MaxDigits, n)
	case n == len(s):
		return Number{s}, false, nil // s is canonical, so it need not be copied
	default:
		return Number{string(number)}, plus || doubleZero, nil
	}
}

// isTrunkZero reports whether a bracket holds a single 0, given the text after the
// opening bracket.
func isTrunkZero(s string) bool {
	rest, found := strings.CutPrefix(strings.TrimLeft(s, " "), "0")
	rest = strings.TrimLeft(rest, " ")
	return found && (strings.HasPrefix(rest, ")") || strings.HasPrefix(rest, "]"))
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
// value.
func (p Number) String() string { return p.digits }

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
func (p *Number) UnmarshalText(text []byte) error {
	var parsed Number
	if len(text) > 0 {
		var err error
		if parsed, err = Parse(string(text)); err != nil {
			return err
		}
	}
	*p = parsed
	return nil
}

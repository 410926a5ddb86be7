package chatlink

import (
	"strings"
	"unicode"

	"github.com/hailmark/hailmark/problem"
)

// CodeInvalidPhone is the code of a text that is not a full international phone number.
const CodeInvalidPhone problem.Code = "phone_invalid_format"

// The number of digits of a phone number, country code included. E.164 sets the
// upper bound; it has no lower one.
const (
	MinPhoneDigits = 8
	MaxPhoneDigits = 15
)

// A Phone is a full international phone number. It is comparable and can be a map
// key; see [Phone.Canonical] for countries where one number has two forms. The zero
// Phone is not a number: IsValid reports false and String is empty.
type Phone struct {
	digits string
}

// ParsePhone reads a full international number, country code included, such as
// "+1 (650) 555-1234". Symbols and spaces are dropped, then the international prefix 00;
// 8-15 digits must remain.
//
// ParsePhone refuses a text if dropping characters could make another number of it:
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
// The error is a [problem.Problem] with [CodeInvalidPhone].
func ParsePhone(s string) (Phone, error) {
	p, _, err := parsePhone(s)
	return p, err
}

// ParseInternational is [ParsePhone] for input that may lack the country code, such as
// a form field: the number must begin with + or 00. For other numbers the error has
// [CodeInvalidPhone], too.
func ParseInternational(s string) (Phone, error) {
	p, hasPrefix, err := parsePhone(s)
	if err == nil && !hasPrefix {
		return Phone{}, problem.New(CodeInvalidPhone, "phone must begin with + or 00 and the country code, such as +1 650 555 1234")
	}
	return p, err
}

// parsePhone implements the grammar of [ParsePhone]. hasPrefix reports whether the number begins with + or 00.
func parsePhone(s string) (p Phone, hasPrefix bool, err error) {
	var digits [len("00") + MaxPhoneDigits]byte
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
				return Phone{}, false, problem.New(CodeInvalidPhone,
					"phone must not contain a national (0): leave it out, as in +49 171 1234567 for +49 (0)171 1234567")
			}
		case strings.ContainsRune(",;#*，；＃＊", r):
			return Phone{}, false, problem.New(CodeInvalidPhone,
				"phone must be a number without extension or dial commands, such as +1 650 555 1234; it contains %q", r)
		case unicode.IsLetter(r), unicode.IsNumber(r):
			return Phone{}, false, problem.New(CodeInvalidPhone, "phone must be a full international number such as +1 650 555 1234; it contains %q", r)
		}
	}

	number := digits[:min(n, len(digits))]
	doubleZero := !plus && n >= 2 && number[0] == '0' && number[1] == '0'
	if doubleZero {
		number, n = number[2:], n-2
	}
	switch {
	case n > 0 && number[0] == '0' && (plus || doubleZero):
		return Phone{}, false, problem.New(CodeInvalidPhone, "phone must have the country code after + or 00, and no country code begins with 0, as in +49 171 1234567")
	case n > 0 && number[0] == '0':
		return Phone{}, false, problem.New(CodeInvalidPhone,
			"phone must be a full international number, but a 0 in front marks a national one: replace it with the country code, as in +49 171 1234567 for 0171 1234567")
	case n < MinPhoneDigits || n > MaxPhoneDigits:
		return Phone{}, false, problem.New(CodeInvalidPhone, "phone must have %d to %d digits including the country code; got %d", MinPhoneDigits, MaxPhoneDigits, n)
	case n == len(s):
		return Phone{s}, false, nil // s is canonical, so it need not be copied
	default:
		return Phone{string(number)}, plus || doubleZero, nil
	}
}

// isTrunkZero reports whether a bracket holds a single 0, given the text after the
// opening bracket.
func isTrunkZero(s string) bool {
	rest, found := strings.CutPrefix(strings.TrimLeft(s, " "), "0")
	rest = strings.TrimLeft(rest, " ")
	return found && (strings.HasPrefix(rest, ")") || strings.HasPrefix(rest, "]"))
}

// MustParsePhone is ParsePhone for tests and constants: it panics on an error.
func MustParsePhone(s string) Phone {
	p, err := ParsePhone(s)
	if err != nil {
		panic(err)
	}
	return p
}

// IsValid reports whether p is a number, that is, not the zero value.
func (p Phone) IsValid() bool { return p.digits != "" }

// String returns the digits, country code first, without a plus, or "" for the zero
// value.
func (p Phone) String() string { return p.digits }

// Same reports whether p and q are one number: equal, or the two forms of a mobile
// number of Argentina, Brazil or Mexico. See [Phone.Canonical].
func (p Phone) Same(q Phone) bool { return p.Canonical() == q.Canonical() }

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
func (p Phone) Canonical() Phone {
	d := p.digits
	switch {
	case len(d) == 12 && strings.HasPrefix(d, "54") && '1' <= d[2] && d[2] <= '3':
		return Phone{"549" + d[2:]}
	case len(d) == 12 && strings.HasPrefix(d, "55") && '6' <= d[4] && d[4] <= '9': // 2-5 is a landline
		return Phone{d[:4] + "9" + d[4:]}
	case len(d) == 13 && strings.HasPrefix(d, "521"):
		return Phone{"52" + d[3:]}
	default:
		return p
	}
}

// AppendText implements [encoding.TextAppender].
func (p Phone) AppendText(dst []byte) ([]byte, error) { return append(dst, p.digits...), nil }

// MarshalText implements [encoding.TextMarshaler]. The zero Phone is empty text.
func (p Phone) MarshalText() ([]byte, error) { return []byte(p.digits), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]. Empty text is the zero Phone;
// all other text is read by [ParsePhone].
func (p *Phone) UnmarshalText(text []byte) error { return unmarshalText(p, text, ParsePhone) }

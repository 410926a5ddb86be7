package chatlink

import (
	"unicode"

	"github.com/hailmark/hailmark/problem"
)

// CodePhone is reported for a text that is not a phone number.
const CodePhone problem.Code = "phone_invalid_format"

// The number of digits of a phone number, country code included. E.164 sets the
// upper bound; it has no lower one.
const (
	MinPhoneDigits = 8
	MaxPhoneDigits = 15
)

// A Phone is a full international phone number. It is comparable and can be a map
// key. The zero Phone is no number at all: IsValid reports false and String is empty.
type Phone struct {
	digits string
}

// ParsePhone reads a full international number, country code included. Symbols and
// blanks are dropped, then all zeros in front; 8-15 digits must remain.
//
// A text with a letter is refused, never cleaned into a number: a business-scoped
// user ID, an extension or a web address has digits enough to look like one. So is
// one with a digit outside ASCII, since dropping it would make another number.
//
// Whether the number exists is not checked, and no number is rewritten: WhatsApp
// itself resolves both forms of Argentine, Brazilian and Mexican mobile numbers.
//
// The error is a [problem.Problem] with [CodePhone].
func ParsePhone(s string) (Phone, error) {
	var digits [MaxPhoneDigits]byte
	n := 0
	for _, r := range s {
		switch {
		case '0' <= r && r <= '9':
			if n == 0 && r == '0' {
				continue
			}
			if n < len(digits) {
				digits[n] = byte(r)
			}
			n++
		case unicode.IsLetter(r), unicode.IsNumber(r):
			return Phone{}, problem.New(CodePhone,
				"phone must be a full international number of the digits 0-9, such as +1 650 555 1234, without %q", r)
		}
	}
	if n < MinPhoneDigits || n > MaxPhoneDigits {
		return Phone{}, problem.New(CodePhone,
			"phone must have %d-%d digits with its country code, not counting zeros in front, not %d", MinPhoneDigits, MaxPhoneDigits, n)
	}
	if n == len(s) {
		return Phone{s}, nil // canonical already: nothing to copy
	}
	return Phone{string(digits[:n])}, nil
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

// String returns the digits, country code first and no plus in front, or "" for the
// zero value.
func (p Phone) String() string { return p.digits }

// AppendText implements [encoding.TextAppender].
func (p Phone) AppendText(dst []byte) ([]byte, error) { return append(dst, p.digits...), nil }

// MarshalText implements [encoding.TextMarshaler]. The zero Phone is empty text.
func (p Phone) MarshalText() ([]byte, error) { return []byte(p.digits), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]. Empty text is the zero Phone;
// all else is read by [ParsePhone].
func (p *Phone) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*p = Phone{}
		return nil
	}
	v, err := ParsePhone(string(text))
	if err != nil {
		return err
	}
	*p = v
	return nil
}

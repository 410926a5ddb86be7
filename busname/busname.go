// Package busname judges WhatsApp usernames by their structure.
//
//	username = 3-35 of a-z 0-9 . _
//
// with these rules on top, in the order in which problems are reported:
//
//   - it has a letter: the wa.me router takes a path of digits for a phone number;
//   - it neither begins nor ends with a period, and has no two periods in a row;
//   - it does not begin like a web address: "www." for a person, "www" for a
//     business;
//   - it does not end like a domain or a web page: see [ReservedSuffixes].
//
// [Validate] and [Parse] judge the username of anyone. [Reasons] judges a name
// that a business wants to claim and answers in the words of the business API.
//
// A name is judged as given: nothing is trimmed, no case is folded, no "@" is
// dropped. Where one of these would help, the message says so. What is not checked:
// whether a name exists, is free, or is reserved by WhatsApp for somebody else.
// [Warnings] tells what may go wrong with a valid name.
//
// Source: https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids/
package busname

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hailmark/hailmark/problem"
)

// The length of a username, in characters.
const (
	MinLength = 3
	MaxLength = 35
)

// The codes that Validate and Parse report, in this order.
const (
	CodeLength         problem.Code = "username_length"
	CodeInvalidChars   problem.Code = "username_invalid_chars"
	CodeNoLetter       problem.Code = "username_no_letter"
	CodeEdgePeriod     problem.Code = "username_edge_period"
	CodeDoublePeriod   problem.Code = "username_double_period"
	CodeStartsWithWWW  problem.Code = "username_starts_with_www"
	CodeReservedSuffix problem.Code = "username_reserved_suffix"
)

// ReservedSuffixes returns the endings that no username may have. They are compared
// with the lower-cased name, period included, so "mycom" is fine.
func ReservedSuffixes() []string { return slices.Clone(reservedSuffixes) }

// reservedSuffixes each hold one period, in front.
var reservedSuffixes = []string{".com", ".org", ".net", ".int", ".edu", ".gov", ".mil", ".us", ".in", ".html", ".arpa", ".htm", ".txt", ".xml"}

// A Username is a valid username. It is comparable and can be a map key. The zero
// Username is no name at all: IsValid reports false and String is empty.
type Username struct {
	name string
}

// Parse returns the Username that s spells, or the [problem.List] of Validate.
func Parse(s string) (Username, error) {
	if err := Validate(s).Err(); err != nil {
		return Username{}, err
	}
	return Username{s}, nil
}

// MustParse is Parse for tests and constants: it panics on an error.
func MustParse(s string) Username {
	u, err := Parse(s)
	if err != nil {
		panic(err)
	}
	return u
}

// IsValid reports whether u is a username, that is, not the zero value.
func (u Username) IsValid() bool { return u.name != "" }

// String returns the username without "@", or "" for the zero value.
func (u Username) String() string { return u.name }

// AppendText implements [encoding.TextAppender].
func (u Username) AppendText(dst []byte) ([]byte, error) { return append(dst, u.name...), nil }

// MarshalText implements [encoding.TextMarshaler]. The zero Username is empty text.
func (u Username) MarshalText() ([]byte, error) { return []byte(u.name), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]. Empty text is the zero
// Username; all else is read by [Parse].
func (u *Username) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*u = Username{}
		return nil
	}
	v, err := Parse(string(text))
	if err != nil {
		return err
	}
	*u = v
	return nil
}

// Validate returns every problem that s has as the username of a person, in the
// order of the codes above. It is empty for a valid username.
func Validate(s string) problem.List {
	f := examine(s, person)
	if f.none() {
		return nil
	}
	var list problem.List
	report := func(code problem.Code, format string, args ...any) {
		list = append(list, problem.New(code, format, args...))
	}
	if f.tooShort || f.tooLong {
		report(CodeLength, "username must be %d-%d characters long, not %d", MinLength, MaxLength, f.length)
	}
	if f.offender != "" {
		report(CodeInvalidChars, "username may hold only a-z, 0-9, period and underscore, not %q%s", f.offender, suggestion(s))
	}
	if f.noLetter {
		report(CodeNoLetter, "username must have at least one letter a-z")
	}
	if f.edgePeriod {
		report(CodeEdgePeriod, "username must not begin or end with a period")
	}
	if f.doublePeriod {
		report(CodeDoublePeriod, "username must not have two periods in a row")
	}
	if f.www {
		report(CodeStartsWithWWW, "username must not begin with %q", person.www)
	}
	if f.suffix != "" {
		report(CodeReservedSuffix, "username must not end with %q", f.suffix)
	}
	return list
}

// suggestion names the valid username that s becomes without a leading "@" or
// upper case, if there is one.
func suggestion(s string) string {
	folded := foldASCII(strings.TrimPrefix(s, "@"))
	if !examine(folded, person).none() {
		return ""
	}
	return "; did you mean " + folded + "?"
}

// An audience is what the rules differ in between people and businesses.
type audience struct{ www string }

var (
	person   = audience{www: "www."}
	business = audience{www: "www"}
)

// findings holds what is wrong with a name, rule by rule.
type findings struct {
	length            int // in characters, whether right or wrong
	tooShort, tooLong bool
	offender          string // the first character that may not be in a username
	onlyUpperCase     bool   // A-Z are all the offenders there are
	noLetter          bool
	edgePeriod        bool
	doublePeriod      bool
	www               bool
	suffix            string // the reserved one
}

func (f findings) none() bool { return f == findings{length: f.length} }

// examine is the grammar. Rules on letters ignore case, so that an upper-case name
// is told all that is wrong with it at once.
func examine(s string, who audience) findings {
	f := findings{length: utf8.RuneCountInString(s), noLetter: true}
	f.tooShort = f.length < MinLength
	f.tooLong = f.length > MaxLength
	f.edgePeriod = strings.HasPrefix(s, ".") || strings.HasSuffix(s, ".")
	f.doublePeriod = strings.Contains(s, "..")

	for i, r := range s {
		switch {
		case 'a' <= r && r <= 'z':
			f.noLetter = false
		case '0' <= r && r <= '9', r == '.', r == '_':
		default:
			upper := 'A' <= r && r <= 'Z'
			if upper {
				f.noLetter = false
			}
			if f.offender == "" {
				_, size := utf8.DecodeRuneInString(s[i:])
				f.offender, f.onlyUpperCase = s[i:i+size], true
			}
			f.onlyUpperCase = f.onlyUpperCase && upper
		}
	}

	f.www = hasPrefixFold(s, who.www)
	if i := strings.LastIndexByte(s, '.'); i >= 0 {
		if suffix := slices.Index(reservedSuffixes, foldASCII(s[i:])); suffix >= 0 {
			f.suffix = reservedSuffixes[suffix]
		}
	}
	return f
}

// foldASCII lower-cases A-Z and nothing else: Unicode folding would turn the Kelvin
// sign into a k.
func foldASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + ('a' - 'A')
		}
		return r
	}, s)
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && foldASCII(s[:len(prefix)]) == prefix
}

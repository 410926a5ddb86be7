// Package busname checks WhatsApp usernames by their structure.
//
//	u, err := busname.Parse("jane.doe")
//
// # Which function
//
// [Parse] returns a [Username] for code that keeps it, such as package chatlink.
// [Validate] returns every problem of a name that a person typed. [Reasons] checks a
// name that a business wants to claim and returns the reason codes of the business API.
// [Warnings] reports what may go wrong with a valid name.
//
// # Grammar
//
//	username = 3*35( %x61-7A / DIGIT / "." / "_" )    ; lower-case letters
//
// with these rules, in the order in which problems are reported:
//
//   - it has a letter: the wa.me router treats a path of digits as a phone number;
//   - it neither begins nor ends with a period, and has no two periods in a row;
//   - it does not begin like a web address: "www." for a person, "www" for a
//     business;
//   - it does not end like one: see [ReservedSuffixes].
//
// Nothing is folded, trimmed or dropped, not even a leading "@".
//
// # What is not done
//
// A valid name may not exist, and may not be available. Names with a brand of Meta in
// them are valid; see [Warnings].
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
	CodeInvalidLength  problem.Code = "username_length"
	CodeInvalidChars   problem.Code = "username_invalid_chars"
	CodeNoLetter       problem.Code = "username_no_letter"
	CodeEdgePeriod     problem.Code = "username_edge_period"
	CodeDoublePeriod   problem.Code = "username_double_period"
	CodeLeadingWWW     problem.Code = "username_starts_with_www"
	CodeReservedSuffix problem.Code = "username_reserved_suffix"
)

// ReservedSuffixes returns the endings that no username may have. They are compared
// with the lower-cased name, period included, so "mycom" is fine.
func ReservedSuffixes() []string { return slices.Clone(reservedSuffixes) }

// reservedSuffixes each hold one period, in front.
var reservedSuffixes = []string{".com", ".org", ".net", ".int", ".edu", ".gov", ".mil", ".us", ".in", ".html", ".arpa", ".htm", ".txt", ".xml"}

// A Username is a valid username. It is comparable and can be a map key. The zero
// Username is invalid: IsValid reports false and String is empty.
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
// Username; all other text is read by [Parse].
func (u *Username) UnmarshalText(text []byte) error {
	var v Username
	if len(text) > 0 {
		var err error
		if v, err = Parse(string(text)); err != nil {
			return err
		}
	}
	*u = v
	return nil
}

// Validate returns every problem that s has as the username of a person, in the
// order of the codes above. It is empty for a valid username.
func Validate(s string) problem.List {
	f := examine(s, person)
	var list problem.List
	for i := range rules {
		if r := &rules[i]; r.broken(f) {
			message := r.message(f)
			if r.code == CodeInvalidChars {
				message += suggestion(s)
			}
			list = append(list, problem.Problem{Code: r.code, Message: message})
		}
	}
	return list
}

// suggestion names the valid username that s becomes without a leading "@" or
// upper case, if there is one.
func suggestion(s string) string {
	folded := foldASCII(strings.TrimPrefix(s, "@"))
	f := examine(folded, person)
	if slices.ContainsFunc(rules[:], func(r rule) bool { return r.broken(f) }) {
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

// findings holds what the rules look at. It fits into registers, so that passing it to
// nine rules costs little.
type findings struct {
	length        int    // in characters
	offender      string // the first character that may not be in a username
	onlyUpperCase bool   // every offender is one of A-Z
	hasLetter     bool
	edgePeriod    bool
	doublePeriod  bool
	leadingWWW    bool
	suffix        int // the index of the reserved one, or -1
}

// examine reads a name once for all rules. Letter rules ignore case, so that an
// upper-case name gets all of its problems reported at once.
func examine(s string, who audience) findings {
	f := findings{
		length:       utf8.RuneCountInString(s),
		edgePeriod:   strings.HasPrefix(s, ".") || strings.HasSuffix(s, "."),
		doublePeriod: strings.Contains(s, ".."),
		leadingWWW:   hasPrefixFold(s, who.www),
		suffix:       -1,
	}
	for i, r := range s {
		isUpper := 'A' <= r && r <= 'Z'
		switch {
		case 'a' <= r && r <= 'z':
			f.hasLetter = true
		case '0' <= r && r <= '9', r == '.', r == '_':
		default:
			f.hasLetter = f.hasLetter || isUpper
			if f.offender == "" {
				_, size := utf8.DecodeRuneInString(s[i:])
				f.offender, f.onlyUpperCase = s[i:i+size], true
			}
			f.onlyUpperCase = f.onlyUpperCase && isUpper
		}
	}
	if i := strings.LastIndexByte(s, '.'); i >= 0 {
		f.suffix = slices.Index(reservedSuffixes, foldASCII(s[i:]))
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

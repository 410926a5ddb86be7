// Package busname checks WhatsApp usernames by their structure.
//
//	u, err := busname.Parse("jane.doe")
//	reasons := busname.Reasons("wwwjane") // [leading_www]
//
// # Which function
//
// [Parse] returns a [Username], which can be stored and which package chatlink takes.
// [Validate] returns every problem of a name that a person typed. [Reasons] checks a
// name that a business wants to claim and returns the reason codes of the business API.
// [Warnings] reports known difficulties with a valid name.
//
// # Grammar
//
//	username = 3*35( %x61-7A / DIGIT / "." / "_" )    ; lower-case letters
//
// with these rules, in the order in which problems are reported:
//
//   - it has a letter, because wa.me treats a path of digits as a phone number;
//   - it neither begins nor ends with a period, and has no two periods in a row;
//   - it does not begin like a web address: "www." for a person, "www" for a
//     business;
//   - it does not end like one: see [ReservedSuffixes].
//
// The length counts characters. Nothing is folded, trimmed or dropped, not even a
// leading "@". Time is linear in the length of the name.
//
// # What is not done
//
// There are no lookups: a valid name need not exist, and need not be available. Names
// that contain a brand of Meta are valid; see [Warnings].
//
// Source: https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids/
package busname

import (
	"database/sql/driver"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hailmark/hailmark/internal/textvalue"
	"github.com/hailmark/hailmark/problem"
)

// The length of a username, in characters.
const (
	MinLength = 3
	MaxLength = 35
)

// The codes of the problems that [Validate] and [Parse] report, in this order.
const (
	CodeInvalidLength  problem.Code = "username_length"
	CodeInvalidChars   problem.Code = "username_invalid_chars"
	CodeNoLetter       problem.Code = "username_no_letter"
	CodeEdgePeriod     problem.Code = "username_edge_period"
	CodeDoublePeriod   problem.Code = "username_double_period"
	CodeLeadingWWW     problem.Code = "username_starts_with_www"
	CodeReservedSuffix problem.Code = "username_reserved_suffix"
)

// Each of reservedSuffixes begins with its only period; examine relies on that.
var reservedSuffixes = []string{".com", ".org", ".net", ".int", ".edu", ".gov", ".mil", ".us", ".in", ".html", ".arpa", ".htm", ".txt", ".xml"}

// A Username is a valid username. It is comparable and can be a map key. The zero
// Username is invalid: IsValid reports false and String is empty.
type Username struct {
	name string
}

// Parse returns s as a Username. It does not change s. If s is not valid, the error is
// the [problem.List] of [Validate].
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

// MarshalText implements [encoding.TextMarshaler]. The zero Username is empty text.
func (u Username) MarshalText() ([]byte, error) { return []byte(u.name), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]. Empty text is the zero
// Username; all other text is read by [Parse].
func (u *Username) UnmarshalText(text []byte) error { return textvalue.Unmarshal(u, text, Parse) }

// Scan implements [database/sql.Scanner]. It reads text like UnmarshalText; NULL is the
// zero Username.
func (u *Username) Scan(src any) error { return textvalue.Scan(u, src) }

// Value implements [driver.Valuer]. The zero Username is NULL.
func (u Username) Value() (driver.Value, error) { return textvalue.Value(u.String()) }

// Validate returns every problem that s has as the username of a person, in the order of
// the codes. The list is empty for a valid username. If the name would be valid in lower
// case, or without a leading "@", white space around it or a wa.me link, the message of
// [CodeInvalidChars] suggests that form.
func Validate(s string) problem.List {
	f := examine(s)
	if f.broken == 0 {
		return nil
	}
	var list problem.List
	for i, r := range rules {
		if !f.broken.has(ruleIndex(i)) {
			continue
		}
		message := r.message(f)
		if r.code == CodeInvalidChars {
			message += suggestion(s)
		}
		list = append(list, problem.Problem{Field: "username", Code: r.code, Message: message})
	}
	return list
}

// suggestion names the valid username that s becomes without white space around it, a
// wa.me link in front, a leading "@" or upper case, if there is one.
func suggestion(s string) string {
	name := strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) })
	folded := foldASCII(name)
	link := folded
	for _, prefix := range []string{"https://", "http://", "www."} {
		link = strings.TrimPrefix(link, prefix)
	}
	if path, found := strings.CutPrefix(link, "wa.me/"); found {
		folded = strings.TrimSuffix(path, "/")
	}
	folded = strings.TrimPrefix(folded, "@")
	if examine(folded).broken != 0 {
		return ""
	}
	return " (did you mean " + folded + "?)"
}

// findings are the rules that a name breaks, and the values in their messages.
type findings struct {
	broken   ruleSet
	length   int    // in characters
	offender string // the first character that may not be in a username
	suffix   string // the reserved one
}

// examine checks all rules in one pass over the name. Letter rules ignore case, so that
// an upper-case name gets all of its problems reported at once.
func examine(s string) findings {
	var f findings
	hasLetter := false
	period := -2 // the index of the last one; -1 would be next to the first character
	for i, r := range s {
		f.length++
		switch {
		case 'a' <= r && r <= 'z':
			hasLetter = true
		case r == '.':
			if i == 0 {
				f.broken.add(ruleEdgePeriod)
			}
			if i == period+1 {
				f.broken.add(ruleDoublePeriod)
			}
			period = i
		case '0' <= r && r <= '9', r == '_':
		default:
			hasLetter = hasLetter || 'A' <= r && r <= 'Z'
			if f.offender == "" {
				_, size := utf8.DecodeRuneInString(s[i:])
				f.offender = s[i : i+size]
			}
		}
	}
	if f.length < MinLength || f.length > MaxLength {
		f.broken.add(ruleLength)
	}
	if f.offender != "" {
		f.broken.add(ruleChars)
		s = foldASCII(s)
		period = strings.LastIndexByte(s, '.')
	}
	if !hasLetter {
		f.broken.add(ruleNoLetter)
	}
	if strings.HasPrefix(s, "www.") {
		f.broken.add(ruleLeadingWWW)
	}
	if period >= 0 {
		if period == len(s)-1 {
			f.broken.add(ruleEdgePeriod)
		}
		if i := slices.Index(reservedSuffixes, s[period:]); i >= 0 {
			f.broken.add(ruleReservedSuffix)
			f.suffix = reservedSuffixes[i]
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

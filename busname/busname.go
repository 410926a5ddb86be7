// Package busname checks the structure of WhatsApp usernames.
//
//	u, err := busname.Parse("jane.doe")
//
// [Parse] returns a [Username]. Its error lists all problems, which [Validate] also returns on
// their own. [Username.Warnings] returns known issues with a valid username.
//
// # Grammar
//
//	username = 3*35( %x61-7A / DIGIT / "." / "_" )    ; lowercase letters
//
// Furthermore, a username
//
//   - contains a letter, because wa.me treats a path of digits as a phone number;
//   - doesn't begin or end with a period, or contain two periods in a row;
//   - doesn't begin with "www.";
//   - doesn't end like a web address or file: .arpa .com .edu .gov .htm .html .in .int .mil .net
//     .org .txt .us .xml
//
// Length is counted in characters. Case isn't folded and nothing is trimmed, not even a
// leading "@". Nothing is looked up either, so a valid name may not exist
// or may not be available.
//
// Source: https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids/
package busname

import (
	"database/sql/driver"
	"strings"
	"unicode"

	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/internal/textvalue"
	"github.com/hailmark/hailmark/problem"
)

// A Username is a valid username. Usernames are comparable and can be map keys. The zero
// Username isn't valid.
type Username struct {
	name string
}

// Parse returns s, unchanged, as a Username. Its error contains the problems that [Validate]
// returns.
func Parse(s string) (Username, error) {
	if err := Validate(s).Err(); err != nil {
		return Username{}, err
	}
	return Username{s}, nil
}

// ParseHandle parses a username as people and webhooks write it, such as "@Jane.Doe": it drops white
// space and direction marks around s and then a leading "@", and turns A-Z into lowercase, because
// WhatsApp compares usernames without case. The result here is jane.doe. The error is that of
// [Parse] for what remains. A BSUID isn't a handle, although one in lowercase could be somebody's
// username.
//
// Use Parse where somebody chooses a username, so that they see the exact rules.
func ParseHandle(s string) (Username, error) {
	name := strings.TrimPrefix(strings.TrimFunc(s, isInvisible), "@")
	if bsuid.Is(name) {
		return Parse(name)
	}
	return Parse(foldASCII(name))
}

func isInvisible(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) }

// MustParse calls [Parse] and panics on an error. Use it in tests and for constants.
func MustParse(s string) Username {
	u, err := Parse(s)
	if err != nil {
		panic(err)
	}
	return u
}

// String returns the username without "@", or "" for the zero value.
func (u Username) String() string { return u.name }

// MarshalText implements [encoding.TextMarshaler]. The zero Username is empty text.
func (u Username) MarshalText() ([]byte, error) { return []byte(u.name), nil }

// UnmarshalText implements [encoding.TextUnmarshaler] with [Parse]. Empty text is the zero
// Username.
func (u *Username) UnmarshalText(text []byte) error { return textvalue.Unmarshal(u, text, Parse) }

// Scan implements [database/sql.Scanner] with UnmarshalText. NULL is the zero Username.
func (u *Username) Scan(src any) error { return textvalue.Scan(u, src) }

// Value implements [driver.Valuer]. The zero Username is NULL.
func (u Username) Value() (driver.Value, error) { return textvalue.Value(u.String()) }

// Validate returns all problems with s as a person's username, in the order of [Rules], or nil for a
// valid username. The message for [CodeInvalidChars] suggests a username if s would be valid in
// lowercase, or without a leading "@", surrounding white space or the rest of a wa.me link.
//
// Note that a business can't claim some names that are valid here: see [ValidateBusiness].
func Validate(s string) problem.List { return validate(s, false) }

// ValidateBusiness returns all reasons why a business can't claim s as its username, or nil. It's
// like [Validate], but [CodeLeadingWWW] stands for any leading "www", even if no period follows.
func ValidateBusiness(s string) problem.List { return validate(s, true) }

func validate(s string, business bool) problem.List {
	var list problem.List
	n := name{text: s, folded: foldASCII(s), business: business}
	for i := range rules {
		message := rules[i].broken(n)
		if message == "" {
			continue
		}
		p := problem.New("username", rules[i].Code, "%s", message)
		if rules[i].Code == CodeInvalidChars {
			p = p.WithSuggestions(suggestion(s))
		}
		list = append(list, p)
	}
	return list
}

// suggestion returns the valid username that s contains, without white space, a wa.me link, a
// leading "@" or uppercase letters.
func suggestion(s string) problem.Suggestions {
	name := strings.TrimFunc(s, isInvisible)
	folded := foldASCII(name)
	link := folded
	for _, prefix := range []string{"https://", "http://", "www."} {
		link = strings.TrimPrefix(link, prefix)
	}
	if path, found := strings.CutPrefix(link, "wa.me/"); found {
		if end := strings.IndexAny(path, "?#"); end >= 0 {
			path = path[:end]
		}
		folded = strings.TrimSuffix(path, "/")
	}
	folded = strings.TrimPrefix(folded, "@")
	if bsuid.Is(name) || !isValid(folded) {
		return problem.Suggestions{}
	}
	return problem.NewSuggestions(folded)
}

// foldASCII changes only A-Z to lowercase, because Unicode folding turns the Kelvin sign into
// a k.
func foldASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + ('a' - 'A')
		}
		return r
	}, s)
}

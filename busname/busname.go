// Package busname checks the structure of WhatsApp usernames.
//
//	u, err := busname.Parse("jane.doe")
//
// [Parse] returns a [Username]. Its error lists all problems, which [Validate] also returns on
// their own. [Warnings] returns known issues with a valid username.
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
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/internal/textvalue"
	"github.com/hailmark/hailmark/problem"
)

// The length of a username, in characters.
const (
	minLength = 3
	maxLength = 35
)

// A username can't end with one of these, because it would look like a web address or file.
var reservedSuffixes = []string{".com", ".org", ".net", ".int", ".edu", ".gov", ".mil", ".us", ".in", ".html", ".arpa", ".htm", ".txt", ".xml"}

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

// Validate returns all problems with s as a person's username, in this order:
//
//   - [CodeInvalidLength]
//   - [CodeInvalidChars]
//   - [CodeNoLetter]
//   - [CodeEdgePeriod]
//   - [CodeDoublePeriod]
//   - [CodeLeadingWWW]
//   - [CodeReservedSuffix]
//
// It returns nil for a valid username. The message for [CodeInvalidChars] suggests a username if
// s would be valid in lowercase, or without a leading "@", surrounding white space or the rest of
// a wa.me link.
//
// Note that a business can't claim some names that are valid here: see [ValidateBusiness].
func Validate(s string) problem.List {
	f := examine(s)
	if !f.broken() {
		return nil
	}
	var list problem.List
	add := func(broken bool, code problem.Code, message string) {
		if broken {
			list = append(list, problem.New("username", code, "%s", message))
		}
	}
	add(f.badLength, CodeInvalidLength, lengthMessage(f.length))
	if f.offender != "" {
		p := problem.New("username", CodeInvalidChars, "%s", charsMessage(f.offender))
		list = append(list, p.WithSuggestions(suggestion(s)))
	}
	add(f.noLetter, CodeNoLetter, "username has no letter; at least one is required")
	add(f.edgePeriod, CodeEdgePeriod, "username begins or ends with a period; remove it")
	add(f.doublePeriod, CodeDoublePeriod, "username has two periods in a row; only single ones are allowed")
	add(f.leadingWWW, CodeLeadingWWW, `username begins with "www.", like a web address; that is not allowed`)
	add(f.suffix != "", CodeReservedSuffix, fmt.Sprintf("username ends with %q, like a web address or file; that is not allowed", f.suffix))
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
		folded = strings.TrimSuffix(path, "/")
	}
	folded = strings.TrimPrefix(folded, "@")
	if bsuid.Is(name) || examine(folded).broken() {
		return problem.Suggestions{}
	}
	return problem.Suggest(folded)
}

// findings describes the rules that a name breaks.
type findings struct {
	length   int    // in characters
	offender string // the first invalid character
	suffix   string // the reserved suffix

	badLength, noLetter, edgePeriod, doublePeriod, leadingWWW bool
}

// broken reports whether a rule is broken.
func (f findings) broken() bool {
	return f.badLength || f.offender != "" || f.noLetter || f.edgePeriod || f.doublePeriod || f.leadingWWW || f.suffix != ""
}

// examine checks all rules. The rules about letters ignore case, so that all problems with an
// uppercase name are reported at once.
func examine(s string) findings {
	folded := foldASCII(s)
	length := utf8.RuneCountInString(s)
	return findings{
		length:       length,
		badLength:    length < minLength || length > maxLength,
		offender:     firstInvalid(s),
		noLetter:     !strings.ContainsFunc(folded, isLowercase),
		edgePeriod:   strings.HasPrefix(s, ".") || strings.HasSuffix(s, "."),
		doublePeriod: strings.Contains(s, ".."),
		leadingWWW:   strings.HasPrefix(folded, "www."),
		suffix:       reservedSuffix(folded),
	}
}

func isLowercase(r rune) bool { return 'a' <= r && r <= 'z' }

// firstInvalid returns the first character that isn't allowed, or "".
func firstInvalid(s string) string {
	i := strings.IndexFunc(s, func(r rune) bool {
		return !isLowercase(r) && (r < '0' || r > '9') && r != '.' && r != '_'
	})
	if i < 0 {
		return ""
	}
	_, size := utf8.DecodeRuneInString(s[i:])
	return s[i : i+size]
}

// reservedSuffix returns the reserved suffix of a name in lowercase, or "".
func reservedSuffix(folded string) string {
	for _, suffix := range reservedSuffixes {
		if strings.HasSuffix(folded, suffix) {
			return suffix
		}
	}
	return ""
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

func lengthMessage(length int) string {
	characters := "characters"
	if length == 1 {
		characters = "character"
	}
	// The interface specification requires "3-35 characters" in this message.
	return fmt.Sprintf("username has %d %s; the length must be %d-%d characters", length, characters, minLength, maxLength)
}

func charsMessage(offender string) string {
	const allowed = "a-z, 0-9, periods and underscores"
	r, _ := utf8.DecodeRuneInString(offender)
	switch {
	case 'A' <= r && r <= 'Z':
		return fmt.Sprintf("username contains %q; only lowercase letters are allowed", offender)
	case unicode.IsSpace(r):
		return fmt.Sprintf("username contains white space (%q); only %s are allowed", offender, allowed)
	case unicode.IsLetter(r):
		return fmt.Sprintf("username contains %q; the only letters allowed are a-z, without accents", offender)
	default:
		return fmt.Sprintf("username contains %q; only %s are allowed", offender, allowed)
	}
}

package chatlink

import (
	"database/sql/driver"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/internal/textvalue"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
)

// A Target is the other side of a chat as people write it: a username, a phone number or an
// existing WhatsApp link. Targets are comparable, but one with a warning about a missing plus
// doesn't equal the same number with a plus: compare numbers with [Target.Phone]. The zero Target
// isn't valid.
type Target struct {
	link    Link
	written string // a number that may lack its country code, as somebody wrote it
}

// ParseTarget parses a target in the forms in which people write it:
//
//	jane.doe, @jane.doe, @Jane.Doe             a username
//	+49 171 1234567, 0049 171 1234567          a phone number
//	491711234567                               digits that begin with the country code
//	tel:+49-171-1234567                        a phone number from a web page
//	wa.me/jane.doe, https://wa.me/c/16505551234, …  a link that [ParseLink] reads
//
// A target that contains a letter, but isn't a link, is a username. After an "@", its capitals are
// read as small letters, as in WhatsApp. Without one, "Jane" is rejected, because it may be a
// person's name instead of a username; the error suggests "jane". A number with an extension, such
// as "16505551234x5", is rejected, too, unless it has an "@" and is therefore a username. White space
// around a target is ignored.
//
// A number without a plus is read from its country code, so "917 555 1234" is in India (+91):
// show [Target.Warnings], or use [ParseTargetIn] if you know the country of numbers without a
// country code.
//
// The error contains [CodeMissingTarget] for blank text and [CodeTargetIsBSUID] for a BSUID.
// Otherwise it's the error of [busname.Parse] or [busname.ParseHandle], [phone.ParseDigits] or [ParseLink].
// The first problem contains what [Suggest] finds in s.
func ParseTarget(s string) (Target, error) {
	t, err := parseTarget(s, inspectNumber)
	return t, withSuggestions(err, s, "", Target.String)
}

// ParseTargetIn is like [ParseTarget], but reads a phone number without a country code as one of a
// country, which is an ISO 3166-1 alpha-2 code such as "DE". A number in a link always has its
// country code. The error for a number is that of [phone.ParseIn], and an unknown country is an
// error for every target.
func ParseTargetIn(s, country string) (Target, error) {
	if err := phone.CheckCountry(country); err != nil {
		return Target{}, err
	}
	t, err := parseTarget(s, func(s string) (Target, error) { return parseNumberIn(s, country) })
	return t, withSuggestions(err, s, country, Target.String)
}

func parseNumberIn(s, country string) (Target, error) {
	n, err := phone.ParseIn(s, country)
	if err != nil {
		return Target{}, err
	}
	return Target{link: Link{kind: KindPhone, phone: n}}, nil
}

// withSuggestions returns err with what s contains as suggestions of its first problem, in place of
// what busname or phone suggest, who don't know what else s may be. The function write writes them.
func withSuggestions(err error, s, country string, write func(Target) string) error {
	list := problem.All(err)
	if len(list) == 0 {
		return err
	}
	targets := Suggest(s, country)
	p := &list[0]
	isSame := len(p.Suggestions.All()) == len(targets)
	var values []string
	for _, t := range targets {
		values = append(values, write(t))
		isSame = isSame && slices.ContainsFunc(p.Suggestions.All(), func(value string) bool {
			other, err := parseTarget(value, inspectNumber)
			return err == nil && other == t
		})
	}
	if isSame && len(targets) > 1 {
		p.Suggestions = problem.NewSuggestions(values...)
	} else if !isSame {
		*p = p.WithSuggestions(problem.NewSuggestions(values...))
	}
	if len(list) == 1 {
		return *p
	}
	return list.Err()
}

func linkTo(t Target) string { return t.link.String() }

func inspectNumber(s string) (Target, error) {
	n, warnings, err := phone.Inspect(s)
	if err != nil {
		return Target{}, err
	}
	t := Target{link: Link{kind: KindPhone, phone: n}}
	for _, w := range warnings {
		if w.Code == phone.CodeMissingPlus {
			t.written = s
		}
	}
	return t, nil
}

func parseTarget(s string, parseNumber func(string) (Target, error)) (Target, error) {
	s = strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) })
	switch {
	case s == "":
		return Target{}, problem.New("", CodeMissingTarget, "target is empty; enter a username, a phone number or a WhatsApp link")
	case bsuid.Is(s):
		return Target{}, problem.New("", CodeTargetIsBSUID, "target is a business-scoped user ID, which no link can open; enter the person's username or phone number, or reply through the Cloud API")
	case isLink(s):
		l, err := parseLink(s)
		if err != nil {
			return Target{}, err
		}
		return Target{link: l}, nil
	case hasPrefixFold(s, "tel:"):
		number, err := url.PathUnescape(s[len("tel:"):])
		if err != nil {
			return Target{}, linkError("link contains a percent sign without two hexadecimal digits after it; write a percent sign itself as %%25")
		}
		return parseNumber(number)
	case s[0] != '+' && strings.ContainsFunc(s, unicode.IsLetter) && !hasExtension(s):
		parse := busname.Parse
		if s[0] == '@' {
			parse = busname.ParseHandle
		}
		u, err := parse(s)
		if err != nil {
			return Target{}, err
		}
		return Target{link: Link{kind: KindUsername, username: u}}, nil
	default:
		return parseNumber(s)
	}
}

// isLink reports whether s is written like a link. A number may contain a slash, too, and wa.me
// without a path would be a valid username.
func isLink(s string) bool {
	return strings.Contains(s, "://") || strings.EqualFold(s, "wa.me") ||
		strings.Contains(s, "/") && strings.ContainsFunc(s, isASCIILetter)
}

// hasExtension reports whether s is written like a phone number with an extension, or like one that a
// spreadsheet has shortened, such as 4.91711E+11. Without spaces and hyphens, and with a small e, it
// would be a valid username.
func hasExtension(s string) bool {
	const digits = "0123456789"
	number := s[:strings.IndexFunc(s, unicode.IsLetter)]
	label := strings.TrimRight(s[len(number):], digits)
	if label == s[len(number):] || strings.Trim(number, digits+" -.,_()/") != "" {
		return false
	}
	n := 0
	for _, c := range []byte(number) {
		if strings.IndexByte(digits, c) >= 0 {
			n++
		}
	}
	switch strings.ToLower(strings.TrimRight(label, " ._:")) {
	case "x", "ext", "extension":
		return n >= 7 // a local number's shortest usual form
	case "e", "e+":
		return len(number) > 2 && strings.ContainsAny(number[1:2], ".,")
	default:
		return false
	}
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// Link returns the link to t, such as https://wa.me/jane.doe?text=Hi!. A blank text keeps the
// text of a target that is a link already; any other text replaces it.
//
// The error is that of [ParseText], or contains [CodeTextNotSupported] if the target is a link that
// can't contain a text, such as an invitation to a group.
func (t Target) Link(text string) (Link, error) {
	l, err := t.link.withText(text)
	switch {
	case err != nil:
		return Link{}, err
	case t == Target{}:
		return Link{}, problem.New("", CodeMissingTarget, "target is empty; enter a username, a phone number or a WhatsApp link")
	case l.text == "":
		return t.link, nil
	}
	if l.kind != KindPhone && l.kind != KindUsername && l.kind != KindPicker {
		return Link{}, problem.New("text", CodeTextNotSupported, "a link of the kind %s can't contain a text; leave the text out", l.kind)
	}
	return l, nil
}

// Kind returns the kind of link that t becomes: [KindUsername] for a username, [KindPhone] for a
// phone number, and for a link its own kind.
func (t Target) Kind() Kind { return t.link.kind }

// Username returns the username, or the zero Username if t isn't one.
func (t Target) Username() busname.Username { return t.link.username }

// Phone returns the phone number, or the zero Number if t doesn't have one.
func (t Target) Phone() phone.Number { return t.link.phone }

// Warnings returns reasons why t may not be whom somebody meant: those of [phone.Inspect] for a
// number, among them a missing plus, and those of [busname.Username.Warnings] for a username.
func (t Target) Warnings() problem.List {
	written := t.written
	if written == "" {
		written = t.link.phone.String()
	}
	_, warnings, _ := phone.Inspect(written) // it's valid, or empty for a target without a number
	return append(warnings, t.link.username.Warnings()...)
}

// String returns t as people read it: "@jane.doe", "+16505551234" or a link. String returns ""
// for the zero Target. [ParseTarget] parses it as t, but without a warning about a missing plus.
func (t Target) String() string {
	switch {
	case t.link.kind == KindUsername && t.link.text == "":
		return "@" + t.link.username.String()
	case t.link.kind == KindPhone && t.link.text == "":
		return t.link.phone.E164()
	default:
		return t.link.String()
	}
}

// MarshalText implements [encoding.TextMarshaler] with String. The zero Target is empty text.
func (t Target) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler] with [ParseTarget]. Empty text is the zero
// Target.
func (t *Target) UnmarshalText(text []byte) error {
	return textvalue.Unmarshal(t, text, ParseTarget)
}

// Scan implements [database/sql.Scanner] with UnmarshalText. NULL is the zero Target.
func (t *Target) Scan(src any) error { return textvalue.Scan(t, src) }

// Value implements [driver.Valuer]. The zero Target is NULL.
func (t Target) Value() (driver.Value, error) { return textvalue.Value(t.String()) }

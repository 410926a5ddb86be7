package chatlink

import (
	"database/sql/driver"
	"errors"
	"net/url"
	"strings"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/internal/textvalue"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
)

// A Kind says what a link opens.
type Kind string

// The kinds of links.
const (
	KindPhone    Kind = "phone"    // a chat with a phone number
	KindUsername Kind = "username" // a chat with a username
	KindPicker   Kind = "picker"   // the user's contacts, to send a text to
	KindMessage  Kind = "message"  // a chat with a business, which the code of /message/ identifies
	KindQR       Kind = "qr"       // a chat, which the code of /qr/ identifies
	KindCatalog  Kind = "catalog"  // a business's catalog
	KindProduct  Kind = "product"  // a product in a catalog
	KindGroup    Kind = "group"    // an invitation to a group
	KindChannel  Kind = "channel"  // a channel
)

// A Link contains the parts of a WhatsApp link. Links are comparable. The zero Link isn't valid.
type Link struct {
	kind     Kind
	phone    phone.Number
	username busname.Username
	code     string
	text     string
}

// ParseLink parses a WhatsApp link, such as "https://wa.me/16505551234". It supports these
// forms:
//
//	wa.me/<number or username>        api.whatsapp.com/send?phone=<number>
//	wa.me/?text=<text>                api.whatsapp.com/send?username=<username>
//	wa.me/message/<code>              api.whatsapp.com/message/<code>
//	wa.me/qr/<code>                   web.whatsapp.com/send?…
//	wa.me/c/<number>                  whatsapp://send?…
//	wa.me/p/<product>/<number>        whatsapp.com/catalog/<number>
//	chat.whatsapp.com/<code>          whatsapp.com/channel/<code>
//	chat.whatsapp.com/invite/<code>   whatsapp://chat?code=<code>
//
// Except for whatsapp:// links, the scheme is http, https or missing. whatsapp-consumer:// and
// whatsapp-smb:// are whatsapp:// for one of the apps, and an intent:// link, by which web pages
// open an Android app, is the link that it contains, unless it's for another app. A "www." in front of the
// host, the port that the scheme has anyway, a trailing slash, a fragment, surrounding white space
// and other parameters are ignored.
//
// On wa.me, a path that contains a letter is a username, as in WhatsApp. [busname.ParseHandle]
// parses the usernames, in which case and a leading "@" make no difference, and
// [phone.ParseDigits] parses the numbers.
//
// For an invalid phone number, username or text, the error contains
// the codes of [phone.ParseDigits], [busname.ParseHandle] and [ParseText]. Otherwise it contains
// [CodeUnrecognizedLink], for example if a link specifies two recipients or contains an invalid
// escape. The first problem contains the links to what [Suggest] finds in s.
func ParseLink(s string) (Link, error) {
	l, err := parseLink(s)
	return l, withSuggestions(err, s, "", linkTo)
}

func parseLink(s string) (Link, error) {
	host, path, query, err := splitLink(withoutApp(strings.TrimSpace(s)))
	if err != nil {
		return Link{}, err
	}
	values, err := parseLinkQuery(query)
	if err != nil {
		return Link{}, err
	}
	switch strings.TrimPrefix(host, "www.") {
	case "wa.me":
		return parseChatPath(path, values)
	case whatsAppScheme, "api.whatsapp.com", "web.whatsapp.com":
		switch {
		case len(path) == 1 && path[0] == "send":
			return parseRecipient(values)
		case len(path) == 1 && path[0] == "chat" && host == whatsAppScheme:
			values, _ := url.ParseQuery(query) // an error leaves the code empty
			return parseCode(KindGroup, values.Get("code"))
		case len(path) == 2 && path[0] == "message" && host != whatsAppScheme: // where wa.me/message redirects
			return parseCode(KindMessage, path[1])
		}
	case "chat.whatsapp.com":
		switch {
		case len(path) == 1:
			return parseCode(KindGroup, path[0])
		case len(path) == 2 && path[0] == "invite":
			return parseCode(KindGroup, path[1])
		}
	case "whatsapp.com":
		switch {
		case len(path) == 2 && path[0] == "channel":
			return parseCode(KindChannel, path[1])
		case len(path) == 2 && path[0] == "catalog":
			return parseCatalog(Link{kind: KindCatalog}, path[1])
		}
	}
	return Link{}, linkError("link has an unknown host or path; it must be a WhatsApp link such as https://wa.me/16505551234")
}

// MustParseLink calls [ParseLink] and panics on an error. Use it in tests and for constants.
func MustParseLink(s string) Link {
	l, err := ParseLink(s)
	if err != nil {
		panic(err)
	}
	return l
}

// whatsAppScheme replaces the host in links with the app's own scheme.
const whatsAppScheme = "whatsapp://"

func linkError(format string, args ...any) error {
	return problem.New("link", CodeUnrecognizedLink, format, args...)
}

// withoutApp returns the link in a link that opens one of WhatsApp's apps, and other links unchanged.
// A link such as intent://send/16505551234#Intent;scheme=smsto;package=com.whatsapp;end contains
// only a number.
func withoutApp(s string) string {
	scheme, rest, _ := strings.Cut(s, "://")
	switch strings.ToLower(scheme) {
	case "whatsapp-consumer", "whatsapp-smb":
		return whatsAppScheme + rest
	case "intent":
	default:
		return s
	}
	link, parameters, _ := strings.Cut(rest, "#Intent;")
	values := map[string]string{}
	for pair := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(pair, "=")
		values[name] = value
	}
	app := values["package"]
	if app != "" && app != "com.whatsapp" && app != "com.whatsapp.w4b" {
		return s
	}
	switch values["scheme"] {
	case "https", "http", "whatsapp":
		return values["scheme"] + "://" + link
	case "smsto":
		if app != "" {
			return whatsAppScheme + "send?phone=" + strings.TrimPrefix(link, "send/")
		}
	}
	return s
}

// splitLink returns a link's lowercase host, decoded path segments, and query.
func splitLink(s string) (host string, path []string, query string, err error) {
	s, _, _ = strings.Cut(s, "#")
	s, query, _ = strings.Cut(s, "?")
	scheme, rest, found := strings.Cut(s, "://")
	if !found {
		scheme, rest = "https", s
	}
	switch strings.ToLower(scheme) {
	case "https", "http":
		host, rest, _ = strings.Cut(rest, "/")
		host = withoutDefaultPort(strings.ToLower(host), scheme, found)
	case "whatsapp":
		host = whatsAppScheme
	default:
		return "", nil, "", linkError("link has an unknown scheme; begin it with https://, http:// or whatsapp://, or omit the scheme")
	}
	if rest = strings.TrimSuffix(rest, "/"); rest == "" {
		return host, nil, query, nil
	}
	for segment := range strings.SplitSeq(rest, "/") {
		decoded, err := url.PathUnescape(segment)
		if err != nil {
			return "", nil, "", linkError("link contains a percent sign without two hexadecimal digits after it; write a percent sign itself as %%25")
		}
		path = append(path, decoded)
	}
	return host, path, query, nil
}

// withoutDefaultPort drops the port that a link's scheme has anyway: 443 for https and 80 for http,
// or either if the link has no scheme.
func withoutDefaultPort(host, scheme string, hasScheme bool) string {
	isHTTP := strings.EqualFold(scheme, "http")
	if !isHTTP || !hasScheme {
		host = strings.TrimSuffix(host, ":443")
	}
	if isHTTP || !hasScheme {
		host = strings.TrimSuffix(host, ":80")
	}
	return host
}

// linkValues contains the parameters that matter.
type linkValues struct {
	phone, username, text string
}

func parseLinkQuery(query string) (v linkValues, err error) {
	for pair := range strings.SplitSeq(query, "&") {
		rawName, rawValue, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(rawName)
		if err != nil {
			continue // a name that cannot be decoded is not one of the three below
		}
		decode := url.QueryUnescape
		var field *string
		switch name {
		case "phone":
			decode, field = url.PathUnescape, &v.phone // a plus isn't a space, but part of the number: 9+123 isn't 9123
		case "username":
			field = &v.username
		case "text":
			field = &v.text
		default:
			if strings.HasPrefix(name, "amp;") {
				return v, linkError("link contains &amp; between its parameters; write &, because &amp; is its form in HTML")
			}
			continue
		}
		value, err := decode(rawValue)
		if err != nil {
			return v, linkError("parameter %s of the link contains a percent sign without two hexadecimal digits after it; write a percent sign itself as %%25", name)
		}
		if *field != "" && value != "" && *field != value {
			return v, linkError("link contains two values of its parameter %s; keep one of them", name)
		}
		if value != "" {
			*field = value
		}
	}
	return v, nil
}

// parseChatPath parses a link on wa.me.
func parseChatPath(path []string, v linkValues) (Link, error) {
	if v.phone != "" || v.username != "" {
		return Link{}, linkError("link has its recipient in a parameter; write it into the path, as in https://wa.me/16505551234")
	}
	switch {
	case len(path) == 0:
		return parseRecipient(v)
	case len(path) == 1 && strings.ContainsFunc(path[0], isASCIILetter):
		return parseRecipient(linkValues{username: path[0], text: v.text})
	case len(path) == 1 && strings.Trim(path[0], "+0123456789 ().-") == "":
		return parseRecipient(linkValues{phone: path[0], text: v.text})
	case len(path) == 2 && path[0] == "message":
		return parseCode(KindMessage, path[1])
	case len(path) == 2 && path[0] == "qr":
		return parseCode(KindQR, path[1])
	case len(path) == 2 && path[0] == "c":
		return parseCatalog(Link{kind: KindCatalog}, path[1])
	case len(path) == 3 && path[0] == "p":
		product, err := parseCode(KindProduct, path[1])
		if err != nil {
			return Link{}, err
		}
		return parseCatalog(product, path[2])
	}
	return Link{}, linkError("link has an unknown path; it must be a phone number, a username, or message, qr, c or p with a code")
}

func isASCIILetter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }

// parseRecipient returns the link to a phone number or username, or otherwise to the picker.
func parseRecipient(v linkValues) (Link, error) {
	var (
		l       Link
		err     error
		textErr error
	)
	switch {
	case v.phone != "" && v.username != "":
		return Link{}, linkError("link has a phone number and a username; only one recipient is allowed")
	case v.phone != "":
		l.kind = KindPhone
		l.phone, err = phone.ParseDigits(v.phone)
	case v.username != "":
		l.kind = KindUsername
		l.username, err = busname.ParseHandle(v.username)
	default:
		l.kind = KindPicker
	}
	l.text, textErr = ParseText(v.text)
	if err := problem.All(errors.Join(err, textErr)).Err(); err != nil {
		return Link{}, err
	}
	if l.kind == KindPicker && l.text == "" {
		return Link{}, linkError("link has neither a recipient nor a text")
	}
	return l, nil
}

// WhatsApp doesn't specify the length of a code. Known codes are shorter than 40 characters.
const maxCodeLength = 128

func parseCode(kind Kind, code string) (Link, error) {
	if code == "" || len(code) > maxCodeLength || strings.ContainsFunc(code, isNotInCode) {
		return Link{}, linkError("link contains a code that doesn't consist of 1-%d letters a-z, A-Z, digits, hyphens and underscores", maxCodeLength)
	}
	return Link{kind: kind, code: code}, nil
}

func isNotInCode(r rune) bool {
	return !isASCIILetter(r) && (r < '0' || r > '9') && r != '-' && r != '_'
}

func parseCatalog(l Link, number string) (Link, error) {
	var err error
	if l.phone, err = phone.ParseDigits(number); err != nil {
		return Link{}, err
	}
	return l, nil
}

// Kind returns what l opens, or "" for the zero Link.
func (l Link) Kind() Kind { return l.kind }

// Phone returns the phone number if l's kind is phone, catalog or product, and otherwise the zero
// Number.
func (l Link) Phone() phone.Number { return l.phone }

// Username returns the username if l's kind is username, and otherwise the zero Username.
func (l Link) Username() busname.Username { return l.username }

// Code returns the code if l's kind is message, qr, product, group or channel, and otherwise "".
// A product's code is its ID.
func (l Link) Code() string { return l.code }

// Text returns the text, which only links with the kind phone, username or picker can contain.
func (l Link) Text() string { return l.text }

// String returns the shortest https link with these parts, such as "https://wa.me/jane.doe".
// [ParseLink] parses it as l. It is "" for the zero Link.
func (l Link) String() string {
	switch l.kind {
	case KindPhone:
		return newLink(l.phone.String(), l.text)
	case KindUsername:
		return newLink(l.username.String(), l.text)
	case KindPicker:
		return newLink("", l.text)
	case KindMessage, KindQR:
		return origin + string(l.kind) + "/" + l.code
	case KindCatalog:
		return origin + "c/" + l.phone.String()
	case KindProduct:
		return origin + "p/" + l.code + "/" + l.phone.String()
	case KindGroup:
		return "https://chat.whatsapp.com/" + l.code
	case KindChannel:
		return "https://whatsapp.com/channel/" + l.code
	}
	return ""
}

// MarshalText implements [encoding.TextMarshaler]. The zero Link is empty text.
func (l Link) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler] with [ParseLink]. Empty text is the zero
// Link.
func (l *Link) UnmarshalText(text []byte) error { return textvalue.Unmarshal(l, text, ParseLink) }

// Scan implements [database/sql.Scanner] with UnmarshalText. NULL is the zero Link.
func (l *Link) Scan(src any) error { return textvalue.Scan(l, src) }

// Value implements [driver.Valuer]. The zero Link is NULL.
func (l Link) Value() (driver.Value, error) { return textvalue.Value(l.String()) }

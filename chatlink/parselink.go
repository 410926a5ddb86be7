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

// CodeUnrecognizedLink is the code of an address that has none of the forms that
// [ParseLink] reads, or that has no clear recipient.
const CodeUnrecognizedLink problem.Code = "link_unrecognized"

// A LinkKind is the kind of page that a [Link] opens. It is "" for the zero Link.
type LinkKind string

// The kinds of links.
const (
	LinkPhone    LinkKind = "phone"    // a chat with a phone number
	LinkUsername LinkKind = "username" // a chat with a username
	LinkPicker   LinkKind = "picker"   // a list of the user's own contacts to send a text to
	LinkMessage  LinkKind = "message"  // a chat with a business, by a code of /message/
	LinkQR       LinkKind = "qr"       // a chat, by a code of /qr/
	LinkCatalog  LinkKind = "catalog"  // the catalog of a business with a phone number
	LinkProduct  LinkKind = "product"  // one product of such a catalog
	LinkGroup    LinkKind = "group"    // an invitation to a group
	LinkChannel  LinkKind = "channel"  // a channel
)

// A Link is the content of a WhatsApp link: its kind, recipient, code and text. It is
// comparable. The zero Link is invalid and its String is empty.
type Link struct {
	kind     LinkKind
	phone    phone.Number
	username busname.Username
	code     string
	text     string
}

// ParseLink reads a WhatsApp link, such as "https://wa.me/16505551234". It reads these
// forms:
//
//	wa.me/<number or username>        api.whatsapp.com/send?phone=<number>
//	wa.me/?text=<text>                api.whatsapp.com/send?username=<username>
//	wa.me/message/<code>              web.whatsapp.com/send?…
//	wa.me/qr/<code>                   whatsapp://send?…
//	wa.me/c/<number>                  chat.whatsapp.com/<code>
//	wa.me/p/<product>/<number>        whatsapp.com/channel/<code>
//
// The scheme http or https, "www." before the host, a slash at the end, a fragment and
// white space around the link make no difference. Parameters other than phone,
// username and text are ignored.
//
// On wa.me, a path with a letter is a username, as it is for WhatsApp. Usernames are
// checked as they are: one with a capital letter or an "@" is refused. Phone numbers are
// read by [phone.Parse].
//
// The error is a [problem.List]. It has the code [CodeUnrecognizedLink] for an address that
// has another form, names two recipients, or has an escape that cannot be decoded. An
// invalid phone number, username or text in the link has the codes of [phone.Parse],
// [busname.Parse] and [ParseText]. Nothing is looked up: a valid link can lead nowhere.
func ParseLink(s string) (Link, error) {
	host, path, query, err := splitLink(s)
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
		if len(path) == 1 && path[0] == "send" {
			return parseRecipient(values)
		}
	case "chat.whatsapp.com":
		if len(path) == 1 {
			return parseCode(LinkGroup, path[0])
		}
	case "whatsapp.com":
		if len(path) == 2 && path[0] == "channel" {
			return parseCode(LinkChannel, path[1])
		}
	}
	return Link{}, linkError("link must be a WhatsApp link such as https://wa.me/16505551234, and this address has another host or path")
}

// MustParseLink is [ParseLink] for tests and constants: it panics on an error.
func MustParseLink(s string) Link {
	l, err := ParseLink(s)
	if err != nil {
		panic(err)
	}
	return l
}

// whatsAppScheme takes the place of the host in links with the scheme of the app.
const whatsAppScheme = "whatsapp://"

func linkError(format string, args ...any) error {
	return problem.List{problem.New(CodeUnrecognizedLink, format, args...).In("link")}
}

// splitLink splits a link into its host in lower case, the decoded segments of its
// path, and its query.
func splitLink(s string) (host string, path []string, query string, err error) {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "#")
	s, query, _ = strings.Cut(s, "?")
	scheme, rest, found := strings.Cut(s, "://")
	if !found {
		scheme, rest = "https", s
	}
	switch strings.ToLower(scheme) {
	case "https", "http":
		host, rest, _ = strings.Cut(rest, "/")
		host = strings.ToLower(host)
	case "whatsapp":
		host = whatsAppScheme
	default:
		return "", nil, "", linkError("link must begin with https://, http:// or whatsapp://, or have no scheme")
	}
	if rest = strings.TrimSuffix(rest, "/"); rest == "" {
		return host, nil, query, nil
	}
	for segment := range strings.SplitSeq(rest, "/") {
		decoded, err := url.PathUnescape(segment)
		if err != nil {
			return "", nil, "", linkError("link must have two hexadecimal digits after each percent sign")
		}
		path = append(path, decoded)
	}
	return host, path, query, nil
}

// linkValues are the parameters of a link that are read.
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
			decode, field = decodePhone, &v.phone
		case "username":
			field = &v.username
		case "text":
			field = &v.text
		default:
			if strings.HasPrefix(name, "amp;") {
				return v, linkError("link must have & between its parameters, not the HTML form &amp;")
			}
			continue
		}
		value, err := decode(rawValue)
		if err != nil {
			return v, linkError("link must have two hexadecimal digits after each percent sign in its parameter %s", name)
		}
		if *field != "" && value != "" && *field != value {
			return v, linkError("link must have its parameter %s once, not with two values", name)
		}
		if value != "" {
			*field = value
		}
	}
	return v, nil
}

// decodePhone decodes a number in a query. A plus in front is part of the number, because
// people forget to escape it; others are spaces.
func decodePhone(raw string) (string, error) {
	if rest, found := strings.CutPrefix(raw, "+"); found && !strings.Contains(strings.ToUpper(rest), "%2B") {
		raw = "%2B" + rest
	}
	return url.QueryUnescape(raw)
}

// parseChatPath reads the links of wa.me.
func parseChatPath(path []string, v linkValues) (Link, error) {
	if v.phone != "" || v.username != "" {
		return Link{}, linkError("link must name its recipient in the path, not in a parameter")
	}
	switch {
	case len(path) == 0:
		return parseRecipient(v)
	case len(path) == 1 && strings.ContainsFunc(path[0], isASCIILetter):
		return parseRecipient(linkValues{username: path[0], text: v.text})
	case len(path) == 1 && strings.Trim(path[0], "+0123456789 ().-") == "":
		return parseRecipient(linkValues{phone: path[0], text: v.text})
	case len(path) == 2 && path[0] == "message":
		return parseCode(LinkMessage, path[1])
	case len(path) == 2 && path[0] == "qr":
		return parseCode(LinkQR, path[1])
	case len(path) == 2 && path[0] == "c":
		return parseCatalog(Link{kind: LinkCatalog}, path[1])
	case len(path) == 3 && path[0] == "p":
		product, err := parseCode(LinkProduct, path[1])
		if err != nil {
			return Link{}, err
		}
		return parseCatalog(product, path[2])
	}
	return Link{}, linkError("link must have a phone number, a username, or message, qr, c or p with a code in its path")
}

func isASCIILetter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }

// parseRecipient returns the link to a phone number or a username, or to the list of
// contacts if v has neither.
func parseRecipient(v linkValues) (Link, error) {
	var (
		l       Link
		err     error
		textErr error
	)
	switch {
	case v.phone != "" && v.username != "":
		return Link{}, linkError("link must name one recipient, not a phone number and a username")
	case v.phone != "":
		l.kind = LinkPhone
		l.phone, err = phone.Parse(v.phone)
	case v.username != "":
		l.kind = LinkUsername
		l.username, err = busname.Parse(v.username)
	default:
		l.kind = LinkPicker
	}
	l.text, textErr = ParseText(v.text)
	if err := problem.All(errors.Join(err, textErr)).Err(); err != nil {
		return Link{}, err
	}
	if l.kind == LinkPicker && l.text == "" {
		return Link{}, linkError("link must have a recipient or a text")
	}
	return l, nil
}

// maxCodeLength is the maximum length of a code. WhatsApp publishes no rule for codes;
// known ones have less than forty characters.
const maxCodeLength = 128

func parseCode(kind LinkKind, code string) (Link, error) {
	if code == "" || len(code) > maxCodeLength || strings.ContainsFunc(code, isNotInCode) {
		return Link{}, linkError("link must have a code of 1-%d letters a-z, A-Z, digits, hyphens and underscores", maxCodeLength)
	}
	return Link{kind: kind, code: code}, nil
}

func isNotInCode(r rune) bool {
	return !isASCIILetter(r) && (r < '0' || r > '9') && r != '-' && r != '_'
}

func parseCatalog(l Link, number string) (Link, error) {
	var err error
	if l.phone, err = phone.Parse(number); err != nil {
		return Link{}, problem.All(err)
	}
	return l, nil
}

// Kind returns what l opens.
func (l Link) Kind() LinkKind { return l.kind }

// IsValid reports whether l is not the zero Link.
func (l Link) IsValid() bool { return l.kind != "" }

// Phone returns the phone number of a LinkPhone, LinkCatalog or LinkProduct, and the zero
// number for other kinds.
func (l Link) Phone() phone.Number { return l.phone }

// Username returns the username of a LinkUsername, and the zero Username for other kinds.
func (l Link) Username() busname.Username { return l.username }

// Code returns the code of a LinkMessage, LinkQR, LinkProduct, LinkGroup or
// LinkChannel, and "" for other kinds.
func (l Link) Code() string { return l.code }

// Text returns the text of a LinkPhone, LinkUsername or LinkPicker, and "" for other kinds and
// for a link without a text.
func (l Link) Text() string { return l.text }

// String returns the link in its shortest form with https, such as
// "https://wa.me/jane.doe". [ParseLink] reads it back as l. It is "" for the zero Link.
func (l Link) String() string {
	switch l.kind {
	case LinkPhone:
		return newLink(l.phone.String(), l.text)
	case LinkUsername:
		return newLink(l.username.String(), l.text)
	case LinkPicker:
		return newLink("", l.text)
	case LinkMessage, LinkQR:
		return origin + string(l.kind) + "/" + l.code
	case LinkCatalog:
		return origin + "c/" + l.phone.String()
	case LinkProduct:
		return origin + "p/" + l.code + "/" + l.phone.String()
	case LinkGroup:
		return "https://chat.whatsapp.com/" + l.code
	case LinkChannel:
		return "https://whatsapp.com/channel/" + l.code
	}
	return ""
}

// MarshalText implements [encoding.TextMarshaler]. The zero Link is empty text.
func (l Link) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]. Empty text is the zero Link;
// all other text is read by [ParseLink].
func (l *Link) UnmarshalText(text []byte) error { return textvalue.Unmarshal(l, text, ParseLink) }

// Scan implements [database/sql.Scanner]. It reads text like UnmarshalText; NULL is the
// zero Link.
func (l *Link) Scan(src any) error { return textvalue.Scan(l, src) }

// Value implements [driver.Valuer]. The zero Link is NULL.
func (l Link) Value() (driver.Value, error) { return textvalue.Value(l.String()) }

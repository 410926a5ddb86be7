// Package chatlink builds and reads click-to-chat links: web addresses that open a
// WhatsApp chat with a username or a phone number, with a message ready to send.
//
//	link, err := chatlink.BuildUsernameLink("jane.doe", "Hi there!")
//	// https://wa.me/jane.doe?text=Hi%20there!
//
// # Which function
//
// [BuildUsernameLink] and [BuildPhoneLink] turn strings into a link in one call. To keep
// the values, parse them once with [phone.Parse], [ParseText], [ParseKey] and
// [busname.Parse]; the methods of a [Host] then return links and cannot fail. [ParseLink]
// reads a link that somebody else built.
//
// Use [phone.ParseInternational] for a number from a form, which may lack the country code,
// and [phone.Number.Same] to compare numbers. [BaseURL] builds short links on a server of your
// own, and [ParseShortPath] reads their paths.
//
// # Shapes
//
//	https://wa.me/<username>[?text=<text>]
//	https://wa.me/<digits>[?text=<text>]
//
// The text is encoded as by encodeURIComponent in a browser: A-Z a-z 0-9 and
// - _ . ! ~ * ' ( ) are unchanged, every other byte of the UTF-8 becomes %XX. So a
// space becomes %20 and a plus %2B; both are decoded correctly by every link parser.
//
// # Limits
//
// A username has 3-35 characters, a phone number [phone.MinDigits]-[phone.MaxDigits] digits,
// a text at most [MaxTextLength] characters and a key [MinKeyLength]-[MaxKeyLength].
//
// # Errors
//
// Errors about usernames, phone numbers, texts, keys and links have codes that
// [errors.Is] finds and [problem.All] lists. Errors about a [Host], [BaseURL] or [Notice]
// are about the configuration of a program and have no codes.
//
// # What is not done
//
// There are no lookups: a valid link need not lead to a person. Links with phone numbers
// work for everyone; links with usernames do not work everywhere yet, see [Notice].
//
// Source: https://faq.whatsapp.com/5913398998672934
package chatlink

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/internal/textvalue"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
)

// BuildUsernameLink returns the click-to-chat link of a username on wa.me, such as
// "https://wa.me/jane.doe?text=Hi!". The text may be empty. The error is a [problem.List] with every problem of the username
// (see [busname.Validate]), then of the text (see [ParseText]).
func BuildUsernameLink(username, text string) (string, error) {
	u, nameErr := busname.Parse(username)
	t, textErr := ParseText(text)
	if err := problem.All(errors.Join(nameErr, textErr)).Err(); err != nil {
		return "", err
	}
	return Host{}.UsernameLink(u, t), nil
}

// BuildPhoneLink returns the click-to-chat link of a phone number on wa.me, such as
// "https://wa.me/16505551234". The text may be empty. The error is a [problem.List] with every problem of the number (see
// [phone.Parse]), then of the text (see [ParseText]).
func BuildPhoneLink(number, text string) (string, error) {
	p, phoneErr := phone.Parse(number)
	t, textErr := ParseText(text)
	if err := problem.All(errors.Join(phoneErr, textErr)).Err(); err != nil {
		return "", err
	}
	return Host{}.PhoneLink(p, t), nil
}

// DefaultHost is the host of a zero [Host].
const DefaultHost = "wa.me"

// A Host is a host that serves click-to-chat links over https. The zero Host is
// [DefaultHost].
type Host struct {
	name string
}

// ParseHost reads a host name or IP address with an optional port, such as "wa.me" or
// "localhost:8443". A host name has at most 253 characters; its labels have 1-63 letters,
// digits, underscores and inner hyphens, and the last label isn't a number. Case makes no
// difference: the Host is in lower case. The host is not looked up.
func ParseHost(s string) (Host, error) {
	u, err := url.Parse("https://" + s)
	if err != nil || u.Host != s {
		return Host{}, fmt.Errorf("chat host must be a host name with an optional port, such as %s; got %q", DefaultHost, s)
	}
	if err := checkAuthority(u); err != nil {
		return Host{}, fmt.Errorf("chat host %q: %w", s, err)
	}
	s = strings.ToLower(s)
	if s == DefaultHost {
		return Host{}, nil // equal hosts compare equal
	}
	return Host{s}, nil
}

// String returns the host with its port, if it has one.
func (h Host) String() string {
	if h.name == "" {
		return DefaultHost
	}
	return h.name
}

// AppendText implements [encoding.TextAppender].
func (h Host) AppendText(dst []byte) ([]byte, error) { return append(dst, h.String()...), nil }

// MarshalText implements [encoding.TextMarshaler].
func (h Host) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]. Empty text is the zero Host; all
// other text is read by [ParseHost].
func (h *Host) UnmarshalText(text []byte) error { return textvalue.Unmarshal(h, text, ParseHost) }

// UsernameLink returns the link that opens a chat with u and fills in the text. It is ""
// for the zero Username.
func (h Host) UsernameLink(u busname.Username, text Text) string {
	return h.link(u.String(), text)
}

// PhoneLink returns the link that opens a chat with p and fills in the text. It is "" for
// the zero number.
func (h Host) PhoneLink(p phone.Number, text Text) string {
	return h.link(p.String(), text)
}

func (h Host) link(path string, text Text) string {
	if path == "" {
		return ""
	}
	const scheme, query = "https://", "?text="
	host := h.String()
	size := len(scheme) + len(host) + len("/") + len(path)
	if text.s != "" {
		size += len(query) + text.encodedLen()
	}
	var b strings.Builder
	b.Grow(size)
	b.WriteString(scheme)
	b.WriteString(host)
	b.WriteByte('/')
	b.WriteString(path)
	if text.s != "" {
		b.WriteString(query)
		text.encodeTo(&b)
	}
	return b.String()
}

// checkAuthority returns an error for a host or port that some browsers or apps do not
// accept in a link.
func checkAuthority(u *url.URL) error {
	if port := u.Port(); port != "" || strings.HasSuffix(u.Host, ":") {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return errors.New("port must be 1-65535")
		}
	}
	name := u.Hostname()
	inBrackets := strings.HasPrefix(u.Host, "[")
	if addr, err := netip.ParseAddr(name); err == nil && addr.Is6() == inBrackets && addr.Zone() == "" {
		return nil
	}
	if len(name) > 253 {
		return errors.New("host name must be at most 253 characters long")
	}
	if endsInNumber(name) {
		return errors.New("host name ends in a number but isn't an IPv4 address of four decimal numbers")
	}
	for label := range strings.SplitSeq(name, ".") {
		if len(label) < 1 || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' ||
			strings.Trim(label, "-_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
			return errors.New("host name must be labels of 1-63 letters, digits and inner hyphens, with periods between them")
		}
	}
	return nil
}

// endsInNumber reports whether browsers read a name as an IPv4 address: its last label is
// decimal digits, or 0x and hexadecimal ones.
func endsInNumber(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if hex, found := strings.CutPrefix(strings.ToLower(last), "0x"); found {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}

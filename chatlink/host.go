package chatlink

import (
	"errors"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/hailmark/hailmark/problem"
)

// DefaultHost is WhatsApp's host for click-to-chat links.
const DefaultHost = "wa.me"

// A Host serves click-to-chat links over https in place of [DefaultHost], for example in a test
// environment or behind a redirect of your own. [Link.On] puts a link on a host. Hosts are
// comparable. The zero Host is DefaultHost.
type Host struct {
	name string
}

// ParseHost parses a host name or IP address with an optional port, such as "chat.example.com" or
// "localhost:8443". A host name has at most 253 characters; its labels are 1 to 63 letters,
// digits, underscores and inner hyphens, and the last label isn't a number. Case is ignored. The
// error is a [problem.Problem] with [CodeInvalidHost].
func ParseHost(s string) (Host, error) {
	u, err := url.Parse("https://" + s)
	if err != nil || u.Host != s {
		return Host{}, problem.New("chatHost", CodeInvalidHost, "chat host is %q; it must be a host name with an optional port, such as %s", s, DefaultHost)
	}
	if err := checkAuthority(u); err != nil {
		return Host{}, problem.New("chatHost", CodeInvalidHost, "chat host is %q; its %v", s, err)
	}
	s = strings.ToLower(s)
	if s == DefaultHost {
		return Host{}, nil // so that equal hosts compare equal
	}
	return Host{s}, nil
}

// String returns the host in lowercase, such as "wa.me".
func (h Host) String() string {
	if h.name == "" {
		return DefaultHost
	}
	return h.name
}

// ParseLink is [ParseLink] for links on h in place of wa.me. The other hosts of WhatsApp's links,
// such as api.whatsapp.com, stay the same.
func (h Host) ParseLink(s string) (Link, error) {
	l, err := h.parseLink(s)
	return l, withSuggestions(err, s, "", h.parseLink, linkTo)
}

func (h Host) parseLink(s string) (Link, error) {
	if h.name == "" {
		return parseLink(s)
	}
	scheme, rest, found := strings.Cut(strings.TrimSpace(s), "://")
	if !found {
		scheme, rest = "https", scheme
	}
	end := strings.IndexAny(rest+"/", "/?#")
	switch host := withoutWWW(rest[:end]); {
	case !strings.EqualFold(scheme, "https") && !strings.EqualFold(scheme, "http"):
	case host == withoutWWW(h.name):
		s = origin + strings.TrimPrefix(rest[end:], "/")
	case host == DefaultHost:
		return Link{}, linkError("link is on %s; it must be on %s", DefaultHost, h.name)
	}
	return parseLink(s)
}

func withoutWWW(host string) string { return strings.TrimPrefix(strings.ToLower(host), "www.") }

// checkAuthority returns an error for a host or port that some browsers or apps reject in
// a link. The error continues a sentence that ends in "its".
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
		return errors.New("host name ends in a number, so it must be an IPv4 address of four decimal numbers")
	}
	for label := range strings.SplitSeq(name, ".") {
		if len(label) < 1 || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' ||
			strings.Trim(label, "-_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
			return errors.New("host name must be labels of 1-63 letters, digits and inner hyphens, with periods between them")
		}
	}
	return nil
}

// endsInNumber reports whether browsers parse a name as an IPv4 address, because its last label
// is a decimal or hexadecimal number.
func endsInNumber(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if hex, found := strings.CutPrefix(strings.ToLower(last), "0x"); found {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}

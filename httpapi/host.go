package httpapi

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/hailmark/hailmark/chatlink"
)

// A host serves click-to-chat links over https in place of wa.me, for example in a test environment
// or behind a redirect of your own. The zero host is wa.me.
type host struct{ name string }

// parseHost parses a host name or IP address with an optional port, such as "chat.example.com" or
// "localhost:8443". A host name has at most 253 characters; its labels are 1 to 63 letters,
// digits, underscores and inner hyphens, and the last label isn't a number. Case is ignored.
func parseHost(s string) (host, error) {
	u, err := url.Parse("https://" + s)
	if err != nil || u.Host != s {
		return host{}, fmt.Errorf("chat host is %q; it must be a host name with an optional port, such as wa.me", s)
	}
	if err := checkAuthority(u); err != nil {
		return host{}, fmt.Errorf("chat host is %q; its %w", s, err)
	}
	return host{strings.ToLower(s)}, nil
}

// link returns a link to a chat on h.
func (h host) link(l chatlink.Link) string {
	link := l.String()
	if path, found := strings.CutPrefix(link, "https://wa.me/"); found && h.name != "" {
		return "https://" + h.name + "/" + path
	}
	return link
}

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

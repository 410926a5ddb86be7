package service

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/problem"
)

// ChatHost is the usual host for click-to-chat links.
const ChatHost = "wa.me"

// A Host serves click-to-chat links over https. The zero Host is [ChatHost].
type Host struct {
	name string
}

// ParseHost parses a host name or IP address with an optional port, such as "wa.me" or
// "localhost:8443". A host name contains at most 253 characters; its labels are 1 to 63
// letters, digits, underscores and inner hyphens, and the last label isn't a number. Case is
// ignored.
func ParseHost(s string) (Host, error) {
	u, err := url.Parse("https://" + s)
	if err != nil || u.Host != s {
		return Host{}, fmt.Errorf("chat host must be a host name with an optional port, such as %s; got %q", ChatHost, s)
	}
	if err := checkAuthority(u); err != nil {
		return Host{}, fmt.Errorf("chat host %q: %w", s, err)
	}
	s = strings.ToLower(s)
	if s == ChatHost {
		return Host{}, nil // so that equal hosts compare equal
	}
	return Host{s}, nil
}

// Link returns a link from package chatlink on host h instead.
func (h Host) Link(link string) string {
	if path, found := strings.CutPrefix(link, "https://"+ChatHost+"/"); found && h.name != "" {
		return "https://" + h.name + "/" + path
	}
	return link
}

// ParseLink is [chatlink.ParseLink] for links on host h instead of wa.me.
func (h Host) ParseLink(s string) (chatlink.Link, error) {
	if h.name == "" {
		return chatlink.ParseLink(s)
	}
	scheme, rest, found := strings.Cut(strings.TrimSpace(s), "://")
	if !found {
		scheme, rest = "https", scheme
	}
	end := strings.IndexAny(rest+"/", "/?#")
	switch host := withoutWWW(rest[:end]); {
	case !strings.EqualFold(scheme, "https") && !strings.EqualFold(scheme, "http"):
	case host == withoutWWW(h.name):
		s = "https://" + ChatHost + rest[end:]
	case host == ChatHost:
		return chatlink.Link{}, problem.New("link", chatlink.CodeUnrecognizedLink, "link is on %s; it must be on %s", ChatHost, h.name)
	}
	return chatlink.ParseLink(s)
}

func withoutWWW(host string) string { return strings.TrimPrefix(strings.ToLower(host), "www.") }

// checkAuthority returns an error for a host or port that some browsers or apps reject in
// a link.
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

// endsInNumber reports whether browsers parse a name as an IPv4 address, because its last label
// is a decimal or hexadecimal number.
func endsInNumber(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if hex, found := strings.CutPrefix(strings.ToLower(last), "0x"); found {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}

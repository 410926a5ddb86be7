package main

import (
	"strings"
	"unicode"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/internal/service"
	"github.com/hailmark/hailmark/phone"
)

// A target is whom a link opens a chat with.
type target struct {
	Username busname.Username `json:"username,omitzero"`
	Phone    phone.Number     `json:"phone,omitzero"`
}

// parseTarget reads a username or a phone number. As on wa.me, a target with a letter is
// a username.
func parseTarget(s string) (t target, err error) {
	if strings.ContainsFunc(s, unicode.IsLetter) {
		t.Username, err = busname.Parse(s)
	} else {
		t.Phone, err = phone.Parse(s)
	}
	return t, err
}

// link returns the link of t on a host, with a text that [chatlink.ParseText] returned.
func (t target) link(host service.Host, text string) string {
	build, to := chatlink.BuildPhoneLink, t.Phone.String()
	if t.Username.IsValid() {
		build, to = chatlink.BuildUsernameLink, t.Username.String()
	}
	link, _ := build(to, text) // both are valid
	return host.Link(link)
}

package main

import (
	"strings"
	"unicode"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/internal/service"
	"github.com/hailmark/hailmark/phone"
)

// A target identifies the other side of a chat.
type target struct {
	Username busname.Username `json:"username,omitzero"`
	Phone    phone.Number     `json:"phone,omitzero"`
}

// parseTarget parses a username or phone number. As on wa.me, a target that contains a letter
// is a username.
func parseTarget(s string) (t target, err error) {
	if strings.ContainsFunc(s, unicode.IsLetter) {
		t.Username, err = busname.Parse(s)
	} else {
		t.Phone, err = phone.ParseDigits(s)
	}
	return t, err
}

func (t target) link(host service.Host, text string) string {
	build, to := chatlink.BuildPhoneLink, t.Phone.String()
	if t.Username != (busname.Username{}) {
		build, to = chatlink.BuildUsernameLink, t.Username.String()
	}
	link, _ := build(to, text) // both are valid
	return host.Link(link)
}

package main

import (
	"strings"
	"unicode"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
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

func (t target) link(host chatlink.Host, text string) string {
	link, _ := chatlink.ToPhone(t.Phone, text) // the number or the username is valid, and the text is, too
	if t.Username != (busname.Username{}) {
		link, _ = chatlink.ToUsername(t.Username, text)
	}
	return link.On(host)
}

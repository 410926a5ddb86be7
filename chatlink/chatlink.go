// Package chatlink builds and parses click-to-chat links, which open a WhatsApp chat with a
// username or phone number.
//
//	link, err := chatlink.BuildUsernameLink("jane.doe", "Hi there!")
//	// https://wa.me/jane.doe?text=Hi%20there!
//
// [BuildUsernameLink] and [BuildPhoneLink] build a link, and [ParseLink] parses one that
// somebody else built. For a form, check each input on its own instead:
// [phone.Inspect] returns warnings about a number, [busname.Warnings] about a username, and
// [ParseText] checks the message.
//
// Nothing is looked up, so a valid link may not lead to anybody. Links with phone numbers work
// for everyone, but username links don't work in all countries yet.
//
// # Format
//
//	https://wa.me/<username>[?text=<text>]
//	https://wa.me/<digits>[?text=<text>]
//
// The text is encoded as encodeURIComponent does in a browser: A-Z a-z 0-9 - _ . ! ~ * ' ( )
// stay unchanged, and every other byte of the UTF-8 becomes %XX. A space becomes %20 and a plus
// %2B, which all link parsers decode correctly.
//
// # Errors
//
// Every error contains problems with codes: use [errors.Is] to test for a code, and [problem.All]
// to list the problems. A problem's field is username, phone, text or link.
//
// Source: https://faq.whatsapp.com/5913398998672934
package chatlink

import (
	"errors"
	"strings"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
)

// BuildUsernameLink returns the link that opens a chat with a username, such as
// "https://wa.me/jane.doe?text=Hi!". The text may be empty.
//
// The error is a [problem.List] of all problems with the username (see [busname.Validate])
// and then with the text (see [ParseText]).
func BuildUsernameLink(username, text string) (string, error) {
	u, nameErr := busname.Parse(username)
	t, textErr := ParseText(text)
	if err := problem.All(errors.Join(nameErr, textErr)).Err(); err != nil {
		return "", err
	}
	return newLink(u.String(), t), nil
}

// BuildPhoneLink returns the link that opens a chat with a phone number, such as
// "https://wa.me/16505551234". The text may be empty.
//
// The number must contain its country code: "650 555 1234" would link to Singapore (+65). For
// numbers that people type, call [phone.Inspect] first and show its warnings.
//
// The error is a [problem.List] of all problems with the number (see [phone.ParseDigits]) and then
// with the text (see [ParseText]).
func BuildPhoneLink(number, text string) (string, error) {
	p, phoneErr := phone.ParseDigits(number)
	t, textErr := ParseText(text)
	if err := problem.All(errors.Join(phoneErr, textErr)).Err(); err != nil {
		return "", err
	}
	return newLink(p.String(), t), nil
}

const origin = "https://wa.me/"

func newLink(path, text string) string {
	const query = "?text="
	size := len(origin) + len(path)
	if text != "" {
		size += len(query) + encodedLen(text)
	}
	var b strings.Builder
	b.Grow(size)
	b.WriteString(origin)
	b.WriteString(path)
	if text != "" {
		b.WriteString(query)
		encodeTo(&b, text)
	}
	return b.String()
}

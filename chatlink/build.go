package chatlink

import (
	"errors"
	"strings"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/internal/textvalue"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
)

// BuildUsernameLink returns the link that opens a chat with a username, such as
// "https://wa.me/jane.doe?text=Hi!". The text may be empty. If you have a [busname.Username]
// already, use [UsernameLink].
//
// The error lists all problems with the username (see [busname.Validate]) and then with the text
// (see [ParseText]).
func BuildUsernameLink(username, text string) (string, error) {
	u, err := busname.Parse(username)
	return build(Link{kind: KindUsername, username: u}, err, text)
}

// BuildPhoneLink returns the link that opens a chat with a phone number, such as
// "https://wa.me/16505551234". The text may be empty. If you have a [phone.Number] already, use
// [PhoneLink].
//
// The number begins with + or 00 and the country code, or it consists of digits alone that begin with
// it. "917 555 1234" is rejected, because it would link to India (+91).
//
// The error lists all problems with the number (see [phone.Parse]) and then with the text (see
// [ParseText]).
func BuildPhoneLink(number, text string) (string, error) {
	n, err := textvalue.Parse[phone.Number](number)
	if number == "" {
		_, err = phone.Parse(number)
	}
	return build(Link{kind: KindPhone, phone: n}, err, text)
}

func build(l Link, recipientErr error, text string) (string, error) {
	l, err := l.withText(text)
	if err := problem.All(errors.Join(recipientErr, err)).Err(); err != nil {
		return "", err
	}
	return l.String(), nil
}

// UsernameLink returns the link that opens a chat with a username and fills in a text, which may be
// empty. The error is that of [ParseText], or that of [busname.Parse] if u is the zero Username.
func UsernameLink(u busname.Username, text string) (Link, error) {
	if u == (busname.Username{}) {
		_, err := busname.Parse("")
		return Link{}, err
	}
	return Link{kind: KindUsername, username: u}.withText(text)
}

// PhoneLink returns the link that opens a chat with a phone number and fills in a text, which may be
// empty. The error is that of [ParseText], or that of [phone.ParseDigits] if n is the zero Number.
func PhoneLink(n phone.Number, text string) (Link, error) {
	if n == (phone.Number{}) {
		_, err := phone.ParseDigits("")
		return Link{}, err
	}
	return Link{kind: KindPhone, phone: n}.withText(text)
}

// withText returns l with another text.
func (l Link) withText(text string) (Link, error) {
	var err error
	if l.text, err = ParseText(text); err != nil {
		return Link{}, err
	}
	return l, nil
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

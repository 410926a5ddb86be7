package service

import (
	"cmp"
	"strings"

	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
)

// CodeMissingIdentifier is the code of an input without an identifier, and of an input
// with several.
const CodeMissingIdentifier problem.Code = "missing_identifier"

// A ContactInput is the input of [ResolveContact]. Exactly one field must be set.
type ContactInput struct{ BSUID, Phone, Username string }

// ResolveContact returns the person with an identifier in canonical form, for example with the
// phone number's digits.
//
// Unless exactly one field is set, the error contains [CodeMissingIdentifier] and lists the set
// fields. Otherwise it's the error of [bsuid.ParseAlphanumeric], [phone.ParseDigits] or
// [busname.Parse].
func ResolveContact(id ContactInput) (contact.Person, error) {
	switch {
	case id.BSUID != "" && id.Phone == "" && id.Username == "":
		b, err := bsuid.ParseAlphanumeric(id.BSUID)
		return contact.Person{IDs: contact.IDs{BSUID: b.String()}}, err
	case id.BSUID == "" && id.Phone != "" && id.Username == "":
		number, err := phone.ParseDigits(id.Phone)
		return contact.Person{IDs: contact.IDs{Phone: number.String()}}, err
	case id.BSUID == "" && id.Phone == "" && id.Username != "":
		u, err := busname.Parse(id.Username)
		return contact.Person{Username: u.String()}, err
	default:
		return contact.Person{}, problem.New("", CodeMissingIdentifier, "got %s; exactly one of bsuid, phone and username is required", id.given())
	}
}

// given lists the set fields, as in "bsuid and phone".
func (id ContactInput) given() string {
	var names []string
	for _, field := range [...]struct{ name, value string }{{"bsuid", id.BSUID}, {"phone", id.Phone}, {"username", id.Username}} {
		if field.value != "" {
			names = append(names, field.name)
		}
	}
	switch len(names) {
	case 0:
		return "no identifier"
	case 3:
		return "bsuid, phone and username"
	default:
		return strings.Join(names, " and ")
	}
}

// Identifier returns the only identifier of a person from [ResolveContact], and its kind: bsuid,
// phone or username.
func Identifier(p contact.Person) (kind, id string) {
	switch {
	case p.BSUID != "":
		kind = "bsuid"
	case p.Phone != "":
		kind = "phone"
	case p.Username != "":
		kind = "username"
	}
	return kind, cmp.Or(p.BSUID, p.Phone, p.Username)
}

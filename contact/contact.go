// Package contact models the ids by which WhatsApp knows a person, and decides where a
// message to that person goes.
//
//	jane := contact.Person{IDs: contact.IDs{BSUID: "US.13491208655302741918"}}
//	address, ok := jane.Address() // {recipient US.13491208655302741918}
//
// A [Person] comes from the platform: any number of ids, unchecked and unchanged, because
// the platform accepts an id only in the form in which it was sent. Use [Resolve] to turn
// input from people, such as "+1 (650) 555-1234", into a Person.
//
// Nothing is looked up: a Person without a phone number may still have one. Package
// contact/identity finds out which ids belong to the same person.
package contact

import (
	"strings"

	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
)

// CodeMissingIdentifier is the code of an input without an identifier, and of an input
// with several.
const CodeMissingIdentifier problem.Code = "missing_identifier"

// An Identifier is the input of [Resolve]. Exactly one field must be set.
type Identifier struct {
	BSUID    string
	Phone    string
	Username string
}

// Resolve returns the person with an identifier, in canonical form: the BSUID, the digits
// of the phone number, or the username.
//
// Unless exactly one field is set, the error has [CodeMissingIdentifier] and lists the
// fields that are set. Otherwise it is the error of the field's parser, which is
// [bsuid.ParseAlphanumeric], [phone.Parse] or [busname.Parse].
func Resolve(id Identifier) (Person, error) {
	switch {
	case id.BSUID != "" && id.Phone == "" && id.Username == "":
		b, err := bsuid.ParseAlphanumeric(id.BSUID)
		return Person{IDs: IDs{BSUID: b.String()}}, err
	case id.BSUID == "" && id.Phone != "" && id.Username == "":
		number, err := phone.Parse(id.Phone)
		return Person{IDs: IDs{Phone: number.String()}}, err
	case id.BSUID == "" && id.Phone == "" && id.Username != "":
		u, err := busname.Parse(id.Username)
		return Person{Username: u.String()}, err
	default:
		return Person{}, problem.New(CodeMissingIdentifier, "got %s; exactly one of bsuid, phone and username is required", id.given())
	}
}

// given lists the fields that are set, as in "bsuid and phone".
func (id Identifier) given() string {
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

package contact

import (
	"cmp"
	"strings"

	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
)

// CodeMissingIdentifier means that the [Input] of [Resolve] has no identifier or several. Set
// exactly one.
const CodeMissingIdentifier problem.Code = "missing_identifier"

// An Input is one identifier of a person, as somebody typed or stored it. Exactly one of BSUID,
// Phone and Username must be set.
type Input struct {
	BSUID, Phone, Username string

	// Country, if set, lets Phone be a national number of this country, as in [phone.ParseIn].
	// Otherwise, Phone must begin with + or 00 and the country code, or consist of digits alone that
	// begin with it. "917 555 1234" is rejected, because it would be a number in India (+91).
	Country string
}

// Resolve checks an identifier and returns a person with its canonical form, such as the digits of
// a phone number. Nothing is looked up, so the person's other fields stay empty.
//
//	person, err := contact.Resolve(contact.Input{Phone: "+1 (650) 555-1234"})
//	// person.Phone is 16505551234
//
// Unless exactly one identifier is set, the error contains [CodeMissingIdentifier] and lists the
// set ones. An unknown country is an error with [phone.CodeInvalidCountry], even without a number.
// Otherwise it's the error of [bsuid.ParseBSUID], [phone.Parse], [phone.ParseIn] or
// [busname.ParseHandle], and the person is the zero Person.
func Resolve(in Input) (Person, error) {
	if in.Country != "" {
		if err := phone.CheckCountry(in.Country); err != nil {
			return Person{}, err
		}
	}
	switch {
	case in.BSUID != "" && in.Phone == "" && in.Username == "":
		b, err := bsuid.ParseBSUID(in.BSUID)
		return Person{IDs: IDs{BSUID: b.String()}}, err
	case in.BSUID == "" && in.Phone != "" && in.Username == "":
		number, err := in.parsePhone()
		return Person{IDs: IDs{Phone: number.String()}}, err
	case in.BSUID == "" && in.Phone == "" && in.Username != "":
		u, err := busname.ParseHandle(in.Username)
		return Person{Username: u.String()}, err
	default:
		return Person{}, problem.New("", CodeMissingIdentifier, "got %s; exactly one of bsuid, phone and username is required", in.given())
	}
}

func (in Input) parsePhone() (phone.Number, error) {
	if in.Country != "" {
		return phone.ParseIn(in.Phone, in.Country)
	}
	var n phone.Number
	err := n.UnmarshalText([]byte(in.Phone))
	return n, err
}

// given lists the set identifiers, as in "bsuid and phone".
func (in Input) given() string {
	var names []string
	for _, field := range [...]struct{ name, value string }{{"bsuid", in.BSUID}, {"phone", in.Phone}, {"username", in.Username}} {
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

// A Kind is a kind of identifier.
type Kind string

// The kinds of [Person.Identifier].
const (
	KindBSUID    Kind = "bsuid"
	KindPhone    Kind = "phone"
	KindUsername Kind = "username"
)

// Identifier returns the kind and text of p's most lasting identifier: the BSUID, otherwise the
// phone number, otherwise the username. A person from [Resolve] has only one. Both results are
// "" for a person without any.
func (p Person) Identifier() (kind Kind, id string) {
	switch {
	case p.BSUID != "":
		kind = KindBSUID
	case p.Phone != "":
		kind = KindPhone
	case p.Username != "":
		kind = KindUsername
	}
	return kind, cmp.Or(p.BSUID, p.Phone, p.Username)
}

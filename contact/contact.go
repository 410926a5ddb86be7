// Package contact gives one shape to a contact of whom one identifier is known: a
// business-scoped user ID, a phone number or a username. Of a [Person], of whom a
// webhook may have told several, it says where a reply goes and how to show them.
//
// Nothing is looked up. A contact resolved from a username has no phone number, not
// because the person has none but because nobody told.
package contact

import (
	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/problem"
)

// CodeMissingIdentifier is reported where not exactly one identifier is given.
const CodeMissingIdentifier problem.Code = "missing_identifier"

// A Type tells by which identifier a contact is known.
type Type string

// The types of contacts.
const (
	TypeBSUID    Type = "bsuid"
	TypePhone    Type = "phone"
	TypeUsername Type = "username"
)

// An Identifier is what a contact is resolved from. Exactly one field is set.
type Identifier struct {
	BSUID    string
	Phone    string
	Username string
}

// A Contact is a person or business known by one identifier. It is comparable. The
// zero Contact is nobody: its Type and ID are empty.
type Contact struct {
	bsuid    bsuid.BSUID
	phone    chatlink.Phone
	username busname.Username
}

// Resolve returns the contact that id names. Its error carries
// [CodeMissingIdentifier] unless exactly one field is set, else the codes of the
// package that judges that field: [bsuid.ParseBSUID], [chatlink.ParsePhone] or
// [busname.Parse].
func Resolve(id Identifier) (Contact, error) {
	var c Contact
	var err error
	switch {
	case id.BSUID != "" && id.Phone == "" && id.Username == "":
		c.bsuid, err = bsuid.ParseBSUID(id.BSUID)
	case id.BSUID == "" && id.Phone != "" && id.Username == "":
		c.phone, err = chatlink.ParsePhone(id.Phone)
	case id.BSUID == "" && id.Phone == "" && id.Username != "":
		c.username, err = busname.Parse(id.Username)
	default:
		err = problem.New(CodeMissingIdentifier, "exactly one of bsuid, phone and username must be given")
	}
	return c, err
}

// Type tells which identifier is known, or "" for the zero Contact.
func (c Contact) Type() Type {
	switch {
	case c.BSUIDKnown():
		return TypeBSUID
	case c.PhoneKnown():
		return TypePhone
	case c.username.IsValid():
		return TypeUsername
	default:
		return ""
	}
}

// ID returns the known identifier in its canonical form: the BSUID, the digits of
// the phone number or the username. It is "" for the zero Contact.
func (c Contact) ID() string { return c.bsuid.String() + c.phone.String() + c.username.String() }

// BSUID returns the BSUID, or its zero value if it is not known.
func (c Contact) BSUID() bsuid.BSUID { return c.bsuid }

// Phone returns the phone number, or its zero value if it is not known.
func (c Contact) Phone() chatlink.Phone { return c.phone }

// Username returns the username, or its zero value if it is not known.
func (c Contact) Username() busname.Username { return c.username }

// BSUIDKnown reports whether the contact was resolved from a BSUID.
func (c Contact) BSUIDKnown() bool { return c.bsuid.IsValid() }

// PhoneKnown reports whether the contact was resolved from a phone number.
func (c Contact) PhoneKnown() bool { return c.phone.IsValid() }

// Package contact represents a contact that is known by exactly one identifier: a
// business-scoped user ID, a phone number or a username. For a [Person], for whom a
// webhook may have reported several identifiers, it also says where to send a reply and
// what name to display.
//
//	c, err := contact.Resolve(contact.Identifier{Phone: "+1 650 555 1234"})
//	address, ok := c.Person().Address() // {to 16505551234}
//
// # Which type
//
// A [Contact] is for input from people: one identifier, validated and in its canonical
// form. A [Person] is for data from the platform: any number of identifiers, unchecked and
// unchanged. Use it to reply.
//
// # What is not done
//
// There are no lookups. A contact resolved from a username has no phone number because
// none was given, not because the person has none. Package contact/identity finds out
// which identifiers belong to one person.
package contact

import (
	"database/sql/driver"
	"strings"

	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/internal/textvalue"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
)

// CodeMissingIdentifier is the code of an input without an identifier, and of an input
// with several.
const CodeMissingIdentifier problem.Code = "missing_identifier"

// A Type is the kind of identifier by which a contact is known.
type Type string

// The types of contacts.
const (
	TypeBSUID    Type = "bsuid"
	TypePhone    Type = "phone"
	TypeUsername Type = "username"
)

// An Identifier is the input of [Resolve]. Exactly one field must be set.
type Identifier struct {
	BSUID    string
	Phone    string
	Username string
}

// A Contact is a person or business known by one identifier. It is comparable. The
// zero Contact is invalid: its Type and ID are empty.
type Contact struct {
	bsuid    bsuid.BSUID
	phone    phone.Number
	username busname.Username
}

// Resolve returns the contact with an identifier, in its canonical form. Unless exactly one
// field is set, the error has [CodeMissingIdentifier] and names the fields that are set.
// Otherwise it is the error of the field's parser: [bsuid.ParseAlphanumeric], which
// accepts every BSUID that a webhook can contain, [phone.Parse] or [busname.Parse].
func Resolve(id Identifier) (Contact, error) {
	var c Contact
	var err error
	switch {
	case id.BSUID != "" && id.Phone == "" && id.Username == "":
		c.bsuid, err = bsuid.ParseAlphanumeric(id.BSUID)
	case id.BSUID == "" && id.Phone != "" && id.Username == "":
		c.phone, err = phone.Parse(id.Phone)
	case id.BSUID == "" && id.Phone == "" && id.Username != "":
		c.username, err = busname.Parse(id.Username)
	default:
		err = problem.New(CodeMissingIdentifier, "got %s; exactly one of bsuid, phone and username is required", id.given())
	}
	return c, err
}

// MustResolve is [Resolve] for tests and constants: it panics on an error.
func MustResolve(id Identifier) Contact {
	c, err := Resolve(id)
	if err != nil {
		panic(err)
	}
	return c
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

// IsValid reports whether c is a contact, that is, not the zero value.
func (c Contact) IsValid() bool { return c != Contact{} }

// Type returns the kind of the known identifier, or "" for the zero Contact.
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
func (c Contact) Phone() phone.Number { return c.phone }

// Username returns the username, or its zero value if it is not known.
func (c Contact) Username() busname.Username { return c.username }

// BSUIDKnown reports whether the contact was resolved from a BSUID.
func (c Contact) BSUIDKnown() bool { return c.bsuid.IsValid() }

// PhoneKnown reports whether the contact was resolved from a phone number.
func (c Contact) PhoneKnown() bool { return c.phone.IsValid() }

// String returns the ID of the contact, or "" for the zero value.
func (c Contact) String() string { return c.ID() }

// AppendText implements [encoding.TextAppender].
func (c Contact) AppendText(dst []byte) ([]byte, error) { return append(dst, c.ID()...), nil }

// MarshalText implements [encoding.TextMarshaler]. The text is the ID; the zero Contact
// is empty text.
func (c Contact) MarshalText() ([]byte, error) { return []byte(c.ID()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]. It reads an ID: the three kinds of
// identifiers have no text in common, so the ID alone is enough. Empty text is the zero
// Contact. The errors are those of [Resolve].
func (c *Contact) UnmarshalText(text []byte) error { return textvalue.Unmarshal(c, text, parseID) }

// Scan implements [database/sql.Scanner]. It reads text like UnmarshalText; NULL is the
// zero Contact.
func (c *Contact) Scan(src any) error { return textvalue.Scan(c, src) }

// Value implements [driver.Valuer]. The zero Contact is NULL.
func (c Contact) Value() (driver.Value, error) { return textvalue.Value(c.String()) }

// parseID returns the contact with an ID, whose form decides what it is.
func parseID(id string) (Contact, error) { return Resolve(identifierOf(id)) }

// identifierOf returns the identifier of the kind that id has the form of.
func identifierOf(id string) Identifier {
	switch {
	case bsuid.IsBSUID(id):
		return Identifier{BSUID: id}
	case strings.Trim(id, "0123456789") == "":
		return Identifier{Phone: id}
	default:
		return Identifier{Username: id}
	}
}

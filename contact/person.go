package contact

import (
	"strings"

	"github.com/hailmark/hailmark/bsuid"
)

// A Person is what is known about somebody: the ids and names that a webhook gives, for
// example. Each of them may be missing. The strings are not normalized: the platform
// accepts identifiers only in the exact form in which it sent them.
type Person struct {
	BSUID       string `json:"bsuid,omitempty"`
	Phone       string `json:"phone,omitempty"`    // digits only
	Username    string `json:"username,omitempty"` // without "@"
	DisplayName string `json:"displayName,omitempty"`
}

// Person returns the contact as a person of whom only one identifier is known.
func (c Contact) Person() Person {
	return Person{BSUID: c.bsuid.String(), Phone: c.phone.String(), Username: c.username.String()}
}

// A Field names the member of a request to send a message that says to whom.
type Field string

const (
	FieldTo        Field = "to"        // takes a phone number
	FieldRecipient Field = "recipient" // takes a BSUID
)

// An Address says to whom a message goes. The platform answers 200 to a BSUID in the
// field for phone numbers, and drops the message, so the two belong together. The
// recipient_type of the request stays "individual" with either field.
type Address struct {
	Field Field
	Value string
}

// Address returns where a message to p goes: to the phone number if it is known, else
// to the BSUID. It reports false if neither is known: a username is no address.
//
// A phone number that is not digits only is none. A BSUID in its place counts as the
// BSUID, unless there is one already.
func (p Person) Address() (Address, bool) {
	if address, ok := p.PhoneAddress(); ok {
		return address, true
	}
	for _, id := range []string{p.BSUID, p.Phone} {
		if bsuid.IsAlphanumeric(id) {
			return Address{FieldRecipient, id}, true
		}
	}
	return Address{}, false
}

// PhoneAddress returns where a message to p goes that can only go to a phone number:
// an authentication template with a one-tap, zero-tap or copy-code button. To a BSUID
// the platform refuses it with error 131062.
func (p Person) PhoneAddress() (Address, bool) {
	if p.Phone == "" || strings.Trim(p.Phone, "0123456789") != "" {
		return Address{}, false
	}
	return Address{FieldTo, p.Phone}, true
}

// RequiresPhone reports whether an authentication template with this otp_type can
// only go to a phone number: see [Person.PhoneAddress].
func RequiresPhone(otpType string) bool {
	switch strings.ToUpper(otpType) {
	case "ONE_TAP", "ZERO_TAP", "COPY_CODE":
		return true
	default:
		return false
	}
}

// labelTail is how much of a BSUID its label shows.
const labelTail = 4

// Label returns a text by which people recognise p: the name, else the username with
// "@", else the phone number with "+", else the BSUID's country and last four
// characters, as in "US…1918". It is "" if nothing is known. Different people can have
// the same label.
func (p Person) Label() string {
	switch {
	case strings.TrimSpace(p.DisplayName) != "":
		return p.DisplayName
	case p.Username != "":
		return "@" + p.Username
	case p.Phone != "":
		if _, ok := p.PhoneAddress(); ok {
			return "+" + p.Phone
		}
		return shortBSUID(p.Phone)
	default:
		return shortBSUID(p.BSUID)
	}
}

// shortBSUID leaves out what people would not read. Short ids, and what is no BSUID,
// it leaves whole.
func shortBSUID(text string) string {
	b, err := bsuid.ParseAlphanumeric(text)
	if err != nil || len(b.ID()) <= 2*labelTail {
		return text
	}
	return b.CountryCode() + "…" + text[len(text)-labelTail:]
}

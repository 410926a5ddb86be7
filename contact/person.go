package contact

import (
	"strings"

	"github.com/hailmark/hailmark/bsuid"
)

// A Person holds the known ids and names of one person, such as those in a webhook. Each
// of them may be missing. The strings are not normalized, because the platform accepts
// identifiers only in the exact form in which it sent them.
type Person struct {
	BSUID       string `json:"bsuid,omitempty"`
	Phone       string `json:"phone,omitempty"`    // digits only
	Username    string `json:"username,omitempty"` // without "@"
	DisplayName string `json:"displayName,omitempty"`
}

// Person returns the contact as a person with only one identifier.
func (c Contact) Person() Person {
	return Person{BSUID: c.bsuid.String(), Phone: c.phone.String(), Username: c.username.String()}
}

// A Field is the name of the JSON field that holds the recipient in a send-message request.
type Field string

const (
	// FieldTo takes a phone number.
	FieldTo Field = "to"
	// FieldRecipient takes a BSUID.
	FieldRecipient Field = "recipient"
)

// An Address is the recipient of a message: a field and its value. The two belong
// together, because the platform responds with 200 to a BSUID in the field for phone
// numbers, and drops the message. The recipient_type of the request stays "individual"
// with either field.
type Address struct {
	Field Field
	Value string
}

// Address returns the address for a message to p: the phone number if it is known, else
// the BSUID. It reports false if neither is known, because a username cannot be used as
// an address.
//
// A Phone that contains anything but digits is ignored. If it is a BSUID, it is used as
// the BSUID, unless there is one already.
func (p Person) Address() (Address, bool) {
	if address, ok := p.PhoneAddress(); ok {
		return address, true
	}
	for _, id := range []string{p.BSUID, p.Phone} {
		if bsuid.IsBSUID(id) {
			return Address{FieldRecipient, id}, true
		}
	}
	return Address{}, false
}

// PhoneAddress returns the address for a message to p that can be sent to a phone number
// only: an authentication template with a one-tap, zero-tap or copy-code button. The
// platform refuses to send it to a BSUID, with error 131062. PhoneAddress reports false if
// p has no Phone of digits only.
func (p Person) PhoneAddress() (Address, bool) {
	if p.Phone == "" || strings.Trim(p.Phone, "0123456789") != "" {
		return Address{}, false
	}
	return Address{FieldTo, p.Phone}, true
}

// RequiresPhone reports whether an authentication template with this otp_type, such as
// "COPY_CODE", can be sent to a phone number only: see [Person.PhoneAddress]. Case makes no
// difference. It reports false for an unknown otp_type.
func RequiresPhone(otpType string) bool {
	switch strings.ToUpper(otpType) {
	case "ONE_TAP", "ZERO_TAP", "COPY_CODE":
		return true
	default:
		return false
	}
}

// labelTail is the number of characters at the end of a BSUID that its label shows.
const labelTail = 4

// Label returns a name of p to display: the display name, else the username with "@",
// else the phone number with "+", else the BSUID's country and last four characters, as in
// "US…1918". It is "" if nothing is known. Different people can have the same label, so do
// not use it as a key.
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

// shortBSUID returns the country and the last characters of a BSUID. It returns a short
// BSUID, and any other text, unchanged.
func shortBSUID(text string) string {
	b, err := bsuid.ParseAlphanumeric(text)
	if err != nil || len(b.ID()) <= 2*labelTail {
		return text
	}
	return b.CountryCode() + "…" + text[len(text)-labelTail:]
}

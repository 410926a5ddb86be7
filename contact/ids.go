package contact

import (
	"strings"

	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/phone"
)

// IDs are the platform's identifiers of one person, such as those in a webhook. Each of
// them may be missing. They are kept as received, because the platform accepts a BSUID
// only in the exact form in which it was sent. IDs are comparable; the zero IDs identify
// nobody.
type IDs struct {
	BSUID       string `json:"bsuid,omitempty"`
	ParentBSUID string `json:"parentBsuid,omitempty"` // with the ENT segment
	Phone       string `json:"phone,omitempty"`       // digits, or an international number with a plus
}

// A Field is the name of the JSON field that holds the recipient in a send-message request.
type Field string

const (
	FieldTo        Field = "to"        // for phone numbers
	FieldRecipient Field = "recipient" // for BSUIDs
)

// An Address is the recipient of a message: a field and its value. The two belong
// together, because the platform responds with 200 to a BSUID in the field for phone
// numbers and drops the message. The recipient_type of the request stays "individual"
// with either field.
type Address struct {
	Field Field
	Value string
}

// Address returns the address for a message: the phone number if it is known, otherwise
// the BSUID, otherwise the parent BSUID. It reports false if none is known.
//
// A Phone that is not a number is ignored, unless it is a BSUID: some providers send one
// there. It is used if the field BSUID has none.
func (ids IDs) Address() (Address, bool) {
	if address, ok := ids.PhoneAddress(); ok {
		return address, true
	}
	for _, id := range []string{ids.BSUID, ids.Phone, ids.ParentBSUID} {
		if bsuid.IsBSUID(id) {
			return Address{FieldRecipient, id}, true
		}
	}
	return Address{}, false
}

// PhoneAddress returns the address for a message that can be sent only to a phone number:
// an authentication template whose otp_type is ONE_TAP, ZERO_TAP or COPY_CODE. The platform
// rejects such a message to a BSUID with error 131062.
//
// A Phone of digits is used as it is, whatever its length. Other text must be a number
// that [phone.ParseInternational] accepts, such as "+1 650 555 1234"; its digits are used.
// Otherwise PhoneAddress reports false.
func (ids IDs) PhoneAddress() (Address, bool) {
	if ids.Phone != "" && strings.Trim(ids.Phone, "0123456789") == "" {
		return Address{FieldTo, ids.Phone}, true
	}
	number, err := phone.ParseInternational(ids.Phone)
	if err != nil {
		return Address{}, false
	}
	return Address{FieldTo, number.String()}, true
}

package contact

import (
	"strings"

	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/phone"
)

// IDs contains the platform's identifiers for one person, as received in a webhook. Any of them
// may be missing. IDs are comparable. The zero IDs identify nobody.
//
// IDs are personal data, and print in full with fmt and log/slog, so don't log them, a [Person], an
// [Address] or a label.
type IDs struct {
	BSUID       string `json:"bsuid,omitempty"`
	ParentBSUID string `json:"parentBsuid,omitempty"` // with the ENT segment
	Phone       string `json:"phone,omitempty"`       // digits, or an international number with a plus
}

// An Address is a message's recipient. Always send Value in Field: if a BSUID is in the field for
// phone numbers, the platform accepts the request but drops the message. The request's
// recipient_type is "individual" in both cases.
type Address struct {
	Field string // the JSON field in a send-message request: "to" for phone numbers, "recipient" for BSUIDs
	Value string
}

// Address returns the recipient of a message to the person: the phone number if it's known,
// otherwise the BSUID, otherwise the parent BSUID. It returns false if none is known.
//
// The number stays as received. If a test number then fails with error 131030, its list of allowed
// recipients may contain the number's other form: see [phone.Number.Forms].
//
// Some providers send a BSUID in Phone. Address uses it if BSUID doesn't contain one, and ignores
// any other text in Phone that isn't a number.
func (ids IDs) Address() (Address, bool) {
	if address, ok := ids.PhoneAddress(); ok {
		return address, true
	}
	for _, id := range []string{ids.BSUID, ids.Phone, ids.ParentBSUID} {
		if bsuid.Is(id) {
			return Address{"recipient", id}, true
		}
	}
	return Address{}, false
}

// RequiresPhone reports whether a template message with a one-time password can be sent only to a
// phone number. The argument is the template's otp_type in either case: ONE_TAP, ZERO_TAP and
// COPY_CODE require a phone number, and for a BSUID the platform returns error 131062. For other
// messages, which have no otp_type, the argument is "".
//
//	address, ok := person.Address()
//	if contact.RequiresPhone(template.OTPType) {
//		address, ok = person.PhoneAddress()
//	}
func RequiresPhone(otpType string) bool {
	switch strings.ToUpper(otpType) {
	case "ONE_TAP", "ZERO_TAP", "COPY_CODE":
		return true
	}
	return false
}

// PhoneAddress returns the recipient of a message that requires a phone number (see
// [RequiresPhone]).
//
// Digits in Phone are used unchanged, whatever their length. Other text should be a number that
// [phone.Parse] accepts, such as "+1 650 555 1234". Otherwise PhoneAddress returns
// false.
func (ids IDs) PhoneAddress() (Address, bool) {
	if ids.Phone != "" && strings.Trim(ids.Phone, "0123456789") == "" {
		return Address{"to", ids.Phone}, true
	}
	number, err := phone.Parse(ids.Phone)
	if err != nil {
		return Address{}, false
	}
	return Address{"to", number.String()}, true
}

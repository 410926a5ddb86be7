package identity

import "github.com/hailmark/hailmark/phone"

// maxPhone is the greatest number of digits of a phone number. E.164 allows 15; a
// webhook is taken as it is, so there is some room.
const maxPhone = 32

// canonicalPhone returns the form of a phone number that stands for both forms of an
// Argentine, Brazilian or Mexican mobile number: see [phone.Number.Canonical]. Digits
// that phone.Parse refuses have one form only.
func canonicalPhone(digits string) string {
	if digits[0] != '5' { // all country codes with two forms begin with 5
		return digits
	}
	p, err := phone.Parse(digits)
	if err != nil {
		return digits
	}
	return p.Canonical().String()
}

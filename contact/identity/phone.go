package identity

import "github.com/hailmark/hailmark/phone"

// maxPhone limits a phone number's digits. E.164 allows 15, but webhooks are accepted as they are.
const maxPhone = 32

// canonicalPhone returns one form for both forms of an Argentine, Brazilian or Mexican mobile
// number. See [phone.Number.Canonical].
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

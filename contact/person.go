// Package contact models the IDs by which WhatsApp knows a person, and decides where a
// message to that person goes. An ID is a phone number or a business-scoped user ID (BSUID),
// which package bsuid describes.
//
//	jane := contact.Person{IDs: contact.IDs{BSUID: "US.1349120865"}}
//	address, ok := jane.Address() // {recipient US.1349120865}
//
// A [Person] usually comes from a webhook of the WhatsApp Business Platform (the platform). Its
// IDs are neither checked nor changed, because the platform accepts an ID only exactly as it
// sent it. Parse input from people first, for example with phone.Inspect, and store the result
// of its String method.
//
// Nothing is looked up, so the IDs may be incomplete. Package contact/identity finds out which
// IDs belong to the same person.
package contact

import (
	"slices"
	"strings"
	"unicode"

	"github.com/hailmark/hailmark/bsuid"
)

// A Person contains a person's IDs and names, for example from a webhook or a customer database.
// Any of them may be missing. The strings aren't normalized.
type Person struct {
	IDs
	Username    string `json:"username,omitempty"` // a leading "@" makes no difference
	DisplayName string `json:"displayName,omitempty"`
}

// labelTail is the number of characters from the end of a BSUID in its label.
const labelTail = 4

// Label returns a name to display: the display name, otherwise the username with "@", otherwise
// the phone number with "+", otherwise the BSUID's country and last four characters, as in
// "US…1918". It skips invisible names and removes control characters that would change the
// direction of the surrounding text.
//
// As a last resort, Label returns other text in [IDs], but never a group ID. It returns "" if
// nothing is known. Different people may have the same label, so it shouldn't serve as a key.
func (p Person) Label() string {
	if name := visible(p.DisplayName); name != "" {
		return name
	}
	if name := visible(strings.TrimPrefix(visible(p.Username), "@")); name != "" {
		return "@" + name
	}
	if address, ok := p.PhoneAddress(); ok {
		return "+" + address.Value
	}
	ids := []string{p.BSUID, p.Phone, p.ParentBSUID}
	if i := slices.IndexFunc(ids, bsuid.Is); i >= 0 {
		return shortBSUID(ids[i])
	}
	for _, id := range ids {
		if label := visible(id); label != "" && !strings.HasSuffix(label, "@g.us") {
			return label
		}
	}
	return ""
}

// visible returns s without surrounding white space and bidirectional controls. It returns "" if
// s doesn't contain a visible character.
func visible(s string) string {
	if !strings.ContainsFunc(s, isVisible) {
		return ""
	}
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Bidi_Control, r):
			return -1
		case unicode.IsControl(r), unicode.In(r, unicode.Zl, unicode.Zp):
			return ' '
		default:
			return r
		}
	}, s))
}

// isVisible reports whether r contains ink. The Hangul fillers don't, although they're letters.
func isVisible(r rune) bool {
	return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) &&
		!unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) && !strings.ContainsRune(blanks, r)
}

// blanks contains letters and symbols without ink, such as the blank Braille pattern.
const blanks = "\u2800\ufffc\U0001D159\U00013441\U00013442"

// shortBSUID returns a BSUID's country and last characters. Short BSUIDs stay unchanged.
func shortBSUID(id string) string {
	b, err := bsuid.ParseBSUID(id)
	if err != nil || len(b.ID()) <= 2*labelTail {
		return id
	}
	return b.CountryCode() + "…" + id[len(id)-labelTail:]
}

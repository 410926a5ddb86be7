// Package bsuid parses business-scoped user IDs (BSUIDs), which identify people in WhatsApp
// webhooks even if their phone numbers are hidden.
//
//	b, err := bsuid.ParseBSUID("US.1349120865")
//
// All IDs seen in real traffic consist of digits, but Meta's documentation also allows letters, so
// [ParseBSUID] accepts both. [ParseDigits] is the narrower grammar of the HTTP API.
//
// # Grammar
//
//	BSUID   = country "." [ "ENT." ] id
//	country = 2( %x41-5A )            ; usually an ISO 3166-1 alpha-2 code
//	id      = 1*128( DIGIT / ALPHA )  ; ParseBSUID
//	id      = 1*128DIGIT              ; ParseDigits
//
// The segment ENT indicates a parent BSUID, which is valid in all business portfolios that
// Meta has linked. Any other BSUID is valid in a single portfolio, that is, in one company's
// accounts.
//
// A BSUID is opaque and should be sent back unchanged. Therefore nothing is trimmed and case
// isn't folded. Nothing is looked up either, so a valid BSUID may not exist.
//
// Source: https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids/
package bsuid

import (
	"database/sql/driver"
	"strings"

	"github.com/hailmark/hailmark/internal/textvalue"
	"github.com/hailmark/hailmark/problem"
)

// CodeInvalid means that a text isn't a BSUID. Copy the ID from a webhook, unchanged.
const CodeInvalid problem.Code = "invalid_bsuid"

// A BSUID is a valid business-scoped user ID. BSUIDs are comparable and can be map keys. The
// zero BSUID isn't valid.
type BSUID struct {
	text string // canonical; the accessors slice it
}

// ParseBSUID parses a BSUID. Its error is a [problem.Problem] with [CodeInvalid].
func ParseBSUID(s string) (BSUID, error) {
	return parse(s, Is, "letters or digits")
}

// ParseDigits is like [ParseBSUID], but rejects letters in the ID, as the HTTP API does.
func ParseDigits(s string) (BSUID, error) {
	return parse(s, isNumeric, "digits")
}

// MustParseBSUID calls [ParseBSUID] and panics on an error. Use it in tests and for constants.
func MustParseBSUID(s string) BSUID {
	b, err := ParseBSUID(s)
	if err != nil {
		panic(err)
	}
	return b
}

func parse(s string, matches func(string) bool, alphabet string) (BSUID, error) {
	if !matches(s) {
		return BSUID{}, problem.New("bsuid", CodeInvalid,
			"BSUID doesn't consist of two capital letters, a period, optionally ENT and a period, and 1-%d %s, as in US.13491208655302741918",
			maxID, alphabet)
	}
	return BSUID{s}, nil
}

// IsParent reports whether b is a parent BSUID, which contains the segment ENT.
func (b BSUID) IsParent() bool {
	return b.text != "" && strings.HasPrefix(b.text[countryLen:], parentSegment)
}

// CountryCode returns the country code, such as "US", or "" for the zero BSUID.
func (b BSUID) CountryCode() string {
	if b.text == "" {
		return ""
	}
	return b.text[:2]
}

// ID returns b without the country code and ENT. It doesn't identify anybody on its own, so
// store the whole BSUID.
func (b BSUID) ID() string {
	if b.text == "" {
		return ""
	}
	return strings.TrimPrefix(b.text[countryLen:], parentSegment)
}

// CountryKnown reports whether the country code is in ISO 3166-1 or is XK, AC or TA, the
// user-assigned codes for Kosovo, Ascension and Tristan da Cunha. Meta hasn't published its
// codes, so a BSUID with an unknown code is valid.
func (b BSUID) CountryKnown() bool {
	if b.text == "" {
		return false
	}
	return strings.IndexByte(knownCountries[b.text[0]-'A'], b.text[1]) >= 0
}

// knownCountries contains the second letters of known codes, by their first letter.
var knownCountries = [26]string{
	"CDEFGILMOQRSTUWXZ", "ABDEFGHIJLMNOQRSTVWYZ", "ACDFGHIKLMNORUVWXYZ", "EJKMOZ",
	"CEGHRST", "IJKMOR", "ABDEFGHILMNPQRSTUWY", "KMNRTU", "DELMNOQRST", "EMOP",
	"EGHIMNPRWYZ", "ABCIKRSTUVY", "ACDEFGHKLMNOPQRSTUVWXYZ", "ACEFGILOPRUZ", "M",
	"AEFGHKLMNRSTWY", "A", "EOSUW", "ABCDEGHIJKLMNORSTVXYZ", "ACDFGHJKLMNORTVWZ",
	"AGMSYZ", "ACEGINU", "FS", "K", "ET", "AMW",
}

// String returns the BSUID, or "" for the zero value.
func (b BSUID) String() string { return b.text }

// MarshalText implements [encoding.TextMarshaler]. The zero BSUID is empty text.
func (b BSUID) MarshalText() ([]byte, error) { return []byte(b.text), nil }

// UnmarshalText implements [encoding.TextUnmarshaler] with [ParseBSUID], because stored IDs
// come from webhooks, which may contain letters one day. Empty text is the zero BSUID.
func (b *BSUID) UnmarshalText(text []byte) error {
	return textvalue.Unmarshal(b, text, ParseBSUID)
}

// Scan implements [database/sql.Scanner] with UnmarshalText. NULL is the zero BSUID.
func (b *BSUID) Scan(src any) error { return textvalue.Scan(b, src) }

// Value implements [driver.Valuer]. The zero BSUID is NULL.
func (b BSUID) Value() (driver.Value, error) { return textvalue.Value(b.String()) }

// Package bsuid parses business-scoped user IDs (BSUIDs), the identifiers that
// WhatsApp webhooks carry for a person who may have no visible phone number.
//
//	b, err := bsuid.ParseBSUID("US.13491208655302741918")
//
// # Which function
//
// Use [ParseBSUID] to check input: it accepts what has been seen in real traffic. Use
// [ParseAlphanumeric] for code that must keep working if Meta starts issuing identifiers
// with letters, such as a store of received IDs. Package webhooknorm uses the wider
// grammar. [IsBSUID] recognizes one among other identifiers.
//
// # Grammar
//
//	BSUID   = country "." [ "ENT." ] id
//	country = 2( %x41-5A )     ; upper-case letters, an ISO 3166-1 alpha-2 code
//	id      = 1*128DIGIT       ; ParseBSUID
//	id      = 1*128( DIGIT / ALPHA )   ; ParseAlphanumeric
//
// The ENT segment marks the parent form, which is shared by the business
// portfolios that Meta has linked; without it a BSUID belongs to one portfolio. Meta
// describes id as alphanumeric, but every value seen in real traffic is digits only.
//
// A BSUID is opaque and must be sent back unchanged, so nothing is trimmed and no
// case is folded.
//
// # What is not done
//
// Whether the person exists is not checked, and an unknown country code does not make a
// value invalid: see [BSUID.CountryKnown].
//
// Source: https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids/
package bsuid

import (
	"database/sql/driver"
	"strings"

	"github.com/hailmark/hailmark/internal/textvalue"
	"github.com/hailmark/hailmark/problem"
)

// CodeInvalid is reported for every text that is not a BSUID.
const CodeInvalid problem.Code = "invalid_bsuid"

const (
	maxID         = 128
	countryLen    = len("US.")
	parentSegment = "ENT."
)

// A BSUID is a valid business-scoped user ID. It is comparable and can be a map
// key. The zero BSUID is invalid: IsValid reports false and String is empty.
type BSUID struct {
	text string // canonical; the accessors slice it
}

// ParseBSUID parses a BSUID whose id is decimal digits. Its error is a
// [problem.Problem] with [CodeInvalid].
func ParseBSUID(s string) (BSUID, error) {
	return parse(s, isDigit, "digits")
}

// ParseAlphanumeric parses a BSUID whose id may hold ASCII letters as well, as
// Meta's description allows. Every text that ParseBSUID accepts gives the same
// BSUID here.
func ParseAlphanumeric(s string) (BSUID, error) {
	return parse(s, isAlphanumeric, "letters or digits")
}

// MustParseBSUID is ParseBSUID for tests and constants: it panics on an error.
func MustParseBSUID(s string) BSUID {
	b, err := ParseBSUID(s)
	if err != nil {
		panic(err)
	}
	return b
}

// IsBSUID reports whether s is a BSUID by the grammar of [ParseAlphanumeric]. It does
// not allocate, so it is cheap to call for every field that may hold one.
func IsBSUID(s string) bool { return matches(s, isAlphanumeric) }

func parse(s string, inID func(byte) bool, alphabet string) (BSUID, error) {
	if !matches(s, inID) {
		return BSUID{}, problem.New(CodeInvalid,
			"BSUID must be two capital letters, a period, optionally ENT and a period, then 1-%d %s, as in US.13491208655302741918",
			maxID, alphabet).In("bsuid")
	}
	return BSUID{s}, nil
}

// matches is the grammar.
func matches(s string, inID func(byte) bool) bool {
	if len(s) <= countryLen || !isCapital(s[0]) || !isCapital(s[1]) || s[2] != '.' {
		return false
	}
	id := strings.TrimPrefix(s[countryLen:], parentSegment)
	if len(id) < 1 || len(id) > maxID {
		return false
	}
	for i := range len(id) {
		if !inID(id[i]) {
			return false
		}
	}
	return true
}

func isCapital(c byte) bool { return 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool   { return '0' <= c && c <= '9' }
func isAlphanumeric(c byte) bool {
	return isDigit(c) || isCapital(c) || 'a' <= c && c <= 'z'
}

// IsValid reports whether b is a BSUID, that is, not the zero value.
func (b BSUID) IsValid() bool { return b.text != "" }

// IsParent reports whether b has the ENT segment.
func (b BSUID) IsParent() bool {
	return b.IsValid() && strings.HasPrefix(b.text[countryLen:], parentSegment)
}

// CountryCode returns the two letters in front, or "" for the zero BSUID.
func (b BSUID) CountryCode() string {
	if !b.IsValid() {
		return ""
	}
	return b.text[:2]
}

// ID returns what follows the country code and the ENT segment. It cannot be used to
// address anyone; store the whole BSUID.
func (b BSUID) ID() string {
	if !b.IsValid() {
		return ""
	}
	return strings.TrimPrefix(b.text[countryLen:], parentSegment)
}

// CountryKnown reports whether the country code is one of the 249 codes of ISO
// 3166-1 or one of the user-assigned XK, AC and TA, which telephone numbering uses
// for Kosovo, Ascension and Tristan da Cunha. A BSUID with an unknown country is
// still valid: Meta has not published which codes it uses.
func (b BSUID) CountryKnown() bool {
	if !b.IsValid() {
		return false
	}
	return strings.IndexByte(knownCountries[b.text[0]-'A'], b.text[1]) >= 0
}

// knownCountries holds, for each first letter A-Z, the second letters of the known codes.
var knownCountries = [26]string{
	"CDEFGILMOQRSTUWXZ", "ABDEFGHIJLMNOQRSTVWYZ", "ACDFGHIKLMNORUVWXYZ", "EJKMOZ",
	"CEGHRST", "IJKMOR", "ABDEFGHILMNPQRSTUWY", "KMNRTU", "DELMNOQRST", "EMOP",
	"EGHIMNPRWYZ", "ABCIKRSTUVY", "ACDEFGHKLMNOPQRSTUVWXYZ", "ACEFGILOPRUZ", "M",
	"AEFGHKLMNRSTWY", "A", "EOSUW", "ABCDEGHIJKLMNORSTVXYZ", "ACDFGHJKLMNORTVWZ",
	"AGMSYZ", "ACEGINU", "FS", "K", "ET", "AMW",
}

// String returns the BSUID, or "" for the zero value.
func (b BSUID) String() string { return b.text }

// AppendText implements [encoding.TextAppender].
func (b BSUID) AppendText(dst []byte) ([]byte, error) { return append(dst, b.text...), nil }

// MarshalText implements [encoding.TextMarshaler]. The zero BSUID is empty text.
func (b BSUID) MarshalText() ([]byte, error) { return []byte(b.text), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]. Empty text is the zero
// BSUID; all other text is read by [ParseAlphanumeric], so that every BSUID survives
// a round trip.
func (b *BSUID) UnmarshalText(text []byte) error {
	return textvalue.Unmarshal(b, text, ParseAlphanumeric)
}

// Scan implements [database/sql.Scanner]. It reads text like UnmarshalText; NULL is the
// zero BSUID.
func (b *BSUID) Scan(src any) error { return textvalue.Scan(b, src) }

// Value implements [driver.Valuer]. The zero BSUID is NULL.
func (b BSUID) Value() (driver.Value, error) { return textvalue.Value(b.String()) }

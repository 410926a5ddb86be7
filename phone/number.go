package phone

import (
	"database/sql/driver"

	"github.com/hailmark/hailmark/internal/textvalue"
)

// A Number is a complete international phone number. Numbers are comparable and can be map
// keys, but note that some numbers have two forms: see [Number.Forms]. The zero Number
// isn't valid.
//
// A number is personal data and prints in full with fmt and log/slog, so don't log it.
type Number struct {
	digits string
}

// String returns the digits without a plus, as in links and webhooks, or "" for the zero value.
// To display a number, use [Number.E164].
func (p Number) String() string { return p.digits }

// E164 returns the number in the E.164 format, a plus and then the digits, such as
// "+16505551234", or "" for the zero value.
func (p Number) E164() string {
	if p == (Number{}) {
		return ""
	}
	return "+" + p.digits
}

// CallingCode returns the country calling code, such as "98" for Iran, or "" if the number
// doesn't begin with an assigned one.
func (p Number) CallingCode() string {
	plan, _ := planOf(p.digits)
	return plan.code
}

// CountryName returns the country's English name, such as "Iran", or "" if the calling code isn't
// assigned. If several countries share the first digits, the name is, for example, "United States,
// Canada and others". For a service, it's a description such as "satellite phones".
func (p Number) CountryName() string {
	_, name := p.region()
	return name
}

// CountryCode returns the country's ISO 3166-1 code, such as "IR", or "" if the country isn't clear.
func (p Number) CountryCode() string {
	id, _ := p.region()
	return id
}

func (p Number) region() (id, name string) {
	plan, known := planOf(p.digits)
	if !known {
		return "", ""
	}
	return plan.region(plan.cellOf(p.digits[len(plan.code):]).region)
}

// MarshalText implements [encoding.TextMarshaler]. The zero Number is empty text.
func (p Number) MarshalText() ([]byte, error) { return []byte(p.digits), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]. It reads what MarshalText returns, digits that
// begin with the country code, and otherwise the texts of [Parse]: with something between its digits, a
// number needs a + or 00, because people write national numbers so. Empty text is the zero Number.
func (p *Number) UnmarshalText(b []byte) error {
	return textvalue.Unmarshal(p, b, func(s string) (Number, error) {
		return parseWith(s, func(t text) bool { return !t.isSpaced() })
	})
}

// Scan implements [database/sql.Scanner] with UnmarshalText. NULL is the zero Number.
func (p *Number) Scan(src any) error { return textvalue.Scan(p, src) }

// Value implements [driver.Valuer]. The zero Number is NULL.
func (p Number) Value() (driver.Value, error) { return textvalue.Value(p.String()) }

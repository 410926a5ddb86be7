package phone

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hailmark/hailmark/problem"
)

// ParseIn parses a number that somebody in a country wrote. A national number, such as
// "0171 1234567" or "171 1234567" in Germany, becomes one of that country. An international
// number, such as "+1 650 555 1234", keeps its own.
//
// The country is an ISO 3166-1 alpha-2 code in upper or lower case, such as "DE". Countries that
// share a numbering plan, such as the United States and Canada, read each other's numbers.
//
// The number may begin with what people in the country dial first: the trunk prefix, such as 0,
// the code of a carrier, as in Brazil's "0 15 11 98765-4321", or the international prefix, such
// as 011 in the United States. Argentina's "011 15 3456-7890" becomes 54 9 11 3456 7890. The
// prefixes and the lengths of numbers are derived from libphonenumber's metadata.
//
// ParseIn doesn't guess. A national number must be possible in the country, and its text mustn't
// have a second reading. A short number without a trunk prefix is rejected if it may lack its
// area code.
//
// The error is a [problem.Problem] with [CodeInvalidCountry] if the country is unknown, and
// otherwise with [CodeInvalid].
func ParseIn(s, country string) (Number, error) {
	h, err := homeOf(country)
	if err != nil {
		return Number{}, err
	}
	t, bad, at, ok := scan(s)
	if !ok {
		return Number{}, rejectCharacter(s, bad, at, h)
	}
	return h.parseAny(t)
}

func (h home) parseAny(t text) (Number, error) {
	if t.plus || h.doubleZero && strings.HasPrefix(t.digits, "00") && t.zero != 0 && t.zero != 1 {
		return t.parseInternational()
	}
	return h.parse(t)
}

// CheckCountry returns the error of [ParseIn] for an unknown country, and nil for a known one. Use it
// to check a setting before there's a number to parse.
func CheckCountry(country string) error {
	_, err := homeOf(country)
	return err
}

// parseInternational reads an international number, unless it has a second reading. After 00, which
// can also begin the prefix of another country, such as Australia's 0011, it must be possible.
func (t text) parseInternational() (Number, error) {
	n, _, err := t.parse()
	if err != nil {
		return Number{}, err
	}
	if n.isMixed() || !t.plus && len(n.Warnings()) > 0 {
		return Number{}, n.rejectWarning()
	}
	return n, nil
}

// isMixed reports whether p is impossible, but becomes possible without a prefix that is dialed
// only within the country.
func (p Number) isMixed() bool {
	plan, known := planOf(p.digits)
	return known && len(p.Warnings()) > 0 && hint(plan, p.digits[len(plan.code):]) != none
}

// parse reads a text without a plus.
func (h home) parse(t text) (Number, error) {
	if err := t.checkEnd(h); err != nil {
		return Number{}, err
	}
	if t.zero > 0 {
		return Number{}, reject("phone contains (0); write the number as it is dialed in %s, or begin with + and the country code", h.name)
	}
	readings := h.readings(t.digits)
	if len(readings) == 0 || t.zero == 0 && !slices.Equal(readings, h.national(t.digits)) { // (0)30 12345678 is national
		return Number{}, h.rejectImpossible(t.digits)
	}
	n := readings[0]
	if len(readings) > 1 {
		return Number{}, rejectAmbiguous(readings)
	}
	if len(n.Warnings()) > 0 {
		return Number{}, n.rejectWarning()
	}
	if n.digits == h.plan.code+t.digits && len(t.digits) <= h.local {
		return Number{}, h.rejectLocal(t.digits)
	}
	return n, nil
}

func (h home) complete(digits string) bool { return len(h.readings(digits)) > 0 }

func (h home) suggest(t text) problem.Suggestions {
	n, err := h.parseAny(t)
	if err != nil || len(n.Warnings()) > 0 {
		return none
	}
	return problem.NewSuggestions(n.E164())
}

// rejectWarning returns the first warning as an error.
func (p Number) rejectWarning() error {
	e := p.Warnings()[0]
	e.Code = CodeInvalid
	return e
}

// rejectAmbiguous suggests each reading.
func rejectAmbiguous(readings []Number) error {
	var values, names []string
	for _, n := range readings[:min(len(readings), problem.MaxSuggestions)] {
		values, names = append(values, n.E164()), append(names, fmt.Sprintf("%s (%s)", n.E164(), n.CountryName()))
	}
	e := reject("phone can be %s; begin with + and the country code", strings.Join(names, " or "))
	e.Suggestions = problem.NewSuggestions(values...)
	return e
}

func (h home) rejectImpossible(digits string) error {
	if digits == "" {
		return reject("phone has no digits; enter a number")
	}
	if len(digits) <= h.local && h.withoutTrunk(digits) == digits {
		return h.rejectLocal(digits)
	}
	return reject("phone isn't a possible number in %s; check its digits, or begin with + and the country code if it's in another country", h.name)
}

func (h home) rejectLocal(digits string) error {
	return reject(
		"phone has %s and may lack its area code; write the number as it is dialed from elsewhere in %s, or begin with + and the country code",
		countDigits(len(digits)), h.name)
}

// readings returns the numbers that people in the country may mean with digits. Several mean that
// nobody can tell.
func (h home) readings(digits string) []Number {
	readings := h.national(digits)
	if rest, found := strings.CutPrefix(digits, "00"); found {
		readings = appendInternational(readings, rest)
	}
	if m, found := h.abroad.match(digits); found {
		readings = appendInternational(readings, digits[m.end:])
	}
	if rest, found := strings.CutPrefix(digits, h.plan.code); found {
		readings = appendInternational(readings, digits)
		if len(readings) > 0 { // without its area code, as in Bermuda, the rest may be another number
			readings = appendPossible(readings, h.plan.code+h.withoutTrunk(rest))
		}
	}
	return readings
}

// national returns the possible numbers in the country.
func (h home) national(digits string) []Number {
	readings := appendPossible(nil, h.plan.code+digits)
	return appendPossible(readings, h.plan.code+h.withoutTrunk(digits))
}

// appendPossible appends the number if it's possible.
func appendPossible(list []Number, digits string) []Number {
	if n := (Number{digits}); hasLength(digits) && len(n.Warnings()) == 0 {
		return appendNew(list, n)
	}
	return list
}

// appendInternational appends the number if it's possible or mixed, and what it is without a
// trunk prefix after the calling code.
func appendInternational(list []Number, digits string) []Number {
	plan, known := planOf(digits)
	if n := (Number{digits}); known && hasLength(digits) && (len(n.Warnings()) == 0 || n.isMixed()) {
		rest := dialingOf(plan.main().rule).withoutTrunk(digits[len(plan.code):])
		list = appendPossible(appendNew(list, n), plan.code+rest)
	}
	return list
}

func appendNew(list []Number, n Number) []Number {
	if slices.Contains(list, n) {
		return list
	}
	return append(list, n)
}

package phone

import (
	"strings"

	"github.com/hailmark/hailmark/problem"
)

// A home is a country whose people write numbers without its calling code.
type home struct {
	region
	plan plan
	dialing
}

// A dialing contains what people in a country dial before a number.
type dialing struct {
	// doubleZero is true if a number that begins with 00 is always international. In Brazil, for
	// example, the code of a carrier follows the 00.
	doubleZero bool

	abroad pattern // before a calling code, such as 00 or 011
	trunk  pattern // before a national number, such as 0, with a carrier's code where there is one

	// insert replaces what trunk matches, if trunk's group is found. The group takes the place of
	// the $. With "9$", Argentina's "0 11 15" becomes "9 11".
	insert string

	// local is the maximum number of digits that a number can have without its area code, or 0
	// if all numbers are dialed with the area code, as in Italy.
	local int
}

// homeOf returns the country with an ISO 3166-1 code in either case.
func homeOf(country string) (home, error) {
	id := capitals(country)
	for code, t := range plans {
		p := newPlan(code, t)
		regions := table(p.regions)
		for range regions.byte() {
			if r := regions.region(); r.id == id && id != "ZZ" {
				return home{r, p, dialingOf(r.rule)}, nil
			}
		}
	}
	return home{}, problem.New("country", CodeInvalidCountry,
		"country %q is unknown; use an ISO 3166-1 code of two letters, such as DE", country)
}

// capitals turns only a-z into capitals, because Unicode also maps other letters to A-Z.
func capitals(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'a' <= c && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
	return string(b)
}

func dialingOf(rule int) dialing {
	t := table(numbering)
	t.next(3 * t.byte()) // the cells
	t.byte()
	for range rule {
		t.next(t.int())
	}
	t.int()
	return dialing{doubleZero: t.byte() != 0, local: t.byte(), insert: t.text(), abroad: pattern(t.next(5 * t.int())), trunk: pattern(t.next(5 * t.int()))}
}

// withoutTrunk returns digits without the trunk prefix, if there is one.
func (d dialing) withoutTrunk(digits string) string {
	m, found := d.trunk.match(digits)
	switch {
	case !found:
		return digits
	case d.insert != "" && m.groupFound:
		return strings.TrimSuffix(d.insert, "$") + m.group + digits[m.end:]
	default:
		return digits[m.end:]
	}
}

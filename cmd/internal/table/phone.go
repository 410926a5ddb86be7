package table

import (
	"strings"

	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
)

// InspectPhone parses a phone number in a cell, like [phone.Inspect], or like [phone.ParseIn] if a country
// is given. A separate error explains numbers that a spreadsheet has shortened.
func InspectPhone(cell, country string) (phone.Number, problem.List, error) {
	if isScientific(strings.TrimSpace(cell)) {
		return phone.Number{}, nil, problem.New("phone", phone.CodeInvalid,
			"phone has lost digits, because a spreadsheet has shortened it; format the column as text, and enter the number again")
	}
	if country != "" {
		n, err := phone.ParseIn(cell, country)
		return n, n.Warnings(), err
	}
	return phone.Inspect(cell)
}

// isScientific reports whether s is a long number as spreadsheets show it, for example
// 1.65E+10.
func isScientific(s string) bool {
	mantissa, exponent, found := strings.Cut(strings.ToUpper(s), "E")
	if !found || !isDigits(strings.TrimPrefix(exponent, "+")) {
		return false
	}
	if len(mantissa) > 2 && strings.ContainsAny(mantissa[1:2], ".,") {
		return isDigits(mantissa[:1]) && isDigits(mantissa[2:])
	}
	return len(mantissa) == 1 && isDigits(mantissa)
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

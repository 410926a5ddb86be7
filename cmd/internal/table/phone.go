package table

import (
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
)

// InspectPhone parses a phone number in a cell, like [phone.Inspect], or like [phone.ParseIn] if a country
// is given.
func InspectPhone(cell, country string) (phone.Number, problem.List, error) {
	if country != "" {
		n, err := phone.ParseIn(cell, country)
		return n, n.Warnings(), err
	}
	return phone.Inspect(cell)
}

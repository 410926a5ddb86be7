package table

import (
	"regexp"
	"strings"

	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/problem"
)

// scientific matches a number as spreadsheets show it when it is long.
var scientific = regexp.MustCompile(`^\d([.,]\d+)?[eE]\+?\d+$`)

// ParsePhone reads a phone number from a cell, as [chatlink.ParsePhone] does. For a
// number that a spreadsheet has shortened, the error says so.
func ParsePhone(cell string) (chatlink.Phone, error) {
	if scientific.MatchString(strings.TrimSpace(cell)) {
		return chatlink.Phone{}, problem.New(chatlink.CodeInvalidPhone,
			"phone must have all of its digits, but a spreadsheet has turned it into %q: format the column as text, and enter the number again", strings.TrimSpace(cell))
	}
	return chatlink.ParsePhone(cell)
}

package service

import (
	"cmp"

	"github.com/hailmark/hailmark/contact"
)

// Identifier returns the only identifier of a person from [contact.Resolve], and its kind: bsuid,
// phone or username.
func Identifier(p contact.Person) (kind, id string) {
	switch {
	case p.BSUID != "":
		kind = "bsuid"
	case p.Phone != "":
		kind = "phone"
	case p.Username != "":
		kind = "username"
	}
	return kind, cmp.Or(p.BSUID, p.Phone, p.Username)
}

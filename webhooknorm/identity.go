package webhooknorm

import (
	"cmp"
	"strings"
	"unicode"

	"github.com/hailmark/hailmark/bsuid"
)

// fields are the three fields that name a person, as the payload has them. An
// element calls them from_…, recipient_… and so on, a contact user_id and wa_id.
type fields struct {
	user, parent, phone string
}

// or fills what is missing in f from g.
func (f fields) or(g fields) fields {
	return fields{cmp.Or(f.user, g.user), cmp.Or(f.parent, g.parent), cmp.Or(f.phone, g.phone)}
}

// readPersonMember reads one of the fields from a member of an object that calls them so.
func (r *reader) readPersonMember(name []byte, person *fields) {
	switch string(name) {
	case "user_id":
		person.user = r.text()
	case "parent_user_id":
		person.parent = r.text()
	case "wa_id":
		person.phone = r.textOrDigits()
	}
}

// An identity is what fields say after cleaning.
type identity struct {
	user   string // a BSUID as given; in parent form if the payload has that here
	parent string // a BSUID as given, in parent form
	phone  string // digits
}

func (f fields) identity() identity {
	user, parent, phone := f.clean()
	return identity{user, parent, phone}
}

// clean returns the fields of the identity one by one: the compiler keeps three strings in
// registers, but a struct of them in memory.
func (f *fields) clean() (user, parent, phone string) {
	user, phone = cleanPhone(f.phone)
	if f.user != "" {
		user = f.user
	}
	if parent = f.parent; parent == "" && isParent(user) {
		parent = user
	}
	return user, parent, phone
}

func (e *Event) setIdentity(id identity) {
	e.BSUID, e.ParentBSUID, e.Phone = id.user, id.parent, id.phone
}

// identity returns the ids that an event has so far.
func (e *Event) identity() identity { return identity{e.BSUID, e.ParentBSUID, e.Phone} }

// isOfUser reports whether id has a BSUID. Only people have one, the business has not.
func (id identity) isOfUser() bool { return id.user != "" || id.parent != "" }

// shares reports whether the two have an id in common.
func (id identity) shares(with identity) bool {
	return id.user != "" && id.user == with.user ||
		id.parent != "" && id.parent == with.parent ||
		id.phone != "" && id.phone == with.phone
}

func (id identity) exported() Identity {
	return Identity{BSUID: cmp.Or(id.user, id.parent), ParentBSUID: id.parent, Phone: id.phone}
}

// cleanPhone reads a phone field. Some providers reuse it for a BSUID, which must
// be recognised before its letters and periods are taken for decoration.
//
//	field  = [ "whatsapp:" ] [ "+" ] ( BSUID | number )
//	number = digits, between them white space . - ( ) [ ]
//
// Everything else, such as a group ID or a linked-device ID, is neither. The
// length of a number is not checked and its digits are not rewritten.
func cleanPhone(field string) (user, phone string) {
	if field == "" || isDigits(field) {
		return "", field // the common case
	}
	field = strings.TrimSpace(strings.TrimPrefix(field, "whatsapp:"))
	field = strings.TrimPrefix(field, "+")
	if bsuid.IsBSUID(field) {
		return field, ""
	}
	if !isDigits(field) {
		field = strings.Map(withoutDecoration, field)
		if !isDigits(field) {
			return "", ""
		}
	}
	return "", field
}

func withoutDecoration(c rune) rune {
	if unicode.IsSpace(c) || strings.ContainsRune(".-()[]", c) {
		return -1
	}
	return c
}

// isDigits looks at eight bytes a time, the last of which can overlap.
func isDigits(s string) bool {
	if len(s) < 8 {
		for i := range len(s) {
			if s[i]-'0' > 9 {
				return false
			}
		}
		return s != ""
	}
	for i := 0; i < len(s)-8; i += 8 {
		if !areDigits(s[i : i+8]) {
			return false
		}
	}
	return areDigits(s[len(s)-8:])
}

// areDigits is isDigits for eight bytes.
func areDigits(s string) bool {
	const ones = 0x0101010101010101
	_ = s[7]
	w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	return w&(0xf0*ones) == '0'*ones && (w+6*ones)&(0xf0*ones) == '0'*ones
}

func isParent(s string) bool {
	if len(s) < len("US.ENT.") || s[2:7] != ".ENT." {
		return false // the common case
	}
	b, err := bsuid.ParseAlphanumeric(s)
	return err == nil && b.IsParent()
}

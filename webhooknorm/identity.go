package webhooknorm

import (
	"cmp"
	"strings"
	"unicode"

	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/contact"
)

// readPersonMember reads one of the fields that name a person, from a member of an object
// that calls them so.
func (r *reader) readPersonMember(name []byte, person *contact.IDs) {
	switch string(name) {
	case "user_id":
		person.BSUID = r.trimmed()
	case "parent_user_id":
		person.ParentBSUID = r.trimmed()
	case "wa_id":
		person.Phone = r.textOrDigits()
	}
}

// or fills what's missing in f from g.
func or(f, g contact.IDs) contact.IDs {
	return contact.IDs{
		BSUID: cmp.Or(f.BSUID, g.BSUID), ParentBSUID: cmp.Or(f.ParentBSUID, g.ParentBSUID), Phone: cmp.Or(f.Phone, g.Phone),
	}
}

// clean returns the ids in the fields of a payload: a BSUID as received (in parent form if
// the payload has that there), a parent BSUID as received, and a number in digits. The
// business's own number is nobody's.
func (v *value) clean(f contact.IDs) (ids contact.IDs) {
	ids.BSUID, ids.Phone = cleanPhone(f.Phone)
	if f.BSUID != "" {
		ids.BSUID = f.BSUID
	}
	if ids.ParentBSUID = f.ParentBSUID; ids.ParentBSUID == "" && isParent(ids.BSUID) {
		ids.ParentBSUID = ids.BSUID
	}
	if ids.Phone == v.businessPhone {
		ids.Phone = ""
	}
	return ids
}

// isBusiness reports whether a phone field has the business's own number.
func (v *value) isBusiness(phone string) bool {
	_, number := cleanPhone(phone)
	return number != "" && number == v.businessPhone
}

// hasBSUID reports whether there's a BSUID of either form. Only people have one.
func hasBSUID(ids contact.IDs) bool { return ids.BSUID != "" || ids.ParentBSUID != "" }

// share reports whether the two have an id in common.
func share(a, b contact.IDs) bool {
	return a.BSUID != "" && a.BSUID == b.BSUID ||
		a.ParentBSUID != "" && a.ParentBSUID == b.ParentBSUID ||
		a.Phone != "" && a.Phone == b.Phone
}

func differ(a, b string) bool { return a != "" && b != "" && a != b }

// withParent fills a missing BSUID with the parent BSUID, which can also address the person.
func withParent(ids contact.IDs) contact.IDs {
	ids.BSUID = cmp.Or(ids.BSUID, ids.ParentBSUID)
	return ids
}

// cleanPhone reads a phone field. Some providers reuse it for a BSUID, which must be
// recognized before its letters and periods are taken for decoration.
//
//	field  = [ "whatsapp:" ] [ "+" ] ( BSUID | number )
//	number = digits, between them white space . - ( ) [ ]
//
// Anything else, such as a group ID or a linked-device ID, is neither. The length of a
// number isn't checked and its digits aren't rewritten.
func cleanPhone(field string) (user, phone string) {
	if field == "" || isDigits(field) {
		return "", field // the common case
	}
	field = strings.TrimSpace(strings.TrimPrefix(field, "whatsapp:"))
	field = strings.TrimPrefix(field, "+")
	if bsuid.IsBSUID(field) {
		return field, ""
	}
	if field = strings.Map(withoutDecoration, field); !isDigits(field) {
		return "", ""
	}
	return "", field
}

func withoutDecoration(c rune) rune {
	if unicode.IsSpace(c) || strings.ContainsRune(".-()[]", c) {
		return -1
	}
	return c
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i]-'0' > 9 {
			return false
		}
	}
	return s != ""
}

func isParent(s string) bool {
	if len(s) < len("US.ENT.") || s[2:7] != ".ENT." {
		return false // the common case
	}
	b, err := bsuid.ParseAlphanumeric(s)
	return err == nil && b.IsParent()
}

// withoutAt drops the "@" with which usernames are displayed, however many there are.
func withoutAt(username string) string {
	if !strings.HasPrefix(username, "@") {
		return username
	}
	return strings.TrimLeftFunc(username, func(c rune) bool { return c == '@' || unicode.IsSpace(c) })
}

// setPerson completes an event with the person whom its element names in these fields.
func (r *reader) setPerson(e *Event, fields contact.IDs, row *row) {
	ids := r.value.clean(fields)
	if ids == (contact.IDs{}) && r.value.isBusiness(fields.Phone) {
		e.Person = contact.Person{}
		return
	}
	r.fill(e, ids, row.fill, row.lone)
}

// fill sets the ids of an event and adds what a contact knows.
func (r *reader) fill(e *Event, ids contact.IDs, fill fill, lone lone) {
	if fill != fillNothing {
		c := r.value.contacts.find(ids)
		if c == nil && r.value.isAlone(ids, lone) {
			c = r.value.contacts.lone(ids, e.GroupID)
		}
		if c != nil {
			e.Username, e.DisplayName = c.username.text, c.name.text
			if fill == fillAll {
				ids = c.addTo(ids)
			}
		}
	}
	e.IDs = withParent(ids)
}

// isAlone reports whether an event with these ids may take the lone contact.
func (v *value) isAlone(ids contact.IDs, lone lone) bool {
	switch lone {
	case loneElement:
		return v.elements == 1
	case loneUnnamed:
		return v.total == 1 && ids == (contact.IDs{})
	case loneNever:
	}
	return false
}

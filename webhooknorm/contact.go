package webhooknorm

import (
	"strings"
	"unicode"
)

// A contact is one object of contacts, or what several of them agree on.
type contact struct {
	user, parent, phone, username, name fact
}

// A fact is a text on which all who mention it agree.
type fact struct {
	text     string
	disputed bool // somebody does not agree, so text is empty, for good
}

func (f *fact) agree(g fact) {
	switch {
	case g == (fact{}) || g == *f:
	case *f == (fact{}):
		*f = g
	default:
		*f = fact{disputed: true}
	}
}

// agree makes c what c and d agree on. The order of several does not matter.
func (c *contact) agree(d contact) {
	c.user.agree(d.user)
	c.parent.agree(d.parent)
	c.phone.agree(d.phone)
	c.username.agree(d.username)
	c.name.agree(d.name)
}

// readContact reads the members of a contact. Every one of them may be missing.
func readContact(r *reader) contact {
	var (
		ids                                fields
		profileUsername, username, display string
	)
	for r.more() {
		switch string(r.name()) {
		case "user_id":
			ids.user = r.text()
		case "parent_user_id":
			ids.parent = r.text()
		case "wa_id":
			ids.phone = r.textOrDigits()
		case "username":
			username = withoutAt(r.text())
		case "profile":
			profileUsername, display = readProfile(r)
		default:
			r.skip()
		}
	}
	if profileUsername != "" {
		username = profileUsername
	}
	id := ids.identity()
	return contact{
		user: fact{text: id.user}, parent: fact{text: id.parent}, phone: fact{text: id.phone},
		username: fact{text: username}, name: fact{text: display},
	}
}

func readProfile(r *reader) (username, name string) {
	if !r.openObject() {
		return "", ""
	}
	for r.more() {
		switch string(r.name()) {
		case "username":
			username = withoutAt(r.text())
		case "name":
			name = r.text()
		default:
			r.skip()
		}
	}
	return username, name
}

// withoutAt drops the "@" with which usernames are displayed, however many there are.
func withoutAt(username string) string {
	return strings.TrimLeftFunc(username, func(c rune) bool { return c == '@' || unicode.IsSpace(c) })
}

// A directory holds the contacts of one value.
type directory struct {
	contacts []contact
	index    map[key]contact // only if there are more than few
}

// few contacts are searched faster one by one. Real payloads hold one or two, but a
// hostile one can hold as many contacts as messages.
const few = 8

// A key is one way to find a contact.
type key struct {
	by keyKind
	id string
}

type keyKind uint8

const (
	byUser keyKind = iota
	byParent
	byPhone
)

func (d *directory) add(c contact) {
	d.contacts = append(d.contacts, c)
}

// find returns what the contacts with one id of the identity agree on. The first id
// that any contact has decides: BSUID, then parent BSUID, then phone.
func (d *directory) find(id identity) (contact, bool) {
	for _, k := range [...]key{{byUser, id.user}, {byParent, id.parent}, {byPhone, id.phone}} {
		if k.id == "" {
			continue
		}
		if c, ok := d.lookUp(k); ok {
			return c, true
		}
	}
	return contact{}, false
}

func (d *directory) lookUp(k key) (found contact, ok bool) {
	if len(d.contacts) > few {
		if d.index == nil {
			d.buildIndex()
		}
		found, ok = d.index[k]
		return found, ok
	}
	for _, c := range d.contacts {
		if c.keys()[k.by] != k {
			continue
		}
		if !ok {
			found, ok = c, true
		} else {
			found.agree(c)
		}
	}
	return found, ok
}

func (d *directory) buildIndex() {
	d.index = make(map[key]contact)
	for _, c := range d.contacts {
		for _, k := range c.keys() {
			if k.id == "" {
				continue
			}
			known, ok := d.index[k]
			if ok {
				known.agree(c)
			} else {
				known = c
			}
			d.index[k] = known
		}
	}
}

// keys returns the ways to find a contact that has not been merged with others.
func (c contact) keys() [3]key {
	return [...]key{{byUser, c.user.text}, {byParent, c.parent.text}, {byPhone, c.phone.text}}
}

// contradicts reports whether c is certainly somebody else than id. Phone numbers
// are no proof: for Brazil, Mexico and Argentina the number that was dialled and
// the one of the account differ.
func (c contact) contradicts(id identity) bool {
	return differ(c.user.text, id.user) || differ(c.parent.text, id.parent)
}

func differ(a, b string) bool { return a != "" && b != "" && a != b }

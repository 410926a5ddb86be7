package webhooknorm

import (
	"cmp"
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
func (r *reader) readContact(c *contact) {
	var (
		ids                       fields
		profileUsername, username string
	)
	for member := range r.Members {
		switch string(member) {
		case "user_id":
			ids.user = r.text()
		case "parent_user_id":
			ids.parent = r.text()
		case "wa_id":
			ids.phone = r.textOrDigits()
		case "username":
			username = withoutAt(r.text())
		case "profile":
			for member := range r.Members {
				switch string(member) {
				case "username":
					profileUsername = withoutAt(r.text())
				case "name":
					c.name.text = r.text()
				}
			}
		}
	}
	id := ids.identity()
	c.user.text, c.parent.text, c.phone.text = id.user, id.parent, id.phone
	c.username.text = cmp.Or(profileUsername, username)
}

// withoutAt drops the "@" with which usernames are displayed, however many there are.
func withoutAt(username string) string {
	if !strings.HasPrefix(username, "@") {
		return username
	}
	return strings.TrimLeftFunc(username, func(c rune) bool { return c == '@' || unicode.IsSpace(c) })
}

// A directory holds the contacts of one value.
type directory struct {
	count  int     // how many contacts there are
	first  contact // which is the only one mostly
	others []contact
	index  map[key]contact // only if there are more than few
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

func (d *directory) add(c *contact) {
	d.count++
	switch {
	case d.count == 1:
		d.first = *c
	case c.keys() != (&contact{}).keys(): // else nothing can find it
		d.others = append(d.others, *c)
	}
}

// reset empties d.
func (d *directory) reset() { d.count, d.others, d.index = 0, d.others[:0], nil }

// find returns what the contacts with one id of the identity agree on, or nil. The
// first id that any contact has decides: BSUID, then parent BSUID, then phone.
func (d *directory) find(id identity) *contact {
	if d.count == 0 {
		return nil
	}
	for _, k := range [...]key{{byUser, id.user}, {byParent, id.parent}, {byPhone, id.phone}} {
		if k.id == "" {
			continue
		}
		if c := d.lookUp(k); c != nil {
			return c
		}
	}
	return nil
}

func (d *directory) lookUp(k key) *contact {
	if len(d.others) >= few {
		if d.index == nil {
			d.buildIndex()
		}
		if c, ok := d.index[k]; ok {
			return &c
		}
		return nil
	}
	var found *contact
	if d.first.id(k.by) == k.id {
		found = &d.first
	}
	for i := range d.others {
		switch c := &d.others[i]; {
		case c.id(k.by) != k.id:
		case found == nil:
			found = c
		default:
			both := *found
			both.agree(*c)
			found = &both
		}
	}
	return found
}

func (d *directory) buildIndex() {
	d.index = make(map[key]contact)
	d.enter(d.first)
	for _, c := range d.others {
		d.enter(c)
	}
}

func (d *directory) enter(c contact) {
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

// id returns one of the three ids of a contact that has not been merged with others.
func (c *contact) id(by keyKind) string {
	switch by {
	case byUser:
		return c.user.text
	case byParent:
		return c.parent.text
	case byPhone:
		return c.phone.text
	}
	return ""
}

// keys returns the ways to find a contact that has not been merged with others.
func (c *contact) keys() [3]key {
	return [...]key{{byUser, c.user.text}, {byParent, c.parent.text}, {byPhone, c.phone.text}}
}

// contradicts reports whether c is certainly somebody else than id. Phone numbers
// are no proof: for Brazil, Mexico and Argentina the number that was dialled and
// the one of the account differ.
func (c *contact) contradicts(id identity) bool {
	return differ(c.user.text, id.user) || differ(c.parent.text, id.parent)
}

func differ(a, b string) bool { return a != "" && b != "" && a != b }

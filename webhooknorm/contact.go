package webhooknorm

import (
	"cmp"
	"strings"
	"unicode"
)

// contactFacts is what one object of contacts says, or what several of them agree on.
type contactFacts struct {
	user, parent, phone, username, name fact
}

// A fact is a text on which all contacts that have it agree.
type fact struct {
	text     string
	disputed bool // they do not agree, so text is empty and stays so
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
func (c *contactFacts) agree(d *contactFacts) {
	c.user.agree(d.user)
	c.parent.agree(d.parent)
	c.phone.agree(d.phone)
	c.username.agree(d.username)
	c.name.agree(d.name)
}

// readContact reads the members of a contact. Every one of them may be missing. It
// returns the wa_id as it stands in the payload.
func (r *reader) readContact(c *contactFacts) (waID string) {
	var (
		ids                       fields
		profileUsername, username string
	)
	for member := range r.Members {
		switch string(member) {
		case "user_id":
			start := r.Offset()
			ids.user = r.text()
			r.user = written{r.rawSince(start), ids.user}
		case "parent_user_id":
			ids.parent = r.text()
		case "wa_id":
			start := r.Offset()
			ids.phone = r.textOrDigits()
			r.phone = written{r.rawSince(start), ids.phone}
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
	return ids.phone
}

// withoutAt drops the "@" with which usernames are displayed, however many there are.
func withoutAt(username string) string {
	if !strings.HasPrefix(username, "@") {
		return username
	}
	return strings.TrimLeftFunc(username, func(c rune) bool { return c == '@' || unicode.IsSpace(c) })
}

// A directory holds the contacts of one value and finds them by their ids.
type directory struct {
	count   int          // how many contacts there are
	first   contactFacts // in nearly all values the only one
	firstID string       // its wa_id as it stands in the payload

	others []contactFacts // the others that have an id, and after them what contacts with a common id agree on
	index  map[key]int    // the indices in others of what the contacts with an id agree on; made when it is needed
}

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

func (d *directory) add(c *contactFacts, waID string) {
	d.count++
	switch {
	case d.count == 1:
		d.first, d.firstID = *c, waID
	case c.keys() != (&contactFacts{}).keys(): // a contact without ids cannot be found
		d.others = append(d.others, *c)
	}
}

// reset empties d.
func (d *directory) reset() { d.count, d.others, d.index = 0, d.others[:0], nil }

// find returns what the contacts with one id of the identity agree on, or nil. The
// first id that any contact has decides: BSUID, then parent BSUID, then phone.
func (d *directory) find(id identity) *contactFacts {
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

func (d *directory) lookUp(k key) *contactFacts {
	if len(d.others) == 0 {
		if d.first.id(k.by) == k.id {
			return &d.first
		}
		return nil
	}
	if d.index == nil {
		d.buildIndex()
	}
	if i, ok := d.index[k]; ok {
		return &d.others[i]
	}
	return nil
}

// buildIndex merges the contacts that share an id, once for the whole value.
func (d *directory) buildIndex() {
	d.others = append(d.others, d.first)
	contacts := len(d.others)
	d.index = make(map[key]int, contacts)
	for i := range contacts {
		c := d.others[i]
		for _, k := range c.keys() {
			if k.id == "" {
				continue
			}
			known, ok := d.index[k]
			switch {
			case !ok:
				d.index[k] = i
			case known < contacts: // a contact with an id that another has, too
				d.index[k] = len(d.others)
				both := d.others[known]
				both.agree(&c)
				d.others = append(d.others, both)
			default:
				d.others[known].agree(&c)
			}
		}
	}
}

// firstIsGroup reports whether the first contact is a group: the one with this ID, or any
// other that its wa_id tells to be one.
func (d *directory) firstIsGroup(id string) bool {
	return d.firstID != "" && d.firstID == id || strings.HasSuffix(d.firstID, "@g.us")
}

// id returns one of the three ids of a contact that has not been merged with others.
func (c *contactFacts) id(by keyKind) string {
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
func (c *contactFacts) keys() [3]key {
	return [...]key{{byUser, c.user.text}, {byParent, c.parent.text}, {byPhone, c.phone.text}}
}

// contradicts reports whether c is certainly not the person with this identity. Phone numbers
// prove nothing: in Brazil, Mexico and Argentina the dialled number can differ from the
// account's number.
func (c *contactFacts) contradicts(id identity) bool {
	return differ(c.user.text, id.user) || differ(c.parent.text, id.parent)
}

func differ(a, b string) bool { return a != "" && b != "" && a != b }

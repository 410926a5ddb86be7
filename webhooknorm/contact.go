package webhooknorm

import (
	"cmp"
	"hash/maphash"
	"slices"
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
			r.user = r.asWritten(ids.user, start)
		case "parent_user_id":
			ids.parent = r.text()
		case "wa_id":
			start := r.Offset()
			ids.phone = r.textOrDigits()
			r.phone = r.asWritten(ids.phone, start)
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
	c.user.text, c.parent.text, c.phone.text = ids.clean()
	if c.username.text = profileUsername; profileUsername == "" {
		c.username.text = username
	}
	return ids.phone
}

// withoutAt drops the "@" with which usernames are displayed, however many there are.
func withoutAt(username string) string {
	if !strings.HasPrefix(username, "@") {
		return username
	}
	return strings.TrimLeftFunc(username, func(c rune) bool { return c == '@' || unicode.IsSpace(c) })
}

// A directory finds the contacts of one value by their ids. It holds only the first contact,
// in nearly all values the only one. If there are more, it has an index of all their ids, and
// a contact is read again when it is looked up: a hostile payload can have a contact for every
// 12 bytes, and what a contact says takes ten times as much.
type directory struct {
	count   int // how many contacts there are
	first   contactFacts
	firstAt int    // its offset
	firstID string // its wa_id as it stands in the payload

	index  []indexEntry // empty if there is only one contact
	sorted bool         // the index is in the order of the hashes
}

// An indexEntry is one id of one contact.
type indexEntry struct {
	hash  uint64
	at    int           // the offset of the contact
	facts *contactFacts // what the contacts with the id agree on; set when it is needed
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

// seed makes the hashes unpredictable, so that no payload can aim at their collisions.
var seed = maphash.MakeSeed()

func (k key) hash() uint64 { return maphash.Comparable(seed, k) }

// reset empties d.
func (d *directory) reset() { d.count, d.index, d.sorted = 0, d.index[:0], false }

// addContact reads a contact and adds it to the directory of the value.
func (r *reader) addContact() {
	d := &r.value.contacts
	d.count++
	at := r.Offset()
	if d.count == 1 {
		d.first, d.firstAt = contactFacts{}, at
		d.firstID = r.readContact(&d.first)
		return
	}
	if d.count == 2 {
		d.enter(&d.first, d.firstAt)
	}
	var c contactFacts
	r.readContact(&c)
	d.enter(&c, at)
}

// enter adds the ids of a contact to the index.
func (d *directory) enter(c *contactFacts, at int) {
	for _, k := range c.keys() {
		if k.id != "" {
			d.index = append(d.index, indexEntry{hash: k.hash(), at: at})
		}
	}
}

// findContact returns what the contacts with one id of the identity agree on, or nil. The
// first id that any contact has decides: BSUID, then parent BSUID, then phone.
func (r *reader) findContact(id identity) *contactFacts {
	switch d := &r.value.contacts; d.count {
	case 0:
		return nil
	case 1:
		if d.first.identity().shares(id) {
			return &d.first
		}
		return nil
	}
	for _, k := range [...]key{{byUser, id.user}, {byParent, id.parent}, {byPhone, id.phone}} {
		if k.id == "" {
			continue
		}
		if c := r.lookUp(k); c != nil {
			return c
		}
	}
	return nil
}

// lookUp is findContact for one id, if there is more than one contact.
func (r *reader) lookUp(k key) *contactFacts {
	d := &r.value.contacts
	if !d.sorted {
		slices.SortFunc(d.index, func(a, b indexEntry) int { return cmp.Compare(a.hash, b.hash) })
		d.sorted = true
	}
	hash := k.hash()
	i, found := slices.BinarySearchFunc(d.index, hash, func(e indexEntry, hash uint64) int { return cmp.Compare(e.hash, hash) })
	if !found {
		return nil
	}
	e := &d.index[i]
	if e.facts == nil || e.facts.id(k.by) != k.id { // the facts of another id if the hashes are equal
		e.facts = r.mergeContacts(k, d.index[i:])
	}
	return e.facts
}

// mergeContacts returns what the contacts with an id agree on, or nil if there is none. The
// entries begin with those of the id.
func (r *reader) mergeContacts(k key, entries []indexEntry) (merged *contactFacts) {
	end := r.Offset()
	for _, e := range entries {
		if e.hash != entries[0].hash {
			break
		}
		r.Seek(e.at)
		var c contactFacts
		r.readContact(&c)
		switch {
		case c.id(k.by) != k.id: // another id with the same hash
		case merged == nil:
			merged = new(contactFacts)
			*merged = c
		default:
			merged.agree(&c)
		}
	}
	r.Seek(end)
	return merged
}

// firstIsGroup reports whether the first contact is a group: the one with this ID, or any
// other that its wa_id tells to be one.
func (d *directory) firstIsGroup(id string) bool {
	return d.firstID != "" && d.firstID == id || strings.HasSuffix(d.firstID, "@g.us")
}

func (c *contactFacts) identity() identity {
	return identity{c.user.text, c.parent.text, c.phone.text}
}

// id returns one of the three ids of a contact.
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

// keys returns the ways to find a contact.
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

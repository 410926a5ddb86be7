package webhooknorm

import (
	"strings"

	"github.com/hailmark/hailmark/contact"
)

// A profile is what one object of contacts says, or what several of them agree on.
type profile struct {
	user, parent, phone, username, name fact
	waID                                string // as received
	nobody                              bool   // the contact is the business or a group
	merged                              bool   // several contacts agree on this
}

// A fact is a text on which all contacts that have it agree.
type fact struct {
	text     string
	disputed bool // they don't agree, so text is empty and stays so
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

// agree makes p what p and q agree on. The order of several doesn't matter.
func (p *profile) agree(q *profile) {
	p.user.agree(q.user)
	p.parent.agree(q.parent)
	p.phone.agree(q.phone)
	p.username.agree(q.username)
	p.name.agree(q.name)
}

func (p *profile) ids() contact.IDs {
	return contact.IDs{BSUID: p.user.text, ParentBSUID: p.parent.text, Phone: p.phone.text}
}

// addTo fills what's missing in ids. A contact that was found by its number or parent BSUID
// can have another BSUID; its parent BSUID is then left out.
func (p *profile) addTo(ids contact.IDs) contact.IDs {
	add := p.ids()
	if differ(ids.BSUID, add.BSUID) {
		add.ParentBSUID = ""
	}
	return or(ids, add)
}

// readContact adds the contact that comes next to the directory of the value.
func (r *reader) readContact() {
	if r.contacts++; r.contacts > MaxEvents {
		r.tooMany = true
		return
	}
	var (
		fields         contact.IDs
		username, name string
		ownUsername    string // outside the profile
	)
	for it := r.Members(); it.Next(); {
		switch member := r.Name(); string(member) {
		case "username":
			ownUsername = withoutAt(r.trimmed())
		case "profile":
			for it := r.Members(); it.Next(); {
				switch string(r.Name()) {
				case "username":
					username = withoutAt(r.trimmed())
				case "name":
					name = r.trimmed()
				}
			}
		default:
			r.readPersonMember(member, &fields)
		}
	}
	if username == "" {
		username = ownUsername
	}
	ids := r.value.clean(fields)
	r.value.contacts.add(profile{
		user: fact{text: ids.BSUID}, parent: fact{text: ids.ParentBSUID}, phone: fact{text: ids.Phone},
		username: fact{text: username}, name: fact{text: name}, waID: fields.Phone,
		nobody: strings.HasSuffix(fields.Phone, "@g.us") || ids == (contact.IDs{}) && r.value.isBusiness(fields.Phone),
	})
}

// A directory finds the contacts of one value by their ids.
type directory struct {
	all   []profile
	index map[key]*profile // only if there are several contacts, and one was looked for
}

// A key is one id of a contact.
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

// keysOf returns the ways to find a contact, the best first.
func keysOf(ids contact.IDs) [3]key {
	return [...]key{{byUser, ids.BSUID}, {byParent, ids.ParentBSUID}, {byPhone, ids.Phone}}
}

func (d *directory) reset() { d.all, d.index = d.all[:0], nil }

func (d *directory) add(p profile) { d.all = append(d.all, p) }

// find returns what the contacts with one of the ids agree on, or nil. The first id that
// any contact has decides: BSUID, then parent BSUID, then number.
func (d *directory) find(ids contact.IDs) *profile {
	if len(d.all) < 2 {
		if len(d.all) == 0 || !share(d.all[0].ids(), ids) {
			return nil
		}
		return &d.all[0]
	}
	if d.index == nil {
		d.makeIndex()
	}
	for _, k := range keysOf(ids) {
		if p := d.index[k]; p != nil && k.id != "" {
			return p
		}
	}
	return nil
}

func (d *directory) makeIndex() {
	d.index = make(map[key]*profile, len(d.all))
	for i := range d.all {
		p := &d.all[i]
		for _, k := range keysOf(p.ids()) {
			known := d.index[k]
			switch {
			case k.id == "":
			case known == nil:
				d.index[k] = p
			case known.merged:
				known.agree(p)
			default:
				both := *known
				both.merged = true
				both.agree(p)
				d.index[k] = &both
			}
		}
	}
}

// lone returns the only contact if it may be the person with these ids, and neither the
// business nor a group. Numbers prove nothing: in Brazil, Mexico and Argentina the dialed
// number can differ from the account's number.
func (d *directory) lone(ids contact.IDs, group string) *profile {
	if len(d.all) != 1 {
		return nil
	}
	p := &d.all[0]
	if p.nobody || group != "" && p.waID == group || differ(p.user.text, ids.BSUID) || differ(p.parent.text, ids.ParentBSUID) {
		return nil
	}
	return p
}

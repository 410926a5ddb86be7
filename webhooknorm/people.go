package webhooknorm

import (
	"cmp"
	"strings"
	"unicode"

	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/internal/jsonscan"
	"github.com/hailmark/hailmark/phone"
)

// idNames are members that identify a person. "" is no member.
type idNames struct{ phone, bsuid, parent string }

var (
	personNames      = idNames{"wa_id", "user_id", "parent_user_id"}
	newNames         = idNames{"new_wa_id", "new_user_id", "new_parent_user_id"}
	previousNames    = idNames{"", "previous_user_id", "previous_parent_user_id"}
	fromNames        = idNames{"from", "from_user_id", "from_parent_user_id"}
	toNames          = idNames{"to", "to_user_id", "to_parent_user_id"}
	recipientNames   = idNames{"recipient_id", "recipient_user_id", "recipient_parent_user_id"}
	participantNames = idNames{"recipient_participant_id", "recipient_participant_user_id", "recipient_participant_parent_user_id"}
	participantAlias = idNames{"participant_recipient_id", "participant_recipient_user_id", "participant_recipient_parent_user_id"} // in Meta's examples
)

// readID reads the current member if it's one of names.
func (r *reader) readID(name []byte, names *idNames, ids *contact.IDs) bool {
	switch {
	case len(name) == 0:
		return false
	case string(name) == names.phone:
		ids.Phone = r.id()
	case string(name) == names.bsuid:
		ids.BSUID = r.text()
	case string(name) == names.parent:
		ids.ParentBSUID = r.text()
	default:
		return false
	}
	return true
}

// or adds to a what only b contains.
func or(a, b contact.IDs) contact.IDs {
	return contact.IDs{
		BSUID: cmp.Or(a.BSUID, b.BSUID), ParentBSUID: cmp.Or(a.ParentBSUID, b.ParentBSUID), Phone: cmp.Or(a.Phone, b.Phone),
	}
}

// clean returns the IDs in fields, except the business's own number.
func (v *value) clean(fields contact.IDs) contact.IDs {
	user, phone := cleanPhone(fields.Phone)
	ids := contact.IDs{BSUID: cmp.Or(fields.BSUID, user), ParentBSUID: fields.ParentBSUID, Phone: phone}
	if ids.ParentBSUID == "" && isParent(ids.BSUID) {
		ids.ParentBSUID = ids.BSUID
	}
	if v.isBusinessNumber(phone) {
		ids.Phone = ""
	}
	return ids
}

// isBusiness reports whether a phone field contains the business's own number.
func (v *value) isBusiness(phone string) bool {
	_, number := cleanPhone(phone)
	return v.isBusinessNumber(number)
}

// isBusinessNumber reports whether digits are the business's own number, which can have two forms.
func (v *value) isBusinessNumber(digits string) bool {
	return digits != "" && v.businessPhone != "" && sameNumber(digits, v.businessPhone)
}

// isOnlyBusiness reports whether the fields contain the business's own number and nothing else.
func (v *value) isOnlyBusiness(fields contact.IDs) bool {
	return v.isBusiness(fields.Phone) && v.clean(fields) == contact.IDs{}
}

// hasBSUID reports whether ids contains a BSUID, so that it's about a person.
func hasBSUID(ids contact.IDs) bool { return ids.BSUID != "" || ids.ParentBSUID != "" }

// share reports whether a and b share an ID.
func share(a, b contact.IDs) bool {
	return a.BSUID != "" && a.BSUID == b.BSUID ||
		a.ParentBSUID != "" && a.ParentBSUID == b.ParentBSUID ||
		a.Phone != "" && a.Phone == b.Phone
}

func differ(a, b string) bool { return a != "" && b != "" && a != b }

// withParent uses the parent BSUID, which can also address a person, as a missing BSUID.
func withParent(ids contact.IDs) contact.IDs {
	ids.BSUID = cmp.Or(ids.BSUID, ids.ParentBSUID)
	return ids
}

// cleanPhone reads a phone field. Some providers use it for a BSUID.
//
//	field  = [ "whatsapp:" ] [ "+" ] ( BSUID | number )
//	number = digits, between them white space . - ( ) [ ]
//
// Anything else, such as a group ID, is neither.
func cleanPhone(field string) (user, phone string) {
	if field == "" || isDigits(field) {
		return "", field
	}
	field = strings.TrimPrefix(strings.TrimSpace(strings.TrimPrefix(field, "whatsapp:")), "+")
	if bsuid.Is(field) {
		return field, ""
	}
	field = strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) || strings.ContainsRune(".-()[]", c) {
			return -1
		}
		return c
	}, field)
	if !isDigits(field) {
		field = ""
	}
	return "", field
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
		return false
	}
	b, err := bsuid.ParseBSUID(s)
	return err == nil && b.IsParent()
}

// username reads a username without the displayed "@".
func (r *reader) username() string {
	return strings.TrimLeftFunc(r.text(), func(c rune) bool { return c == '@' || unicode.IsSpace(c) })
}

// setPerson completes an event with its element's IDs, and with the matching contact's IDs and
// names.
func (r *reader) setPerson(e *Event, fields contact.IDs) {
	ids, ok := r.value.ownIDs(e, fields)
	if !ok {
		return
	}
	c := r.value.contactOf(e, ids)
	if c != nil && c.isSomebodyElse(ids) {
		c = nil
	}
	if c != nil {
		c.addNames(e)
		ids = c.addIDs(ids)
	}
	e.setIDs(ids)
	c.use(e)
}

// setPersonOfChange is like setPerson, but adds no IDs, and names whatever the contact's BSUID is,
// because a contact can be from before or after the change.
func (r *reader) setPersonOfChange(e *Event, fields contact.IDs) {
	ids, ok := r.value.ownIDs(e, fields)
	if !ok {
		return
	}
	c := r.value.contactOf(e, ids)
	if c != nil {
		c.addNames(e)
	}
	e.setIDs(ids)
	c.use(e)
}

// setOwnPerson is like setPerson, but ignores contacts.
func (r *reader) setOwnPerson(e *Event, fields contact.IDs) {
	if ids, ok := r.value.ownIDs(e, fields); ok {
		e.setIDs(ids)
	}
}

// ownIDs returns an element's IDs. If there's only the business's own number, the element isn't
// about anybody.
func (v *value) ownIDs(e *Event, fields contact.IDs) (ids contact.IDs, ok bool) {
	if v.isOnlyBusiness(fields) {
		e.Person = contact.Person{}
		return ids, false
	}
	ids = v.clean(fields)
	if ids.Phone == e.GroupID {
		ids.Phone = "" // because a group is nobody
	}
	return ids, true
}

// contactOf returns the contact with an event's IDs. Otherwise, the value's only contact stands in for
// its only element, because it could be another element's: a message or a status, or one without IDs.
func (v *value) contactOf(e *Event, ids contact.IDs) *profile {
	if c := v.contacts.find(ids); c != nil {
		return c
	}
	isBasic := e.Kind == KindMessage || e.Kind == KindStatus || e.Kind == KindHistory
	if v.total != 1 || !isBasic && ids != (contact.IDs{}) {
		return nil
	}
	return v.contacts.lone(ids, e.GroupID)
}

// setIDs sets the person's IDs. A contact's number can be a group's, too.
func (e *Event) setIDs(ids contact.IDs) {
	if e.IDs = withParent(ids); e.Phone == e.GroupID {
		e.Phone = ""
	}
}

// A profile is a contact, or the agreement between several contacts that share an ID.
type profile struct {
	facts  [factCount]fact
	waID   string // as received
	nobody bool   // the contact is the business or a group
	isUsed bool   // an event contains all facts
}

const (
	userFact = iota
	parentFact
	phoneFact
	usernameFact
	nameFact
	factCount
	idCount = phoneFact + 1
)

// A fact is a text unless contacts dispute it.
type fact struct {
	text     string
	disputed bool // then text is empty
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

func (p *profile) agree(q *profile) {
	for i := range p.facts {
		p.facts[i].agree(q.facts[i])
	}
}

// use notes whether the event contains all of the contact's facts. There may be no contact.
func (p *profile) use(e *Event) {
	if p == nil {
		return
	}
	for i, text := range [...]string{ownBSUID(e.IDs), e.ParentBSUID, e.Phone, e.Username, e.DisplayName} {
		isSame := p.facts[i].text == text || i == phoneFact && sameNumber(p.facts[i].text, text)
		if f := p.facts[i]; f.disputed || f.text != "" && !isSame {
			return
		}
	}
	p.isUsed = true
}

// sameEnd is the number of last digits that all forms of a number have in common. Most numbers differ
// in them, so few need to be parsed.
const sameEnd = 6

// sameNumber reports whether a and b are forms of one number.
func sameNumber(a, b string) bool {
	if a == b {
		return true
	}
	if len(a) < sameEnd || !strings.HasSuffix(b, a[len(a)-sameEnd:]) {
		return false
	}
	m, errA := phone.ParseDigits(a)
	n, errB := phone.ParseDigits(b)
	return errA == nil && errB == nil && m.Same(n)
}

func (p *profile) addNames(e *Event) {
	e.Username, e.DisplayName = p.facts[usernameFact].text, p.facts[nameFact].text
}

// addIDs returns ids with the contact's unless it contradicts them.
func (p *profile) addIDs(ids contact.IDs) contact.IDs {
	if p.contradicts(ids) {
		return ids
	}
	return or(ids, p.ids())
}

func (p *profile) ids() contact.IDs {
	return contact.IDs{BSUID: p.facts[userFact].text, ParentBSUID: p.facts[parentFact].text, Phone: p.facts[phoneFact].text}
}

// contradicts reports whether the contact or one of several contacts contains another
// BSUID.
func (p *profile) contradicts(ids contact.IDs) bool {
	return p.facts[userFact].contradicts(ownBSUID(ids)) || p.facts[parentFact].contradicts(ids.ParentBSUID)
}

// isSomebodyElse reports whether the contact has nothing in common with ids but a number, which has
// had another holder.
func (p *profile) isSomebodyElse(ids contact.IDs) bool {
	ids.Phone = ""
	return p.contradicts(ids) && !share(p.ids(), ids)
}

func (f fact) contradicts(id string) bool { return id != "" && f != (fact{}) && f.text != id }

// ownBSUID returns the BSUID unless it's the parent BSUID.
func ownBSUID(ids contact.IDs) string {
	if ids.BSUID == ids.ParentBSUID {
		return ""
	}
	return ids.BSUID
}

func (r *reader) readContacts(p jsonscan.Position) {
	r.Seek(p) // without contacts, the payload, which is no array
	for it := r.Objects(); it.Next(); {
		if r.contacts++; r.contacts > maxEvents {
			r.tooMany = true
			return
		}
		r.readContact()
	}
}

func (r *reader) readContact() {
	isEmpty := r.isEmpty()
	var (
		fields             contact.IDs
		name, inner, outer string // the username is inside the profile or outside
	)
	for it := r.Members(); it.Next(); {
		switch member := r.Name(); string(member) {
		case "username":
			outer = r.username()
		case "profile":
			for it := r.Members(); it.Next(); {
				switch string(r.Name()) {
				case "username":
					inner = r.username()
				case "name":
					name = r.text()
				}
			}
		default:
			r.readID(member, &personNames, &fields)
		}
	}
	ids := r.value.clean(fields)
	r.value.contacts.all = append(r.value.contacts.all, profile{
		facts:  [...]fact{{text: ownBSUID(ids)}, {text: ids.ParentBSUID}, {text: ids.Phone}, {text: cmp.Or(inner, outer)}, {text: name}},
		waID:   fields.Phone,
		isUsed: isEmpty,
		nobody: strings.HasSuffix(fields.Phone, "@g.us") || r.value.isBusiness(fields.Phone),
	})
}

// A directory finds a value's contacts by their IDs.
type directory struct {
	all   []profile
	index map[key]*profile // created by the first search among several contacts
}

// A key is one of a contact's IDs.
type key struct {
	by int
	id string
}

// find returns the agreement between all contacts with an ID, or nil. It tries the BSUID,
// then the parent BSUID, then the number.
func (d *directory) find(ids contact.IDs) *profile {
	if len(d.all) == 1 {
		if p := &d.all[0]; share(p.ids(), ids) {
			return p
		}
		return nil
	}
	if d.index == nil && len(d.all) > 0 {
		d.makeIndex()
	}
	for by, id := range [...]string{ids.BSUID, ids.ParentBSUID, ids.Phone} {
		if p := d.index[key{by, id}]; p != nil {
			return p
		}
	}
	return nil
}

func (d *directory) makeIndex() {
	d.index = make(map[key]*profile, len(d.all))
	for i := range d.all {
		p := &d.all[i]
		for by, fact := range p.facts[:idCount] {
			k := key{by, fact.text}
			known := d.index[k]
			switch {
			case k.id == "":
			case known == nil:
				d.index[k] = p
			default:
				both := *known
				both.agree(p)
				both.isUsed = false
				d.index[k] = &both
			}
		}
	}
}

// lone returns the only contact if it may be the person with these IDs. Another number is another
// person's, but some numbers have two forms.
func (d *directory) lone(ids contact.IDs, group string) *profile {
	if len(d.all) != 1 {
		return nil
	}
	p := &d.all[0]
	switch {
	case p.nobody || group != "" && p.waID == group || p.contradicts(ids):
		return nil
	case ids.Phone != "" && !sameNumber(ids.Phone, p.facts[phoneFact].text):
		return nil
	default:
		return p
	}
}

// areUsed reports whether events contain all that the contacts do.
func (d *directory) areUsed() bool {
	for i := range d.all {
		p := &d.all[i]
		isUsed := p.isUsed
		for by, fact := range p.facts[:idCount] {
			shared := d.index[key{by, fact.text}]
			isUsed = isUsed || shared != nil && shared.isUsed
		}
		if !isUsed {
			return false
		}
	}
	return true
}

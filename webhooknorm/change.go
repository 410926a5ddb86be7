package webhooknorm

import (
	"cmp"
	"encoding/json"

	"github.com/hailmark/hailmark/contact"
)

// An IdentityChange says that the ids of a person have changed. An id that the payload
// doesn't have is empty on its side: nothing is carried over from the other side, or from a
// contact, because a BSUID and a number that were never valid together would merge two
// people.
type IdentityChange struct {
	// Previous is what the payload says about the time before the change. It's empty if
	// the payload only announces the new ids.
	Previous contact.IDs `json:"previous"`

	// Current is what the payload says about the time after the change. It's never empty.
	Current contact.IDs `json:"current"`

	// Phone is a number of the person if the payload doesn't say whether it's the previous
	// or the current one. It's set only if neither side has one.
	Phone string `json:"phone,omitempty"`

	// MessageID is the ID of the system message, if the change came with one.
	MessageID     string          `json:"messageId,omitempty"`
	Timestamp     string          `json:"timestamp,omitempty"`
	PhoneNumberID string          `json:"phoneNumberId,omitempty"`
	BusinessPhone string          `json:"businessPhone,omitempty"`
	Raw           json.RawMessage `json:"raw,omitempty"` // the element of the payload, as in [Event]
}

// addChange appends a change that an event announces.
func (r *reader) addChange(e *Event, previous, current contact.IDs, phone string) {
	if !r.all {
		return
	}
	r.webhook.Changes = append(r.webhook.Changes, IdentityChange{
		Previous: withParent(previous), Current: withParent(current), Phone: phone,
		MessageID: e.MessageID, Timestamp: e.Timestamp,
		PhoneNumberID: e.PhoneNumberID, BusinessPhone: e.BusinessPhone, Raw: e.Raw,
	})
}

// A systemChange is the system object of a system message: the platform reports that a
// person has another number, or another BSUID, or both.
type systemChange struct {
	kind     string
	now      contact.IDs // after the change
	previous contact.IDs // before the change
	customer contact.IDs // the number before the change, in older payloads
}

// readSystemChange returns nil if the system member isn't an object.
func (r *reader) readSystemChange() *systemChange {
	if r.Peek() != '{' {
		return nil
	}
	var s systemChange
	var older contact.IDs
	for it := r.Members(); it.Next(); {
		switch name := r.Name(); string(name) {
		case "type":
			s.kind = r.trimmed()
		case "previous_user_id":
			s.previous.BSUID = r.trimmed()
		case "previous_parent_user_id":
			s.previous.ParentBSUID = r.trimmed()
		case "new_wa_id": // the name of wa_id in older payloads
			older.Phone = r.textOrDigits()
		case "customer":
			s.customer.Phone = r.textOrDigits()
		default:
			r.readPersonMember(name, &s.now)
		}
	}
	v := &r.value
	s.now, s.previous, s.customer = v.clean(or(s.now, older)), v.clean(s.previous), v.clean(s.customer)
	return &s
}

// readAnnouncement completes the event of a system message. It's about its sender, by whose
// ids the receiver knows the person. Without them it has the previous ids, and without those
// the new ones.
func (r *reader) readAnnouncement(e *Event, fields contact.IDs, s *systemChange, row *row) {
	sender := r.value.clean(fields)
	if s.kind == "customer_identity_changed" { // about encryption keys, not ids
		r.setPerson(e, or(fields, unless(sender, s.now)), row)
		return
	}
	t := s.transition(sender)
	if t.changed {
		r.addChange(e, t.before, t.after, t.phone)
	}
	fill := fillNames
	ids := cmp.Or(t.sender, s.previous, s.now)
	if ids == (contact.IDs{}) {
		if r.value.isBusiness(fields.Phone) {
			return
		}
		fill = row.fill
	}
	r.fill(e, ids, fill, row.lone)
}

// unless returns ids if the person isn't known.
func unless(person, ids contact.IDs) contact.IDs {
	if person != (contact.IDs{}) {
		return contact.IDs{}
	}
	return ids
}

// A transition is what a system message says about a change of ids.
type transition struct {
	before, after contact.IDs
	phone         string      // of one of the two times, which isn't known
	sender        contact.IDs // the ids of the sender that were valid together
	changed       bool        // an id is new, or the payload doesn't say what was before
}

// transition decides which ids are from before and after the change. The BSUIDs of the
// system object say so themselves. The sender has the ids from before, unless it already
// has the new BSUID:
//
//	the sender has    with type user_changed_user_id             with any other type
//	no number         before: customer                           before: customer
//	the new number    before, if it has the old BSUID            before: customer, unless that's the new one too
//	another number    before, if it has the old BSUID or the     before
//	                  system object has a number; else unknown
//
// With user_changed_user_id the number may have stayed the same.
func (s *systemChange) transition(sender contact.IDs) (t transition) {
	var (
		now      = s.now
		onlyID   = s.kind == "user_changed_user_id"
		isNew    = sender.BSUID == now.BSUID && sender.BSUID != "" || sender.BSUID == "" && sender.ParentBSUID == now.ParentBSUID && sender.ParentBSUID != ""
		bsuids   = contact.IDs{BSUID: sender.BSUID, ParentBSUID: sender.ParentBSUID}
		previous string // the number before
		stayed   bool   // the number is known to be the same
	)
	t.before, t.after, t.sender = s.previous, now, sender
	if isNew {
		t.after = or(t.after, bsuids)
	} else {
		t.before = or(t.before, bsuids)
	}
	switch {
	case sender.Phone == "":
		previous = s.customer.Phone
	case onlyID && !isNew:
		previous = sender.Phone
	case sender.Phone != now.Phone && onlyID && now.Phone == "":
		t.phone = sender.Phone
	case sender.Phone != now.Phone:
		previous = sender.Phone
	case !onlyID:
		previous = s.customer.Phone
		stayed = previous == ""
	}
	if !onlyID && previous == now.Phone {
		stayed = stayed || previous != ""
		previous = ""
	}
	t.before.Phone = previous
	t.changed = differ(t.before.BSUID, t.after.BSUID) || differ(t.before.ParentBSUID, t.after.ParentBSUID) || differ(previous, now.Phone) ||
		hasBSUID(t.after) && !hasBSUID(t.before) ||
		!onlyID && now.Phone != "" && previous == "" && !stayed
	if isNew && previous != now.Phone && previous == sender.Phone {
		t.sender.Phone = "" // the old number doesn't belong to the new BSUID
	}
	return t
}

// readIdentityUpdate reads an element of user_id_update. The platform no longer sends these
// itself, but some providers forward them.
func (r *reader) readIdentityUpdate(row *row) {
	var (
		e                   = r.newEvent(KindIdentityUpdate)
		before, after, waID contact.IDs
	)
	for it := r.Members(); it.Next(); {
		switch string(r.Name()) {
		case "timestamp":
			e.Timestamp = r.textOrDigits()
		case "wa_id":
			waID.Phone = r.textOrDigits()
		case "user_id":
			before.BSUID, after.BSUID = r.readPreviousAndCurrent()
		case "parent_user_id":
			before.ParentBSUID, after.ParentBSUID = r.readPreviousAndCurrent()
		}
	}
	e.Raw = r.Raw()
	previous, current := r.value.clean(before), r.value.clean(after)
	if current != (contact.IDs{}) && withParent(current) != withParent(previous) {
		r.addChange(e, previous, current, r.value.clean(waID).Phone)
	}
	if previous == (contact.IDs{}) {
		before.Phone = waID.Phone
	}
	r.setPerson(e, before, row)
}

func (r *reader) readPreviousAndCurrent() (previous, current string) {
	for it := r.Members(); it.Next(); {
		switch string(r.Name()) {
		case "previous":
			previous = r.trimmed()
		case "current":
			current = r.trimmed()
		}
	}
	return previous, current
}

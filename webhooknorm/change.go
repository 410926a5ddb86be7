package webhooknorm

import (
	"cmp"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/internal/jsonscan"
)

// An IdentityChange replaces ids of a person. Ids that the payload doesn't contain are empty
// on their side and never filled from elsewhere, because ids that weren't valid together
// would merge two people.
type IdentityChange struct {
	// Previous contains the ids before the change. It's empty if the payload contains only
	// the new ones.
	Previous contact.IDs `json:"previous"`

	// Current contains the ids after the change. It's never empty.
	Current contact.IDs `json:"current"`

	// Phone is a number of the person, either previous or current, if neither side
	// contains one.
	Phone string `json:"phone,omitempty"`

	// MessageID is the ID of the system message.
	MessageID string `json:"messageId,omitempty"`

	Source
}

func (r *reader) addChange(e *Event, previous, current contact.IDs, phone string) {
	if r.all {
		r.webhook.Changes = append(r.webhook.Changes, IdentityChange{withParent(previous), withParent(current), phone, e.MessageID, e.Source})
	}
}

// A systemChange is the system object of a message. It announces another number, another
// BSUID or both.
type systemChange struct {
	kind     string
	now      contact.IDs // after the change
	previous contact.IDs
	customer contact.IDs // the previous number in older payloads
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
			s.kind = r.text()
		case "new_wa_id":
			older.Phone = r.id()
		case "customer":
			s.customer.Phone = r.id()
		default:
			_ = r.readID(name, &personNames, &s.now) || r.readID(name, &previousNames, &s.previous)
		}
	}
	v := &r.value
	s.now, s.previous, s.customer = v.clean(or(s.now, older)), v.clean(s.previous), v.clean(s.customer)
	return &s
}

// readAnnouncement completes the event of a system message with the sender's ids, otherwise
// the previous ids, otherwise the new ones. A contact can be from before or after the
// change, so it adds only names.
func (r *reader) readAnnouncement(e *Event, fields contact.IDs, s *systemChange) {
	sender := r.value.clean(fields)
	if s.kind == "customer_identity_changed" { // about encryption keys
		if sender == (contact.IDs{}) {
			fields = or(fields, s.now)
		}
		r.setPerson(e, fields, fillAll)
		return
	}
	t := s.transition(sender)
	if t.changed {
		r.addChange(e, t.before, t.after, t.phone)
	}
	if ids := cmp.Or(t.sender, s.previous, s.now); ids != (contact.IDs{}) {
		r.complete(e, ids, fillNames)
		return
	}
	r.setPerson(e, fields, fillAll)
}

// A transition is the meaning of a system message.
type transition struct {
	before, after contact.IDs
	phone         string      // from before or after
	sender        contact.IDs // without a number from before, if the BSUID is from after
	changed       bool
}

// transition sorts the ids. The system object specifies the side of its own ids. The
// sender's are from before the change, unless its BSUID is the new one:
//
//	the sender's number    user_changed_user_id                   any other type
//	none                   before: customer                       before: customer
//	the new one            before, unless the BSUID is new        before: customer, unless that's the new one too
//	another                before, unless the BSUID is new and    before
//	                       the system object contains no number
//
// With user_changed_user_id the number may be unchanged.
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

// readIdentityUpdate reads an element of user_id_update, which only some providers still
// forward.
func (r *reader) readIdentityUpdate() {
	e := r.newEvent(KindIdentityUpdate)
	e.Raw = r.Raw()
	var user, parent jsonscan.Position
	var own contact.IDs
	for it := r.Members(); it.Next(); {
		switch string(r.Name()) {
		case "timestamp":
			e.Timestamp = r.id()
		case "wa_id":
			own.Phone = r.id()
		case "user_id":
			user = r.Position()
		case "parent_user_id":
			parent = r.Position()
		}
	}
	before := contact.IDs{BSUID: r.changed(user, "previous"), ParentBSUID: r.changed(parent, "previous")}
	after := contact.IDs{BSUID: r.changed(user, "current"), ParentBSUID: r.changed(parent, "current")}
	previous, current := r.value.clean(before), r.value.clean(after)
	if current != (contact.IDs{}) && withParent(current) != withParent(previous) {
		r.addChange(e, previous, current, r.value.clean(own).Phone)
	}
	if previous == (contact.IDs{}) {
		before = own
	}
	r.setPerson(e, before, fillNames)
}

func (r *reader) changed(p jsonscan.Position, name string) string {
	if p == 0 {
		return ""
	}
	return r.textAt(p, name)
}

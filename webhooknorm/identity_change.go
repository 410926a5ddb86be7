package webhooknorm

import (
	"cmp"
	"encoding/json"
)

// An Identity is the ids of one person at one time. Each of them may be missing.
type Identity struct {
	BSUID       string `json:"bsuid,omitempty"`
	ParentBSUID string `json:"parentBsuid,omitempty"`
	Phone       string `json:"phone,omitempty"`
}

// An IdentityChange says that the ids of a person have changed. An id that the payload
// does not give is empty on its side: nothing is carried over from the other side, or
// from a contact, since combining a BSUID and a phone number that were never valid
// together would merge two people.
type IdentityChange struct {
	// Previous is what the payload says about the time before the change. It is empty if
	// the payload only announces the new ids.
	Previous Identity `json:"previous"`

	// Current is what the payload says about the time after the change. It is never empty.
	Current Identity `json:"current"`

	// Phone is a number of the person if the payload does not say whether it is
	// the previous or the current one. It is set only if neither side has one.
	Phone string `json:"phone,omitempty"`

	// MessageID is the ID of the system message, if the change came with one.
	MessageID     string          `json:"messageId,omitempty"`
	Timestamp     string          `json:"timestamp,omitempty"`
	PhoneNumberID string          `json:"phoneNumberId,omitempty"`
	BusinessPhone string          `json:"businessPhone,omitempty"`
	Raw           json.RawMessage `json:"raw,omitempty"` // the element of the payload, as in [Event]
}

// A systemChange is the system object of a system message: the platform reports
// that a person has another phone number, or another BSUID, or both.
type systemChange struct {
	kind     string
	now      identity // after the change
	previous identity // before the change, as the system object says
	customer string   // the phone number before the change, in older payloads
}

// readSystemChange returns nil if the system member is not an object.
func (r *reader) readSystemChange() *systemChange {
	if r.Peek() != '{' {
		return nil
	}
	var change systemChange
	var now, older, previous, customer fields
	for name := range r.Members {
		switch string(name) {
		case "type":
			change.kind = r.text()
		case "previous_user_id":
			previous.user = r.text()
		case "previous_parent_user_id":
			previous.parent = r.text()
		case "new_wa_id": // the name of wa_id in older payloads
			older.phone = r.textOrDigits()
		case "customer":
			customer.phone = r.textOrDigits()
		default:
			r.readPersonMember(name, &now)
		}
	}
	change.now = now.or(older).identity()
	change.previous = previous.identity()
	change.customer = customer.identity().phone
	return &change
}

// applySystemChange returns the ids of the system message e: those of its sender, by
// which the receiver knows the person. If there are none, it takes the previous ids, and
// without those the new ones. It adds the change to the list.
func (r *reader) applySystemChange(sender identity, change *systemChange, e *Event) identity {
	if change.kind == "customer_identity_changed" { // about encryption keys, not ids
		return cmp.Or(sender, change.now)
	}
	before, after := change.twoSides(sender)
	if r.all && change.isChange(before, after) {
		c := IdentityChange{
			Previous: before.exported(), Current: after.exported(),
			MessageID: e.MessageID, Timestamp: e.Timestamp, Raw: e.Raw,
		}
		switch {
		case change.ofNumber() && before.phone == after.phone:
			c.Previous.Phone = "" // it is the new number
		case before.phone == "" && after.phone == "":
			c.Phone = sender.phone
		}
		r.addChange(&c)
	}
	if sender.isNow(change.now) && sender.phone == before.phone && before.phone != after.phone {
		sender.phone = "" // the old number does not belong to the new BSUID
	}
	id := cmp.Or(sender, change.previous, change.now)
	if id != (identity{}) && r.counted == 0 {
		r.value.namesOnly = append(r.value.namesOnly, len(r.events))
	}
	return id
}

// twoSides returns what the system object and the sender of the message together say about
// the time before and after the change. Where the system object does not say what was
// before, the sender does, unless it already has the new BSUID.
func (c *systemChange) twoSides(sender identity) (before, after identity) {
	before, after = c.previous, c.now
	if sender.isNow(c.now) {
		after.user, after.parent = cmp.Or(after.user, sender.user), cmp.Or(after.parent, sender.parent)
	} else {
		before.user, before.parent = cmp.Or(before.user, sender.user), cmp.Or(before.parent, sender.parent)
	}
	before.phone = sender.phone
	switch {
	case before.phone == "" || c.ofNumber() && before.phone == after.phone:
		before.phone = cmp.Or(c.customer, before.phone)
	case !c.ofNumber() && sender.isNow(c.now) && (after.phone == "" || before.phone == after.phone):
		before.phone = "" // the number may be, or is, the new one
	}
	return before, after
}

// ofNumber reports whether the change is about the phone number, and not the BSUID alone.
func (c *systemChange) ofNumber() bool { return c.kind != "user_changed_user_id" }

// isNow reports whether the BSUID of a sender is the new one.
func (id identity) isNow(now identity) bool {
	if id.user != "" {
		return id.user == now.user
	}
	return id.parent != "" && id.parent == now.parent
}

// isChange reports whether one of the ids after the change is new: it differs from the one
// before, or the payload does not say what was before.
func (c *systemChange) isChange(before, after identity) bool {
	return differ(before.user, after.user) || differ(before.parent, after.parent) || differ(before.phone, after.phone) ||
		after.isOfUser() && !before.isOfUser() ||
		c.ofNumber() && after.phone != "" && before.phone == ""
}

// readIdentityUpdate reads an element of user_id_update. The platform no longer sends these
// itself, but some providers forward them.
func (r *reader) readIdentityUpdate(start int) {
	var (
		e             = Event{Kind: KindIdentityUpdate}
		previous, now fields
		phone         fields
	)
	for name := range r.Members {
		switch string(name) {
		case "timestamp":
			e.Timestamp = r.textOrDigits()
		case "wa_id":
			phone.phone = r.textOrDigits()
		case "user_id":
			previous.user, now.user = r.readPreviousAndCurrent()
		case "parent_user_id":
			previous.parent, now.parent = r.readPreviousAndCurrent()
		}
	}
	e.Raw = r.rawSince(start)
	before := previous.identity()
	c := IdentityChange{
		Previous: before.exported(), Current: now.identity().exported(), Phone: phone.identity().phone,
		Timestamp: e.Timestamp, Raw: e.Raw,
	}
	if c.Current != (Identity{}) && c.Current != c.Previous {
		r.addChange(&c)
	}
	if before == (identity{}) {
		before.phone = c.Phone
	}
	e.setIdentity(before)
	r.add(&e)
}

func (r *reader) readPreviousAndCurrent() (previous, current string) {
	for name := range r.Members {
		switch string(name) {
		case "previous":
			previous = r.text()
		case "current":
			current = r.text()
		}
	}
	return previous, current
}

package webhooknorm

import (
	"cmp"
	"slices"
)

// A value is what one change is about: messages, statuses and the contacts whom
// they concern. Its members come in any order, so nothing can be concluded before
// all of them are read.
type value struct {
	active, standby batch
	contacts        directory
	phoneNumberID   string
	recognised      bool // it has an array of messages, statuses or contacts
}

// A batch is the messages and statuses on one level of a value.
type batch struct {
	messages, statuses []element
}

func readValue(r *reader) value {
	var v value
	if !r.openObject() {
		return v
	}
	for r.more() {
		v.readMember(r, string(r.name()))
	}
	return v
}

// readMember reads what follows a member's name. Of a payload without entry, the
// top level is a value, too.
func (v *value) readMember(r *reader, name string) {
	switch name {
	case "metadata":
		v.phoneNumberID = readPhoneNumberID(r)
	case "standby":
		// Conversations that another application handles: the same arrays, one level
		// deeper. Their contacts are on either level.
		if !r.openObject() {
			return
		}
		for r.more() {
			v.readArray(r, string(r.name()), &v.standby)
		}
	default:
		if v.readArray(r, name, &v.active) {
			v.recognised = true
		}
	}
}

// readArray reads a member of a value or of its standby part. It reports whether
// the member is one of the three arrays.
func (v *value) readArray(r *reader, name string, b *batch) (ok bool) {
	switch name {
	case "messages":
		b.messages, ok = readElements(r, b.messages, readMessage)
	case "statuses":
		b.statuses, ok = readElements(r, b.statuses, readStatus)
	case "contacts":
		if ok = r.openArray(); !ok {
			return false
		}
		for r.more() {
			if r.openObject() {
				v.contacts.add(readContact(r))
			}
		}
	default:
		r.skip()
	}
	return ok
}

func readPhoneNumberID(r *reader) (id string) {
	if !r.openObject() {
		return ""
	}
	for r.more() {
		if string(r.name()) == "phone_number_id" {
			id = r.textOrDigits()
		} else {
			r.skip()
		}
	}
	return id
}

// appendEvents appends the events of v: messages before statuses, then those of
// standby in the same way.
func (v *value) appendEvents(events []Event) []Event {
	runs := [...]struct {
		kind     Kind
		elements []element
	}{
		{KindMessage, v.active.messages},
		{KindStatus, v.active.statuses},
		{KindMessage, v.standby.messages},
		{KindStatus, v.standby.statuses},
	}
	count := 0
	for _, run := range runs {
		count += len(run.elements)
	}
	events = slices.Grow(events, count)
	for _, run := range runs {
		for _, e := range run.elements {
			events = append(events, v.event(run.kind, e, count == 1))
		}
	}
	return events
}

// event completes an element from its contact. A contact that shares no id with the
// element is its own only where there is no choice: one contact, one event, and
// nothing that speaks against it.
func (v *value) event(kind Kind, e element, alone bool) Event {
	c, ok := v.contacts.find(e.identity)
	if !ok && alone && len(v.contacts.contacts) == 1 && !v.contacts.contacts[0].contradicts(e.identity) {
		c = v.contacts.contacts[0]
	}
	ev := Event{
		Kind:          kind,
		BSUID:         e.user,
		Phone:         e.phone,
		Username:      c.username.text,
		DisplayName:   c.name.text,
		ParentBSUID:   e.parent,
		ID:            e.id,
		Timestamp:     e.timestamp,
		PhoneNumberID: v.phoneNumberID,
		Raw:           e.raw,
	}
	if !e.fixed {
		ev.BSUID = cmp.Or(ev.BSUID, c.user.text)
		ev.Phone = cmp.Or(ev.Phone, c.phone.text)
		if !differ(e.user, c.user.text) { // a shared phone or parent may join two BSUIDs
			ev.ParentBSUID = cmp.Or(ev.ParentBSUID, c.parent.text)
		}
	}
	ev.BSUID = cmp.Or(ev.BSUID, ev.ParentBSUID)
	return ev
}

package webhooknorm

import (
	"encoding/json"

	"github.com/hailmark/hailmark/internal/jsonscan"
)

// A value is a change's value.
type value struct {
	phoneNumberID string
	businessPhone string // digits
	conversation  json.RawMessage
	contacts      directory
	answerable    int // messages and statuses; 2 stands for any more
	total         int // elements of all arrays, and the handover; 2 stands for any more
	inStandby     bool
}

// members contains the positions of a value's known members. 0 means absent.
type members struct {
	contacts, messages, statuses, echoes, calls, preferences, identityUpdates, history, addressBook, groups, errors jsonscan.Position // arrays

	metadata, recipient, conversation, sender, passed, taken, standby jsonscan.Position // objects

	kind, timestamp jsonscan.Position

	hasUnknown bool // other arrays and objects, unless they're empty
}

// split finds the current object's members.
func (r *reader) split() (m members) {
	for it := r.Members(); it.Next(); {
		bracket, member := m.named(r.Name())
		switch {
		case bracket == r.Peek() || bracket == scalar && r.Peek() != '{' && r.Peek() != '[':
			*member = r.Position()
		case !r.isEmpty():
			m.hasUnknown = true
		}
	}
	return m
}

// scalar is a member that's neither an array nor an object.
const scalar = 0

// named returns the position of a member, and the bracket that its value begins with.
func (m *members) named(name []byte) (bracket byte, member *jsonscan.Position) {
	const array, object, unknown = '[', '{', 1
	switch string(name) {
	case "contacts":
		return array, &m.contacts
	case "messages":
		return array, &m.messages
	case "statuses":
		return array, &m.statuses
	case "message_echoes":
		return array, &m.echoes
	case "calls":
		return array, &m.calls
	case "user_preferences":
		return array, &m.preferences
	case "user_id_update":
		return array, &m.identityUpdates
	case "history":
		return array, &m.history
	case "state_sync":
		return array, &m.addressBook
	case "groups":
		return array, &m.groups
	case "errors":
		return array, &m.errors
	case "metadata":
		return object, &m.metadata
	case "recipient":
		return object, &m.recipient
	case "conversation_context":
		return object, &m.conversation
	case "sender":
		return object, &m.sender
	case "control_passed":
		return object, &m.passed
	case "control_taken":
		return object, &m.taken
	case "standby":
		return object, &m.standby
	case "type":
		return scalar, &m.kind
	case "timestamp":
		return scalar, &m.timestamp
	default:
		return unknown, nil
	}
}

// isEmpty reports whether the current value contains neither members nor objects.
func (r *reader) isEmpty() bool {
	defer r.Seek(r.Position())
	members, objects := r.Members(), r.Objects()
	return !members.Next() && !objects.Next()
}

// isHandover reports whether the value is a handover. No other value contains these objects.
func (m *members) isHandover() bool { return m.sender > 0 || m.passed > 0 || m.taken > 0 }

// isNormalized reports whether [Normalize] accepts the value without an entry around it.
func (m *members) isNormalized() bool { return m.messages > 0 || m.statuses > 0 || m.contacts > 0 }

// isValue reports whether [Read] accepts the value without an entry around it.
func (m *members) isValue() bool {
	return m.isNormalized() || m.echoes > 0 || m.calls > 0 || m.preferences > 0 || m.identityUpdates > 0 || m.history > 0 ||
		m.addressBook > 0 || m.groups > 0 || m.errors > 0 || m.standby > 0 || m.passed > 0 || m.taken > 0
}

// readValue reads the current object's members in a fixed order.
func (r *reader) readValue() {
	whole := r.Position()
	events, others := len(r.webhook.Events), len(r.webhook.Others)
	r.value = value{contacts: directory{all: r.value.contacts.all[:0]}}
	m := r.split()
	r.count(&m)
	var inner members
	if r.at(m.standby) {
		inner = r.split()
		r.count(&inner)
	}
	r.readBusinessNumber(m.metadata)
	if m.isHandover() {
		r.value.total++
		r.readBusinessNumber(m.recipient)
	}
	if r.at(m.conversation) {
		r.value.conversation = r.Raw()
	}
	r.readContacts(m.contacts)
	r.readContacts(inner.contacts)
	r.value.inStandby = r.field == "standby" // also without the inner object
	r.readElements(&m)
	r.value.inStandby = true
	r.readElements(&inner)
	r.value.inStandby = false
	if !r.all {
		return
	}
	if m.isHandover() {
		r.Seek(whole)
		r.readHandover(&m)
	}
	isRead := len(r.webhook.Events) > events || len(r.webhook.Others) > others
	if !isRead || m.hasUnknown || m.errors > 0 || r.value.conversation != nil || inner.hasRest() {
		r.addValue(whole, &m)
	}
}

// hasRest reports whether a standby contains what no event does.
func (m *members) hasRest() bool {
	return m.hasUnknown || m.errors > 0 || m.conversation > 0 || m.standby > 0 || m.isHandover()
}

// count adds an object's elements to the value's.
func (r *reader) count(m *members) {
	v := &r.value
	v.answerable += r.countIn(m.messages) + r.countIn(m.statuses)
	v.total += r.countIn(m.messages) + r.countIn(m.statuses) + r.countIn(m.echoes) + r.countIn(m.calls) + r.countIn(m.preferences) +
		r.countIn(m.identityUpdates) + r.countIn(m.history) + r.countIn(m.addressBook) + r.countIn(m.groups)
}

// countIn returns the number of an array's objects, or 2 if there are more.
func (r *reader) countIn(array jsonscan.Position) (n int) {
	if !r.at(array) {
		return 0
	}
	for it := r.Objects(); n < 2 && it.Next(); {
		n++
	}
	return n
}

// at goes to a member if there is one.
func (r *reader) at(member jsonscan.Position) bool {
	r.Seek(member)
	return member > 0
}

// readBusinessNumber reads a value's metadata or a handover's recipient.
func (r *reader) readBusinessNumber(p jsonscan.Position) {
	if !r.at(p) {
		return
	}
	v := &r.value
	for it := r.Members(); it.Next(); {
		switch name := r.Name(); {
		case string(name) == "phone_number_id" && v.phoneNumberID == "":
			v.phoneNumberID = r.id()
		case string(name) == "display_phone_number" && v.businessPhone == "":
			_, v.businessPhone = cleanPhone(r.id())
		}
	}
}

// readElements reads a value's or its standby's elements.
func (r *reader) readElements(m *members) {
	if r.inHistory() {
		r.each(m.messages, (*reader).readHistoryFile)
	} else {
		r.each(m.messages, (*reader).readMessage)
	}
	r.each(m.statuses, (*reader).readStatus)
	if !r.all {
		return
	}
	r.each(m.echoes, (*reader).readEcho)
	r.each(m.calls, (*reader).readCall)
	r.each(m.preferences, (*reader).readPreference)
	r.each(m.identityUpdates, (*reader).readIdentityUpdate)
	r.each(m.history, (*reader).readHistory)
	r.each(m.addressBook, (*reader).readAppContact)
	r.each(m.groups, (*reader).readGroup)
}

// each reads an array's objects.
func (r *reader) each(array jsonscan.Position, read func(*reader)) {
	if !r.at(array) {
		return
	}
	r.grow(r.countObjects())
	for it := r.Objects(); !r.tooMany && it.Next(); {
		read(r)
	}
}

// countObjects returns the number of objects in the current array.
func (r *reader) countObjects() (n int) {
	for it := r.Objects(); it.Next(); {
		n++
	}
	return n
}

// inHistory reports whether the value's messages are history, which only the field tells.
// Normalize ignores the field.
func (r *reader) inHistory() bool { return r.all && r.field == fieldHistory }

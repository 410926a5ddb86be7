package webhooknorm

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/hailmark/hailmark/internal/jsonscan"
)

// A value is a change's value.
type value struct {
	phoneNumberID string
	businessPhone string // digits
	conversation  json.RawMessage
	contacts      directory
	total         int // elements of all arrays, and the handover; 2 stands for any more
	inStandby     bool
}

// arrays are the arrays of elements, in the order of their events.
var arrays = [...]struct {
	name    string
	isBasic bool          // Normalize reads it
	read    func(*reader) // an element
}{
	{"messages", true, (*reader).readMessage},
	{"statuses", true, (*reader).readStatus},
	{"message_echoes", false, (*reader).readEcho},
	{"calls", false, (*reader).readCall},
	{"user_preferences", false, (*reader).readPreference},
	{"user_id_update", false, (*reader).readIdentityUpdate},
	{"history", false, (*reader).readHistory},
	{"state_sync", false, (*reader).readAppContact},
	{"groups", false, (*reader).readGroup},
}

// messages is the index of the array in arrays.
const messages = 0

// members contains the positions of a value's known members. 0 means absent.
type members struct {
	elements [len(arrays)]jsonscan.Position // see arrays

	contacts, errors jsonscan.Position // arrays

	metadata, recipient, conversation, sender, passed, taken, standby jsonscan.Position // objects

	kind, timestamp, product jsonscan.Position // scalars

	hasRest bool // also what no event contains
}

// split finds the current object's members.
func (r *reader) split() (m members) {
	for it := r.Members(); it.Next(); {
		shape, member := m.named(r.Name())
		switch {
		case r.shape() == scalar && r.isEmpty():
		case member != nil && shape == r.shape():
			*member = r.Position()
			m.hasRest = m.hasRest || r.IsMixed()
		default:
			m.hasRest = m.hasRest || !r.isEmpty()
		}
	}
	return m
}

// A shape is what a value begins with: a bracket, a brace or, for all texts, numbers and words, 0.
type shape byte

const (
	scalar shape = 0
	array  shape = '['
	braces shape = '{'
)

func (r *reader) shape() shape {
	if s := shape(r.Peek()); s == array || s == braces {
		return s
	}
	return scalar
}

// named returns a member's shape and position, or nil if it's unknown.
func (m *members) named(name []byte) (shape, *jsonscan.Position) {
	for i := range arrays {
		if arrays[i].name == string(name) {
			return array, &m.elements[i]
		}
	}
	switch string(name) {
	case "contacts":
		return array, &m.contacts
	case "errors":
		return array, &m.errors
	case "metadata":
		return braces, &m.metadata
	case "recipient":
		return braces, &m.recipient
	case "conversation_context":
		return braces, &m.conversation
	case "sender":
		return braces, &m.sender
	case "control_passed":
		return braces, &m.passed
	case "control_taken":
		return braces, &m.taken
	case "standby":
		return braces, &m.standby
	case "type":
		return scalar, &m.kind
	case "timestamp":
		return scalar, &m.timestamp
	case "messaging_product":
		return scalar, &m.product
	default:
		return scalar, nil
	}
}

// isEmpty reports whether the current value says nothing: null, a blank text, [] or {}.
func (r *reader) isEmpty() bool {
	switch raw := r.Raw(); raw[0] {
	case '{', '[':
		return len(bytes.TrimSpace(raw[1:len(raw)-1])) == 0
	case '"':
		c := raw[1]
		return c == '"' || (c == '\\' || !isPlain(c)) && r.text() == ""
	default:
		return raw[0] == 'n'
	}
}

// hasOnly reports whether the current object's members are among some names and scalars, or empty.
func (r *reader) hasOnly(names ...string) bool {
	only := true
	for it := r.Members(); it.Next(); {
		isKnown := slices.Contains(names, string(r.Name())) && r.shape() == scalar
		only = only && (isKnown || r.isEmpty())
	}
	return only
}

// isHandover reports whether the value is a handover. No other value contains these objects.
func (m *members) isHandover() bool { return m.sender > 0 || m.passed > 0 || m.taken > 0 }

// isValue reports whether [Read], or [Normalize] unless all is true, accepts the value without an
// entry around it.
func (m *members) isValue(all bool) bool {
	for i, p := range m.elements {
		if p > 0 && (all || arrays[i].isBasic) {
			return true
		}
	}
	return m.contacts > 0 || all && (m.errors > 0 || m.standby > 0 || m.passed > 0 || m.taken > 0)
}

// isResponse reports whether a value without an entry is the API's response to a request to send. Its
// contacts contain the input, or its messages nothing but an ID and a state.
func (r *reader) isResponse(m *members) bool {
	if (members{
		elements: [len(arrays)]jsonscan.Position{messages: m.elements[messages]},
		contacts: m.contacts, product: m.product, hasRest: m.hasRest,
	}) != *m {
		return false // a response contains nothing else
	}
	hasInput, isBare := false, false
	r.Seek(m.contacts) // without contacts, the payload, which is no array
	for it := r.Objects(); it.Next(); {
		p := r.Position()
		hasInput = hasInput || r.Find(p, "input")
		r.Seek(p)
	}
	r.Seek(m.elements[messages])
	for it := r.Objects(); it.Next(); {
		p := r.Position()
		if !r.hasOnly("id", "message_status", "group_id") {
			return hasInput
		}
		isBare = isBare || r.idAt(p, "id") != ""
		r.Seek(p)
	}
	return hasInput || isBare
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
	r.readBusinessNumber(&m, m.metadata)
	if m.isHandover() {
		r.value.total++
		r.readBusinessNumber(&m, m.recipient)
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
	if !isRead || m.hasOther() || inner.hasOtherInStandby() || r.value.conversation != nil || !r.value.contacts.areUsed() {
		r.addValue(whole, &m)
	}
}

// hasOther reports whether a value contains what no event does. A handover's event contains its
// whole value.
func (m *members) hasOther() bool {
	return m.hasRest || m.errors > 0 || !m.isHandover() && (m.kind > 0 || m.timestamp > 0 || m.recipient > 0)
}

// hasOtherInStandby reports whether a standby contains what no event does.
func (m *members) hasOtherInStandby() bool {
	return m.hasOther() || m.conversation > 0 || m.standby > 0 || m.metadata > 0 || m.isHandover()
}

// count adds an object's elements to the value's.
func (r *reader) count(m *members) {
	for _, p := range m.elements {
		r.value.total += r.countIn(p)
	}
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
func (r *reader) readBusinessNumber(m *members, p jsonscan.Position) {
	if !r.at(p) {
		return
	}
	const id, number = "phone_number_id", "display_phone_number"
	v := &r.value
	for it := r.Members(); it.Next(); {
		switch name := r.Name(); {
		case string(name) == id && v.phoneNumberID == "":
			v.phoneNumberID = r.id()
		case string(name) == number && v.businessPhone == "":
			_, v.businessPhone = cleanPhone(r.id())
		}
	}
	m.hasRest = m.hasRest || r.all && !r.hasOnly(id, number)
}

// readElements reads a value's or its standby's elements.
func (r *reader) readElements(m *members) {
	for i := range arrays {
		if r.all || arrays[i].isBasic {
			r.each(m.elements[i], arrays[i].read)
		}
	}
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

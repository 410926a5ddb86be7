package webhooknorm

import (
	"encoding/json"

	"github.com/hailmark/hailmark/internal/jsonscan"
)

// A value is what one change is about.
type value struct {
	phoneNumberID string
	businessPhone string // digits
	conversation  json.RawMessage
	contacts      directory
	elements      int  // how many messages and statuses there are
	total         int  // how many elements there are
	inStandby     bool // the elements that are being read are
}

// members are where the members of a value are.
type members struct {
	metadata, conversation           jsonscan.Position
	sender, recipient, passed, taken jsonscan.Position
	kind, timestamp                  jsonscan.Position
	own, standby                     arrays
}

// arrays are where the arrays of a value are, or of its standby part: the conversations that
// another application answers.
type arrays struct {
	contacts        jsonscan.Position
	rows            [rowCount]jsonscan.Position // by their index in the table
	elements, total int                         // as in value
}

// readValue reads the object that comes next in two steps: it splits the object into its
// members, then reads them in a fixed order. It reports whether the object has an array of
// messages, statuses or contacts.
func (r *reader) readValue() (recognized bool) {
	whole := r.Position()
	m := r.split()
	r.value.reset()
	v := &r.value
	r.readMetadata(&m)
	for _, part := range [...]*arrays{&m.own, &m.standby} {
		if r.at(part.contacts) {
			for it := r.Objects(); !r.tooMany && it.Next(); {
				r.readContact()
			}
		}
		v.elements += part.elements
		v.total += part.total
	}
	if m.isHandover() {
		v.total++
	}
	r.readArrays(&m.own)
	v.inStandby = true
	r.readArrays(&m.standby)
	v.inStandby = false
	r.Seek(whole)
	if r.all && m.isHandover() {
		r.readHandover(&m)
	}
	return m.own.contacts > 0 || m.own.rows[0] > 0 || m.own.rows[1] > 0
}

// split returns the members of the object that comes next.
func (r *reader) split() (m members) {
	for it := r.Members(); it.Next(); {
		switch name := r.Name(); string(name) {
		case "metadata":
			m.metadata = r.Position()
		case "conversation_context":
			m.conversation = r.Position()
		case "sender":
			m.sender = r.ifObject()
		case "recipient":
			m.recipient = r.Position()
		case "control_passed":
			m.passed = r.ifObject()
		case "control_taken":
			m.taken = r.ifObject()
		case "type":
			m.kind = r.Position()
		case "timestamp":
			m.timestamp = r.Position()
		case "standby":
			for it := r.Members(); it.Next(); {
				r.splitArray(r.Name(), &m.standby)
			}
		default:
			r.splitArray(name, &m.own)
		}
	}
	return m
}

func (r *reader) splitArray(name []byte, to *arrays) {
	if r.Peek() != '[' {
		return
	}
	if string(name) == "contacts" {
		to.contacts = r.Position()
	} else if i := rowNamed(name); i >= 0 {
		to.rows[i] = r.Position()
		for it := r.Objects(); to.total <= MaxEvents && it.Next(); {
			to.total++
			if i < normalizeRows {
				to.elements++
			}
		}
	}
}

// ifObject returns the position of the next value if it's an object.
func (r *reader) ifObject() (p jsonscan.Position) {
	if r.Peek() == '{' {
		p = r.Position()
	}
	return p
}

// at goes to a member, and reports whether there is one.
func (r *reader) at(member jsonscan.Position) bool {
	r.Seek(member)
	return member > 0
}

func (v *value) reset() {
	contacts := v.contacts
	contacts.reset()
	*v = value{contacts: contacts}
}

// readMetadata reads the business number that the value is about. A handover has it in
// recipient.
func (r *reader) readMetadata(m *members) {
	if r.at(m.metadata) {
		r.readBusinessNumber()
	}
	if m.isHandover() && r.at(m.recipient) {
		r.readBusinessNumber()
	}
	if r.at(m.conversation) && r.Peek() == '{' {
		r.value.conversation = r.Raw()
	}
}

func (r *reader) readBusinessNumber() {
	v := &r.value
	for it := r.Members(); it.Next(); {
		switch string(r.Name()) {
		case "phone_number_id":
			if id := r.textOrDigits(); v.phoneNumberID == "" {
				v.phoneNumberID = id
			}
		case "display_phone_number":
			if _, phone := cleanPhone(r.textOrDigits()); v.businessPhone == "" {
				v.businessPhone = phone
			}
		}
	}
}

// readArrays appends the events of the arrays.
func (r *reader) readArrays(a *arrays) {
	wanted := rowCount
	if !r.all {
		wanted = normalizeRows
	}
	for i := range rows[:wanted] {
		if r.at(a.rows[i]) {
			for it := r.Objects(); !r.tooMany && it.Next(); {
				r.readElement(i)
			}
		}
	}
}

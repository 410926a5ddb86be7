package webhooknorm

import (
	"encoding/json"

	"github.com/hailmark/hailmark/internal/jsonscan"
)

// A value is the value of one change.
type value struct {
	phoneNumberID string
	businessPhone string // digits
	conversation  json.RawMessage
	contacts      directory
	elements      int // messages and statuses
	total         int // elements of all arrays
	inStandby     bool
}

// members are the positions of a value's members.
type members struct {
	metadata, conversation           jsonscan.Position
	sender, recipient, passed, taken jsonscan.Position
	kind, timestamp                  jsonscan.Position
	own, standby                     arrays
}

// arrays are the positions of the arrays of a value or its standby object.
type arrays struct {
	contacts jsonscan.Position
	elements [arrayCount]jsonscan.Position // by their index in arrayNames
}

// arrayNames are the arrays of elements in the order of their events. Normalize reads the
// first two.
var arrayNames = [arrayCount]string{
	"messages", "statuses", "message_echoes", "calls", "user_preferences", "user_id_update", "history", "state_sync", "groups",
}

const arrayCount = 9

// readValue splits the current object into its members and reads them in a fixed order. It
// reports whether there's an array of messages, statuses or contacts.
func (r *reader) readValue() (recognized bool) {
	whole := r.Position()
	contacts := r.value.contacts
	contacts.reset()
	r.value = value{contacts: contacts}
	m := r.split()
	r.readBusinessNumber(m.metadata)
	if m.isHandover() {
		r.value.total++
		r.readBusinessNumber(m.recipient)
	}
	if r.at(m.conversation) {
		r.value.conversation = r.Raw()
	}
	r.readContacts(m.own.contacts)
	r.readContacts(m.standby.contacts)
	r.readArrays(&m.own)
	r.value.inStandby = true
	r.readArrays(&m.standby)
	r.value.inStandby = false
	if r.all && m.isHandover() {
		r.Seek(whole)
		r.readHandover(&m)
	}
	return m.own.contacts > 0 || m.own.elements[0] > 0 || m.own.elements[1] > 0
}

func (r *reader) split() (m members) {
	for it := r.Members(); it.Next(); {
		switch name := r.Name(); string(name) {
		case "metadata":
			m.metadata = r.Position()
		case "conversation_context":
			m.conversation = r.ifObject()
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
		return
	}
	for i := range arrayNames {
		if arrayNames[i] == string(name) {
			to.elements[i] = r.Position()
			for it := r.Objects(); r.value.total <= maxEvents && it.Next(); {
				r.value.total++
				if i < 2 {
					r.value.elements++
				}
			}
			return
		}
	}
}

func (r *reader) ifObject() (p jsonscan.Position) {
	if r.Peek() == '{' {
		p = r.Position()
	}
	return p
}

// at goes to a member if there is one.
func (r *reader) at(member jsonscan.Position) bool {
	r.Seek(member)
	return member > 0
}

// readBusinessNumber reads the metadata of a value, or the recipient of a handover.
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

func (r *reader) readArrays(a *arrays) {
	wanted := a.elements[:2]
	if r.all {
		wanted = a.elements[:]
	}
	for i, p := range wanted {
		if !r.at(p) {
			continue
		}
		for it := r.Objects(); !r.tooMany && it.Next(); {
			switch i {
			case 0:
				r.readMessage()
			case 1:
				r.readStatus()
			case 2:
				r.readEcho()
			case 3:
				r.readCall()
			case 4:
				r.readPreference()
			case 5:
				r.readIdentityUpdate()
			case 6:
				r.readHistory()
			case 7:
				r.readAppContact()
			case 8:
				r.readGroup()
			}
		}
	}
}

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
	elements      int     // messages and statuses
	total         int     // elements of all arrays
	rest          float64 // see jsonscan.Reader.Rest
	inStandby     bool
}

// members contains the positions of a value's members. 0 means absent.
type members [memberCount]jsonscan.Position

// A value's members. The arrays of elements are in the order of their events, and Normalize
// reads only the first two.
const (
	messages = iota
	statuses
	echoes
	calls
	preferences
	identityUpdates
	history
	addressBook
	groups
	contacts // the last array
	metadata
	recipient
	conversation
	sender
	passed
	taken
	standby // the last object
	kind
	timestamp
	memberCount
)

var memberNames = [memberCount]string{
	"messages", "statuses", "message_echoes", "calls", "user_preferences", "user_id_update", "history", "state_sync", "groups",
	"contacts", "metadata", "recipient", "conversation_context", "sender", "control_passed", "control_taken", "standby", "type", "timestamp",
}

var membersByLength = func() (byLength [32][]int) {
	for i, name := range memberNames {
		byLength[len(name)] = append(byLength[len(name)], i)
	}
	return byLength
}()

func memberNamed(name []byte) int {
	for _, i := range membersByLength[len(name)%32] {
		if memberNames[i] == string(name) {
			return i
		}
	}
	return -1
}

// isHandover reports whether the value is a handover. No other value contains these objects.
func (m *members) isHandover() bool { return m[sender] > 0 || m[passed] > 0 || m[taken] > 0 }

// readValue splits the current object into its members and reads them in a fixed order. It
// reports whether there's an array of messages, statuses or contacts.
func (r *reader) readValue() (recognized bool) {
	whole := r.Position()
	r.value = value{contacts: directory{all: r.value.contacts.all[:0]}, rest: r.Rest()}
	m := r.split()
	var inner members
	if r.at(m[standby]) {
		inner = r.split()
	}
	r.readBusinessNumber(m[metadata])
	if m.isHandover() {
		r.value.total++
		r.readBusinessNumber(m[recipient])
	}
	if r.at(m[conversation]) {
		r.value.conversation = r.Raw()
	}
	r.readContacts(m[contacts])
	r.readContacts(inner[contacts])
	r.readElements(&m)
	r.value.inStandby = true
	r.readElements(&inner)
	r.value.inStandby = false
	if r.all && m.isHandover() {
		r.Seek(whole)
		r.readHandover(&m)
	}
	return m[messages] > 0 || m[statuses] > 0 || m[contacts] > 0
}

// split finds the current object's known members. It also determines the number of elements.
func (r *reader) split() (m members) {
	for it := r.Members(); it.Next(); {
		i, first := memberNamed(r.Name()), r.Peek()
		if i < 0 || i <= contacts && first != '[' || contacts < i && i <= standby && first != '{' {
			continue
		}
		m[i] = r.Position()
		for it := r.Objects(); i < contacts && r.value.total <= maxEvents && it.Next(); {
			r.value.total++
			if i <= statuses {
				r.value.elements++
			}
		}
	}
	return m
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

func (r *reader) readElements(m *members) {
	for i, p := range m[:contacts] {
		if p == 0 || i > statuses && !r.all {
			continue
		}
		r.Seek(p)
		for it := r.Objects(); !r.tooMany && it.Next(); {
			switch i {
			case messages:
				r.readMessage()
			case statuses:
				r.readStatus()
			case echoes:
				r.readEcho()
			case calls:
				r.readCall()
			case preferences:
				r.readPreference()
			case identityUpdates:
				r.readIdentityUpdate()
			case history:
				r.readHistory()
			case addressBook:
				r.readAppContact()
			case groups:
				r.readGroup()
			}
		}
	}
}

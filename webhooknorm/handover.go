package webhooknorm

import (
	"cmp"
	"encoding/json"
)

// A Handover says that the conversation with a person passed from one application of the
// business to another, for example from an automatic agent to people.
type Handover struct {
	// Person is the person in the conversation.
	Person Identity `json:"person"`

	// PreviousOwner and NewOwner are roles, such as ai_agent and escalation, in the
	// words of the payload. Either can be empty.
	PreviousOwner string `json:"previousOwner,omitempty"`
	NewOwner      string `json:"newOwner,omitempty"`

	Timestamp     string          `json:"timestamp,omitempty"`
	PhoneNumberID string          `json:"phoneNumberId,omitempty"`
	BusinessPhone string          `json:"businessPhone,omitempty"`
	Raw           json.RawMessage `json:"raw,omitempty"` // the value, as in [Event]
}

// handoverFields are the members of a value that is a handover. It is one if its sender is
// an object: no other value has one.
type handoverFields struct {
	found           bool
	person          fields
	number          string // goes before the number in person
	previous, next  string
	kind, timestamp string
	phoneNumberID   string
	businessPhone   string
}

// isHandover reports whether the value is a handover.
func (v *value) isHandover() bool { return v.handover != nil && v.handover.found }

// readHandoverMember reads a member of a value that may be a handover.
func (r *reader) readHandoverMember(name []byte) {
	if r.value.handover == nil {
		r.value.handover = new(handoverFields)
	}
	h := r.value.handover
	switch string(name) {
	case "type":
		h.kind = r.text()
	case "timestamp":
		h.timestamp = r.textOrDigits()
	case "sender":
		h.found = r.Peek() == '{'
		for name := range r.Members {
			if string(name) == "phone_number" {
				h.number = r.textOrDigits()
			} else {
				r.readPersonMember(name, &h.person)
			}
		}
	case "recipient": // the business, in place of the metadata
		for name := range r.Members {
			switch string(name) {
			case "phone_number_id":
				h.phoneNumberID = r.textOrDigits()
			case "display_phone_number":
				_, h.businessPhone = cleanPhone(r.textOrDigits())
			}
		}
	case "control_passed":
		r.readControlPassed(h)
	}
}

// readControlPassed reads which application had the conversation and which has it now. Older
// payloads call the role of the previous one by another name.
func (r *reader) readControlPassed(h *handoverFields) {
	var older string
	for name := range r.Members {
		switch string(name) {
		case "previous_owner_role":
			h.previous = r.text()
		case "previous_owner_app_role":
			older = r.text()
		case "new_owner_role":
			h.next = r.text()
		}
	}
	h.previous = cmp.Or(h.previous, older)
}

// addHandover adds a handover and its event, which is the last of the value. Such a value
// names the business in recipient, and may have no metadata.
func (r *reader) addHandover() {
	v, h := &r.value, r.value.handover
	v.phoneNumberID = cmp.Or(v.phoneNumberID, h.phoneNumberID)
	v.businessPhone = cmp.Or(v.businessPhone, h.businessPhone)
	e := Event{Kind: KindHandover, State: h.kind, Timestamp: h.timestamp, Raw: r.rawSince(v.start)}
	e.setIdentity(fields{phone: h.number}.or(h.person).identity())
	r.complete(&e, handoverRow.fill, v.isAlone(&e, handoverRow.lone, 0, len(r.events)+1-v.first))
	r.add(&e)
	r.handovers = append(r.handovers, Handover{
		Person:        Identity{BSUID: e.BSUID, ParentBSUID: e.ParentBSUID, Phone: e.Phone},
		PreviousOwner: h.previous, NewOwner: h.next,
		Timestamp: e.Timestamp, PhoneNumberID: e.PhoneNumberID, BusinessPhone: e.BusinessPhone, Raw: e.Raw,
	})
}

package webhooknorm

import (
	"cmp"
	"encoding/json"

	"github.com/hailmark/hailmark/contact"
)

// A Handover says that the conversation with a person passed from one application of the
// business to another, for example from an automatic agent to people. The platform sends
// it in several forms, so every member can be empty.
type Handover struct {
	// Person is the person in the conversation.
	Person contact.IDs `json:"person"`

	// PreviousOwner and NewOwner are roles in the words of the payload: ai_agent,
	// business, customer_service, ctwa, escalation, marketing, meta_business_agent,
	// utility.
	PreviousOwner string `json:"previousOwner,omitempty"`
	NewOwner      string `json:"newOwner,omitempty"`

	// PreviousAppID is the ID of the application that had the conversation.
	PreviousAppID string `json:"previousAppId,omitempty"`

	// Metadata is the text that the application added: often JSON, such as
	// {"reason":"MARKETING_MESSAGE"}.
	Metadata string `json:"metadata,omitempty"`

	Timestamp     string          `json:"timestamp,omitempty"`
	PhoneNumberID string          `json:"phoneNumberId,omitempty"`
	BusinessPhone string          `json:"businessPhone,omitempty"`
	Raw           json.RawMessage `json:"raw,omitempty"` // the value, as in [Event]
}

// isHandover reports whether the value is a handover. No other value has one of these
// objects.
func (m *members) isHandover() bool {
	return m.sender > 0 || m.passed > 0 || m.taken > 0
}

// readHandover reads the current value.
func (r *reader) readHandover(m *members) {
	var (
		e      = r.newEvent(KindHandover)
		h      Handover
		sender contact.IDs
	)
	e.Raw = r.Raw()
	if r.at(m.kind) {
		e.State = r.trimmed()
	}
	if r.at(m.timestamp) {
		e.Timestamp = r.textOrDigits()
	}
	if r.at(m.taken) {
		e.State = cmp.Or(e.State, "control_taken")
		r.readControl(e, &h)
	}
	if r.at(m.passed) {
		e.State = cmp.Or(e.State, "control_passed")
		r.readControl(e, &h)
	}
	if r.at(m.sender) {
		var number contact.IDs
		for it := r.Members(); it.Next(); {
			if string(r.Name()) == "phone_number" {
				number.Phone = r.textOrDigits()
			} else {
				r.readPersonMember(r.Name(), &sender)
			}
		}
		sender = or(number, sender)
	}
	if e.ConversationContext == nil {
		e.ConversationContext = r.value.conversation
	}
	r.setPerson(e, sender, &handoverRow)
	h.Person, h.Timestamp, h.PhoneNumberID, h.BusinessPhone, h.Raw = e.IDs, e.Timestamp, e.PhoneNumberID, e.BusinessPhone, e.Raw
	r.webhook.Handovers = append(r.webhook.Handovers, h)
}

// readControl reads a control_passed or control_taken object. A role is that of the owner,
// or in other payloads of its application.
func (r *reader) readControl(e *Event, h *Handover) {
	var role, appRole, innerRole, app, innerApp string
	for it := r.Members(); it.Next(); {
		switch string(r.Name()) {
		case "previous_owner_role":
			role = r.trimmed()
		case "previous_owner_app_role":
			appRole = r.trimmed()
		case "previous_owner_app_id":
			app = r.textOrDigits()
		case "previous_owner":
			for it := r.Members(); it.Next(); {
				switch string(r.Name()) {
				case "app_role":
					innerRole = r.trimmed()
				case "app_id":
					innerApp = r.textOrDigits()
				}
			}
		case "new_owner_role":
			h.NewOwner = r.trimmed()
		case "metadata":
			h.Metadata = r.textOrJSON()
		case "conversation_context":
			if r.Peek() == '{' {
				e.ConversationContext = r.Raw()
			}
		}
	}
	h.PreviousOwner = cmp.Or(role, appRole, innerRole)
	h.PreviousAppID = cmp.Or(app, innerApp)
}

// textOrJSON reads a string, or an object as it's written.
func (r *reader) textOrJSON() string {
	if r.Peek() != '{' {
		return r.trimmed()
	}
	return string(r.Raw())
}

package webhooknorm

import (
	"cmp"

	"github.com/hailmark/hailmark/contact"
)

// A Handover passes the conversation with a person to another application, for example from
// an agent to people. Every field can be empty.
type Handover struct {
	Person contact.IDs `json:"person"`

	// PreviousOwner and NewOwner are roles such as ai_agent, business, customer_service,
	// ctwa, escalation, marketing, meta_business_agent and utility.
	PreviousOwner string `json:"previousOwner,omitempty"`
	NewOwner      string `json:"newOwner,omitempty"`

	// PreviousAppID is the ID of the previous application.
	PreviousAppID string `json:"previousAppId,omitempty"`

	// Metadata is a text of the previous application, often JSON.
	Metadata string `json:"metadata,omitempty"`

	Source // Raw is the whole value
}

// readHandover reads the current value.
func (r *reader) readHandover(m *members) {
	var (
		e              = r.newEvent(KindHandover)
		h              Handover
		number, person contact.IDs
	)
	e.Raw = r.Raw()
	if r.at(m[kind]) {
		e.State = r.text()
	}
	if r.at(m[timestamp]) {
		e.Timestamp = r.id()
	}
	if r.at(m[taken]) {
		e.State = cmp.Or(e.State, "control_taken")
		r.readControl(e, &h)
	}
	if r.at(m[passed]) {
		e.State = cmp.Or(e.State, "control_passed")
		r.readControl(e, &h)
	}
	if r.at(m[sender]) {
		for it := r.Members(); it.Next(); {
			if name := r.Name(); string(name) == "phone_number" {
				number.Phone = r.id()
			} else {
				r.readID(name, &personNames, &person)
			}
		}
	}
	if e.ConversationContext == nil {
		e.ConversationContext = r.value.conversation
	}
	r.setPerson(e, or(number, person), fillAll)
	h.Person, h.Source = e.IDs, e.Source
	r.webhook.Handovers = append(r.webhook.Handovers, h)
}

// readControl reads a control_passed or control_taken object. The role is that of the owner,
// otherwise that of its application.
func (r *reader) readControl(e *Event, h *Handover) {
	var role, appRole, innerRole, app, innerApp string
	for it := r.Members(); it.Next(); {
		switch string(r.Name()) {
		case "previous_owner_role":
			role = r.text()
		case "previous_owner_app_role":
			appRole = r.text()
		case "previous_owner_app_id":
			app = r.id()
		case "previous_owner":
			owner := r.Position()
			innerRole, innerApp = r.textAt(owner, "app_role"), r.idAt(owner, "app_id")
		case "new_owner_role":
			h.NewOwner = r.text()
		case "metadata":
			if h.Metadata = r.text(); r.Peek() == '{' {
				h.Metadata = string(r.Raw())
			}
		case "conversation_context":
			if r.Peek() == '{' {
				e.ConversationContext = r.Raw()
			}
		}
	}
	h.PreviousOwner = cmp.Or(role, appRole, innerRole)
	h.PreviousAppID = cmp.Or(app, innerApp)
}

package webhooknorm

import (
	"cmp"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/internal/jsonscan"
)

// An IdentityChange replaces a person's IDs. Each side contains only IDs from the payload,
// because IDs that weren't valid together would merge two people.
type IdentityChange struct {
	// Previous contains the IDs before the change. It's empty if the payload doesn't contain any.
	Previous contact.IDs `json:"previous"`

	// Current contains the IDs after the change. It's never empty.
	Current contact.IDs `json:"current"`

	// Phone is the person's previous or current number if neither side contains one.
	Phone string `json:"phone,omitempty"`

	// MessageID identifies the system message.
	MessageID string `json:"messageId,omitempty"`

	// Event is the index in [Webhook.Events] of the event that announces the change.
	Event int `json:"event"`

	Source
}

func (r *reader) addChange(e *Event, previous, current contact.IDs, phone string) {
	if !r.all {
		return
	}
	r.webhook.Changes = append(r.webhook.Changes, IdentityChange{
		Previous: withParent(previous), Current: withParent(current), Phone: phone,
		MessageID: e.MessageID, Event: len(r.webhook.Events) - 1, Source: e.Source,
	})
}

// A systemChange is a message's system object. It announces another number, BSUID or both.
type systemChange struct {
	kind     string
	now      contact.IDs // after the change
	previous contact.IDs
	customer contact.IDs // the previous number in older payloads
}

// readSystemChange returns nil unless the current value is an object.
func (r *reader) readSystemChange() *systemChange {
	if r.Peek() != '{' {
		return nil
	}
	var s systemChange
	var older contact.IDs
	for it := r.Members(); it.Next(); {
		switch name := r.Name(); string(name) {
		case "type":
			s.kind = r.text()
		case "new_wa_id":
			older.Phone = r.id()
		case "customer":
			s.customer.Phone = r.id()
		default:
			_ = r.readID(name, &personNames, &s.now) || r.readID(name, &previousNames, &s.previous)
		}
	}
	v := &r.value
	s.now, s.previous, s.customer = v.clean(or(s.now, older)), v.clean(s.previous), v.clean(s.customer)
	return &s
}

// readAnnouncement completes a system message with the sender's IDs, otherwise the previous
// IDs, otherwise the new ones. Contacts add only names, because their IDs can be from before
// or after the change.
func (r *reader) readAnnouncement(e *Event, fields contact.IDs, s *systemChange) {
	sender := r.value.clean(fields)
	ids, fill := cmp.Or(sender, s.now), fillAll
	if s.kind != "customer_identity_changed" { // about encryption keys
		t := s.transition(sender)
		if t.changed {
			r.addChange(e, t.before, t.after, t.phone)
		}
		ids, fill = cmp.Or(t.sender, s.previous, s.now), fillNames
	}
	if ids == (contact.IDs{}) {
		ids, fill = fields, fillAll
	}
	r.setPerson(e, ids, fill)
}

// A transition is an interpreted system message.
type transition struct {
	before, after contact.IDs
	phone         string      // from before or after
	sender        contact.IDs // without a number from the other side than its BSUID
	changed       bool
}

// transition sorts the IDs. The system object specifies the side of its own IDs. The
// sender's are from before the change, unless its BSUID is the new one:
//
//	the sender's number    user_changed_user_id                   any other type
//	none                   before: customer                       before: customer
//	the new one            before, unless the BSUID is new        before: customer, unless that's the new one too
//	another                before, unless the BSUID is new and    before
//	                       the system object contains no number
//
// With user_changed_user_id the number may be unchanged.
func (s *systemChange) transition(sender contact.IDs) (t transition) {
	onlyID := s.kind == "user_changed_user_id"
	isNew := sender.BSUID != "" && sender.BSUID == s.now.BSUID ||
		sender.BSUID == "" && sender.ParentBSUID != "" && sender.ParentBSUID == s.now.ParentBSUID
	t.before, t.after, t.sender = s.previous, s.now, sender
	side := &t.before
	if isNew {
		side = &t.after
	}
	*side = or(*side, contact.IDs{BSUID: sender.BSUID, ParentBSUID: sender.ParentBSUID})
	previous, now := sender.Phone, s.now.Phone
	switch {
	case previous == "" || !onlyID && previous == now:
		previous = cmp.Or(s.customer.Phone, previous)
	case onlyID && isNew && (now == "" || previous == now):
		previous = ""
	}
	t.changed = replaces(t.after, t.before) || differ(previous, now) || !onlyID && now != "" && previous == ""
	if onlyID || previous != now {
		t.before.Phone = previous
	}
	if previous == "" && now == "" {
		t.phone = sender.Phone
	}
	if isNew && sender.Phone == previous && previous != now || !isNew && hasBSUID(sender) && !onlyID && sender.Phone == now {
		t.sender.Phone = ""
	}
	return t
}

// replaces reports whether a person's BSUIDs are others after a change.
func replaces(after, before contact.IDs) bool {
	return differ(before.BSUID, after.BSUID) || differ(before.ParentBSUID, after.ParentBSUID) || hasBSUID(after) && !hasBSUID(before)
}

// readIdentityUpdate reads an element of user_id_update, which some providers still forward.
func (r *reader) readIdentityUpdate() {
	e := r.newEvent(KindIdentityUpdate)
	e.Raw = r.Raw()
	var user, parent jsonscan.Position
	var own contact.IDs
	for it := r.Members(); it.Next(); {
		switch string(r.Name()) {
		case "timestamp":
			e.Timestamp = r.id()
		case "wa_id":
			own.Phone = r.id()
		case "user_id":
			user = r.Position()
		case "parent_user_id":
			parent = r.Position()
		}
	}
	before := contact.IDs{BSUID: r.changed(user, "previous"), ParentBSUID: r.changed(parent, "previous")}
	after := contact.IDs{BSUID: r.changed(user, "current"), ParentBSUID: r.changed(parent, "current")}
	previous, current := r.value.clean(before), r.value.clean(after)
	if replaces(current, previous) {
		r.addChange(e, previous, current, r.value.clean(own).Phone)
	}
	if previous == (contact.IDs{}) {
		before = own
	}
	r.setPerson(e, before, fillNames)
}

func (r *reader) changed(p jsonscan.Position, name string) string {
	if p == 0 {
		return ""
	}
	return r.textAt(p, name)
}

// A Handover passes the conversation with a person to another application, for example from
// an agent to people. Every field can be empty.
type Handover struct {
	Person contact.IDs `json:"person"`

	// PreviousOwner and NewOwner are roles such as ai_agent, business, customer_service,
	// ctwa, escalation, marketing, meta_business_agent and utility.
	PreviousOwner string `json:"previousOwner,omitempty"`
	NewOwner      string `json:"newOwner,omitempty"`

	PreviousAppID string `json:"previousAppId,omitempty"`

	// Metadata is text from the previous application, often JSON.
	Metadata string `json:"metadata,omitempty"`

	// Event is the index in [Webhook.Events] of the handover's event.
	Event int `json:"event"`

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
	if r.at(m.kind) {
		e.State = r.text()
	}
	if r.at(m.timestamp) {
		e.Timestamp = r.id()
	}
	state := "control_passed"
	if m.passed == 0 {
		state = "control_taken"
	}
	if r.at(cmp.Or(m.passed, m.taken)) {
		e.State = cmp.Or(e.State, state)
		r.readControl(e, &h)
	}
	if r.at(m.sender) {
		for it := r.Members(); it.Next(); {
			if name := r.Name(); string(name) == "phone_number" {
				number.Phone = r.id()
			} else {
				r.readID(name, &personNames, &person)
			}
		}
	}
	if e.ConversationContext == nil {
		e.ConversationContext = r.takeConversation()
	}
	r.setPerson(e, or(number, person), fillAll)
	h.Person, h.Event, h.Source = e.IDs, len(r.webhook.Events)-1, e.Source
	r.webhook.Handovers = append(r.webhook.Handovers, h)
}

// readControl reads a control_passed or control_taken object.
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

package webhooknorm

import (
	"cmp"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/internal/jsonscan"
)

// An IdentityChange replaces a person's IDs. Each side contains only IDs from the payload,
// because IDs that weren't valid together would merge two people.
type IdentityChange struct {
	// Previous contains the IDs before the change. It's never empty: an announcement that doesn't
	// contain any is no change.
	Previous contact.IDs `json:"previous"`

	// Current contains the IDs after the change. It's never empty.
	Current contact.IDs `json:"current"`

	// Phone is the person's previous or current number if neither side contains one.
	Phone string `json:"phone,omitempty"`
}

// newChange returns a person's change, or nil if it's none. A side contains nothing that may be
// another person's. With nothing on one side, nobody knows whose IDs the others replace.
func newChange(previous, current contact.IDs, number string, movesNumber bool) *IdentityChange {
	getsNumber := movesNumber && previous.Phone == "" && current.Phone != ""
	if !getsNumber && !differ(previous.Phone, current.Phone) && !replaces(current, previous) {
		return nil
	}
	if previous.ParentBSUID == current.ParentBSUID {
		previous.BSUID, previous.ParentBSUID = ownBSUID(previous), "" // because it didn't change
	}
	if previous.BSUID == current.BSUID && differ(previous.Phone, current.Phone) {
		previous.BSUID = "" // because it's never joined with the old number
	}
	if previous == (contact.IDs{}) || current == (contact.IDs{}) {
		return nil
	}
	if previous.Phone+current.Phone != "" {
		number = ""
	}
	return &IdentityChange{Previous: withParent(previous), Current: withParent(current), Phone: number}
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
	var newer contact.IDs // in older payloads and other sources
	for it := r.Members(); it.Next(); {
		switch name := r.Name(); string(name) {
		case "type":
			s.kind = r.text()
		case "customer":
			s.customer.Phone = r.id()
		default:
			_ = r.readID(name, &personNames, &s.now) || r.readID(name, &previousNames, &s.previous) || r.readID(name, &newNames, &newer)
		}
	}
	if hasBSUID(newer) { // then the others are the previous ones
		s.previous = or(s.previous, contact.IDs{BSUID: s.now.BSUID, ParentBSUID: s.now.ParentBSUID})
		s.now.BSUID, s.now.ParentBSUID = "", ""
	}
	v := &r.value
	s.now, s.previous, s.customer = v.clean(or(s.now, newer)), v.clean(s.previous), v.clean(s.customer)
	return &s
}

// readAnnouncement completes a system message with the sender's IDs, otherwise the previous
// IDs, otherwise the new ones.
func (r *reader) readAnnouncement(e *Event, fields contact.IDs, s *systemChange) {
	sender := r.value.clean(fields)
	if s.kind == "customer_identity_changed" { // about encryption keys
		r.setPerson(e, cmp.Or(sender, s.now, fields))
		return
	}
	e.Change = s.change(sender)
	if s.isTorn(sender) {
		sender.Phone = ""
	}
	if ids := cmp.Or(sender, s.previous, s.now); ids != (contact.IDs{}) {
		r.setPersonOfChange(e, ids)
	} else {
		r.setPerson(e, fields)
	}
}

// movesNumber reports whether a change is about a number. The platform says that a change of a BSUID
// (user_changed_user_id) is about nothing else.
func (s *systemChange) movesNumber() bool { return s.kind != "user_changed_user_id" }

// A side of an announcement contains the IDs before or after the change.
type side int

const (
	unknown side = iota
	previous
	current
)

// sideOfNumber returns the side of the sender's number. Without a number, it doesn't matter.
func (s *systemChange) sideOfNumber(sender contact.IDs) side {
	switch {
	case sender.Phone == "" || sender.Phone == s.now.Phone:
		return current
	case s.now.Phone != "":
		return previous // because the person has another one now
	case hasBSUID(sender) && !s.isNew(sender):
		return previous // because it's the number of the old BSUID
	case !hasBSUID(sender) && s.movesNumber():
		return previous // by the platform's documentation
	default:
		return unknown // because other sources put the new one there
	}
}

// isTorn reports whether the sender's number isn't on its BSUIDs' side.
func (s *systemChange) isTorn(sender contact.IDs) bool {
	own := previous
	if s.isNew(sender) {
		own = current
	}
	return sender.Phone != "" && hasBSUID(sender) && s.sideOfNumber(sender) != own
}

// change sorts the IDs, as docs/webhooks.md specifies under Changes. The system object's own IDs
// have a side. The sender's BSUIDs are on one side, and its number can be on the other. The current
// number is never the previous one: then the sides would be two people, the number's previous
// holder and its next.
func (s *systemChange) change(sender contact.IDs) *IdentityChange {
	before, after, number := s.previous, s.now, ""
	bsuids := contact.IDs{BSUID: sender.BSUID, ParentBSUID: sender.ParentBSUID}
	if s.isNew(sender) {
		after = or(after, bsuids)
	} else {
		before = or(before, bsuids)
	}
	switch s.sideOfNumber(sender) {
	case previous:
		before.Phone = sender.Phone
	case current:
		if s.customer.Phone != s.now.Phone {
			before.Phone = s.customer.Phone
		}
	case unknown:
		number = sender.Phone
	}
	return newChange(before, after, number, s.movesNumber())
}

// isNew reports whether the sender's BSUIDs are from after the change. The sender's own BSUID
// decides if the system object contains one to compare it with, otherwise the parent BSUID.
func (s *systemChange) isNew(sender contact.IDs) bool {
	switch own := sender.BSUID; {
	case own != "" && s.now.BSUID != "":
		return own == s.now.BSUID
	case own != "" && s.previous.BSUID != "":
		return own != s.previous.BSUID
	default:
		return sender.ParentBSUID != "" && sender.ParentBSUID == s.now.ParentBSUID
	}
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
	e.Change = newChange(previous, current, r.value.clean(own).Phone, false)
	if previous == (contact.IDs{}) {
		before = own
	}
	r.setPersonOfChange(e, before)
}

func (r *reader) changed(p jsonscan.Position, name string) string {
	if p == 0 {
		return ""
	}
	return r.textAt(p, name)
}

// A Handover passes the conversation with an event's person to another application, for example from
// an agent to people. Every field can be empty.
type Handover struct {
	// PreviousOwner and NewOwner are roles such as ai_agent, business, customer_service,
	// ctwa, escalation, marketing, meta_business_agent and utility.
	PreviousOwner string `json:"previousOwner,omitempty"`
	NewOwner      string `json:"newOwner,omitempty"`

	PreviousAppID string `json:"previousAppId,omitempty"`

	// Metadata is text from the previous application, often JSON.
	Metadata string `json:"metadata,omitempty"`
}

// readHandover reads the current value, which is the event's Raw.
func (r *reader) readHandover(m *members) {
	var (
		e              = r.newEvent(KindHandover)
		number, person contact.IDs
	)
	e.Raw, e.Handover = r.Raw(), &Handover{}
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
		r.readControl(e)
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
	r.setPerson(e, or(number, person))
}

// readControl reads a control_passed or control_taken object.
func (r *reader) readControl(e *Event) {
	h := e.Handover
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

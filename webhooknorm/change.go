package webhooknorm

// An Identity is the ids of one person at one time. Each of them may be missing.
type Identity struct {
	BSUID, ParentBSUID, Phone string
}

// An IdentityChange says that a person who had some ids has others now. An id that
// the payload does not give is empty on its side: nothing is carried over from the
// other side, or from a contact, since a BSUID and a phone number that were never
// valid together would weld two people into one.
type IdentityChange struct {
	Previous, Current Identity

	// Phone is a number of the person of which the payload does not say whether it is
	// the previous or the current one. It is set only if neither side has one.
	Phone string

	ID            string // of the system message, if it came with one
	Timestamp     string
	PhoneNumberID string
	Raw           []byte // the element of the payload, as in [Event]
}

// A systemChange is the system object of a system message: the platform's word
// that a person has got another phone number, and with it another BSUID.
type systemChange struct {
	found bool
	mixes bool     // the payload may hold ids from before and from after the change
	now   identity // after the change
	old   string   // the phone number before the change
}

func (r *reader) readSystemChange() (change systemChange) {
	if r.Peek() != '{' {
		return systemChange{}
	}
	var (
		kind, old  string
		now, older fields
	)
	for name := range r.Members {
		switch string(name) {
		case "type":
			kind = r.text()
		case "new_wa_id": // the name of wa_id in older payloads
			older.phone = r.textOrDigits()
		case "customer":
			old = r.textOrDigits()
		default:
			r.readPersonMember(name, &now)
		}
	}
	return systemChange{
		found: true,
		mixes: kind != "customer_identity_changed", // which is about encryption keys
		now:   now.or(older).identity(),
		old:   fields{phone: old}.identity().phone,
	}
}

// addSystemChange adds what the system message e announces about its sender.
func (r *reader) addSystemChange(sender identity, change *systemChange, e *Event) {
	if change.now == (identity{}) || change.now == sender {
		return
	}
	c := IdentityChange{
		Previous: sender.exported(), Current: change.now.exported(),
		ID: e.ID, Timestamp: e.Timestamp, Raw: e.Raw,
	}
	if c.Previous == (Identity{}) {
		c.Previous.Phone = change.old
	}
	r.changes = append(r.changes, c)
}

// readIdentityUpdate reads an element of user_id_update, which is the only one to
// name both the previous and the current BSUID.
func (r *reader) readIdentityUpdate(start int) {
	var (
		e             = Event{Kind: KindIdentityUpdate}
		previous, now fields
		phone         fields
	)
	for name := range r.Members {
		switch string(name) {
		case "timestamp":
			e.Timestamp = r.textOrDigits()
		case "wa_id":
			phone.phone = r.textOrDigits()
		case "user_id":
			previous.user, now.user = r.readPreviousAndCurrent()
		case "parent_user_id":
			previous.parent, now.parent = r.readPreviousAndCurrent()
		}
	}
	e.Raw = r.since(start)
	before := previous.identity()
	c := IdentityChange{
		Previous: before.exported(), Current: now.identity().exported(), Phone: phone.identity().phone,
		Timestamp: e.Timestamp, Raw: e.Raw,
	}
	if c.Current != (Identity{}) && c.Current != c.Previous {
		r.changes = append(r.changes, c)
	}
	if before == (identity{}) {
		before.phone = c.Phone
	}
	e.setIdentity(before)
	r.add(&e)
}

func (r *reader) readPreviousAndCurrent() (previous, current string) {
	for name := range r.Members {
		switch string(name) {
		case "previous":
			previous = r.text()
		case "current":
			current = r.text()
		}
	}
	return previous, current
}

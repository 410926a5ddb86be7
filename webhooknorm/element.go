package webhooknorm

// An element is one object of messages or statuses, as far as it says itself whom
// it is about.
type element struct {
	identity
	fixed         bool // the identity must not be filled up from a contact
	id, timestamp string
	raw           []byte
}

// readElements reads an array of objects and appends them. It reports false if the
// value is no array.
func readElements(r *reader, elements []element, read func(*reader) element) ([]element, bool) {
	if !r.openArray() {
		return elements, false
	}
	for r.more() {
		if !r.openObject() {
			continue
		}
		start := r.offset() - len("{")
		e := read(r)
		e.raw = r.since(start)
		elements = append(elements, e)
	}
	return elements, true
}

// readMessage reads the members of a message. Its sender is in from and its two
// companions, never in context (that is the quoted message) or in contacts (those
// are shared cards).
func readMessage(r *reader) element {
	var (
		e      element
		kind   string
		sender fields
		change systemChange
	)
	for r.more() {
		switch string(r.name()) {
		case "id":
			e.id = r.textOrDigits()
		case "timestamp":
			e.timestamp = r.textOrDigits()
		case "type":
			kind = r.text()
		case "from":
			sender.phone = r.textOrDigits()
		case "from_user_id":
			sender.user = r.text()
		case "from_parent_user_id":
			sender.parent = r.text()
		case "system":
			change = readSystemChange(r)
		default:
			r.skip()
		}
	}
	e.identity = sender.identity()
	if change.found && (kind == "system" || kind == "") {
		if e.identity == (identity{}) {
			e.identity = change.identity
		}
		e.fixed = change.mixes && e.identity != (identity{})
	}
	return e
}

// A systemChange is the system object of a system message: the platform's word
// that a person has got another phone number, and with it another BSUID.
type systemChange struct {
	found    bool
	mixes    bool // the payload may hold ids from before and from after the change
	identity      // after the change
}

func readSystemChange(r *reader) systemChange {
	if !r.openObject() {
		return systemChange{}
	}
	var (
		kind     string
		now, old fields
	)
	for r.more() {
		switch string(r.name()) {
		case "type":
			kind = r.text()
		case "user_id":
			now.user = r.text()
		case "parent_user_id":
			now.parent = r.text()
		case "wa_id":
			now.phone = r.textOrDigits()
		case "new_wa_id": // the name of wa_id in older payloads
			old.phone = r.textOrDigits()
		default: // customer is the number before the change, so it is no part of this
			r.skip()
		}
	}
	return systemChange{
		found:    true,
		mixes:    kind != "customer_identity_changed", // which is about encryption keys
		identity: now.or(old).identity(),
	}
}

// readStatus reads the members of a status. In a group the recipient is one
// participant, and recipient_id is the group.
func readStatus(r *reader) element {
	var (
		e                             element
		kind                          string
		recipient, recipientAlias     fields
		participant, participantAlias fields
	)
	for r.more() {
		switch string(r.name()) {
		case "id":
			e.id = r.textOrDigits()
		case "timestamp":
			e.timestamp = r.textOrDigits()
		case "recipient_type":
			kind = r.text()

		case "recipient_id":
			recipient.phone = r.textOrDigits()
		case "recipient_user_id":
			recipient.user = r.text()
		case "recipient_parent_user_id":
			recipient.parent = r.text()
		case "parent_recipient_user_id": // its name in April 2026
			recipientAlias.parent = r.text()

		case "recipient_participant_id":
			participant.phone = r.textOrDigits()
		case "recipient_participant_user_id":
			participant.user = r.text()
		case "recipient_participant_parent_user_id":
			participant.parent = r.text()
		case "participant_recipient_id":
			participantAlias.phone = r.textOrDigits()
		case "participant_recipient_user_id":
			participantAlias.user = r.text()
		case "participant_recipient_parent_user_id":
			participantAlias.parent = r.text()

		default:
			r.skip()
		}
	}
	recipient = recipient.or(recipientAlias)
	participant = participant.or(participantAlias)
	if kind == "group" || participant != (fields{}) {
		recipient = participant
	}
	e.identity = recipient.identity()
	return e
}

package webhooknorm

// readMessage reads a message. Its sender is in from and its two companions, never
// in context (that is the quoted message) or in contacts (those are shared cards).
func (r *reader) readMessage(start int) {
	var (
		e      = Event{Kind: KindMessage}
		kind   string
		sender fields
		change systemChange
	)
	for name := range r.Members {
		switch string(name) {
		case "id":
			e.ID = r.textOrDigits()
		case "timestamp":
			e.Timestamp = r.textOrDigits()
		case "type":
			kind = r.text()
		case "from":
			sender.phone = r.textOrDigits()
		case "from_user_id":
			sender.user = r.text()
		case "from_parent_user_id":
			sender.parent = r.text()
		case "system":
			change = r.readSystemChange()
		}
	}
	e.Raw = r.since(start)
	id := sender.identity()
	if change.found && (kind == "system" || kind == "") {
		if r.all && change.mixes {
			r.addSystemChange(id, &change, &e)
		}
		if id == (identity{}) {
			id = change.now
		}
		if change.mixes && id != (identity{}) {
			r.value.fixed = append(r.value.fixed, len(r.events))
		}
	}
	e.setIdentity(id)
	r.add(&e)
}

// readStatus reads a status. In a group the recipient is one participant, and
// recipient_id is the group.
func (r *reader) readStatus(start int) {
	var (
		e                             = Event{Kind: KindStatus}
		kind                          string
		recipient, recipientAlias     fields
		participant, participantAlias fields
	)
	for name := range r.Members {
		switch string(name) {
		case "id":
			e.ID = r.textOrDigits()
		case "timestamp":
			e.Timestamp = r.textOrDigits()
		case "status":
			e.Status = r.text()
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
		}
	}
	e.Raw = r.since(start)
	recipient = recipient.or(recipientAlias)
	participant = participant.or(participantAlias)
	if kind == "group" || participant != (fields{}) {
		recipient = participant
	}
	e.setIdentity(recipient.identity())
	r.add(&e)
}

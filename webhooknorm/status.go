package webhooknorm

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
			e.MessageID = r.textOrDigits()
		case "timestamp":
			e.Timestamp = r.textOrDigits()
		case "status":
			e.State = r.text()
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
	e.Raw = r.rawSince(start)
	recipient = recipient.or(recipientAlias)
	participant = participant.or(participantAlias)
	r.value.group = ""
	if kind == "group" || participant != (fields{}) {
		r.value.group = recipient.phone
		recipient = participant
	}
	e.setIdentity(recipient.identity())
	r.add(&e)
}

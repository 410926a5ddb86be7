package webhooknorm

import "github.com/hailmark/hailmark/contact"

// readStatus reads a status. In a group the recipient is one participant, and recipient_id
// is the group.
func (r *reader) readStatus(row *row) {
	var (
		e                     = r.newEvent(KindStatus)
		kind                  string
		recipient, alias      contact.IDs
		participant, misspelt contact.IDs
	)
	for it := r.Members(); it.Next(); {
		switch string(r.Name()) {
		case "id":
			e.MessageID = r.textOrDigits()
		case "timestamp":
			e.Timestamp = r.textOrDigits()
		case "type":
			e.Type = r.trimmed()
		case "status":
			e.State = r.trimmed()
		case "errors":
			e.Error = r.readErrors()
		case "recipient_type":
			kind = r.trimmed()

		case "recipient_id":
			recipient.Phone = r.textOrDigits()
		case "recipient_user_id":
			recipient.BSUID = r.trimmed()
		case "recipient_parent_user_id":
			recipient.ParentBSUID = r.trimmed()
		case "parent_recipient_user_id": // its name in April 2026
			alias.ParentBSUID = r.trimmed()

		case "recipient_participant_id":
			participant.Phone = r.textOrDigits()
		case "recipient_participant_user_id":
			participant.BSUID = r.trimmed()
		case "recipient_participant_parent_user_id":
			participant.ParentBSUID = r.trimmed()
		case "participant_recipient_id": // three of Meta's examples call them so
			misspelt.Phone = r.textOrDigits()
		case "participant_recipient_user_id":
			misspelt.BSUID = r.trimmed()
		case "participant_recipient_parent_user_id":
			misspelt.ParentBSUID = r.trimmed()
		}
	}
	e.Raw = r.Raw()
	recipient, participant = or(recipient, alias), or(participant, misspelt)
	if kind == "group" || participant != (contact.IDs{}) {
		e.GroupID = recipient.Phone
		recipient = participant
	}
	r.setPerson(e, recipient, row)
}

package webhooknorm

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/internal/jsonscan"
)

// readContent reads a member that messages, statuses, echoes and calls share.
func (r *reader) readContent(name []byte, e *Event) bool {
	switch string(name) {
	case "id":
		e.MessageID = r.id()
	case "timestamp":
		e.Timestamp = r.id()
	case "type":
		e.Type = r.text()
	case "context":
		e.ReplyTo = r.idAt(r.Position(), "id")
	case "group_id":
		e.GroupID = r.id()
	case "errors":
		e.Errors = r.readErrors()
	case "reaction":
		e.Target = cmp.Or(e.Target, r.idAt(r.Position(), "message_id"))
	case "edit", "revoke":
		e.Target = cmp.Or(e.Target, r.idAt(r.Position(), "original_message_id"))
	default:
		return false
	}
	return true
}

// maxErrors is the maximum number of errors in a payload, which limits the memory for them.
// The others are only in Raw.
const maxErrors = 16_384

// readErrors reads an array of errors.
func (r *reader) readErrors() (errors []Error) {
	for it := r.Objects(); r.errors < maxErrors && it.Next(); r.errors++ {
		errors = append(errors, r.readError())
	}
	return errors
}

func (r *reader) readError() (e Error) {
	inner := ""
	for it := r.Members(); it.Next(); {
		switch string(r.Name()) {
		case "code":
			e.Code = r.errorCode()
		case "title":
			e.Title = r.text()
		case "message":
			e.Message = r.text()
		case "error_data":
			inner = r.textAt(r.Position(), "details")
		case "details": // in older webhooks
			e.Details = r.text()
		case "error_subcode":
			e.Subcode = r.errorCode()
		case "error_user_title":
			e.UserTitle = r.text()
		case "error_user_msg":
			e.UserMessage = r.text()
		case "fbtrace_id":
			e.TraceID = r.id()
		}
	}
	e.Details = cmp.Or(inner, e.Details)
	return e
}

// errorCode reads a number below 2^31.
func (r *reader) errorCode() int {
	code, err := strconv.ParseUint(r.id(), 10, 31)
	if err != nil {
		return 0
	}
	return int(code)
}

// readMessage reads a message. The IDs in context belong to the quoted message, and those in
// contacts to shared cards.
func (r *reader) readMessage() {
	if r.inHistory() {
		r.readHistoryFile()
		return
	}
	var (
		e             = r.newEvent(KindMessage)
		sender, alias contact.IDs
		change        *systemChange
		cards         jsonscan.Position
		origin        string
	)
	e.ConversationContext = r.takeConversation()
	for it := r.Members(); it.Next(); {
		switch name := r.Name(); string(name) {
		case "system":
			change = r.readSystemChange()
		case "contacts":
			cards = r.Position()
		case "origin":
			origin = r.text()
		case "from_bsuid": // Turn.io
			alias.BSUID = r.text()
		default:
			_ = r.readContent(name, e) || r.readID(name, &fromNames, &sender)
		}
	}
	e.Raw = r.Raw()
	sender = or(sender, alias)
	if e.Type == "contacts" || e.Type == "" {
		e.SharedPhone = r.ownPhone(cards, origin)
	}
	if change != nil && (e.Type == "system" || e.Type == "") {
		e.Type = "system"
		r.readAnnouncement(e, sender, change)
		return
	}
	r.setPerson(e, sender)
}

// takeConversation returns the value's conversation context, once.
func (r *reader) takeConversation() json.RawMessage {
	context := r.value.conversation
	r.value.conversation = nil
	return context
}

// ownPhone reads the number that a message's sender shared after a contact request. The
// platform marks its card with the origin contact_request; other cards are about other people.
func (r *reader) ownPhone(cards jsonscan.Position, origin string) string {
	const request = "contact_request"
	var own fact
	r.Seek(cards) // without cards, the payload, which isn't an array
	for it := r.Objects(); it.Next(); {
		card := r.Position()
		if origin != request && r.textAt(card, "origin") != request || !r.Find(card, "phones") {
			continue
		}
		for it := r.Objects(); it.Next(); {
			phone := r.Position()
			account := r.value.clean(contact.IDs{Phone: r.idAt(phone, "wa_id")})
			written := r.value.clean(contact.IDs{Phone: r.idAt(phone, "phone")})
			own.agree(fact{text: cmp.Or(account.Phone, written.Phone)})
		}
	}
	return own.text
}

// readStatus reads a status. In a group, recipient_id is the group, not the participant.
func (r *reader) readStatus() {
	var (
		e                                  = r.newEvent(KindStatus)
		kind                               string
		recipient, alias, member, misspelt contact.IDs
	)
	for it := r.Members(); it.Next(); {
		switch name := r.Name(); string(name) {
		case "status":
			e.State = r.text()
		case "recipient_type":
			kind = r.text()
		case "parent_recipient_user_id": // in Meta's examples
			alias.ParentBSUID = r.text()
		default:
			_ = r.readContent(name, e) || r.readID(name, &recipientNames, &recipient) || r.readID(name, &participantNames, &member) ||
				r.readID(name, &participantAlias, &misspelt)
		}
	}
	e.Raw = r.Raw()
	recipient, member = or(recipient, alias), or(member, misspelt)
	if kind == "group" || member != (contact.IDs{}) {
		e.GroupID = recipient.Phone
		recipient = member
	}
	r.setPerson(e, recipient)
}

// sides are a message's or call's two sides, and the business is on either.
type sides struct{ from, to contact.IDs }

func (r *reader) readSide(name []byte, s *sides) bool {
	return r.readID(name, &fromNames, &s.from) || r.readID(name, &toNames, &s.to)
}

// readEcho reads a message that the business sent. In standby its addressee and content are
// in a message object, as in a request to send.
func (r *reader) readEcho() {
	var (
		e         = r.newEvent(r.echoKind())
		s         sides
		inner     Event
		addressee contact.IDs
		isGroup   bool
	)
	for it := r.Members(); it.Next(); {
		switch name := r.Name(); string(name) {
		case "recipient_type":
			isGroup = isGroup || r.text() == "group"
		case "message":
			for it := r.Members(); it.Next(); {
				switch name := r.Name(); string(name) {
				case "to":
					addressee.Phone = r.id()
				case "recipient":
					addressee.BSUID = r.text()
				case "recipient_type":
					isGroup = isGroup || r.text() == "group"
				default:
					r.readContent(name, &inner)
				}
			}
		default:
			_ = r.readContent(name, e) || r.readSide(name, &s)
		}
	}
	e.Raw = r.Raw()
	e.Type, e.ReplyTo, e.Target = cmp.Or(e.Type, inner.Type), cmp.Or(e.ReplyTo, inner.ReplyTo), cmp.Or(e.Target, inner.Target)
	if isGroup || strings.HasSuffix(cmp.Or(s.to.Phone, addressee.Phone), "@g.us") {
		e.GroupID = cmp.Or(e.GroupID, s.to.Phone, addressee.Phone, addressee.BSUID)
		return
	}
	r.setPerson(e, or(s.to, addressee))
}

// echoKind returns the kind of the value's message_echoes.
func (r *reader) echoKind() Kind {
	if r.inHistory() {
		return KindHistoryEcho
	}
	return KindEcho
}

// readCall reads a call, whose direction identifies the business's side. If no direction and
// no IDs distinguish the sides, the event contains no person.
func (r *reader) readCall() {
	var (
		e         = r.newEvent(KindCall)
		s         sides
		direction string
	)
	for it := r.Members(); it.Next(); {
		switch name := r.Name(); string(name) {
		case "event":
			e.State = r.text()
		case "direction":
			direction = r.text()
		default:
			_ = r.readContent(name, e) || r.readSide(name, &s)
		}
	}
	e.Raw = r.Raw()
	known := true
	switch {
	case strings.EqualFold(direction, "USER_INITIATED"):
	case strings.EqualFold(direction, "BUSINESS_INITIATED"):
		e.Kind = KindCallToUser
	default:
		e.Kind, known = r.value.callKind(&s)
	}
	person, other := s.from, s.to
	if e.Kind == KindCallToUser {
		person, other = other, person
	}
	if r.value.isOnlyBusiness(person) && r.value.clean(other) != (contact.IDs{}) {
		person = other // Meta's terminate webhooks have the sides swapped
	}
	if known {
		r.setPerson(e, person)
	}
}

// callKind classifies calls without a direction. Only people use BSUIDs, and the business's
// own number identifies its side.
func (v *value) callKind(s *sides) (kind Kind, known bool) {
	from, to := v.clean(s.from), v.clean(s.to)
	isFrom, isTo := hasBSUID(from), hasBSUID(to)
	if isFrom == isTo && v.businessPhone != "" {
		isFrom = from.Phone != "" && (v.isBusiness(s.to.Phone) || to == contact.IDs{})
		isTo = to.Phone != "" && (v.isBusiness(s.from.Phone) || from == contact.IDs{})
	}
	if isTo && !isFrom {
		return KindCallToUser, true
	}
	return KindCall, isFrom != isTo
}

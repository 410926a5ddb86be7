package webhooknorm

import (
	"cmp"
	"strconv"

	"github.com/hailmark/hailmark/contact"
)

// readContent reads a member that messages, echoes and messages of the history have in
// common.
func (r *reader) readContent(name []byte, e *Event) {
	switch string(name) {
	case "id":
		e.MessageID = r.textOrDigits()
	case "timestamp":
		e.Timestamp = r.textOrDigits()
	case "type":
		e.Type = r.trimmed()
	case "context":
		for it := r.Members(); it.Next(); {
			if string(r.Name()) == "id" {
				e.ReplyTo = r.textOrDigits()
			}
		}
	case "group_id":
		e.GroupID = r.textOrDigits()
	case "errors":
		e.Error = r.readErrors()
	}
}

// readErrors reads the first of the errors in an array.
func (r *reader) readErrors() (first *Error) {
	for it := r.Objects(); !r.tooMany && it.Next(); {
		if first != nil {
			continue
		}
		first = new(Error)
		for it := r.Members(); it.Next(); {
			switch string(r.Name()) {
			case "code":
				first.Code, _ = strconv.Atoi(r.textOrDigits())
			case "title":
				first.Title = r.trimmed()
			case "message":
				first.Message = r.trimmed()
			case "error_data":
				for it := r.Members(); it.Next(); {
					if string(r.Name()) == "details" {
						first.Details = r.trimmed()
					}
				}
			}
		}
	}
	return first
}

// readMessage reads a message. Its sender is in from and its two companions, never in
// context (that's the quoted message) or in contacts (those are shared cards).
func (r *reader) readMessage(row *row) {
	var (
		e      = r.newEvent(KindMessage)
		sender contact.IDs
		turn   string // the sender's BSUID as Turn.io calls it
		change *systemChange
		cards  sharedCards
	)
	e.ConversationContext = r.value.conversation
	for it := r.Members(); it.Next(); {
		switch name := r.Name(); string(name) {
		case "from":
			sender.Phone = r.textOrDigits()
		case "from_user_id":
			sender.BSUID = r.trimmed()
		case "from_bsuid":
			turn = r.trimmed()
		case "from_parent_user_id":
			sender.ParentBSUID = r.trimmed()
		case "system":
			change = r.readSystemChange()
		case "origin":
			cards.origin = r.trimmed()
		case "contacts":
			r.readSharedCards(&cards)
		default:
			r.readContent(name, e)
		}
	}
	e.Raw = r.Raw()
	sender.BSUID = cmp.Or(sender.BSUID, turn)
	if e.Type == "contacts" || e.Type == "" {
		e.SharedPhone = cards.ownPhone()
	}
	if change != nil && (e.Type == "system" || e.Type == "") {
		e.Type = "system"
		r.readAnnouncement(e, sender, change, row)
		return
	}
	r.setPerson(e, sender, row)
}

// sharedCards is what a message with contact cards says about the sender's own number.
type sharedCards struct {
	origin string // the origin of the message
	all    fact   // the number on all cards
	own    fact   // the number on the cards that have the origin contact_request themselves
}

// contactRequest is the origin of a card that the platform made in response to a contact
// request: it holds the sender's own number. All other cards are about other people.
const contactRequest = "contact_request"

// ownPhone returns the number with which the sender answered a contact request, or "" if
// there's none, or more than one.
func (c *sharedCards) ownPhone() string {
	if c.origin == contactRequest {
		return c.all.text
	}
	return c.own.text
}

func (r *reader) readSharedCards(cards *sharedCards) {
	for it := r.Objects(); !r.tooMany && it.Next(); {
		var (
			origin string
			phone  fact
		)
		for it := r.Members(); it.Next(); {
			switch string(r.Name()) {
			case "origin":
				origin = r.trimmed()
			case "phones":
				for it := r.Objects(); !r.tooMany && it.Next(); {
					phone.agree(fact{text: r.readCardPhone()})
				}
			}
		}
		cards.all.agree(phone)
		if origin == contactRequest {
			cards.own.agree(phone)
		}
	}
}

// readCardPhone reads one number of a card: the number of the account, or else the number
// as it's written on the card.
func (r *reader) readCardPhone() string {
	var waID, phone contact.IDs
	for it := r.Members(); it.Next(); {
		switch string(r.Name()) {
		case "wa_id":
			waID.Phone = r.textOrDigits()
		case "phone":
			phone.Phone = r.textOrDigits()
		}
	}
	return cmp.Or(r.value.clean(waID).Phone, r.value.clean(phone).Phone)
}

package webhooknorm

import "cmp"

// sharedCards is what a message with contact cards says about the sender's own number.
type sharedCards struct {
	origin string // of the message
	all    fact   // the number on all cards
	own    fact   // the number on the cards that have the origin contact_request themselves
}

// contactRequest is the origin of a card that the platform made in answer to a contact
// request: it holds the sender's own number. All other cards are about other people.
const contactRequest = "contact_request"

// ownPhone returns the number with which the sender answered a contact request, or "" if
// there is none, or more than one.
func (c *sharedCards) ownPhone() string {
	if c.origin == contactRequest {
		return c.all.text
	}
	return c.own.text
}

// readSharedCards reads the cards of a message.
func (r *reader) readSharedCards(cards *sharedCards) {
	for range r.objects {
		var (
			origin string
			phone  fact
		)
		for name := range r.Members {
			switch string(name) {
			case "origin":
				origin = r.text()
			case "phones":
				for range r.objects {
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

// readCardPhone reads one phone number of a card: the number of the account, or else the
// number as it is written on the card.
func (r *reader) readCardPhone() string {
	var waID, phone string
	for name := range r.Members {
		switch string(name) {
		case "wa_id":
			_, waID = cleanPhone(r.textOrDigits())
		case "phone":
			_, phone = cleanPhone(r.textOrDigits())
		}
	}
	return cmp.Or(waID, phone)
}

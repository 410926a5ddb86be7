package webhooknorm

import "cmp"

// readEcho reads a message that the business itself has sent. The person is in to and its
// two companions. An echo in the standby part of a value has to and recipient in its
// message object instead, as a request to send a message has them.
func (r *reader) readEcho(start int) {
	var (
		e         = Event{Kind: KindEcho}
		s         sides
		kind      string // "group" if to is a group
		addressee fields
	)
	for name := range r.Members {
		switch string(name) {
		case "id":
			e.MessageID = r.textOrDigits()
		case "timestamp":
			e.Timestamp = r.textOrDigits()
		case "recipient_type":
			kind = r.text()
		case "message":
			for name := range r.Members {
				switch string(name) {
				case "to":
					addressee.phone = r.textOrDigits()
				case "recipient":
					addressee.user = r.text()
				case "recipient_type":
					kind = r.text()
				}
			}
		default:
			r.readSide(name, &s)
		}
	}
	e.Raw = r.rawSince(start)
	if kind == "group" {
		s.to.phone, addressee.phone = "", ""
	}
	e.setIdentity(fields{
		user:   cmp.Or(s.to.user, addressee.user),
		parent: s.to.parent,
		phone:  cmp.Or(s.to.phone, addressee.phone),
	}.identity())
	r.add(&e)
}

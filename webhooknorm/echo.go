package webhooknorm

import (
	"cmp"

	"github.com/hailmark/hailmark/contact"
)

// readEcho reads a message that the business itself has sent. The person is in to and its
// two companions. An echo in standby has to and recipient in its message object instead, as
// a request to send a message has them.
func (r *reader) readEcho(row *row) {
	var (
		e         = r.newEvent(KindEcho)
		s         sides
		kind      string // "group" if to is a group
		inner     Event  // what the message object says
		innerKind string
		addressee contact.IDs
	)
	for it := r.Members(); it.Next(); {
		switch name := r.Name(); string(name) {
		case "recipient_type":
			kind = r.trimmed()
		case "message":
			for it := r.Members(); it.Next(); {
				switch name := r.Name(); string(name) {
				case "to":
					addressee.Phone = r.textOrDigits()
				case "recipient":
					addressee.BSUID = r.trimmed()
				case "recipient_type":
					innerKind = r.trimmed()
				default:
					r.readContent(name, &inner)
				}
			}
		default:
			if !r.readSide(name, &s) {
				r.readContent(name, e)
			}
		}
	}
	e.Raw = r.Raw()
	e.Type, e.ReplyTo = cmp.Or(e.Type, inner.Type), cmp.Or(e.ReplyTo, inner.ReplyTo)
	to := or(s.to, addressee)
	if cmp.Or(innerKind, kind) == "group" {
		e.GroupID = cmp.Or(e.GroupID, to.Phone)
		to.Phone = ""
	}
	r.setPerson(e, to, row)
}

// sides are the two sides of a message or call, one of which is the business.
type sides struct {
	from, to contact.IDs
}

// readSide reads a member that belongs to one of the sides. Otherwise it reports false.
func (r *reader) readSide(name []byte, s *sides) bool {
	switch string(name) {
	case "from":
		s.from.Phone = r.textOrDigits()
	case "from_user_id":
		s.from.BSUID = r.trimmed()
	case "from_parent_user_id":
		s.from.ParentBSUID = r.trimmed()
	case "to":
		s.to.Phone = r.textOrDigits()
	case "to_user_id":
		s.to.BSUID = r.trimmed()
	case "to_parent_user_id":
		s.to.ParentBSUID = r.trimmed()
	default:
		return false
	}
	return true
}

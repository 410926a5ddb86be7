package webhooknorm

import (
	"strings"

	"github.com/hailmark/hailmark/contact"
)

// readCall reads a call. The direction says which side is the business. Without one, only
// people have BSUIDs, and the side with the business's own number is the business. If that
// doesn't tell the two sides apart, the event names no person.
func (r *reader) readCall(row *row) {
	var (
		e         = r.newEvent(KindCall)
		s         sides
		direction string
	)
	for it := r.Members(); it.Next(); {
		switch name := r.Name(); string(name) {
		case "id":
			e.MessageID = r.textOrDigits()
		case "timestamp":
			e.Timestamp = r.textOrDigits()
		case "event":
			e.State = r.trimmed()
		case "errors":
			e.Error = r.readErrors()
		case "direction":
			direction = r.trimmed()
		default:
			r.readSide(name, &s)
		}
	}
	e.Raw = r.Raw()
	switch {
	case strings.EqualFold(direction, "USER_INITIATED"):
	case strings.EqualFold(direction, "BUSINESS_INITIATED"):
		e.Kind = KindCallToUser
	default:
		kind, known := r.value.callKind(&s)
		if !known {
			return
		}
		e.Kind = kind
	}
	person := s.from
	if e.Kind == KindCallToUser {
		person = s.to
	}
	r.setPerson(e, person, row)
}

// callKind returns the kind of a call without a direction.
func (v *value) callKind(s *sides) (kind Kind, known bool) {
	from, to := v.clean(s.from), v.clean(s.to)
	switch {
	case hasBSUID(from) && !hasBSUID(to):
		return KindCall, true
	case hasBSUID(to) && !hasBSUID(from):
		return KindCallToUser, true
	case v.businessPhone == "" || (from.Phone == "") == (to.Phone == ""):
		return KindCall, false // either side may be the business
	case from.Phone != "":
		return KindCall, v.isBusiness(s.to.Phone) || to == (contact.IDs{})
	default:
		return KindCallToUser, v.isBusiness(s.from.Phone) || from == (contact.IDs{})
	}
}

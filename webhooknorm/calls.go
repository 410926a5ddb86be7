package webhooknorm

import "strings"

// readCall reads a call. The direction says which side is the business. Without one, only
// people have BSUIDs, and the side with the business's own number is the business. If that
// does not tell the two sides apart, the event names no person.
func (r *reader) readCall(start int) {
	var (
		e         = Event{Kind: KindCall}
		s         sides
		direction string
	)
	for name := range r.Members {
		switch string(name) {
		case "id":
			e.MessageID = r.textOrDigits()
		case "timestamp":
			e.Timestamp = r.textOrDigits()
		case "event":
			e.State = r.text()
		case "direction":
			direction = r.text()
		default:
			r.readSide(name, &s)
		}
	}
	e.Raw = r.rawSince(start)
	from, to := s.from.identity(), s.to.identity()
	switch {
	case strings.EqualFold(direction, "USER_INITIATED"):
		e.setIdentity(from)
	case strings.EqualFold(direction, "BUSINESS_INITIATED"):
		e.Kind = KindCallToUser
		e.setIdentity(to)
	default:
		r.value.needsMetadata = true
		switch business := r.value.businessPhone; {
		case from.isOfUser() != to.isOfUser():
			if to.isOfUser() {
				e.Kind, from = KindCallToUser, to
			}
			e.setIdentity(from)
		case business == "":
			// Either side may be the business.
		case from.phone == business && to.phone != business && to.phone != "":
			e.Kind = KindCallToUser
			e.setIdentity(to)
		case from.phone != business && from.phone != "" && (to.phone == business || to == (identity{})):
			e.setIdentity(from)
		case to.phone != business && to.phone != "" && from == (identity{}):
			e.Kind = KindCallToUser
			e.setIdentity(to)
		}
	}
	r.add(&e)
}

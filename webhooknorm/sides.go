package webhooknorm

// sides are the two sides of a message or call, one of which is the business.
type sides struct {
	from, to fields
}

// readSide reads a member that belongs to one of the sides.
func (r *reader) readSide(name []byte, s *sides) {
	switch string(name) {
	case "from":
		s.from.phone = r.textOrDigits()
	case "from_user_id":
		s.from.user = r.text()
	case "from_parent_user_id":
		s.from.parent = r.text()
	case "to":
		s.to.phone = r.textOrDigits()
	case "to_user_id":
		s.to.user = r.text()
	case "to_parent_user_id":
		s.to.parent = r.text()
	}
}

package webhooknorm

import "cmp"

// readAppContact reads an entry of the address book of the business's phone.
func (r *reader) readAppContact(start int) {
	var (
		e           = Event{Kind: KindAppContact}
		number      string
		person      fields
		full, first string
	)
	for name := range r.Members {
		switch string(name) {
		case "action":
			e.State = r.text()
		case "metadata":
			for name := range r.Members {
				if string(name) == "timestamp" {
					e.Timestamp = r.textOrDigits()
				}
			}
		case "contact":
			for name := range r.Members {
				switch string(name) {
				case "full_name":
					full = r.text()
				case "first_name":
					first = r.text()
				case "username":
					e.Username = withoutAt(r.text())
				case "phone_number":
					number = r.textOrDigits()
				default:
					r.readPersonMember(name, &person)
				}
			}
		}
	}
	e.Raw = r.rawSince(start)
	e.DisplayName = cmp.Or(full, first)
	e.setIdentity(fields{phone: number}.or(person).identity())
	r.add(&e)
}

package webhooknorm

import (
	"cmp"

	"github.com/hailmark/hailmark/contact"
)

// readPreference reads that a person does or doesn't want marketing messages.
func (r *reader) readPreference(row *row) {
	var (
		e      = r.newEvent(KindPreference)
		person contact.IDs
	)
	for it := r.Members(); it.Next(); {
		switch name := r.Name(); string(name) {
		case "timestamp":
			e.Timestamp = r.textOrDigits()
		case "value":
			e.State = r.trimmed()
		default:
			r.readPersonMember(name, &person)
		}
	}
	e.Raw = r.Raw()
	r.setPerson(e, person, row)
}

// readAppContact reads an entry in the address book of the business's phone.
func (r *reader) readAppContact(row *row) {
	var (
		e              = r.newEvent(KindAppContact)
		number, person contact.IDs
		full, first    string
	)
	for it := r.Members(); it.Next(); {
		switch string(r.Name()) {
		case "action":
			e.State = r.trimmed()
		case "metadata":
			for it := r.Members(); it.Next(); {
				if string(r.Name()) == "timestamp" {
					e.Timestamp = r.textOrDigits()
				}
			}
		case "contact":
			for it := r.Members(); it.Next(); {
				switch name := r.Name(); string(name) {
				case "full_name":
					full = r.trimmed()
				case "first_name":
					first = r.trimmed()
				case "username":
					e.Username = withoutAt(r.trimmed())
				case "phone_number":
					number.Phone = r.textOrDigits()
				default:
					r.readPersonMember(name, &person)
				}
			}
		}
	}
	e.Raw = r.Raw()
	e.DisplayName = cmp.Or(full, first)
	r.setPerson(e, or(number, person), row)
}

package webhooknorm

// readPreference reads that a person does or does not want marketing messages.
func (r *reader) readPreference(start int) {
	e := Event{Kind: KindPreference}
	var person fields
	for name := range r.Members {
		switch string(name) {
		case "timestamp":
			e.Timestamp = r.textOrDigits()
		case "value":
			e.State = r.text()
		default:
			r.readPersonMember(name, &person)
		}
	}
	e.Raw = r.rawSince(start)
	e.setIdentity(person.identity())
	r.add(&e)
}

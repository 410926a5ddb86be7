package webhooknorm

// readMessage reads a message. Its sender is in from and its two companions, never
// in context (that is the quoted message) or in contacts (those are shared cards).
func (r *reader) readMessage(start int) {
	var (
		e      = Event{Kind: KindMessage}
		kind   string
		sender fields
		change *systemChange
		cards  sharedCards
	)
	for name := range r.Members {
		switch string(name) {
		case "id":
			e.MessageID = r.textOrDigits()
		case "timestamp":
			e.Timestamp = r.textOrDigits()
		case "type":
			if kind = "text"; !r.SkipString(kind) { // most messages are texts
				kind = r.text()
			}
		case "from":
			if sender.phone = r.phone; !r.SkipString(sender.phone) {
				sender.phone = r.textOrDigits()
			}
		case "from_user_id":
			if sender.user = r.user; !r.SkipString(sender.user) {
				sender.user = r.text()
			}
		case "from_parent_user_id":
			sender.parent = r.text()
		case "group_id":
			r.value.group = r.textOrDigits()
		case "system":
			change = r.readSystemChange()
		case "origin":
			cards.origin = r.text()
		case "contacts":
			r.readSharedCards(&cards)
		}
	}
	e.Raw = r.rawSince(start)
	e.BSUID, e.ParentBSUID, e.Phone = sender.clean()
	if change != nil && (kind == "system" || kind == "") {
		e.setIdentity(r.applySystemChange(e.identity(), change, &e))
	}
	if kind == "contacts" || kind == "" {
		e.SharedPhone = cards.ownPhone()
	}
	r.add(&e)
}

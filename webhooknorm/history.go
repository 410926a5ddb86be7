package webhooknorm

// readHistory reads the threads of one element of history.
func (r *reader) readHistory(int) {
	r.value.needsMetadata = true
	for name := range r.Members {
		if string(name) == "threads" {
			for range r.objects {
				r.readThread()
			}
		}
	}
}

// A thread is the messages exchanged with one person.
type thread struct {
	person   identity
	username string
}

// readThread reads the messages of a thread. The person is in context, and in older
// payloads the thread's id is the phone number. Its messages are read after these members,
// wherever they stand.
func (r *reader) readThread() {
	var (
		t        thread
		id       fields
		context  fields
		messages = -1 // their offset
	)
	for name := range r.Members {
		switch string(name) {
		case "id":
			id.phone = r.textOrDigits()
		case "context":
			for name := range r.Members {
				if string(name) == "username" {
					t.username = withoutAt(r.text())
				} else {
					r.readPersonMember(name, &context)
				}
			}
		case "messages":
			messages = r.Offset()
		}
	}
	if messages < 0 {
		return
	}
	t.person = context.or(id).identity()
	if r.value.isBusiness(t.person) {
		t.person = identity{}
	}
	end := r.Offset()
	r.Seek(messages)
	for range r.objects {
		r.readHistoryMessage(&t, r.Offset())
	}
	r.Seek(end)
}

// readHistoryMessage reads a message of a thread.
func (r *reader) readHistoryMessage(t *thread, start int) {
	var (
		e = Event{Kind: KindHistory}
		s sides
	)
	for name := range r.Members {
		switch string(name) {
		case "id":
			e.MessageID = r.textOrDigits()
		case "timestamp":
			e.Timestamp = r.textOrDigits()
		default:
			r.readSide(name, &s)
		}
	}
	e.Raw = r.rawSince(start)
	e.Username = t.username
	from, to := s.from.identity(), s.to.identity()
	person := from
	if r.value.isFromBusiness(t.person, from, to) {
		e.Kind, person = KindHistoryEcho, to
	}
	if t.person != (identity{}) {
		person = t.person
	}
	e.setIdentity(person)
	r.add(&e)
}

// isFromBusiness reports whether the business wrote a message of a thread with a person.
// The sender decides. The recipient does only where the sender says nothing: it is there
// only in messages of the business, but need not be right.
func (v *value) isFromBusiness(person, from, to identity) bool {
	switch {
	case from.shares(person) || from.isOfUser():
		return false
	case from.phone != "" && from.phone == v.businessPhone:
		return true
	case to.shares(person) || to.isOfUser():
		return true
	case to.phone != "" && to.phone == v.businessPhone:
		return false
	case v.businessPhone == "" && from.phone != "" && person.phone != "":
		return true // a thread has two sides, and this is not the person's
	default:
		return from == (identity{}) && to != (identity{})
	}
}

package webhooknorm

import (
	"bytes"
	"cmp"
)

// The functions of this file read what only Read returns.

// A letter is a message or a call: it goes from one side to the other, and one of
// the two is the business.
type letter struct {
	Event
	from, to  fields
	direction string // of a call
}

func (r *reader) readLetter(start int) (l letter) {
	for name := range r.Members {
		switch string(name) {
		case "id":
			l.ID = r.textOrDigits()
		case "timestamp":
			l.Timestamp = r.textOrDigits()
		case "event":
			l.Status = r.text()
		case "direction":
			l.direction = r.text()
		case "from":
			l.from.phone = r.textOrDigits()
		case "from_user_id":
			l.from.user = r.text()
		case "from_parent_user_id":
			l.from.parent = r.text()
		case "to":
			l.to.phone = r.textOrDigits()
		case "to_user_id":
			l.to.user = r.text()
		case "to_parent_user_id":
			l.to.parent = r.text()
		}
	}
	l.Raw = r.since(start)
	return l
}

// readEcho reads a message that the business itself has sent.
func (r *reader) readEcho(start int) {
	l := r.readLetter(start)
	l.Kind = KindEcho
	l.setIdentity(l.to.identity())
	r.add(&l.Event)
}

// readCall reads a call. Its direction says which side is the business; without one,
// nobody can tell, and the call is about nobody.
func (r *reader) readCall(start int) {
	l := r.readLetter(start)
	l.Kind = KindCall
	var person fields
	switch l.direction {
	case "USER_INITIATED":
		person = l.from
	case "BUSINESS_INITIATED":
		l.Kind, person = KindCallToUser, l.to
	}
	l.setIdentity(person.identity())
	r.add(&l.Event)
}

// readHistory reads the threads of one element of history.
func (r *reader) readHistory(int) {
	for name := range r.Members {
		if string(name) == "threads" {
			for range r.objects {
				r.readThread()
			}
		}
	}
}

// readThread reads the messages exchanged with one person. Who that is stands in
// context, and in older payloads the thread's id is the phone number. Only if neither
// says it do the messages themselves.
func (r *reader) readThread() {
	var (
		first    = len(r.events)
		id       fields
		context  fields
		username string
	)
	for name := range r.Members {
		switch string(name) {
		case "id":
			id.phone = r.textOrDigits()
		case "context":
			for name := range r.Members {
				if string(name) == "username" {
					username = withoutAt(r.text())
				} else {
					r.readPersonMember(name, &context)
				}
			}
		case "messages":
			for range r.objects {
				r.readHistoryMessage(r.Offset())
			}
		}
	}
	person := context.or(id).identity()
	for i := first; i < len(r.events); i++ {
		e := &r.events[i]
		if person != (identity{}) {
			e.setIdentity(person)
		}
		e.BSUID = cmp.Or(e.BSUID, e.ParentBSUID)
		e.Username = username
	}
}

// readHistoryMessage reads a message of a thread. Only those of the business say to
// whom they go.
func (r *reader) readHistoryMessage(start int) {
	l := r.readLetter(start)
	l.Status = ""
	l.Kind = KindHistory
	person := l.from
	if l.to != (fields{}) {
		l.Kind, person = KindHistoryEcho, l.to
	}
	l.setIdentity(person.identity())
	r.add(&l.Event)
}

// readPreference reads that somebody does or does not want marketing messages.
func (r *reader) readPreference(start int) {
	e := Event{Kind: KindPreference}
	var person fields
	for name := range r.Members {
		switch string(name) {
		case "timestamp":
			e.Timestamp = r.textOrDigits()
		case "value":
			e.Status = r.text()
		default:
			r.readPersonMember(name, &person)
		}
	}
	e.Raw = r.since(start)
	e.setIdentity(person.identity())
	r.add(&e)
}

// readAppContact reads an entry of the address book of the business's phone.
func (r *reader) readAppContact(start int) {
	var (
		e           = Event{Kind: KindAppContact}
		person      fields
		full, short string
	)
	for name := range r.Members {
		switch string(name) {
		case "action":
			e.Status = r.text()
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
					short = r.text()
				case "username":
					e.Username = withoutAt(r.text())
				case "phone_number":
					person.phone = r.textOrDigits()
				default:
					r.readPersonMember(name, &person)
				}
			}
		}
	}
	e.Raw = r.since(start)
	e.DisplayName = cmp.Or(full, short)
	e.setIdentity(person.identity())
	r.addComplete(&e)
}

// readGroup reads what happened to the participants of a group: one event for each.
// A request to join has its one person at its own level.
func (r *reader) readGroup(start int) {
	var (
		first     = len(r.events)
		group     Event
		requester participant
	)
	for name := range r.Members {
		switch {
		case string(name) == "type":
			group.Status = r.text()
		case string(name) == "timestamp":
			group.Timestamp = r.textOrDigits()
		case bytes.HasSuffix(name, []byte("participants")):
			for range r.objects {
				var p participant
				for name := range r.Members {
					r.readParticipantMember(name, &p)
				}
				r.addParticipant(&p)
			}
		default:
			r.readParticipantMember(name, &requester)
		}
	}
	if requester != (participant{}) {
		r.addParticipant(&requester)
	}
	raw := r.since(start)
	for i := first; i < len(r.events); i++ {
		e := &r.events[i]
		e.Status, e.Timestamp, e.Raw = group.Status, group.Timestamp, raw
	}
}

// A participant of a group, or who wants to be one.
type participant struct {
	fields
	input    fields // the id with which the business named the person: a phone number or a BSUID
	username string
}

func (r *reader) readParticipantMember(name []byte, p *participant) {
	switch string(name) {
	case "input":
		p.input.phone = r.textOrDigits()
	case "username":
		p.username = withoutAt(r.text())
	default:
		r.readPersonMember(name, &p.fields)
	}
}

func (r *reader) addParticipant(p *participant) {
	id := p.identity()
	if id == (identity{}) {
		id = p.input.identity()
	}
	e := Event{Kind: KindParticipant, Username: p.username}
	e.setIdentity(id)
	r.addComplete(&e)
}

// addComplete adds an event that no contact fills up.
func (r *reader) addComplete(e *Event) {
	e.BSUID = cmp.Or(e.BSUID, e.ParentBSUID)
	r.add(e)
}

package webhooknorm

import (
	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/internal/jsonscan"
)

// readHistory reads the threads of one element of history.
func (r *reader) readHistory() {
	for it := r.Members(); it.Next(); {
		if string(r.Name()) == "threads" {
			for it := r.Objects(); !r.tooMany && it.Next(); {
				r.readThread()
			}
		}
	}
}

// A thread is the messages exchanged with one person.
type thread struct {
	person   contact.IDs
	username string
}

// readThread reads the messages of a thread after its other members. The person is in
// context, and in older payloads the thread's id is the phone number.
func (r *reader) readThread() {
	var (
		id, context contact.IDs
		username    string
		messages    jsonscan.Position
	)
	for it := r.Members(); it.Next(); {
		switch string(r.Name()) {
		case "id":
			id.Phone = r.textOrDigits()
		case "context":
			for it := r.Members(); it.Next(); {
				if string(r.Name()) == "username" {
					username = withoutAt(r.trimmed())
				} else {
					r.readPersonMember(r.Name(), &context)
				}
			}
		case "messages":
			messages = r.Position()
		}
	}
	if r.at(messages) {
		t := thread{r.value.clean(or(context, id)), username}
		for it := r.Objects(); !r.tooMany && it.Next(); {
			r.readHistoryMessage(&t)
		}
	}
}

func (r *reader) readHistoryMessage(t *thread) {
	var (
		e = r.newEvent(KindHistory)
		s sides
	)
	for it := r.Members(); it.Next(); {
		if name := r.Name(); !r.readSide(name, &s) {
			r.readContent(name, e)
		}
	}
	e.Raw = r.Raw()
	person := r.value.clean(s.from)
	if r.value.isFromBusiness(t.person, &s) {
		e.Kind, person = KindHistoryEcho, r.value.clean(s.to)
	}
	if t.person != (contact.IDs{}) {
		person = t.person
	}
	e.IDs, e.Username = withParent(person), t.username
}

// isFromBusiness reports whether the business wrote a message of a thread with a person.
// The sender decides. The recipient does only where the sender says nothing: it's there
// only in messages of the business, but need not be right.
func (v *value) isFromBusiness(person contact.IDs, s *sides) bool {
	from, to := v.clean(s.from), v.clean(s.to)
	switch {
	case share(from, person) || hasBSUID(from):
		return false
	case v.isBusiness(s.from.Phone):
		return true
	case share(to, person) || hasBSUID(to):
		return true
	case v.isBusiness(s.to.Phone):
		return false
	case v.businessPhone == "" && from.Phone != "" && person.Phone != "":
		return true // a thread has two sides, and this isn't the person's
	default:
		return from == (contact.IDs{}) && to != (contact.IDs{})
	}
}

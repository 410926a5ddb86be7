package webhooknorm

import (
	"bytes"
	"cmp"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/internal/jsonscan"
)

// readPreference reads whether a person wants marketing messages.
func (r *reader) readPreference() {
	var (
		e      = r.newEvent(KindPreference)
		person contact.IDs
	)
	for it := r.Members(); it.Next(); {
		switch name := r.Name(); string(name) {
		case "timestamp":
			e.Timestamp = r.id()
		case "value":
			e.State = r.text()
		default:
			r.readID(name, &personNames, &person)
		}
	}
	e.Raw = r.Raw()
	r.setPerson(e, person)
}

// readAppContact reads an entry in the business phone's address book.
func (r *reader) readAppContact() {
	var (
		e              = r.newEvent(KindAppContact)
		number, person contact.IDs
		full, first    string
	)
	e.Raw = r.Raw()
	element := r.Position()
	e.State, e.Timestamp = r.textAt(element, "action"), r.idAt(element, "metadata", "timestamp")
	if r.Find(element, "contact") {
		for it := r.Members(); it.Next(); {
			switch name := r.Name(); string(name) {
			case "full_name":
				full = r.text()
			case "first_name":
				first = r.text()
			case "username":
				e.Username = r.username()
			case "phone_number":
				number.Phone = r.id()
			default:
				r.readID(name, &personNames, &person)
			}
		}
	}
	e.DisplayName = cmp.Or(full, first)
	r.setOwnPerson(e, or(number, person))
}

// readHistory reads an element of history: threads, each with one person.
func (r *reader) readHistory() {
	var (
		element           = r.Position()
		events            = len(r.webhook.Events)
		metadata, threads jsonscan.Position
		errors            []Error
		hasRest           bool // also what no event contains
	)
	for it := r.Members(); it.Next(); {
		switch name := r.Name(); {
		case string(name) == "metadata" && r.Peek() == '{':
			metadata = r.Position()
		case string(name) == "threads" && r.Peek() == '[':
			threads = r.Position()
			hasRest = hasRest || r.IsMixed()
		case !r.isEmpty():
			hasRest = true
			if string(name) == "errors" {
				errors = r.readErrors()
			}
		}
	}
	r.each(threads, (*reader).readThread)
	switch {
	case hasRest || len(r.webhook.Events) == events:
		r.Seek(element)
		r.addOther("", errors)
	case r.at(metadata) && !r.isEmpty():
		r.addOther("", nil)
	}
}

func (r *reader) readThread() {
	var (
		thread   = r.Position()
		events   = len(r.webhook.Events)
		id       = contact.IDs{Phone: r.idAt(thread, "id")} // in older payloads
		person   contact.IDs
		username string
	)
	hasRest := false // also what no event contains
	if r.Find(thread, "context") {
		for it := r.Members(); it.Next(); {
			if name := r.Name(); !r.readID(name, &personNames, &person) && string(name) == "username" {
				username = r.username()
			}
		}
		hasRest = !r.hasOnly(personNames.phone, personNames.bsuid, personNames.parent, "username") || r.Peek() != '{' && !r.isEmpty()
	}
	fields := or(person, id)
	if person = r.value.clean(fields); person == (contact.IDs{}) && r.value.isBusiness(fields.Phone) {
		username = ""
	}
	if r.Find(thread, "messages") {
		hasRest = hasRest || r.IsMixed() || r.Peek() != '[' && !r.isEmpty()
		for it := r.Objects(); !r.tooMany && it.Next(); {
			r.readHistoryMessage(person, username)
		}
	}
	r.Seek(thread)
	for it := r.Members(); it.Next(); {
		switch string(r.Name()) {
		case "context", "messages":
		case "id":
			hasRest = hasRest || r.shape() != scalar && !r.isEmpty()
		default:
			hasRest = hasRest || !r.isEmpty()
		}
	}
	if hasRest || len(r.webhook.Events) == events {
		r.Seek(thread)
		r.addOther("", nil)
	}
}

func (r *reader) readHistoryMessage(person contact.IDs, username string) {
	var (
		e = r.newEvent(KindHistory)
		s sides
	)
	for it := r.Members(); it.Next(); {
		name := r.Name()
		_ = r.readContent(name, e) || r.readSide(name, &s)
	}
	e.Raw, e.Username = r.Raw(), username
	fields := s.from
	if r.value.isFromBusiness(person, &s) {
		e.Kind, fields = KindHistoryEcho, s.to
	}
	r.setOwnPerson(e, cmp.Or(person, fields))
}

// readHistoryFile reads a message under the field history. It repeats the placeholder in
// history, which has no file, but not its thread.
func (r *reader) readHistoryFile() {
	var (
		e = r.newEvent(KindHistory)
		s sides
	)
	for it := r.Members(); it.Next(); {
		name := r.Name()
		_ = r.readContent(name, e) || r.readSide(name, &s)
	}
	e.Raw = r.Raw()
	fields := s.from
	if r.value.isFromBusiness(contact.IDs{}, &s) {
		e.Kind, fields = KindHistoryEcho, s.to
	}
	r.setPerson(e, fields)
}

// isFromBusiness reports whether the business wrote a message to a person. The sender
// decides, because only the business's messages contain a recipient and it can be wrong.
func (v *value) isFromBusiness(person contact.IDs, s *sides) bool {
	from, to := v.clean(s.from), v.clean(s.to)
	switch {
	case share(from, person) || hasBSUID(from) && !share(to, person):
		return false
	case v.isBusiness(s.from.Phone) || share(to, person) || hasBSUID(to):
		return true
	case v.isBusiness(s.to.Phone):
		return false
	case v.businessPhone == "" && from.Phone != "" && person.Phone != "":
		return true // because a thread has two sides, and this isn't the person's
	default:
		return from == (contact.IDs{}) && to != (contact.IDs{})
	}
}

// readGroup adds an event for each group participant. A request to join contains its person
// directly. Otherwise the group itself is no event.
func (r *reader) readGroup() {
	var (
		group   = Event{Kind: KindParticipant}
		self    participant
		element = r.Position()
		events  = len(r.webhook.Events)
	)
	group.Raw = r.Raw()
	for it := r.Members(); it.Next(); {
		switch name := r.Name(); string(name) {
		case "type":
			group.State = r.text()
		case "timestamp":
			group.Timestamp = r.id()
		case "group_id":
			group.GroupID = r.id()
		default:
			r.readParticipantMember(name, &self)
		}
	}
	for it := r.Members(); it.Next(); {
		if name := r.Name(); bytes.HasSuffix(name, []byte("participants")) {
			r.readParticipants(bytes.HasPrefix(name, []byte("failed")), group)
		}
	}
	errors := self.errors // are the group's
	self.errors = nil
	isPerson := !self.isZero()
	if len(r.webhook.Events) > events || !isPerson || errors != nil {
		r.Seek(element)
		r.addOther(group.Timestamp, errors)
	}
	if isPerson {
		r.addParticipant(&self, &group)
	}
}

// readParticipants reads one of a group's lists.
func (r *reader) readParticipants(failed bool, group Event) {
	if failed {
		group.Kind = KindParticipantFailed
	}
	for it := r.Objects(); !r.tooMany && it.Next(); {
		var p participant
		for it := r.Members(); it.Next(); {
			r.readParticipantMember(r.Name(), &p)
		}
		group.Raw = r.Raw()
		r.addParticipant(&p, &group)
	}
}

type participant struct {
	fields   contact.IDs
	input    contact.IDs // a number or BSUID as the business entered it
	username string
	errors   []Error
}

func (p *participant) isZero() bool {
	return p.fields == contact.IDs{} && p.input == contact.IDs{} && p.username == ""
}

func (r *reader) readParticipantMember(name []byte, p *participant) {
	switch string(name) {
	case "input":
		p.input.Phone = r.id()
	case "username":
		p.username = r.username()
	case "errors":
		p.errors = r.readErrors()
	default:
		r.readID(name, &personNames, &p.fields)
	}
}

func (r *reader) addParticipant(p *participant, group *Event) {
	fields := p.fields
	if r.value.clean(fields) == (contact.IDs{}) && !r.value.isBusiness(fields.Phone) {
		fields = p.input
	}
	e := r.newEvent(group.Kind)
	e.State, e.Timestamp, e.GroupID, e.Raw = group.State, group.Timestamp, group.GroupID, group.Raw
	e.Username, e.Errors = p.username, p.errors
	r.setOwnPerson(e, fields)
}

package webhooknorm

import "bytes"

// readGroup reads what happened to the participants of a group: one event for each. A
// request to join has its one person at its own level.
func (r *reader) readGroup(start int) {
	var (
		first     = len(r.events)
		group     Event
		requester participant
	)
	for name := range r.Members {
		switch {
		case string(name) == "type":
			group.State = r.text()
		case string(name) == "timestamp":
			group.Timestamp = r.textOrDigits()
		case bytes.HasSuffix(name, []byte("participants")):
			// Those whose name begins with failed were not added, removed or invited.
			kind := KindParticipant
			if bytes.HasPrefix(name, []byte("failed")) {
				kind = KindParticipantFailed
			}
			for range r.objects {
				var p participant
				for name := range r.Members {
					r.readParticipantMember(name, &p)
				}
				r.addParticipant(kind, &p)
			}
		default:
			r.readParticipantMember(name, &requester)
		}
	}
	if requester != (participant{}) {
		r.addParticipant(KindParticipant, &requester)
	}
	raw := r.rawSince(start)
	for i := first; i < len(r.events); i++ {
		e := &r.events[i]
		e.State, e.Timestamp, e.Raw = group.State, group.Timestamp, raw
	}
}

// A participant is a member of a group, or somebody who was or asks to be one.
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

func (r *reader) addParticipant(kind Kind, p *participant) {
	id := p.identity()
	if id == (identity{}) {
		id = p.input.identity()
	}
	e := Event{Kind: kind}
	e.Username = p.username
	e.setIdentity(id)
	r.add(&e)
}

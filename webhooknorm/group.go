package webhooknorm

import (
	"bytes"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/internal/jsonscan"
)

// readGroup reads what happened to the participants of a group: one event for each. A
// request to join has its one person at its own level.
func (r *reader) readGroup(row *row) {
	var (
		group     Event
		requester participant
		lists     []participantList
	)
	for it := r.Members(); it.Next(); {
		switch name := r.Name(); {
		case string(name) == "type":
			group.State = r.trimmed()
		case string(name) == "timestamp":
			group.Timestamp = r.textOrDigits()
		case string(name) == "group_id":
			group.GroupID = r.textOrDigits()
		case bytes.HasSuffix(name, []byte("participants")):
			// Those whose name starts with failed were not added, removed or invited.
			list := participantList{KindParticipant, r.Position()}
			if bytes.HasPrefix(name, []byte("failed")) {
				list.kind = KindParticipantFailed
			}
			lists = append(lists, list)
		default:
			r.readParticipantMember(name, &requester)
		}
	}
	group.Raw = r.Raw()
	for _, list := range lists {
		r.Seek(list.at)
		for it := r.Objects(); !r.tooMany && it.Next(); {
			var p participant
			for it := r.Members(); it.Next(); {
				r.readParticipantMember(r.Name(), &p)
			}
			r.addParticipant(list.kind, &p, &group, row)
		}
	}
	requester.err = nil // it's the error of the group
	if requester != (participant{}) {
		r.addParticipant(KindParticipant, &requester, &group, row)
	}
}

type participantList struct {
	kind Kind
	at   jsonscan.Position
}

// A participant is a member of a group, or somebody who was or asks to be one.
type participant struct {
	fields   contact.IDs
	input    contact.IDs // the id with which the business named the person: a number or a BSUID
	username string
	err      *Error
}

func (r *reader) readParticipantMember(name []byte, p *participant) {
	switch string(name) {
	case "input":
		p.input.Phone = r.textOrDigits()
	case "username":
		p.username = withoutAt(r.trimmed())
	case "errors":
		p.err = r.readErrors()
	default:
		r.readPersonMember(name, &p.fields)
	}
}

func (r *reader) addParticipant(kind Kind, p *participant, group *Event, row *row) {
	fields := p.fields
	if r.value.clean(fields) == (contact.IDs{}) && !r.value.isBusiness(fields.Phone) {
		fields = p.input
	}
	e := r.newEvent(kind)
	e.State, e.Timestamp, e.GroupID, e.Raw = group.State, group.Timestamp, group.GroupID, group.Raw
	e.Username, e.Error = p.username, p.err
	r.setPerson(e, fields, row)
}

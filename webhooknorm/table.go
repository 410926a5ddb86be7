package webhooknorm

// The person of an event is found in three steps. The element itself comes first.
// Then the contact of the value that has an id in common with it, the matching
// contact, adds what the element leaves out. Where no contact matches, the lone contact
// of the value may stand in. This table says which step applies to which array:
//
//	array             the element names the person in   a matching contact adds   a lone contact is taken for
//	messages          from…; system: see below          ids and names             the only message or status
//	statuses          recipient…, in a group            ids and names             the only message or status
//	                  recipient_participant…
//	message_echoes    to…, message.to,                  ids and names             the only event, if it has no id
//	                  message.recipient
//	calls             from… or to…                      ids and names             the only event, if it has no id
//	user_preferences  user_id, wa_id                    ids and names             the only event, if it has no id
//	user_id_update    the previous ids, else wa_id      names                     the only event, if it has no id
//	(handover)        sender                            ids and names             the only event, if it has no id
//	history           thread: context, id; else         nothing                   no event
//	                  from… or to… of the message
//	state_sync        contact                           nothing                   no event
//	groups            participants, or the group        nothing                   no event
//
// A system message that announces a change of ids takes only names from a contact,
// because the contact may be from before or after the change. Such a message keeps
// the ids in from…; without them it has system.previous…, and without those the new
// ids in system.
//
// Two things are never a person: the business, so an element whose only id is the
// metadata's display_phone_number names no person and takes nothing from a contact, and
// the group to which an element belongs.
var arrays = [...]array{
	{"messages", rankMessages, elementMessage, fillAll, loneElement},
	{"statuses", rankStatuses, elementStatus, fillAll, loneElement},
	{"message_echoes", rankOthers, elementEcho, fillAll, loneUnnamed},
	{"calls", rankOthers, elementCall, fillAll, loneUnnamed},
	{"user_preferences", rankOthers, elementPreference, fillAll, loneUnnamed},
	{"user_id_update", rankOthers, elementIdentityUpdate, fillNames, loneUnnamed},
	{"history", rankOthers, elementHistory, fillNothing, loneNever},
	{"state_sync", rankOthers, elementAppContact, fillNothing, loneNever},
	{"groups", rankOthers, elementGroup, fillNothing, loneNever},
}

// handoverRow is the row of a handover, which is not in an array: the value is the element.
var handoverRow = array{"", rankOthers, 0, fillAll, loneUnnamed}

// An array says how the events of an array are read and completed.
type array struct {
	name    string
	rank    rank // its place in a value; rankOthers only in Read
	element element
	fill    fill
	lone    lone
}

// An element is a form of the objects in an array.
type element uint8

const (
	elementMessage element = iota
	elementStatus
	elementEcho
	elementCall
	elementPreference
	elementIdentityUpdate
	elementHistory
	elementAppContact
	elementGroup
)

// readElement adds the events of the object that comes next. It is a switch and not a
// function in the table, because the reader would not stay on the stack then.
func (r *reader) readElement(e element) {
	start := r.Offset()
	switch e {
	case elementMessage:
		r.readMessage(start)
	case elementStatus:
		r.readStatus(start)
	case elementEcho:
		r.readEcho(start)
	case elementCall:
		r.readCall(start)
	case elementPreference:
		r.readPreference(start)
	case elementIdentityUpdate:
		r.readIdentityUpdate(start)
	case elementHistory:
		r.readHistory(start)
	case elementAppContact:
		r.readAppContact(start)
	case elementGroup:
		r.readGroup(start)
	}
}

// arrayNamed returns the index of an array in the table, or -1.
func arrayNamed(name []byte) int {
	for i := range arrays {
		if arrays[i].name == string(name) {
			return i
		}
	}
	return -1
}

// A rank is the place of an array among those of a value: the events come in this
// order. Arrays of equal rank are in payload order.
type rank uint8

const (
	rankMessages rank = iota
	rankStatuses
	rankStandbyMessages
	rankStandbyStatuses
	rankOthers
)

// in returns the rank of an array in the value itself or in its standby part.
func (r rank) in(standby bool) rank {
	if standby && r < rankOthers {
		return r + rankStandbyMessages
	}
	return r
}

// fill says what the events of an array take from a contact.
type fill uint8

const (
	fillNothing fill = iota
	fillNames
	fillAll // ids and names
)

// lone says which events of an array take the lone contact of the value if it has no id in
// common with them.
type lone uint8

const (
	loneNever   lone = iota
	loneElement      // the only message or status, whatever other events there are
	loneUnnamed      // the only event, if it has no id
)

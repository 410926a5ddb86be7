package webhooknorm

// Who an event is about is decided in three steps. The element itself comes first.
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
// metadata's display_phone_number names nobody and takes nothing from a contact, and
// the group to which an element belongs.
var arrays = map[string]*array{
	"messages":         {rankMessages, (*reader).readMessage, fillAll, loneElement},
	"statuses":         {rankStatuses, (*reader).readStatus, fillAll, loneElement},
	"message_echoes":   {rankOthers, (*reader).readEcho, fillAll, loneUnnamed},
	"calls":            {rankOthers, (*reader).readCall, fillAll, loneUnnamed},
	"user_preferences": {rankOthers, (*reader).readPreference, fillAll, loneUnnamed},
	"user_id_update":   {rankOthers, (*reader).readIdentityUpdate, fillNames, loneUnnamed},
	"history":          {rankOthers, (*reader).readHistory, fillNothing, loneNever},
	"state_sync":       {rankOthers, (*reader).readAppContact, fillNothing, loneNever},
	"groups":           {rankOthers, (*reader).readGroup, fillNothing, loneNever},
}

// handoverRow is the row of a handover, which is not in an array: the value is the element.
var handoverRow = &array{rankOthers, nil, fillAll, loneUnnamed}

// An array says how the events of an array are read and completed.
type array struct {
	rank rank                        // of the array in a value; rankOthers only in Read
	read func(r *reader, offset int) // adds the events of the object at this offset
	fill fill
	lone lone
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

package webhooknorm

// A person is found in three steps. The element comes first. Then the contact of the value
// that has an id in common with it, the matching contact, adds what the element leaves out.
// If no contact matches, the lone contact of the value may stand in. This table says which
// step applies to which array:
//
//	array             the element names the person in   a matching contact adds   a lone contact is taken for
//	messages          from…; system: see change.go      ids and names             the only message or status
//	statuses          recipient…, in a group            ids and names             the only message or status
//	                  recipient_participant…
//	message_echoes    to…, message.to,                  ids and names             the only element, if it has no id
//	                  message.recipient
//	calls             from… or to…                      ids and names             the only element, if it has no id
//	user_preferences  user_id, wa_id                    ids and names             the only element, if it has no id
//	user_id_update    the previous ids, else wa_id      names                     the only element, if it has no id
//	(handover)        sender                            ids and names             the only element, if it has no id
//	history           thread: context, id; else         nothing                   no event
//	                  from… or to… of the message
//	state_sync        contact                           nothing                   no event
//	groups            participants, or the group        nothing                   no event
//
// A system message that announces a change of ids takes only names from a contact, because
// the contact may be from before or after the change.
//
// Two things are never a person: the business, so an element that names only the business's
// own number names nobody and takes nothing from a contact, and the group to which an
// element belongs.
var rows = [rowCount]row{
	{"messages", fillAll, loneElement},
	{"statuses", fillAll, loneElement},
	{"message_echoes", fillAll, loneUnnamed},
	{"calls", fillAll, loneUnnamed},
	{"user_preferences", fillAll, loneUnnamed},
	{"user_id_update", fillNames, loneUnnamed},
	{"history", fillNothing, loneNever},
	{"state_sync", fillNothing, loneNever},
	{"groups", fillNothing, loneNever},
}

const (
	rowCount      = 9
	normalizeRows = 2 // the rows that Normalize reads
)

// handoverRow is the row of a handover, whose element is the value.
var handoverRow = row{"", fillAll, loneUnnamed}

// A row says how the elements of an array are read and completed.
type row struct {
	name string
	fill fill
	lone lone
}

// readElement appends the events of the object that comes next, an element of row i. It
// isn't a function in the table, because then every reader would be on the heap.
func (r *reader) readElement(i int) {
	row := &rows[i]
	switch i {
	case 0:
		r.readMessage(row)
	case 1:
		r.readStatus(row)
	case 2:
		r.readEcho(row)
	case 3:
		r.readCall(row)
	case 4:
		r.readPreference(row)
	case 5:
		r.readIdentityUpdate(row)
	case 6:
		r.readHistory()
	case 7:
		r.readAppContact(row)
	case 8:
		r.readGroup(row)
	}
}

// rowNamed returns the index of a row, or -1.
func rowNamed(name []byte) int {
	for i := range rows {
		if rows[i].name == string(name) {
			return i
		}
	}
	return -1
}

// fill says what an event takes from a contact.
type fill uint8

const (
	fillNothing fill = iota
	fillNames
	fillAll // ids and names
)

// lone says which events take the lone contact of the value if no contact matches.
type lone uint8

const (
	loneNever   lone = iota
	loneElement      // the only message or status, whatever other elements there are
	loneUnnamed      // the only element, if it has no id
)

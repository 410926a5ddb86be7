package webhooktest

import "time"

// A kind classifies events.
type kind int

// The kinds of events.
const (
	kindMessage     kind = iota // a person writes
	kindStatus                  // a message to a person is sent, delivered, read, or fails
	kindChange                  // the platform announces that a person has other IDs
	kindCall                    // a person calls the business
	kindCallToUser              // the business calls a person
	kindEcho                    // the business writes to a person from its phone
	kindPreference              // a person stops or resumes marketing messages
	kindParticipant             // a person joins a group
	kindHandover                // another application takes the conversation over, or passes it back
	kindHistory                 // a message that a person wrote before the business shared its history
	kindHistoryEcho             // a message of the business in its history
)

// String returns the kind in lower case.
func (k kind) String() string {
	names := [...]string{"message", "status", "change", "call", "call_to_user", "echo", "preference", "participant", "handover", "history", "history_echo"}
	if k < 0 || int(k) >= len(names) {
		return "unknown"
	}
	return names[k]
}

// identifiers are a person's IDs and names at a time. Phone contains only digits, and
// Username no "@".
type identifiers struct {
	Phone, BSUID, Parent, Username, Name string
}

// An event is a webhook element with the truth about it.
type event struct {
	Seq      int    // 0, 1, 2 and so on in order of At
	Kind     kind   //
	Type     string // such as "text" for a message, "sent" for a status, "user_changed_number" for a change
	ID       string // the ID of the message, the call or, for a status, the message it is about
	Business int    // index of the business number
	Person   int    // index of the person
	At       time.Time

	// Shown contains the IDs and names in the webhook, and for a kindChange the new IDs.
	// faults.omitContacts removes the names.
	Shown identifiers

	// Previous contains the IDs that a kindChange replaces.
	Previous identifiers

	// Shared is the sender's own number in the response to a contact request.
	Shared string

	// True contains the person's IDs and names at the time, whether shown or not.
	True identifiers

	// Standby is set if another application answers the conversation.
	Standby bool

	// Lost is set if no webhook carries the event.
	Lost bool

	portfolio  uint8  // index of the portfolio of the BSUIDs
	linked     uint8  // index of the group of the parent BSUIDs
	generation uint16 // generation of the BSUID in Shown; one less in Previous if rotated
	rotated    bool
	lease      uint32 // identifies the period in which the person holds Shown.Phone and Shared
	lastLease  uint32 // the same for Previous.Phone
	sent       int64  // when a message of the history was sent, in Unix seconds
	group      string // ID of the group, if the event happens in one
	text       string
	form       uint32 // random bits that select one of the forms in which the platform sends the event
}

// has makes a random choice about e's form, which is true for one event in n.
func (e *event) has(choice, n uint32) bool {
	x := e.form ^ choice*0x9e3779b9
	x ^= x >> 16
	x *= 0x85ebca6b
	x ^= x >> 13
	return x%n == 0
}

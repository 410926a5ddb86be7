package webhooktest

import "time"

// A Kind says what an [Event] is.
type Kind int

// The kinds of events.
const (
	KindMessage     Kind = iota // a person writes
	KindStatus                  // a message to a person is sent, delivered, read, or fails
	KindChange                  // the platform announces that a person has other ids
	KindCall                    // a person calls the business
	KindCallToUser              // the business calls a person
	KindEcho                    // the business writes to a person from its phone
	KindPreference              // a person stops or resumes marketing messages
	KindParticipant             // a person joins a group
)

// String returns the name of the kind in lower case.
func (k Kind) String() string {
	names := [...]string{"message", "status", "change", "call", "call_to_user", "echo", "preference", "participant"}
	if k < 0 || int(k) >= len(names) {
		return "unknown"
	}
	return names[k]
}

// IDs are the ids and names of a person at one time. Phone holds digits only,
// Username has no "@".
type IDs struct {
	Phone, BSUID, Parent, Username, Name string
}

// An Event is one element of a webhook together with the truth about it.
type Event struct {
	Seq      int    // 0, 1, 2 and so on in order of At
	Kind     Kind   //
	Type     string // of a message: "text", "image"; of a status: "sent"; of a change: "user_changed_number"
	ID       string // the ID of the message, the call or, for a status, the message it is about
	Business int    // index of the business number
	Person   int    // index of the person
	At       time.Time

	// Shown holds what the webhook says about the person: for a KindChange about the
	// person as they are after it. A fault can take the names away, see [Faults].
	Shown IDs

	// Previous holds what the webhook says about the person before a KindChange.
	Previous IDs

	// Shared is the number in the answer to a contact request. It is the sender's own.
	Shared string

	// True holds what the person has at the time, shown or not.
	True IDs

	// Lost is set if no webhook carries the event.
	Lost bool

	portfolio  uint8  // whose BSUIDs
	linked     uint8  // whose parent BSUIDs
	generation uint16 // of the BSUID in Shown; Previous has the one before if rotated
	rotated    bool
	lease      uint32 // which holding of a number Shown.Phone and Shared belong to
	lastLease  uint32 // the same for Previous.Phone
	group      string // ID of the group, if the event happens in one
	text       string
	form       uint32 // random bits that choose among the forms in which the platform sends the event
}

// has reports one of the random choices about the form of e: one event in n has it.
func (e *Event) has(choice, n uint32) bool {
	x := e.form ^ choice*0x9e3779b9
	x ^= x >> 16
	x *= 0x85ebca6b
	x ^= x >> 13
	return x%n == 0
}

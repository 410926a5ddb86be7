package lives

import "time"

// A kind classifies events.
type Kind int

// The kinds of events.
const (
	KindMessage     Kind = iota // a person writes
	KindStatus                  // a message to a person is sent, delivered, read, or fails
	KindChange                  // the platform announces that a person has other IDs
	KindCall                    // a person calls the business
	KindCallToUser              // the business calls a person
	KindEcho                    // the business writes to a person from its phone
	KindPreference              // a person stops or resumes marketing messages
	KindParticipant             // a person joins a group
	KindHandover                // another application takes the conversation over, or passes it back
	KindHistory                 // a message that a person wrote before the business shared its history
	KindHistoryEcho             // a message of the business in its history
	KindUpdate                  // something happens to the business: a template, its account, its number, or an error
	KindSent                    // the business answers a person; no webhook contains it
)

// String returns the kind in lower case.
func (k Kind) String() string {
	names := [...]string{"message", "status", "change", "call", "call_to_user", "echo", "preference", "participant", "handover", "history", "history_echo", "update", "sent"}
	if k < 0 || int(k) >= len(names) {
		return "unknown"
	}
	return names[k]
}

// identifiers are a person's IDs and names at a time. Phone contains only digits, and
// Username no "@".
type Identifiers struct {
	Phone, BSUID, Parent, Username, Name string
}

// An event is a webhook element with the truth about it.
type Event struct {
	Seq      int    // 0, 1, 2 and so on in order of At
	Kind     Kind   //
	Type     string // such as "text" for a message, "sent" for a status, "user_changed_number" for a change
	ID       string // the ID of the message, the call or, for a status, the message it is about
	Business int    // index of the business number
	Person   int    // index of the person, or -1 for a KindUpdate
	At       time.Time

	// Shown contains the IDs and names in the webhook, and for a kindChange the new IDs.
	// faults.omitContacts removes the names.
	Shown Identifiers

	// Previous contains the IDs that a kindChange replaces.
	Previous Identifiers

	// Shared is the sender's own number in the response to a contact request.
	Shared string

	// True contains the person's IDs and names at the time, whether shown or not.
	True Identifiers

	// Standby is set if another application answers the conversation.
	Standby bool

	// Lost is set if no webhook carries the event.
	Lost bool

	// Again is set if an earlier webhook contains the same message: it arrived live before it came
	// in the history, or the history contained a placeholder for its file.
	Again bool

	portfolio  uint8  // index of the portfolio of the BSUIDs
	linked     uint8  // index of the group of the parent BSUIDs
	generation uint16 // generation of the BSUID in Shown; one less in Previous if rotated
	rotated    bool
	lease      uint32 // identifies the period in which the person holds Shown.Phone and Shared
	lastLease  uint32 // the same for Previous.Phone
	sent       int64  // when a message of the history was sent, in Unix seconds
	group      string // ID of the group, if the event happens in one
	text       string
	target     string // ID of the message that a reaction, edit or deletion is about
	media      bool   // whether a message of the history has its file in a webhook of its own
	form       uint32 // random bits that select one of the forms in which the platform sends the event
}

// has makes a random choice about e's form, which is true for one event in n.
func (e *Event) has(choice, n uint32) bool {
	x := e.form ^ choice*0x9e3779b9
	x ^= x >> 16
	x *= 0x85ebca6b
	x ^= x >> 13
	return x%n == 0
}

// An Answer tells whether the business should answer an event.
type Answer int

const (
	AnswerOptional Answer = iota
	AnswerWanted
	AnswerWrong
)

// Answer returns whether the business should answer the event.
func (e *Event) Answer() Answer {
	switch e.Kind {
	case KindMessage:
		return e.answerToMessage()
	case KindHistory, KindHistoryEcho:
		if e.Again { // the same message can have arrived live
			return AnswerOptional
		}
		return AnswerWrong
	case KindEcho, KindChange:
		return AnswerWrong
	case KindStatus, KindCall, KindCallToUser, KindPreference, KindParticipant, KindHandover, KindUpdate, KindSent:
	}
	return AnswerOptional
}

func (e *Event) answerToMessage() Answer {
	switch {
	case e.Standby, e.Type == "reaction", e.Type == "edit", e.Type == "revoke":
		return AnswerWrong
	case e.group != "", e.Type == "unsupported":
		return AnswerOptional
	}
	return AnswerWanted
}

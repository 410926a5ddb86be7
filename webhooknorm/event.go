package webhooknorm

import (
	"bytes"
	"strings"
)

// A Kind says what an event is about.
type Kind string

// The kinds that [Normalize] returns.
const (
	KindMessage Kind = "message" // somebody wrote, or the platform reports a change about them
	KindStatus  Kind = "status"  // a message or call to somebody was sent, delivered, read, or failed
)

// The kinds that only [Read] returns.
const (
	KindEcho           Kind = "echo"            // the business wrote to somebody, with another device or application
	KindHistory        Kind = "history"         // a message that somebody wrote before the business joined
	KindHistoryEcho    Kind = "history_echo"    // a message that the business wrote to somebody before it joined
	KindCall           Kind = "call"            // somebody calls the business
	KindCallToUser     Kind = "call_to_user"    // the business calls somebody
	KindPreference     Kind = "preference"      // somebody stops or resumes marketing messages
	KindParticipant    Kind = "participant"     // somebody joins, leaves, or asks to join a group
	KindAppContact     Kind = "app_contact"     // somebody is in the address book of the business's phone
	KindIdentityUpdate Kind = "identity_update" // somebody has other ids now: see [Webhook.Changes]
)

// String returns the kind as it goes over the wire.
func (k Kind) String() string { return string(k) }

// An Event is one element of a webhook with the person it is about: the sender of a
// message, the recipient of a status or an echo, the other side of a call. An empty
// string means that the payload does not say. Every one of them can be empty, so an
// Event may name nobody at all; Raw is always there.
//
// BSUID and Phone are the two ways to address the person, and either can be
// missing. Look a person up by BSUID first and by Phone second, and store what was
// missing: that keeps one person one contact when the number vanishes or returns.
//
// The strings are copies and share nothing with the payload, but Raw does: see there.
// Strings that were read together share blocks of a few KiB. To store an event for
// long, store its Clone.
type Event struct {
	Kind Kind

	BSUID       string // the person's business-scoped user ID; in parent form where only that is known
	Phone       string // digits only, of any length, exactly those of the payload
	Username    string // without "@"
	DisplayName string // the profile name that the person chose; of KindAppContact, the name in the address book

	ParentBSUID   string // the parent form (with ENT), if the payload has one
	ID            string // of a message or call; a status carries that of what it is about
	Status        string // the status of a status, the event of a call, the action, value or type of others
	Timestamp     string // as received, mostly Unix seconds
	PhoneNumberID string // the business phone number's ID, from the metadata of the value

	// Raw is the element of the payload, byte for byte. It is a slice of the payload
	// that was read, with no spare capacity: it keeps the payload in memory, and changes
	// if the payload is overwritten.
	Raw []byte
}

// Clone returns a copy of e that shares no memory with the payload.
func (e Event) Clone() Event {
	for _, text := range []*string{
		&e.BSUID, &e.Phone, &e.Username, &e.DisplayName, &e.ParentBSUID, &e.ID, &e.Status, &e.Timestamp, &e.PhoneNumberID,
	} {
		*text = strings.Clone(*text)
	}
	e.Raw = bytes.Clone(e.Raw)
	return e
}

// Key returns a text that is the same for an event and its repetitions, and differs
// between events. The platform delivers at least once, in any order: skip an event
// whose key you have seen.
//
//	key = kind ":" id [ ":" status ":" person ]
//
// A message is told by its ID. A status also needs its state and, in a group, the
// participant; a call its state. Without an ID there is no key: Key returns "", and
// the event must be handled as if it were new, because to lose one is worse than to
// see one twice.
func (e Event) Key() string {
	if e.ID == "" {
		return ""
	}
	if e.Status == "" {
		return string(e.Kind) + ":" + e.ID
	}
	person := e.BSUID
	if person == "" {
		person = e.Phone
	}
	return string(e.Kind) + ":" + e.ID + ":" + e.Status + ":" + person
}

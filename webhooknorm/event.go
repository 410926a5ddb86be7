package webhooknorm

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/hailmark/hailmark/contact"
)

// A Kind says what an event is about. Its value is its name in JSON.
type Kind string

// The kinds that [Normalize] returns.
const (
	// KindMessage is a message that a person sent, or a report of the platform about a
	// person.
	KindMessage Kind = "message"
	// KindStatus says that a message or call to a person was sent, delivered or read,
	// or that it failed.
	KindStatus Kind = "status"
)

// The kinds that only [Read] returns.
const (
	// KindEcho is a message that the business sent with another device or application.
	KindEcho Kind = "echo"
	// KindHistory is a message that a person sent before the business joined the platform.
	KindHistory Kind = "history"
	// KindHistoryEcho is a message that the business sent before it joined the platform.
	KindHistoryEcho Kind = "history_echo"
	// KindCall is a call from a person, or a call without a direction in the payload.
	KindCall Kind = "call"
	// KindCallToUser is a call from the business.
	KindCallToUser Kind = "call_to_user"
	// KindPreference says that a person stops or resumes marketing messages.
	KindPreference Kind = "preference"
	// KindParticipant says that a person joined or left a group, was invited, or asks to join.
	KindParticipant Kind = "participant"
	// KindParticipantFailed says that a person could not be added to, removed from or
	// invited to a group.
	KindParticipantFailed Kind = "participant_failed"
	// KindAppContact is an entry in the address book of the business's phone.
	KindAppContact Kind = "app_contact"
	// KindIdentityUpdate says that a person has other ids now: see [Webhook.Changes].
	KindIdentityUpdate Kind = "identity_update"
	// KindHandover says that another application now has the conversation with a
	// person: see [Webhook.Handovers].
	KindHandover Kind = "handover"
)

// String returns the name of the kind in JSON.
func (k Kind) String() string { return string(k) }

// PersonActed reports whether an event of this kind is something that the person did:
// wrote, called, chose a preference, or came or went in a group. Other events are about
// what the business or the platform did, and do not prove that the person exists.
func (k Kind) PersonActed() bool {
	return slices.Contains([]Kind{KindMessage, KindHistory, KindCall, KindPreference, KindParticipant}, k)
}

// An Event is one element of a webhook with the person it is about: the sender of a
// message, the recipient of a status or an echo, the other side of a call. An empty
// string means that the payload does not say. Every string can be empty, so an Event
// may name no person at all; Raw is always set.
//
// BSUID and Phone are the two ways to address the person, and either can be
// missing. Look a person up by BSUID first and by Phone second, and store what was
// missing: then one person stays one contact when the number vanishes or returns.
//
// The strings do not share memory with the payload, but Raw does. Strings that were read
// together share blocks of a few KiB, so store the Clone of an event that you keep for
// long.
type Event struct {
	Kind Kind `json:"kind"`

	// Person is the person the event is about. BSUID is a parent BSUID if only that is
	// known. Phone has the digits of the payload, of any length. DisplayName is the
	// profile name that the person chose; for KindAppContact, the name in the address
	// book.
	contact.Person

	// ParentBSUID is the parent form (with ENT), if the payload has one.
	ParentBSUID string `json:"parentBsuid,omitempty"`

	// SharedPhone is the person's own number, in digits, which they shared in response to
	// a contact request. The platform confirms that it belongs to the sender. The numbers
	// on other shared contact cards belong to other people and stay in Raw.
	SharedPhone string `json:"sharedPhone,omitempty"`

	// MessageID is the ID of the message or call. A status has the ID of the message or
	// call that it is about.
	MessageID string `json:"messageId,omitempty"`

	// State is the status of a status, the event of a call, the value of a preference,
	// the action on an address book entry, or the type of a group update or handover.
	State string `json:"state,omitempty"`

	// Timestamp is as received: usually Unix seconds, sometimes milliseconds.
	Timestamp string `json:"timestamp,omitempty"`

	// PhoneNumberID is the ID of the business phone number, and BusinessPhone its
	// digits, from the metadata of the value.
	PhoneNumberID string `json:"phoneNumberId,omitempty"`
	BusinessPhone string `json:"businessPhone,omitempty"`

	// Raw is the element of the payload, byte for byte. All participants of a group
	// update share the element of the update. Raw is a slice of the payload that was
	// read, with no spare capacity: it keeps the payload in memory, and changes if the
	// payload is overwritten.
	Raw json.RawMessage `json:"raw,omitempty"`
}

// Clone returns a copy of e that shares no memory with the payload or other events.
func (e Event) Clone() Event {
	for _, text := range []*string{
		&e.BSUID, &e.Phone, &e.Username, &e.DisplayName, &e.ParentBSUID, &e.SharedPhone, &e.MessageID, &e.State,
		&e.Timestamp, &e.PhoneNumberID, &e.BusinessPhone,
	} {
		*text = strings.Clone(*text)
	}
	e.Raw = bytes.Clone(e.Raw)
	return e
}

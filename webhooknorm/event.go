package webhooknorm

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/internal/jsonscan"
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

// An Event is one element of a webhook with the person it's about: the sender of a message,
// the recipient of a status or an echo, the other side of a call. An empty string means that
// the payload doesn't say. Every string can be empty, so an Event may name no person at all;
// Raw is always set.
//
// The strings don't share memory with the payload, but Raw does. Strings that were read
// together share blocks of a few KiB, so store the Clone of an event that you keep for long.
type Event struct {
	Kind Kind `json:"kind"`

	// Standby says that another application or Meta's agent answers the conversation.
	Standby bool `json:"standby,omitempty"`

	// Person is the person the event is about. BSUID is the parent BSUID if only that is
	// known. Phone has the digits of the payload, of any length. DisplayName is the
	// profile name that the person chose; for KindAppContact, the name in the address
	// book.
	contact.Person

	// SharedPhone is the person's own number, in digits, which they shared in response to
	// a contact request. The platform confirms that it belongs to the sender. The numbers
	// on other shared contact cards belong to other people and stay in Raw.
	SharedPhone string `json:"sharedPhone,omitempty"`

	// GroupID is the ID of the group in which the event happened. The platform sends to it
	// if recipient_type is group.
	GroupID string `json:"groupId,omitempty"`

	// MessageID is the ID of the message or call. A status has the ID of the message or
	// call that it's about.
	MessageID string `json:"messageId,omitempty"`

	// ReplyTo is the ID of the message that the person replied to.
	ReplyTo string `json:"replyTo,omitempty"`

	// Type is the type of a message, such as text, or system for a message that the
	// platform wrote. A status has one if it's about a call or a payment.
	Type string `json:"type,omitempty"`

	// State is the status of a status, the event of a call, the value of a preference,
	// the action on an address book entry, or the type of a group update or handover.
	State string `json:"state,omitempty"`

	// Error says why a status is failed, why a message isn't readable or why a call or an
	// invitation failed. It's the first error of the element.
	Error *Error `json:"error,omitempty"`

	// Timestamp is as received: see [Event.Time].
	Timestamp string `json:"timestamp,omitempty"`

	// AccountID is the ID of the entry: today the WhatsApp Business account, from 2027 on
	// the messaging account. A value without an entry around it has none.
	AccountID string `json:"accountId,omitempty"`

	// PhoneNumberID is the ID of the business phone number, and BusinessPhone its
	// digits, from the metadata of the value.
	PhoneNumberID string `json:"phoneNumberId,omitempty"`
	BusinessPhone string `json:"businessPhone,omitempty"`

	// ConversationContext is what the application that had the conversation says about
	// it: an object with the type summary or history. Messages have that of their value.
	ConversationContext json.RawMessage `json:"conversationContext,omitempty"`

	// Raw is the element of the payload, byte for byte. All participants of a group
	// update share the element of the update. Raw is a slice of the payload that was
	// read, with no spare capacity: it keeps the payload in memory, and changes if the
	// payload is overwritten.
	Raw json.RawMessage `json:"raw,omitempty"`
}

// An Error is an error of the platform, such as 131047: more than 24 hours have passed since
// the person last wrote.
type Error struct {
	Code    int    `json:"code,omitempty"`
	Title   string `json:"title,omitempty"`
	Message string `json:"message,omitempty"`
	Details string `json:"details,omitempty"` // of error_data
}

// Address returns the address for a reply: see [contact.IDs.Address]. It reports false for
// an event to which no reply should go:
//
//   - in standby, because another application replies;
//   - in a group, because the reply belongs there: see GroupID;
//   - a system message or a change of ids, because nobody wrote it and its ids may have
//     ended: [Webhook.Changes] has the current ones.
//
// The Person of such an event still has an Address.
func (e Event) Address() (contact.Address, bool) {
	if e.Standby || e.GroupID != "" || e.Type == "system" || e.Kind == KindIdentityUpdate {
		return contact.Address{}, false
	}
	return e.Person.Address()
}

// firstMillisecond is the number from which on a timestamp counts milliseconds: as seconds
// it's in the year 5138, as milliseconds in 1973.
const firstMillisecond = 100_000_000_000

// Time returns the time of the event. Most timestamps of the platform count seconds, some
// milliseconds. Time reports false without a timestamp that's an integer above 0.
func (e Event) Time() (time.Time, bool) {
	at, err := strconv.ParseInt(e.Timestamp, 10, 64)
	switch {
	case err != nil || at <= 0 || e.Timestamp[0] == '+':
		return time.Time{}, false
	case at >= firstMillisecond:
		return time.UnixMilli(at).UTC(), true
	default:
		return time.Unix(at, 0).UTC(), true
	}
}

// Text returns the text of a message of type text. It decodes Raw, where captions and the
// titles of buttons stay.
func (e Event) Text() string {
	r, err := jsonscan.Parse(e.Raw)
	if err != nil {
		return ""
	}
	var own, inMessage string
	for it := r.Members(); it.Next(); {
		switch string(r.Name()) {
		case "text":
			own = readBody(&r)
		case "message": // of an echo in standby
			for it := r.Members(); it.Next(); {
				if string(r.Name()) == "text" {
					inMessage = readBody(&r)
				}
			}
		}
	}
	return cmp.Or(own, inMessage)
}

func readBody(r *jsonscan.Reader) (body string) {
	for it := r.Members(); it.Next(); {
		if string(r.Name()) == "body" {
			body = r.String()
		}
	}
	return body
}

// Clone returns a copy of e that shares no memory with the payload or other events.
func (e Event) Clone() Event {
	for _, text := range []*string{
		&e.BSUID, &e.ParentBSUID, &e.Phone, &e.Username, &e.DisplayName, &e.SharedPhone, &e.GroupID, &e.MessageID, &e.ReplyTo,
		&e.Type, &e.State, &e.Timestamp, &e.AccountID, &e.PhoneNumberID, &e.BusinessPhone,
	} {
		*text = strings.Clone(*text)
	}
	if e.Error != nil {
		e.Error = &Error{e.Error.Code, strings.Clone(e.Error.Title), strings.Clone(e.Error.Message), strings.Clone(e.Error.Details)}
	}
	e.ConversationContext, e.Raw = bytes.Clone(e.ConversationContext), bytes.Clone(e.Raw)
	return e
}

package webhooknorm

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/internal/jsonscan"
)

// A Kind is the subject of an event.
type Kind string

// The kinds that [Normalize] returns.
const (
	KindMessage Kind = "message" // a message from a person, or from the platform about a person
	KindStatus  Kind = "status"  // a message or call to a person was sent, delivered or read, or it failed
)

// The kinds that only [Read] returns.
const (
	KindEcho              Kind = "echo"               // a message that the business sent with another device or application
	KindHistory           Kind = "history"            // a message from a person before the business joined the platform
	KindHistoryEcho       Kind = "history_echo"       // a message from the business before it joined the platform
	KindCall              Kind = "call"               // a call from a person, or without a known direction
	KindCallToUser        Kind = "call_to_user"       // a call from the business
	KindPreference        Kind = "preference"         // a person stops or resumes marketing messages
	KindParticipant       Kind = "participant"        // a person joined or left a group, was invited, or asks to join
	KindParticipantFailed Kind = "participant_failed" // a person couldn't be added, removed or invited
	KindAppContact        Kind = "app_contact"        // an entry in the address book of the business's phone
	KindIdentityUpdate    Kind = "identity_update"    // a person got other ids: see [Webhook.Changes]
	KindHandover          Kind = "handover"           // another application answers: see [Webhook.Handovers]
)

// String returns k as a string.
func (k Kind) String() string { return string(k) }

// PersonActed reports whether events of this kind are something that the person did. Other
// events don't prove that the person exists.
func (k Kind) PersonActed() bool {
	return slices.Contains([]Kind{KindMessage, KindHistory, KindCall, KindPreference, KindParticipant}, k)
}

// A Source describes where and when an event came from.
type Source struct {
	// Timestamp is as received: see [Event.Time].
	Timestamp string `json:"timestamp,omitempty"`

	// PhoneNumberID is the ID of the business phone number, and BusinessPhone its digits.
	PhoneNumberID string `json:"phoneNumberId,omitempty"`
	BusinessPhone string `json:"businessPhone,omitempty"`

	// Raw is the element, byte for byte. It's a slice of the payload without spare
	// capacity, so it changes if the payload is overwritten. Participants of a group share
	// the element of the update.
	Raw json.RawMessage `json:"raw,omitempty"`
}

// An Event is one element of a webhook with the person it's about: the sender of a message,
// the recipient of a status or an echo, the other side of a call. Fields are empty where the
// payload doesn't contain them; only Kind and Raw are always set.
//
// Raw keeps the payload in memory and each string a few KiB, so an application should copy
// what it retains.
type Event struct {
	Kind Kind `json:"kind"`

	// Standby means that another application or Meta's agent answers.
	Standby bool `json:"standby,omitempty"`

	// Person contains the parent BSUID as BSUID if only that one is known. Phone contains
	// the digits of the payload, of any length. DisplayName is the profile name; for
	// KindAppContact, it's the name in the address book.
	contact.Person

	// SharedPhone contains the digits of the number with which the person answered a
	// contact request. The platform verifies it, unlike the numbers on other cards.
	SharedPhone string `json:"sharedPhone,omitempty"`

	// GroupID is the ID of the group in which the event happened.
	GroupID string `json:"groupId,omitempty"`

	// MessageID is the ID of the message or call. A status contains that of its subject.
	MessageID string `json:"messageId,omitempty"`

	// ReplyTo is the ID of the message that this message replies to.
	ReplyTo string `json:"replyTo,omitempty"`

	// Type is the type of a message, such as text, or system if the platform wrote it. The
	// type of a status is call or payment, otherwise empty.
	Type string `json:"type,omitempty"`

	// State is the status of a status, the event of a call, the value of a preference, the
	// action on an address book entry, or the type of a group update or handover.
	State string `json:"state,omitempty"`

	// Error is the first error of the element.
	Error *Error `json:"error,omitempty"`

	// AccountID is the ID of the entry: the WhatsApp Business account, from 2027 on the
	// messaging account.
	AccountID string `json:"accountId,omitempty"`

	// ConversationContext is the summary or history that the previous application passes
	// on with a message or handover.
	ConversationContext json.RawMessage `json:"conversationContext,omitempty"`

	Source
}

// An Error is an error of the platform, for example 131047 because more than 24 hours have
// passed since the person's last message.
type Error struct {
	Code    int    `json:"code,omitempty"`
	Title   string `json:"title,omitempty"`
	Message string `json:"message,omitempty"`
	Details string `json:"details,omitempty"` // from error_data
}

// Address returns the address for a reply: see [contact.IDs.Address]. No reply should go to
// events in standby, to group messages, whose replies belong to GroupID, and to system
// messages and changes of ids, whose ids may be outdated.
func (e Event) Address() (contact.Address, bool) {
	if e.Standby || e.GroupID != "" || e.Type == "system" || e.Kind == KindIdentityUpdate {
		return contact.Address{}, false
	}
	return e.Person.Address()
}

// firstMillisecond is the first timestamp in milliseconds: 1973, or 5138 as seconds.
const firstMillisecond = 100_000_000_000

// Time returns the time of the event, whose Timestamp counts seconds or milliseconds. It
// reports false unless that's an integer above 0.
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

// Text decodes the text of a text message from Raw. Captions and the titles of buttons
// aren't included.
func (e Event) Text() string {
	r, err := jsonscan.Parse(e.Raw)
	if err != nil {
		return ""
	}
	if r.Find(0, "text", "body") && r.String() != "" || r.Find(0, "message", "text", "body") { // in standby
		return r.String()
	}
	return ""
}

// Key returns a string that identifies an event among all deliveries, because the platform
// delivers at least once and in any order. It's "" without a MessageID. Treat such an event
// as new, because losing an event is worse than handling it twice.
//
//	key       = [ "standby:" ] kind ":" PhoneNumberID ":" MessageID [ ":" State ":" person [ ":" Timestamp ] ]
//	person    = BSUID, otherwise Phone
//	Timestamp = only of statuses other than sent, delivered, read and played, which can recur
//
// In each part, "%" is written as %25 and ":" as %3A. A message that arrives live and again
// in the history has two kinds and two keys.
func (e Event) Key() string {
	if e.MessageID == "" {
		return ""
	}
	var b strings.Builder
	if e.Standby {
		b.WriteString("standby:")
	}
	b.WriteString(string(e.Kind))
	parts := []string{e.PhoneNumberID, e.MessageID, e.State, cmp.Or(e.BSUID, e.Phone), e.Timestamp}
	switch {
	case e.State == "":
		parts = parts[:2]
	case e.Kind != KindStatus || slices.Contains([]string{"sent", "delivered", "read", "played"}, e.State):
		parts = parts[:4]
	}
	for _, part := range parts {
		b.WriteByte(':')
		_, _ = keyEscaper.WriteString(&b, part)
	}
	return b.String()
}

var keyEscaper = strings.NewReplacer("%", "%25", ":", "%3A")

package webhooknorm

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hailmark/hailmark/contact"
)

// A Kind classifies events.
type Kind string

// The kinds that [Normalize] returns.
const (
	KindMessage Kind = "message" // a message from a person, or from the platform about a person
	KindStatus  Kind = "status"  // a message or call to a person was sent, delivered or read, or it failed
)

const (
	fieldMessages = "messages" // of live messages
	fieldHistory  = "history"  // of the business's shared history
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
	KindIdentityUpdate    Kind = "identity_update"    // a person got other IDs: see [Event.Change]
	KindHandover          Kind = "handover"           // another application answers: see [Event.Handover]
)

// A Source describes where and when an event came from.
type Source struct {
	// Timestamp is as received. [Source.Time] converts it.
	Timestamp string `json:"timestamp,omitempty"`

	// PhoneNumberID identifies the business phone number, and BusinessPhone is its digits.
	PhoneNumberID string `json:"phoneNumberId,omitempty"`
	BusinessPhone string `json:"businessPhone,omitempty"`

	// Raw is the unchanged element. It shares memory with the payload, so it changes if the
	// payload is overwritten.
	Raw json.RawMessage `json:"raw,omitempty"`
}

// An Event is a webhook element with the person it's about, such as a message's sender, a
// status's recipient or a call's other side. Only Kind and Raw are always set.
//
// Raw keeps the whole payload in memory, and any other string keeps a few KiB. If you retain
// events, copy the fields that you need, for example with [strings.Clone].
//
// To store an event for a worker, marshal it to JSON. After it's unmarshaled, its methods return the
// same as before.
//
// An event contains personal data and prints in full with fmt and log/slog, so log its Kind, not
// the event. [Export and delete] lists the members with such data; a message's ID, for example, contains
// a phone number.
//
// [Export and delete]: https://github.com/hailmark/hailmark/blob/main/docs/identity.md#where-a-person-is-in-a-stored-event
type Event struct {
	Kind Kind `json:"kind"`

	// Field is the field of the event's change, such as messages, or "" if only a value was
	// passed. 360dialog calls it event.
	Field string `json:"field,omitempty"`

	// Standby means that another application or Meta's agent answers.
	Standby bool `json:"standby,omitempty"`

	// Person's BSUID is the parent BSUID if only that one is known. Its Phone contains
	// digits. Its DisplayName is the profile name or, for KindAppContact, the address book's.
	contact.Person

	// SharedPhone is the number, in digits, that the person shared after a contact request.
	// The platform verifies it, unlike numbers on other cards.
	SharedPhone string `json:"sharedPhone,omitempty"`

	// GroupID identifies the group, if any.
	GroupID string `json:"groupId,omitempty"`

	// MessageID identifies the message or call. A status contains its subject's ID.
	MessageID string `json:"messageId,omitempty"`

	// ReplyTo identifies the message that this message replies to.
	ReplyTo string `json:"replyTo,omitempty"`

	// Target identifies the message that this reaction, edit or deletion is about.
	Target string `json:"target,omitempty"`

	// Type is a message's type, such as text, or system if the platform wrote it. A status
	// contains one if it's about a call or payment.
	Type string `json:"type,omitempty"`

	// State is the state that the payload contains: status in a status, event in a call, value in
	// a preference, action in an address book entry, and type in a group update or handover.
	State string `json:"state,omitempty"`

	// Errors are the element's errors, for example why a status failed.
	Errors []Error `json:"errors,omitempty"`

	// AccountID identifies the WhatsApp Business account or, from 2027 on, the messaging account.
	AccountID string `json:"accountId,omitempty"`

	// ConversationContext is the summary or history that the previous application passes on.
	// Only the value's first message or handover contains it. It shares memory with the payload.
	ConversationContext json.RawMessage `json:"conversationContext,omitempty"`

	// Change, if not nil, replaces the person's IDs: a system message or KindIdentityUpdate announces
	// it. Apply a webhook's changes before its other events, so that those lead to the right person.
	Change *IdentityChange `json:"change,omitempty"`

	// Handover, if not nil, is what a KindHandover says about the applications.
	Handover *Handover `json:"handover,omitempty"`

	Source
}

// An Error is a platform error, for example 131047 because the person's last message is more
// than 24 hours old.
type Error struct {
	Code    int    `json:"code,omitempty"`
	Title   string `json:"title,omitempty"`
	Message string `json:"message,omitempty"`
	Details string `json:"details,omitempty"` // from error_data or, in older webhooks, beside it

	// Subcode is error_subcode.
	Subcode int `json:"subcode,omitempty"`

	// UserTitle and UserMessage are written for the business's staff.
	UserTitle   string `json:"userTitle,omitempty"`
	UserMessage string `json:"userMessage,omitempty"`

	// TraceID is fbtrace_id, which Meta's support asks for.
	TraceID string `json:"traceId,omitempty"`
}

// Address returns the recipient of a reply to the person, as [contact.IDs.Address] does. It
// returns false if no ID is known, and for events that mustn't be answered there: events in
// standby, in groups and about their participants, whose replies go to GroupID, in history, messages
// of a field that this version doesn't know, and system messages and changes of IDs, whose IDs may be
// outdated. Most other kinds have an address, too, so also check [Event.WantsReply] before you reply.
func (e Event) Address() (contact.Address, bool) {
	if e.Standby || e.GroupID != "" || e.isHistory() || e.isElsewhere() || e.Type == "system" || e.Kind == KindIdentityUpdate {
		return contact.Address{}, false
	}
	return e.Person.Address()
}

// PhoneAddress is like [contact.IDs.PhoneAddress], for a message that requires a phone number, but
// returns false for the same events as [Event.Address].
func (e Event) PhoneAddress() (contact.Address, bool) {
	if _, ok := e.Address(); !ok {
		return contact.Address{}, false
	}
	return e.Person.PhoneAddress()
}

// Reply returns the recipient of a reply to a message that wants one: [Event.Address] if
// [Event.WantsReply] returns true. It returns false for all other events, so there's nothing else to
// check.
func (e Event) Reply() (contact.Address, bool) {
	if !e.WantsReply() {
		return contact.Address{}, false
	}
	return e.Address()
}

// isHistory reports whether the event is from before the business joined the platform, also if
// [Normalize] returned it as a message.
func (e Event) isHistory() bool {
	return e.Kind == KindHistory || e.Kind == KindHistoryEcho || e.Field == fieldHistory
}

// isElsewhere reports whether a message arrived in another field than live messages do. If the
// platform adds a field, its messages may be answered by others or be the business's own, as those
// of standby and smb_message_echoes are.
func (e Event) isElsewhere() bool {
	return e.Kind == KindMessage && e.Field != "" && e.Field != fieldMessages
}

// wantsReply lists the message types and, after a slash, the parts of interactive messages by which
// people want or don't want a reply. Others don't, unless an interactive message has a text.
var wantsReply = map[string]bool{
	"text": true, "button": true, "image": true, "video": true, "audio": true, "voice": true, "document": true, "sticker": true,
	"location": true, "contacts": true, "order": true, "request_welcome": true,

	"interactive/button_reply":          true,
	"interactive/list_reply":            true,
	"interactive/nfm_reply":             true,
	"interactive/call_permission_reply": false, // the person allows or forbids calls

	"reaction": false, "edit": false, "revoke": false, "system": false, "unsupported": false, "media_placeholder": false, "unknown": false,
}

// WantsReply reports whether the event is a message that a person sent to get a reply: one of
// the types text, button, image, video, audio, voice, document, sticker, location, contacts, order
// and request_welcome (the person opened the chat), or interactive with a button_reply, list_reply,
// nfm_reply (a flow) or text. It returns false for reactions, edits, deletions, permissions to call,
// system and unsupported messages and types that don't exist yet; for messages in standby, which
// another application answers; for messages of any field but messages, such as history; and for all
// other kinds. Group messages can want a reply,
// which goes to the group, so use [Event.Reply] unless you reply to groups.
func (e Event) WantsReply() bool {
	return e.wantsReply(func() bool { return contentOf(e.Raw).interactiveWantsReply() })
}

func (e Event) wantsReply(interactive func() bool) bool {
	switch {
	case e.Kind != KindMessage || e.Standby || e.isElsewhere():
		return false
	case e.Type == "interactive":
		return interactive()
	default:
		return wantsReply[e.Type]
	}
}

// Time returns Timestamp as a time in UTC. Timestamps are in seconds since the Unix epoch or, from
// 100,000,000,000 on, in milliseconds. Time returns false unless Timestamp is an integer above 0.
func (s Source) Time() (time.Time, bool) {
	at, err := strconv.ParseInt(s.Timestamp, 10, 64)
	switch {
	case err != nil || at <= 0 || s.Timestamp[0] == '+':
		return time.Time{}, false
	case at >= 100_000_000_000: // 1973 in milliseconds, 5138 in seconds
		return time.UnixMilli(at).UTC(), true
	default:
		return time.Unix(at, 0).UTC(), true
	}
}

// Key returns a string that's the same each time an event is delivered. Use it to ignore
// repetitions, because the platform delivers events at least once and in any order. It's ""
// without a MessageID. Treat such an event as new, because losing an event is worse than handling
// it twice.
//
//	key       = [ "standby:" ] kind ":" PhoneNumberID ":" MessageID [ ":" State ":" person [ ":" Timestamp ] ]
//	person    = BSUID, otherwise Phone
//	Timestamp = only of statuses other than sent, delivered, read and played, which can recur
//
// In each part, "%" is written as %25 and ":" as %3A. A message that arrives live, in standby and again
// in the history has several keys: see [Event.ContentKey]. A history
// message with a file has the key of its placeholder, which came without the file: replace it.
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

// ContentKey is the [Event.Key] that the event has when it arrives live, so it's the same for a message
// that arrives live, in standby and in the history. Use it to store each message once.
func (e Event) ContentKey() string {
	e.Standby = false
	switch e.Kind { //nolint:exhaustive // the others stay
	case KindHistory:
		e.Kind = KindMessage
	case KindHistoryEcho:
		e.Kind = KindEcho
	}
	return e.Key()
}

var keyEscaper = strings.NewReplacer("%", "%25", ":", "%3A")

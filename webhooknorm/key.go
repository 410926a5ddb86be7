package webhooknorm

import (
	"cmp"
	"strings"
)

// Key returns a string that is equal for an event and its repetitions, and different for
// different events. The platform delivers at least once, in any order: skip an event with
// a key that you have seen.
//
//	key       = [ "standby:" ] kind ":" number ":" id [ ":" state ":" person [ ":" timestamp ] ]
//	number    = PhoneNumberID
//	person    = BSUID, else Phone
//	timestamp = only of a status other than sent, delivered, read and played
//
// In each part, "%" is written as %25 and ":" as %3A. These have equal keys:
//
//   - a message, an echo or a message of the history: the same kind and ID at the same
//     business number. A message that arrives live and again in the history has two
//     kinds, and so two keys.
//   - a status sent, delivered, read or played: the same message, state and person,
//     whatever the timestamp. In a group, each participant has a status.
//   - any other status, such as failed, or the pending and captured of a payment, which
//     occur more than once: the same, and the same timestamp.
//   - a call: the same ID, event and person.
//   - an event in standby: another one in standby that is equal otherwise, and no event of
//     the business's own conversations.
//   - a preference, a participant, an address book entry, a change of ids and a handover
//     have no ID and no key.
//
// Two business numbers never share a key, even for a message that both received.
//
// Without an ID, Key returns "". Handle such an event as new: losing an event is worse
// than handling it twice.
func (e Event) Key() string {
	if e.MessageID == "" {
		return ""
	}
	key := ""
	if e.Standby {
		key = "standby:"
	}
	key += string(e.Kind) + ":" + keyPart(e.PhoneNumberID) + ":" + keyPart(e.MessageID)
	if e.State == "" {
		return key
	}
	key += ":" + keyPart(e.State) + ":" + keyPart(cmp.Or(e.BSUID, e.Phone))
	if e.Kind == KindStatus && !occursOnce(e.State) {
		key += ":" + keyPart(e.Timestamp)
	}
	return key
}

// occursOnce reports whether a message has a status with this state at most once for
// each recipient.
func occursOnce(state string) bool {
	switch state {
	case "sent", "delivered", "read", "played":
		return true
	default:
		return false
	}
}

func keyPart(s string) string {
	if !strings.ContainsAny(s, "%:") {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "%", "%25"), ":", "%3A")
}

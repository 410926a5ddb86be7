package webhooknorm

// kinds describes each kind in a sentence.
var kinds = []struct {
	kind  Kind
	about string
}{
	{KindMessage, "a message from a person, or from the platform about a person"},
	{KindStatus, "a message or call to a person was sent, delivered or read, or it failed"},
	{KindEcho, "a message that the business sent with another device or application"},
	{KindHistory, "a message from a person before the business joined the platform"},
	{KindHistoryEcho, "a message from the business before it joined the platform"},
	{KindCall, "a call from a person, or without a known direction"},
	{KindCallToUser, "a call from the business"},
	{KindPreference, "a person stops or resumes marketing messages"},
	{KindParticipant, "a person joined or left a group, was invited, or asks to join"},
	{KindParticipantFailed, "a person couldn't be added, removed or invited"},
	{KindAppContact, "an entry in the address book of the business's phone"},
	{KindIdentityUpdate, "a person got other IDs"},
	{KindHandover, "another application answers"},
}

// Kinds returns all kinds, those of [Normalize] first.
func Kinds() []Kind {
	list := make([]Kind, len(kinds))
	for i := range kinds {
		list[i] = kinds[i].kind
	}
	return list
}

// Description returns what an event of the kind is about, such as "a call from the business", or "" if
// the kind is unknown.
func (k Kind) Description() string {
	for i := range kinds {
		if kinds[i].kind == k {
			return kinds[i].about
		}
	}
	return ""
}

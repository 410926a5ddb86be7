package webhooknorm

// A Kind says which array of the payload an event comes from.
type Kind string

const (
	KindMessage Kind = "message" // somebody wrote, or the platform reports a change about them
	KindStatus  Kind = "status"  // a message to somebody was sent, delivered, read, or failed
)

// String returns the kind as it goes over the wire.
func (k Kind) String() string { return string(k) }

// An Event is one message or status with the person it is about: the sender of a
// message, the recipient of a status. An empty string means that the payload does
// not say. Every one of them can be empty, so an Event may name nobody at all; Raw
// is always there.
//
// BSUID and Phone are the two ways to address the person, and either can be
// missing. Look a person up by BSUID first and by Phone second, and store what was
// missing: that keeps one person one contact when the number vanishes or returns.
type Event struct {
	Kind Kind

	BSUID       string // the person's business-scoped user ID; in parent form where only that is known
	Phone       string // digits only, of any length, exactly those of the payload
	Username    string // without "@"
	DisplayName string // the profile name that the person chose

	ParentBSUID   string // the parent form (with ENT), if the payload has one
	ID            string // the message ID; a status carries that of the message it is about
	Timestamp     string // as received, mostly Unix seconds
	PhoneNumberID string // the business phone number's ID, from the metadata of the value

	// Raw is the element of the payload, byte for byte. It is a slice of the payload
	// given to Normalize, with no spare capacity: it keeps the payload alive and
	// changes if the payload is overwritten. Use bytes.Clone to keep it longer.
	Raw []byte
}

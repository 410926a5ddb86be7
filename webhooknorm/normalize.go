package webhooknorm

import (
	"slices"
	"strings"

	"github.com/hailmark/hailmark/internal/jsonscan"
	"github.com/hailmark/hailmark/problem"
)

// The codes of errors, each with its remedy.
const (
	// CodeInvalidJSON means that the payload isn't one well-formed JSON value, contains a
	// duplicate name or invalid UTF-8, or is nested more than 128 levels deep. Pass the request's
	// body as it arrived, without decoding it first.
	CodeInvalidJSON problem.Code = "webhook_invalid_json"

	// CodeUnrecognizedShape means that the payload is JSON but not a webhook. Pass the whole body,
	// or the value of one change.
	CodeUnrecognizedShape problem.Code = "webhook_unrecognized_shape"

	// CodeTooManyEvents means that the payload exceeds a limit in the package documentation. The
	// platform's own webhooks don't, so find out who sent it; split it if that was you.
	CodeTooManyEvents problem.Code = "webhook_too_many_events"
)

// maxEvents is the maximum number of messages and statuses, and of contacts. There may be as
// many other elements, or one for each bytesPerElement of the payload if that's more.
const (
	maxEvents       = 16_384
	bytesPerElement = 64
)

// maxRepeated limits the texts that events share, for example a megabyte as the account's ID, so
// that a webhook's JSON isn't much larger than the payload. Real texts are short.
const maxRepeated = 16 << 20

// A Webhook contains everything in a payload: what no event contains is inside an Other. Only an
// envelope's members, such as an entry's ID, and contacts that an event uses, also with members other
// than IDs and names, such as identity_key_hash, are in no Raw; the specification lists them.
type Webhook struct {
	// Events are in the payload's order. Within one value (entry[].changes[].value), messages
	// come first, then statuses, all others, those in standby, and the handover.
	Events []Event `json:"events"`

	// Others are the changes that aren't about a person, such as a template's rejection, and
	// the parts of the payload that give no event, such as errors or unknown members.
	Others []Other `json:"others,omitempty"`
}

// Normalize returns a payload's messages and statuses. There may be none.
//
// The error is a [problem.Problem] with one of this package's codes. Missing and
// unknown members never cause an error, because a rejected webhook is a lost message.
func Normalize(payload []byte) ([]Event, error) {
	w, err := read(payload, false, maxEvents)
	return w.Events, err
}

// Read returns everything in a payload. Unlike [Normalize], it returns all kinds of events,
// distinguishes history from live messages, and accepts more shapes (see the specification).
// Pass the whole payload: a value alone lacks its field, so the messages with the files of a shared
// history would be live messages, which want a reply.
//
// Each Raw and ConversationContext in the webhook shares memory with the payload. If you
// overwrite the payload, for example because it comes from a pool (as in fasthttp and fiber),
// pass a copy: Read(bytes.Clone(payload)).
func Read(payload []byte) (Webhook, error) {
	return read(payload, true, 2*max(maxEvents, len(payload)/bytesPerElement))
}

// ReadUpTo is like [Read], but accepts at most n events and others together. Each needs up to about 600
// bytes beside the payload, so n limits the memory for a payload that anybody can have sent. For a
// signed one, use Read, because a rejected webhook is lost.
func ReadUpTo(payload []byte, n int) (Webhook, error) { return read(payload, true, n) }

func read(payload []byte, all bool, most int) (Webhook, error) {
	parsed, err := jsonscan.Parse(payload)
	if err != nil {
		return Webhook{}, problem.New("", CodeInvalidJSON,
			"webhook payload is invalid: found %v; send one JSON value in UTF-8 without duplicate names, nested at most %d levels",
			err, jsonscan.MaxDepth)
	}
	r := reader{Reader: parsed, all: all, most: most, mostOthers: max(maxEvents, len(payload)/bytesPerElement)}
	if !r.readPayload() {
		return Webhook{}, problem.New("", CodeUnrecognizedShape, "%s", r.unrecognized())
	}
	if r.tooMany || all && r.webhook.repeated() > maxRepeated+8*len(payload) {
		return Webhook{}, problem.New("", CodeTooManyEvents,
			"webhook payload has more than %d messages and statuses, or contacts, or more than %d other elements, or texts that too many"+
				" events repeat; split it",
			maxEvents, min(r.mostOthers, most))
	}
	if len(r.webhook.Events) == 0 {
		r.webhook.Events = nil // also if there was room for some
	}
	return r.webhook, nil
}

// repeated returns the size of the texts that events can share.
func (w *Webhook) repeated() (n int) {
	for i := range w.Events {
		e := &w.Events[i]
		n += len(e.AccountID) + len(e.Field) + len(e.PhoneNumberID) + len(e.BusinessPhone) + len(e.GroupID) + len(e.State) + len(e.Timestamp) +
			len(e.BSUID) + len(e.ParentBSUID) + len(e.Phone) + len(e.Username) + len(e.DisplayName)
	}
	for i := range w.Others {
		o := &w.Others[i]
		n += len(o.AccountID) + len(o.Field) + len(o.PhoneNumberID) + len(o.BusinessPhone) + len(o.Timestamp)
	}
	return n
}

// A reader walks through a payload and appends its events to a webhook.
type reader struct {
	jsonscan.Reader
	all     bool   // also what only Read returns
	account string // the ID of the entry
	time    string // of the entry
	field   string // of the change
	value   value  // the current one

	webhook  Webhook
	contacts int // in the payload so far
	standard int // messages and statuses so far
	errors   int // so far

	most       int // events and others
	mostOthers int // elements other than messages, statuses and contacts
	tooMany    bool

	hasResponse bool // the payload is a response of the API
}

// readPayload reports whether the payload is a webhook.
func (r *reader) readPayload() bool {
	if r.Peek() != '{' {
		return false
	}
	if r.Find(0, "entry") {
		hasChange := r.readEntries()
		if r.all {
			r.Seek(0)
			r.account, r.time, r.field = "", "", ""
			r.addRest("entry", "object")
		}
		return hasChange
	}
	r.Seek(0)
	m := r.split()
	switch {
	case m.isValue(r.all):
		if r.hasResponse = r.isResponse(&m); r.hasResponse {
			return false
		}
		r.Seek(0)
		r.readValue()
		return true
	case !r.all:
		return false
	default:
		return r.readBareChange("field", "value") || r.readBareChange("event", "data")
	}
}

// readBareChange reads a change without an entry around it. The App Dashboard shows samples
// with a field and a value; 360dialog sends events with data. It reports whether the payload
// is one.
func (r *reader) readBareChange(field, value string) bool {
	r.field = r.textAt(0, field)
	if r.field == "" || !r.Find(0, value) || r.Peek() != '{' {
		return false
	}
	p := r.Position()
	if m := r.split(); value == "data" && !m.isValue(true) {
		return false // other services' events have this shape, too
	}
	r.Seek(p)
	r.readValue()
	r.Seek(0)
	r.addRest(value, field)
	return true
}

// addRest adds the current object, which is an envelope, if it contains more than the named scalars and
// its content: an array of objects or, in a change, anything, because any value arrives.
func (r *reader) addRest(content string, scalars ...string) {
	hasRest, isChange := false, content == "value" || content == "data"
	for it := r.Members(); it.Next(); {
		switch name := string(r.Name()); {
		case name == content && (isChange || r.shape() == array):
			hasRest = hasRest || !isChange && r.IsMixed()
		case slices.Contains(scalars, name) && r.shape() == scalar:
		default:
			hasRest = hasRest || !r.isEmpty()
		}
	}
	if hasRest {
		r.value = value{}
		r.addOther("", nil)
	}
}

// readEntries reports whether there's a change.
func (r *reader) readEntries() (hasChange bool) {
	for it := r.Objects(); !r.tooMany && it.Next(); {
		entry := r.Position()
		r.account, r.time = r.idAt(entry, "id"), ""
		if r.all {
			r.time = r.idAt(entry, "time")
		}
		if r.Find(entry, "changes") {
			r.grow(r.countObjects()) // most changes contain one event
			for it := r.Objects(); !r.tooMany && it.Next(); {
				hasChange = true
				r.readChange()
			}
		}
		if r.all {
			r.Seek(entry)
			r.field = ""
			r.addRest("changes", "id", "time")
		}
	}
	return hasChange
}

func (r *reader) readChange() {
	change := r.Position()
	if r.Find(change, "field") {
		r.field = r.again(r.field)
	} else {
		r.field = ""
	}
	switch hasValue := r.Find(change, "value"); {
	case hasValue && r.Peek() == '{':
		r.readValue()
	case r.all:
		if !hasValue {
			r.Seek(change)
		}
		r.value = value{}
		r.addOther("", nil)
		if !hasValue {
			return
		}
	}
	if r.all {
		r.Seek(change)
		r.addRest("value", "field")
	}
}

// unrecognized describes a payload that isn't a webhook.
func (r *reader) unrecognized() string {
	r.Seek(0)
	switch {
	case r.Peek() == '[':
		return "webhook payload is an array; pass its elements one by one"
	case r.hasResponse:
		return "webhook payload is the API's response to a request to send a message, which says nothing about a sender;" +
			" pass what the platform sends to your callback URL"
	}
	return "webhook payload isn't a webhook; it must be an object with an array entry that contains at least one change," +
		" or an object with an array messages, statuses or contacts and no entry"
}

// text reads a string without the white space around it. Any other value is "".
func (r *reader) text() string {
	text := r.String()
	if n := len(text); n > 0 && isPlain(text[0]) && isPlain(text[n-1]) {
		return text
	}
	return strings.TrimSpace(text)
}

func isPlain(c byte) bool { return ' ' < c && c < 0x80 }

// id reads a text, or an unsigned integer as its digits.
func (r *reader) id() string {
	if r.Peek() != '"' {
		if number := r.Number(); isDigits(number) {
			return number
		}
	}
	return r.text()
}

// again is like text, but doesn't copy a text that's the same as the previous one.
func (r *reader) again(previous string) string {
	raw := r.Raw()
	if n := len(raw) - 1; raw[0] == '"' && string(raw[1:n]) == previous && strings.IndexByte(previous, '\\') < 0 {
		return previous
	}
	return r.text()
}

// textAt reads the text at a path below a value.
func (r *reader) textAt(p jsonscan.Position, path ...string) string {
	if !r.Find(p, path...) {
		return ""
	}
	return r.text()
}

// idAt reads the ID at a path below a value.
func (r *reader) idAt(p jsonscan.Position, path ...string) string {
	if !r.Find(p, path...) {
		return ""
	}
	return r.id()
}

// newEvent appends an event. The pointer is valid until the next call.
func (r *reader) newEvent(kind Kind) *Event {
	if kind == KindMessage || kind == KindStatus {
		r.standard++
		r.tooMany = r.tooMany || r.standard > maxEvents
	}
	n := len(r.webhook.Events)
	if n == cap(r.webhook.Events) {
		r.grow(n + 1) // append would grow large slices more often
	}
	r.webhook.Events = r.webhook.Events[:n+1]
	r.checkOthers()
	e := &r.webhook.Events[n]
	e.Kind, e.Field, e.Standby, e.AccountID, e.Source = kind, r.field, r.value.inStandby, r.account, r.source()
	return e
}

// grow makes room for events.
func (r *reader) grow(n int) {
	r.webhook.Events = slices.Grow(r.webhook.Events, min(n, maxEvents))
}

// checkOthers limits the elements that only Read returns, and all.
func (r *reader) checkOthers() {
	n := len(r.webhook.Events) + len(r.webhook.Others)
	r.tooMany = r.tooMany || n > r.most || n-r.standard > r.mostOthers
}

func (r *reader) source() Source {
	return Source{PhoneNumberID: r.value.phoneNumberID, BusinessPhone: r.value.businessPhone}
}

package httpapi

import (
	"encoding/json"
	"io"
	"iter"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/internal/jsonscan"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/webhooknorm"
)

// The shapes of the wire. The schemas of the OpenAPI document follow from these types
// and their tags.

type errorBody struct {
	Error errorDetail `json:"error"`
}

type errorDetail struct {
	Code    problem.Code `json:"code"`
	Message string       `json:"message" doc:"For people; its wording may change."`
}

type validation struct {
	Valid  bool        `json:"valid" doc:"Whether the value is well-formed."`
	Errors []errorItem `json:"errors" doc:"Everything that is wrong with the value; empty if it is valid."`

	Warnings []warningItem `json:"warnings,omitempty" doc:"Why a valid phone number may not be the one that was meant; absent if nothing suggests that."`
}

// A verdictCode is a [problem.Code] of a value.
type verdictCode problem.Code

type errorItem struct {
	Code    verdictCode `json:"code"`
	Message string      `json:"message" doc:"For people; its wording may change."`
}

// A warningCode is a [problem.Code] of a valid value.
type warningCode problem.Code

type warningItem struct {
	Code    warningCode `json:"code"`
	Message string      `json:"message" doc:"For people; its wording may change."`
}

// validationResult returns the result of a validation: the problems that check finds in
// a parameter, or the warnings about a valid one.
func validationResult(p *param, check func(string) (problem.List, error)) result {
	return result{
		media: jsonOf[validation](),
		handle: func(_ *api, in input) (response, error) {
			warnings, err := check(in.get(p))
			if err == nil && len(warnings) == 0 {
				return validResponse()
			}
			v := validation{Valid: err == nil, Errors: []errorItem{}}
			for _, p := range warnings {
				v.Warnings = append(v.Warnings, warningItem{warningCode(p.Code), p.Message})
			}
			for _, p := range problem.All(err) {
				v.Errors = append(v.Errors, errorItem{verdictCode(p.Code), p.Message})
			}
			return jsonResponse(v)
		},
	}
}

// validResponse is the response about every valid value without warnings, so it is encoded
// only once.
var validResponse = sync.OnceValues(func() (response, error) {
	resp, err := jsonResponse(validation{Valid: true, Errors: []errorItem{}})
	resp.etag = etagOf(resp.body)
	return resp, err
})

type usernameLink struct {
	Username  string `json:"username" doc:"The username, as given."`
	Key       string `json:"key,omitempty" doc:"Present if a key was given."`
	Link      string `json:"link" doc:"The link that opens the chat." format:"uri"`
	ShortLink string `json:"shortLink" doc:"A link on this server that redirects to the chat." format:"uri"`
	Notice    string `json:"notice" doc:"The status of username links, as of a date." pattern:"^As of [0-9]{4}-[0-9]{2}-[0-9]{2}"`
}

type phoneLink struct {
	Phone string `json:"phone" doc:"The digits, country code first." pattern:"^[1-9][0-9]{7,14}$"`
	Link  string `json:"link" doc:"The link that opens the chat." format:"uri"`
}

type bsuidValidation struct {
	Valid    bool `json:"valid" doc:"Whether the value is well-formed."`
	IsParent bool `json:"isParent" doc:"True for a valid value with the ENT segment."`
}

type bsuidParse struct {
	CountryCode string `json:"countryCode" doc:"The two letters in front." pattern:"^[A-Z]{2}$"`
	ID          string `json:"id" doc:"The digits at the end. They are no address without the rest; store the whole BSUID." pattern:"^[0-9]{1,128}$"`
	IsParent    bool   `json:"isParent" doc:"True if the value has the ENT segment."`
}

type businessUsernameValidation struct {
	Valid   bool             `json:"valid" doc:"Whether the name is well-formed."`
	Reasons []busname.Reason `json:"reasons" doc:"Everything that is wrong with the name; empty if it is valid."`
}

type resolvedContact struct {
	ID          string       `json:"id" doc:"The identifier in its canonical form."`
	Type        contact.Type `json:"type"`
	Username    *string      `json:"username" doc:"The username, if it was given."`
	Phone       *string      `json:"phone" doc:"The digits of the number, if it was given."`
	BSUID       *string      `json:"bsuid" doc:"The BSUID, if it was given."`
	DisplayName null         `json:"displayName" doc:"Always null, because nothing is looked up."`
	PhoneKnown  bool         `json:"phoneKnown" doc:"Whether the number was given."`
	BSUIDKnown  bool         `json:"bsuidKnown" doc:"Whether the BSUID was given."`
}

// A null is a member that is always null.
type null struct{}

func (null) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

func newResolvedContact(c contact.Contact) resolvedContact {
	return resolvedContact{
		ID:         c.ID(),
		Type:       c.Type(),
		Username:   orNull(c.Username().String()),
		Phone:      orNull(c.Phone().String()),
		BSUID:      orNull(c.BSUID().String()),
		PhoneKnown: c.PhoneKnown(),
		BSUIDKnown: c.BSUIDKnown(),
	}
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// A normalizedWebhook is what [appendNormalizedWebhook] writes without building it.
type normalizedWebhook struct {
	Provider string  `json:"provider" doc:"The format of the webhook." const:"vendor_cloud_api"`
	Events   []event `json:"events" doc:"The messages and statuses, in the order of the payload; empty for a webhook about other things."`
}

type event struct {
	Kind        webhooknorm.Kind `json:"kind"`
	BSUID       *string          `json:"bsuid" doc:"The BSUID of the person."`
	Phone       *string          `json:"phone" doc:"The digits of the person's number."`
	Username    *string          `json:"username" doc:"The username of the person, without @."`
	DisplayName *string          `json:"displayName" doc:"The name that the person chose."`
	Raw         json.RawMessage  `json:"raw" doc:"The original fragment."`
}

// provider is the one source of webhooks that the wire names.
const provider = "vendor_cloud_api"

// appendNormalizedWebhook appends a normalizedWebhook to buf. Whenever buf has become longer
// than a piece, it calls flush and starts again with an empty buf. It returns the rest, and
// false if flush did.
func appendNormalizedWebhook(buf []byte, events iter.Seq[webhooknorm.Event], piece int, flush func([]byte) bool) (rest []byte, whole bool) {
	w := eventWriter{buf: append(buf, `{"provider":"`+provider+`","events":[`...), piece: piece, flush: flush}
	events(w.add)
	if w.cut {
		return nil, false
	}
	return append(w.buf, "]}\n"...), true
}

// An eventWriter writes the events of a normalizedWebhook. Its fields share one allocation,
// which the variables of a loop over an [iter.Seq] do not.
type eventWriter struct {
	buf       []byte
	separator string
	piece     int
	flush     func([]byte) bool
	cut       bool // flush returned false
}

// add writes an event. The raw of an event is written byte for byte, which no encoder does.
func (w *eventWriter) add(e webhooknorm.Event) bool {
	buf := append(append(append(append(w.buf, w.separator...), `{"kind":"`...), e.Kind.String()...), '"')
	buf = appendMember(buf, `,"bsuid":`, e.BSUID)
	buf = appendMember(buf, `,"phone":`, e.Phone)
	buf = appendMember(buf, `,"username":`, e.Username)
	buf = appendMember(buf, `,"displayName":`, e.DisplayName)
	buf = append(appendStrict(append(buf, `,"raw":`...), e.Raw), '}')
	if len(buf) > w.piece {
		w.cut = !w.flush(buf)
		buf = buf[:0]
	}
	w.buf, w.separator = buf, ","
	return !w.cut
}

func appendMember(buf []byte, name, value string) []byte {
	buf = append(buf, name...)
	if value == "" {
		return append(buf, "null"...)
	}
	buf, _ = jsontext.AppendQuote(buf, value) // the texts of an event are UTF-8
	return buf
}

// streamPiece is the size of the pieces in which a long response is written.
const streamPiece = 64 << 10

// streamNormalizedWebhook writes a normalizedWebhook, or a part of it if the client has
// gone away.
func streamNormalizedWebhook(w io.Writer, events iter.Seq[webhooknorm.Event]) {
	write := func(piece []byte) bool {
		_, err := w.Write(piece)
		return err == nil
	}
	if rest, whole := appendNormalizedWebhook(nil, events, streamPiece, write); whole {
		write(rest)
	}
}

// appendStrict appends a JSON value in which each escape of half a surrogate pair is
// replaced by that of U+FFFD. Many readers refuse such an escape, and with it the whole
// response; readers that accept it read U+FFFD.
func appendStrict(dst, value []byte) []byte {
	const replacement = `\ufffd`
	for {
		i := jsonscan.LoneSurrogate(value)
		if i < 0 {
			return append(dst, value...)
		}
		dst = append(append(dst, value[:i]...), replacement...)
		value = value[i+len(replacement):]
	}
}

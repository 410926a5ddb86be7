package httpapi

import (
	"encoding/json"
	"strings"

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
		handle: func(_ *Handler, in input) (response, error) {
			warnings, err := check(in.get(p))
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
	Standby     bool             `json:"standby,omitempty" doc:"True, and otherwise absent, if another app or an agent of the platform answers."`
	Raw         json.RawMessage  `json:"raw" doc:"The original fragment."`
}

// provider is the one source of webhooks that the wire names.
const provider = "vendor_cloud_api"

// appendNormalizedWebhook appends a normalizedWebhook to buf, whose raw members no encoder
// would leave byte for byte. It stops and returns false when buf gets longer than most.
func appendNormalizedWebhook(buf []byte, events []webhooknorm.Event, most int) (_ []byte, ok bool) {
	buf = append(buf, `{"provider":"`+provider+`","events":[`...)
	for i := range events {
		e := &events[i]
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = append(append(append(buf, `{"kind":"`...), e.Kind.String()...), '"')
		buf = appendMember(buf, `,"bsuid":`, e.BSUID)
		buf = appendMember(buf, `,"phone":`, e.Phone)
		buf = appendMember(buf, `,"username":`, e.Username)
		buf = appendMember(buf, `,"displayName":`, e.DisplayName)
		buf = append(appendStrict(append(buf, `,"raw":`...), e.Raw), '}')
		if len(buf) > most {
			return nil, false
		}
	}
	buf = append(buf, "]}\n"...)
	return buf, len(buf) <= most
}

func appendMember(buf []byte, name, value string) []byte {
	buf = append(buf, name...)
	if value == "" {
		return append(buf, "null"...)
	}
	return appendQuoted(buf, value)
}

// appendQuoted appends a text, which must be UTF-8, as a JSON string.
func appendQuoted(buf []byte, text string) []byte {
	const hex = "0123456789abcdef"
	buf = append(buf, '"')
	plain := 0 // where the text begins that needs no escape
	for i := range len(text) {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		buf = append(buf, text[plain:i]...)
		plain = i + 1
		if j := strings.IndexByte("\b\f\n\r\t\"\\", c); j >= 0 {
			buf = append(buf, '\\', `bfnrt"\`[j])
		} else {
			buf = append(buf, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(append(buf, text[plain:]...), '"')
}

// appendStrict appends a JSON value in which each escape of half a surrogate pair is
// replaced by that of U+FFFD. Many readers reject such an escape, and with it the whole
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

package httpapi

import (
	"strings"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/internal/jsonscan"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/webhooknorm"
)

type errorBody struct {
	Error errorDetail `json:"error"`
}

type errorDetail struct {
	Code    problem.Code `json:"code"`
	Message string       `json:"message"`
}

type validation struct {
	Valid    bool          `json:"valid"`
	Errors   []errorDetail `json:"errors"`
	Warnings []errorDetail `json:"warnings,omitempty"`
}

// validationResult returns a handler that responds with check's problems or warnings.
func validationResult(p *param, check func(string) (problem.List, error)) func(*Handler, input) (response, error) {
	return func(_ *Handler, in input) (response, error) {
		return verdict(check(in.get(p)))
	}
}

// verdict returns the response about a value with these warnings and this error.
func verdict(warnings problem.List, err error) (response, error) {
	if err == nil && len(warnings) == 0 {
		return valid, nil
	}
	v := validation{Valid: err == nil, Errors: []errorDetail{}}
	v.Warnings = details(warnings)
	v.Errors = append(v.Errors, details(problem.All(err))...)
	return jsonResponse(v)
}

func details(list problem.List) []errorDetail {
	var items []errorDetail
	for _, p := range list {
		items = append(items, errorDetail{p.Code, p.Message})
	}
	return items
}

// valid is the response about a value without errors and warnings.
var valid = func() response {
	resp, _ := jsonResponse(validation{Valid: true, Errors: []errorDetail{}})
	resp.etag = etagOf(resp.body)
	return resp
}()

type usernameLink struct {
	Username  string `json:"username"`
	Key       string `json:"key,omitempty"`
	Link      string `json:"link"`
	ShortLink string `json:"shortLink"`
	Notice    string `json:"notice"`
}

type phoneLink struct {
	Phone    string        `json:"phone"`
	Link     string        `json:"link"`
	Warnings []errorDetail `json:"warnings,omitempty"`
}

type bsuidValidation struct {
	Valid    bool `json:"valid"`
	IsParent bool `json:"isParent"`
}

type bsuidParse struct {
	CountryCode string `json:"countryCode"`
	ID          string `json:"id"`
	IsParent    bool   `json:"isParent"`
}

type businessUsernameValidation struct {
	Valid   bool     `json:"valid"`
	Reasons []Reason `json:"reasons"`
}

type resolvedContact struct {
	ID          string  `json:"id"`
	Type        string  `json:"type"`
	Username    *string `json:"username"`
	Phone       *string `json:"phone"`
	BSUID       *string `json:"bsuid"`
	DisplayName *string `json:"displayName"` // always null
	PhoneKnown  bool    `json:"phoneKnown"`
	BSUIDKnown  bool    `json:"bsuidKnown"`

	Warnings []errorDetail `json:"warnings,omitempty"`
}

// newResolvedContact returns a contact with one identifier.
func newResolvedContact(p contact.Person, warnings problem.List) resolvedContact {
	kind, id := p.Identifier()
	return resolvedContact{
		ID:         id,
		Type:       kind,
		Username:   orNull(p.Username),
		Phone:      orNull(p.Phone),
		BSUID:      orNull(p.BSUID),
		PhoneKnown: p.Phone != "",
		BSUIDKnown: p.BSUID != "",
		Warnings:   details(warnings),
	}
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// encodeNormalizedWebhook returns the response about a webhook, or false if it's longer than most.
// encoding/json would compact the raw members. It would also need three times 24 MB for a body of
// 4 MB with one long name of control characters, before it's known that the response is too long.
func encodeNormalizedWebhook(events []webhooknorm.Event, most int) (_ []byte, ok bool) {
	const begin, end = `{"provider":"vendor_cloud_api","events":[`, "]}\n"
	size := len(begin) + len(end) + max(0, len(events)-1) // with the commas
	for i := range events {
		if size += eventSize(&events[i]); size > most {
			return nil, false
		}
	}
	buf := append(make([]byte, 0, size), begin...) // growing would take several times the memory
	for i := range events {
		e := &events[i]
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = append(append(append(buf, `{"kind":"`...), string(e.Kind)...), '"')
		buf = appendMember(buf, `,"bsuid":`, e.BSUID)
		buf = appendMember(buf, `,"phone":`, e.Phone)
		buf = appendMember(buf, `,"username":`, e.Username)
		buf = appendMember(buf, `,"displayName":`, e.DisplayName)
		if e.Standby {
			buf = append(buf, `,"standby":true`...)
		}
		buf = append(appendStrict(append(buf, `,"raw":`...), e.Raw), '}')
	}
	return append(buf, end...), true
}

// eventSize returns an event's encoded size without a comma.
func eventSize(e *webhooknorm.Event) int {
	size := len(`{"kind":"","bsuid":,"phone":,"username":,"displayName":,"raw":}`) + len(string(e.Kind)) + len(e.Raw)
	if e.Standby {
		size += len(`,"standby":true`)
	}
	for _, value := range [...]string{e.BSUID, e.Phone, e.Username, e.DisplayName} {
		if value == "" {
			size += len("null")
			continue
		}
		size += len(value) + len(`""`)
		for i := range len(value) {
			switch c := value[i]; {
			case c == '"', c == '\\', c < ' ' && strings.IndexByte(shortEscapes, c) >= 0:
				size++
			case c < ' ':
				size += len(`\u0000`) - 1
			}
		}
	}
	return size
}

// JSON escapes the characters of shortEscapes by escapeLetters.
const (
	shortEscapes  = "\b\f\n\r\t\"\\"
	escapeLetters = `bfnrt"\`
)

func appendMember(buf []byte, name, value string) []byte {
	buf = append(buf, name...)
	if value == "" {
		return append(buf, "null"...)
	}
	return appendQuoted(buf, value)
}

// appendQuoted appends a JSON string. The text must be UTF-8.
func appendQuoted(buf []byte, text string) []byte {
	const hex = "0123456789abcdef"
	buf = append(buf, '"')
	plain := 0 // start of the text without escapes
	for i := range len(text) {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		buf = append(buf, text[plain:i]...)
		plain = i + 1
		if j := strings.IndexByte(shortEscapes, c); j >= 0 {
			buf = append(buf, '\\', escapeLetters[j])
		} else {
			buf = append(buf, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(append(buf, text[plain:]...), '"')
}

// appendStrict appends a JSON value. It replaces escapes of lone surrogates by that of U+FFFD,
// because many decoders would reject the whole response, and the others decode them so.
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

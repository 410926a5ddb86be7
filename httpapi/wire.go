package httpapi

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/webhooknorm"
)

// The shapes of the wire. Each has its schema of the same name in schemas.

type errorBody struct {
	Error errorItem `json:"error"`
}

type errorItem struct {
	Code    problem.Code `json:"code"`
	Message string       `json:"message"`
}

type validation struct {
	Valid  bool        `json:"valid"`
	Errors []errorItem `json:"errors"`
}

// newValidation turns what a parser says into a verdict.
func newValidation(err error) validation {
	v := validation{Valid: err == nil, Errors: []errorItem{}}
	for _, p := range problem.All(err) {
		v.Errors = append(v.Errors, errorItem(p))
	}
	return v
}

type usernameLink struct {
	Username  string `json:"username"`
	Key       string `json:"key,omitempty"`
	Link      string `json:"link"`
	ShortLink string `json:"shortLink"`
	Notice    string `json:"notice"`
}

type phoneLink struct {
	Phone string `json:"phone"`
	Link  string `json:"link"`
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
	Valid   bool             `json:"valid"`
	Reasons []busname.Reason `json:"reasons"`
}

type resolvedContact struct {
	ID          string       `json:"id"`
	Type        contact.Type `json:"type"`
	Username    *string      `json:"username"`
	Phone       *string      `json:"phone"`
	BSUID       *string      `json:"bsuid"`
	DisplayName *string      `json:"displayName"` // always null: nothing is looked up
	PhoneKnown  bool         `json:"phoneKnown"`
	BSUIDKnown  bool         `json:"bsuidKnown"`
}

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

// provider is the one source of webhooks that the wire names.
const provider = "vendor_cloud_api"

// appendNormalizedWebhook writes the events of a payload. Their raw is appended as
// it came, byte for byte, which no encoder does.
func appendNormalizedWebhook(dst []byte, events []webhooknorm.Event) ([]byte, error) {
	var err error
	member := func(name, value string) {
		dst = append(dst, `,"`+name+`":`...)
		if value == "" {
			dst = append(dst, "null"...)
		} else if err == nil {
			dst, err = jsontext.AppendQuote(dst, value)
		}
	}
	dst = append(dst, `{"provider":"`+provider+`","events":[`...)
	for i, e := range events {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"kind":"`+e.Kind.String()+`"`...)
		member("bsuid", e.BSUID)
		member("phone", e.Phone)
		member("username", e.Username)
		member("displayName", e.DisplayName)
		dst = append(dst, `,"raw":`...)
		dst = append(dst, e.Raw...)
		dst = append(dst, '}')
	}
	return append(dst, "]}\n"...), err
}

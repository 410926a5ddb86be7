package httpapi

import (
	"io"
	"iter"
	"sync"

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

// answerValidation turns what a parser says into a verdict.
func answerValidation(err error) (answer, error) {
	if err == nil {
		return answerValid()
	}
	v := validation{Errors: []errorItem{}}
	for _, p := range problem.All(err) {
		v.Errors = append(v.Errors, errorItem(p))
	}
	return answerJSON(v)
}

// answerValid is the one verdict on all that is valid, so it is encoded only once.
var answerValid = sync.OnceValues(func() (answer, error) {
	ans, err := answerJSON(validation{Valid: true, Errors: []errorItem{}})
	ans.etag = etagOf(ans.body)
	return ans, err
})

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

// writeNormalizedWebhook writes the events of a payload, in pieces of this size. Their
// raw is written as it came, byte for byte, which no encoder does.
func writeNormalizedWebhook(w io.Writer, events iter.Seq[webhooknorm.Event]) error {
	const piece = 64 << 10
	var buf []byte
	var err error
	member := func(name, value string) {
		buf = append(buf, `,"`+name+`":`...)
		if value == "" {
			buf = append(buf, "null"...)
		} else if err == nil {
			buf, err = jsontext.AppendQuote(buf, value)
		}
	}
	buf = append(buf, `{"provider":"`+provider+`","events":[`...)
	first := len(buf)
	for e := range events {
		if len(buf) != first {
			buf = append(buf, ',')
		}
		buf = append(buf, `{"kind":"`+e.Kind.String()+`"`...)
		member("bsuid", e.BSUID)
		member("phone", e.Phone)
		member("username", e.Username)
		member("displayName", e.DisplayName)
		buf = append(buf, `,"raw":`...)
		buf = append(buf, e.Raw...)
		buf = append(buf, '}')
		if err != nil {
			return err
		}
		if len(buf) >= piece {
			if _, err := w.Write(buf); err != nil {
				return err
			}
			buf, first = buf[:0], -1
		}
	}
	_, err = w.Write(append(buf, "]}\n"...))
	return err
}

package e2e_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/webhooknorm"
)

// An attempt is a request of an operation, taken apart so that it can be spoilt.
type attempt struct {
	query       url.Values
	rest        string         // of the query, as it is
	fields      map[string]any // of the body
	raw         *string        // the body, instead of fields
	contentType string
	repeat      int
	method      string // instead of that of the operation
	elsewhere   bool   // below the path of the operation
}

// setting gives a value to a parameter or field. Where one of several may be given,
// it is this one.
func setting(name string, value any) func(*attempt) {
	return func(a *attempt) {
		if a.fields != nil {
			a.fields = map[string]any{name: value}
			return
		}
		if name == "phone" {
			a.query.Del("username")
		}
		a.query.Set(name, fmt.Sprint(value))
	}
}

func without(name string) func(*attempt) {
	return func(a *attempt) {
		delete(a.fields, name)
		a.query.Del(name)
	}
}

func body(s string) func(*attempt) { return func(a *attempt) { a.raw = &s } }

// spoil has for each code what provokes it, wherever it is listed.
var spoil = map[problem.Code]func(*attempt){
	"missing_username":   without("username"),
	"missing_phone":      without("phone"),
	"missing_key":        without("key"),
	"missing_bsuid":      without("bsuid"),
	"missing_identifier": without("bsuid"),
	"missing_target":     without("username"),

	"username_length":          setting("username", "ab"),
	"username_invalid_chars":   setting("username", "jane-doe"),
	"username_no_letter":       setting("username", "1234"),
	"username_edge_period":     setting("username", "jane."),
	"username_double_period":   setting("username", "jane..doe"),
	"username_starts_with_www": setting("username", "www.jane"),
	"username_reserved_suffix": setting("username", "jane.com"),
	"key_invalid_format":       setting("key", "abc"),
	"phone_invalid_format":     setting("phone", "1234567"),
	"invalid_country":          setting("country", "XX"),
	"invalid_bsuid":            setting("bsuid", "us.1"),
	"text_too_long":            setting("text", strings.Repeat("x", 4097)),
	"text_invalid":             setting("text", "\a"),
	"invalid_format":           setting("format", "gif"),
	"invalid_size":             setting("size", 127),
	"invalid_color":            setting("color", "green"),
	"invalid_bg":               setting("bg", "none"),
	"low_contrast":             setting("color", "ffffff"),

	"invalid_query": func(a *attempt) { a.rest = "&%" },
	"duplicate_parameter": func(a *attempt) {
		for name := range a.query {
			a.query.Add(name, "x")
		}
	},

	"invalid_json":               body("{"),
	"webhook_invalid_json":       body("{"),
	"webhook_unrecognized_shape": body("[]"),
	"body_too_large":             body(strings.Repeat(" ", 4<<20+1)),
	"unsupported_content_type":   func(a *attempt) { a.contentType = "text/plain" },
	"invalid_field": func(a *attempt) {
		for name := range a.fields {
			a.fields[name] = 1
		}
	},
	"not_found":          func(a *attempt) { a.elsewhere = true },
	"method_not_allowed": func(a *attempt) { a.method = http.MethodDelete },
	"rate_limited":       func(a *attempt) { a.repeat = 61 },
}

// unprovoked are the codes that package httpapi's own tests provoke, because that takes long
// bodies, time or many requests.
var unprovoked = []problem.Code{
	"internal_error", "overloaded", "request_timeout", "response_too_large", webhooknorm.CodeTooManyEvents,
}

// Every route answers with each of the codes that the document lists for it.
func TestEveryListedCodeIsProvoked(t *testing.T) {
	shared := serve(t, unlimited)
	j := newJudge(t, document(t, shared.URL))
	for path, item := range j.doc.Paths.Map() {
		for method, op := range item.Operations() {
			for _, response := range op.Responses.Map() {
				for _, code := range codesOf(response) {
					if slices.Contains(unprovoked, code) {
						continue
					}
					t.Run(op.OperationID+"/"+string(code), func(t *testing.T) {
						require.Contains(t, spoil, code)
						a := example(op)
						spoil[code](&a)
						server := shared
						if a.repeat > 0 {
							server = serve(t) // with limits
						}
						res, content := a.request(t, method, path).send(t, server.URL)
						res.Request.Method, res.Request.URL.Path = method, path // hold the response to the operation that was meant
						require.NoError(t, j.response(res, content))
						got, err := j.errorCode(content)
						require.NoError(t, err, "%s", content)
						require.Equal(t, code, got)
					})
				}
			}
		}
	}
}

// example returns the request that the document gives as an example.
func example(op *openapi3.Operation) attempt {
	a := attempt{query: url.Values{}}
	for _, p := range op.Parameters {
		if p.Value.Example != nil {
			a.query.Set(p.Value.Name, fmt.Sprint(p.Value.Example))
		}
	}
	if op.RequestBody != nil {
		a.contentType = "application/json"
		a.fields = maps.Clone(op.RequestBody.Value.Content[a.contentType].Example.(map[string]any))
	}
	return a
}

func (a attempt) request(t *testing.T, method, path string) request {
	t.Helper()
	method = cmp.Or(a.method, method)
	if a.elsewhere {
		path += "/elsewhere"
	}
	r := request{Method: method, Path: path + "?" + a.query.Encode() + a.rest, Headers: map[string]string{}, Repeat: a.repeat}
	switch {
	case a.raw != nil:
		r.Body = *a.raw
	case a.fields != nil:
		text, err := json.Marshal(a.fields)
		require.NoError(t, err)
		r.Body = string(text)
	}
	if a.contentType != "" {
		r.Headers["Content-Type"] = a.contentType
	}
	return r
}

package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hailmark/hailmark/problem"
)

// An input is what a request says, as far as its route declares it.
type input struct {
	route       *route
	values      [maxFields]value // of the route's parameters or fields, in their order
	body        []byte           // of a route that reads it raw
	ifNoneMatch []string
}

// maxFields is how many parameters or fields a route declares at most.
const maxFields = 8

// A value is a parameter of the query or a field of the body.
type value struct {
	text  string
	given bool
}

// value returns a declared parameter or field, "" if it is absent.
func (in *input) value(name string) string {
	v, _ := in.lookup(name)
	return v
}

// lookup also tells an empty parameter from an absent one. To ask for what the
// route does not declare is a mistake in this package.
func (in *input) lookup(name string) (text string, given bool) {
	i := in.route.index(name)
	if i < 0 {
		panic("httpapi: " + in.route.operationID + " does not declare " + name)
	}
	return in.values[i].text, in.values[i].given
}

// index returns the place of a declared parameter or field, or -1.
func (rt *route) index(name string) int {
	if rt.body != nil {
		return slices.Index(rt.body.fields, name)
	}
	return slices.IndexFunc(rt.params, func(p param) bool { return p.name == name })
}

// read returns what the request of out says, by the rules of its route. Its error is a
// [problem.Problem].
func (a *api) read(out *responder, rt *route) (input, error) {
	in := input{route: rt, ifNoneMatch: out.r.Header["If-None-Match"]}
	if rt.body == nil {
		return in, in.readQuery(out.r.URL.RawQuery)
	}
	if err := checkContentType(out.r.Header["Content-Type"]); err != nil {
		return in, err
	}
	var err error
	in.body, err = a.readBody(out, rt.body)
	return in, err
}

// readQuery is stricter than [url.ParseQuery]: what it cannot decode it refuses
// instead of dropping it.
func (in *input) readQuery(query string) error {
	var duplicate string
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		rawName, rawValue, _ := strings.Cut(pair, "=")
		name, ok := decodeQuery(rawName)
		text, ok2 := decodeQuery(rawValue)
		if !ok || !ok2 {
			return problem.New(CodeInvalidQuery, "the query must be percent-encoded UTF-8 without NUL, its parameters separated by &, not by ;")
		}
		i := in.route.index(name)
		if i < 0 {
			continue
		}
		if in.values[i].given && duplicate == "" {
			duplicate = name
		}
		in.values[i] = value{text, true}
	}
	if duplicate != "" {
		return problem.New(CodeDuplicateParameter, "parameter %s must be given once", duplicate)
	}
	for i := range in.route.params {
		if p := &in.route.params[i]; p.required && in.values[i].text == "" {
			return problem.New(p.missing, "parameter %s must be given", p.name)
		}
	}
	return nil
}

func decodeQuery(s string) (string, bool) {
	decoded, err := url.QueryUnescape(s)
	ok := err == nil && !strings.Contains(s, ";") && utf8.ValidString(decoded) && !strings.Contains(decoded, "\x00")
	return decoded, ok
}

// maxDepth is how many arrays and objects may be open in a body at once.
const maxDepth = 128

// readFields reads the declared fields of the one JSON object that the body must
// be. A null counts as absent, and fields that are not declared are skipped.
func (in *input) readFields() error {
	b := in.route.body
	if fault := faultInObject(in.body); fault != "" {
		return problem.New(b.invalid, "the body must be one JSON object, but %s", fault)
	}
	var members map[string]json.RawMessage // unlike a struct, it does not fold the case of names
	if err := json.Unmarshal(in.body, &members); err != nil {
		return err
	}
	for i, name := range b.fields {
		raw, given := members[name]
		if !given || string(raw) == "null" {
			continue
		}
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return problem.New(CodeInvalidField, "field %s must be a string", name)
		}
		in.values[i] = value{text, true}
	}
	if b.missing != "" && in.values[0].text == "" {
		return problem.New(b.missing, "field %s must be given", b.fields[0])
	}
	return nil
}

// faultInObject tells what keeps text from being one JSON object, strictly: not
// only well-formed, but also without duplicate names, invalid UTF-8 or unpaired
// surrogates. It returns "" for such an object.
func faultInObject(text []byte) string {
	dec := jsontext.NewDecoder(bytes.NewReader(text))
	for {
		switch _, err := dec.ReadToken(); {
		case errors.Is(err, io.EOF):
			switch _, values := dec.StackIndex(0); {
			case values == 0:
				return "it is empty"
			case values > 1:
				return "something follows it"
			case bytes.TrimLeft(text, " \t\r\n")[0] != '{':
				return "it is another value"
			}
			return ""
		case err != nil:
			return "it is no valid JSON in UTF-8, or has a name twice"
		case dec.StackDepth() > maxDepth:
			return "it nests more than " + strconv.Itoa(maxDepth) + " levels deep"
		}
	}
}

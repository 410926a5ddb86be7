package httpapi

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hailmark/hailmark/internal/jsonscan"
	"github.com/hailmark/hailmark/problem"
)

// An input contains a request's declared parameters or fields.
type input struct {
	route       *route
	values      [8]paramValue // in order of declaration; GET /qr has the most
	body        []byte        // nil for a GET
	ifNoneMatch []string
	unknown     string // the first unknown name, if it's short
	mostBytes   int    // in the response about a webhook
}

type paramValue struct {
	text  string
	given bool
}

// get returns a declared parameter or field, or "" if it's absent.
func (in *input) get(p *param) string {
	for i, d := range in.route.declared() {
		if d.param == p {
			return in.values[i].text
		}
	}
	return ""
}

// index finds a declared parameter or field. It returns -1 if there's none.
func (rt *route) index(name string) int {
	return slices.IndexFunc(rt.declared(), func(d declared) bool { return d.name == name })
}

// read reads a request. Its error is a [problem.Problem].
func (out *responder) read(rt *route) (input, error) {
	in := input{route: rt}
	in.ifNoneMatch = out.r.Header["If-None-Match"]
	if rt.body == nil {
		return in, in.readQuery(out.r.URL.RawQuery)
	}
	if err := checkContentType(out.r.Header["Content-Type"]); err != nil {
		return in, err
	}
	if err := checkContentEncoding(out.r.Header["Content-Encoding"]); err != nil {
		return in, err
	}
	var err error
	in.body, err = out.readBody(rt.body)
	return in, err
}

// readQuery reads the declared parameters. Unlike [url.ParseQuery], it rejects malformed pairs.
func (in *input) readQuery(query string) error {
	fields := in.route.params
	duplicate := -1
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		rawName, rawValue, _ := strings.Cut(pair, "=")
		name, err := in.decode(rawName)
		if err != nil {
			return in.invalidQuery("a parameter name", err)
		}
		i := in.route.index(name)
		if i >= 0 && fields[i].param == &phoneParam {
			rawValue = escapePlus(rawValue)
		}
		text, err := in.decode(rawValue)
		if err != nil {
			if i < 0 {
				return in.invalidQuery("an unknown parameter", err)
			}
			return in.invalidQuery("parameter "+name, err)
		}
		if i < 0 {
			in.addUnknown(name)
			continue
		}
		if in.values[i].given && duplicate < 0 {
			duplicate = i
		}
		in.values[i] = paramValue{text, true}
	}
	if duplicate >= 0 {
		return problem.New(fields[duplicate].name, CodeDuplicateParameter, "parameter %s is given several times; send it once", fields[duplicate].name)
	}
	return in.checkRequired("parameter")
}

// checkRequired rejects absent and empty parameters or fields that are required.
func (in *input) checkRequired(kind string) error {
	for i, d := range in.route.declared() {
		if !d.required || in.values[i].text != "" {
			continue
		}
		if in.values[i].given {
			return problem.New(d.name, d.missing, "%s %s is empty; send a value", kind, d.name)
		}
		return problem.New(d.name, d.missing, "%s %s is missing%s", kind, d.name, in.hint())
	}
	return nil
}

// addUnknown adds an unknown name, which may be a misspelled one.
func (in *input) addUnknown(name string) {
	if in.unknown == "" && len(name) <= 32 {
		in.unknown = name
	}
}

// hint returns the end of a message about a missing name, which says what was sent instead.
func (in *input) hint() string {
	if in.unknown == "" {
		return ""
	}
	return fmt.Sprintf("; %q is unknown", in.unknown)
}

func (in *input) decode(s string) (string, error) {
	if strings.Contains(s, ";") {
		return "", errors.New("a semicolon; write it as %3B, or separate parameters by &")
	}
	decoded, err := url.QueryUnescape(s)
	switch {
	case err != nil:
		return "", fmt.Errorf("the %w; write a percent sign itself as %%25", err)
	case !utf8.ValidString(decoded):
		return "", errors.New("bytes that aren't UTF-8; percent-encode text as UTF-8")
	case strings.Contains(decoded, "\x00") && !in.route.nulAllowed:
		return "", errors.New("the NUL character; remove it")
	}
	return decoded, nil
}

// escapePlus escapes the plus in a number such as +16505551234, because people forget to. Before a
// 0 it's a space, since no calling code begins with 0.
func escapePlus(raw string) string {
	if len(raw) > 1 && raw[0] == '+' && '1' <= raw[1] && raw[1] <= '9' {
		return "%2B" + raw[1:]
	}
	return raw
}

func (in *input) invalidQuery(where string, found error) error {
	return problem.New("", CodeInvalidQuery, "%s contains %s", where, found)
}

// readFields reads a JSON object's declared fields. It skips null values and other fields.
func (in *input) readFields() error {
	b := in.route.body
	s, err := jsonscan.Parse(in.body)
	if err != nil {
		return problem.New("", b.invalid, "the body is invalid: found %v; send one JSON object in UTF-8 without duplicate names, nested at most %d levels", err, jsonscan.MaxDepth)
	}
	kind := s.Peek()
	wrongType, wrongKind := -1, ""
	for it := s.Members(); it.Next(); {
		name := s.Name()
		i := in.route.index(string(name))
		if i < 0 {
			in.addUnknown(string(name))
			continue
		}
		switch first := s.Peek(); first {
		case '"':
			in.values[i] = paramValue{s.String(), true}
		case 'n':
		default:
			if wrongType < 0 {
				wrongType, wrongKind = i, kindName(first)
			}
		}
	}
	if i := jsonscan.LoneSurrogate(in.body); i >= 0 {
		return problem.New("", b.invalid, "the body contains an unpaired surrogate at byte %d; send one JSON object in UTF-8", i)
	}
	if kind != '{' {
		return problem.New("", b.invalid, "the body is %s; send one JSON object", kindName(kind))
	}
	if wrongType >= 0 {
		return problem.New(b.fields[wrongType].name, CodeInvalidField, "field %s is %s; send a string", b.fields[wrongType].name, wrongKind)
	}
	return in.checkRequired("field")
}

// kindName identifies a JSON value by its first byte.
func kindName(first byte) string {
	kinds := map[byte]string{'"': "a string", '[': "an array", 't': "a boolean", 'f': "a boolean", 'n': "null", '{': "an object"}
	return cmp.Or(kinds[first], "a number")
}

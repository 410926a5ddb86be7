// Package problem defines the errors and warnings that this module's packages return about
// values.
//
//	_, err := busname.Parse("x")
//	errors.Is(err, busname.CodeInvalidLength) // true, even if err is wrapped
//	for _, p := range problem.All(err) {
//		fmt.Println(p.Field, p.Code, p.Message)
//	}
//
// A problem's code is for programs. It never changes, and the HTTP API uses the same codes. The
// message is for people. It says what's wrong and then states the rule or the remedy, and its
// wording may change in any release. The field identifies the input, so that a form can mark it.
//
// Use [errors.Is] to test for a code and [All] to list the problems. Don't log messages,
// because they may quote the input. Log codes instead.
package problem

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A Code identifies a kind of problem, such as "username_length". It implements error, so that
// [errors.Is] accepts it as target.
type Code string

// Error implements error.
func (c Code) Error() string { return string(c) }

// A Problem is an error or a warning about a value. Problems are comparable.
type Problem struct {
	// Field is the input's name in the HTTP API, such as "username", or else the name of its Go
	// field, such as "logoShare" for LogoShare. It's empty if the problem isn't about a single
	// input.
	Field   string `json:"field,omitempty"`
	Code    Code   `json:"code"`
	Message string `json:"message"`

	// Suggestions are valid values that the input may have meant. The message names them, too.
	Suggestions Suggestions `json:"suggestions,omitzero"`
}

// MaxSuggestions is the maximum number of [Suggestions].
const MaxSuggestions = 3

// Suggestions are up to [MaxSuggestions] values that can replace an invalid or doubtful input, the
// most likely first. Programs offer them as buttons or lines, and people choose: none of them is
// certain. Each is a text that the function accepts that returned the problem, such as
// "+491711234567" or "jane.doe".
//
//	for _, s := range p.Suggestions.All() {
//		fmt.Println("Did you mean", s)
//	}
//
// Suggestions are comparable. The zero value contains none.
type Suggestions struct {
	list [MaxSuggestions]string
}

// NewSuggestions returns the first of the values, without empty and repeated ones.
func NewSuggestions(values ...string) Suggestions {
	var s Suggestions
	n := 0
	for _, v := range values {
		if n < MaxSuggestions && v != "" && !slices.Contains(s.list[:n], v) {
			s.list[n] = v
			n++
		}
	}
	return s
}

// All returns the values, or nil if there are none.
func (s Suggestions) All() []string {
	n := 0
	for n < MaxSuggestions && s.list[n] != "" {
		n++
	}
	if n == 0 {
		return nil
	}
	return s.list[:n]
}

// String returns the values as words of a sentence, such as "jane or joe", or "".
func (s Suggestions) String() string {
	all := s.All()
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	last := len(all) - 1
	return strings.Join(all[:last], ", ") + " or " + all[last]
}

// MarshalJSON implements [encoding/json.Marshaler] with an array of strings.
func (s Suggestions) MarshalJSON() ([]byte, error) {
	return json.Marshal(append([]string{}, s.All()...))
}

// UnmarshalJSON implements [encoding/json.Unmarshaler]. It keeps the first [MaxSuggestions] values.
func (s *Suggestions) UnmarshalJSON(data []byte) error {
	var values []string
	err := json.Unmarshal(data, &values)
	*s = NewSuggestions(values...)
	return err
}

// New returns a Problem. It formats the message with [fmt.Sprintf]:
//
//	problem.New("phone", phone.CodeInvalid, "phone has %d digits; at least 8 are required", n)
func New(field string, code Code, format string, args ...any) Problem {
	return Problem{Field: field, Code: code, Message: fmt.Sprintf(format, args...)}
}

// WithSuggestions returns p with other suggestions, and with a message that ends with
// "(did you mean jane.doe?)". Without any, the message doesn't end so.
func (p Problem) WithSuggestions(s Suggestions) Problem {
	p.Message = strings.TrimSuffix(p.Message, p.Suggestions.question()) + s.question()
	p.Suggestions = s
	return p
}

// question returns the end of a message that names the values, or "".
func (s Suggestions) question() string {
	if s == (Suggestions{}) {
		return ""
	}
	return " (did you mean " + s.String() + "?)"
}

// Error implements error. It returns the message.
func (p Problem) Error() string { return p.Message }

// Unwrap returns the code, so that [errors.Is] finds it.
func (p Problem) Unwrap() error { return p.Code }

// A List contains all errors or all warnings about a value, in the documented order. [List.Err]
// makes an error of it.
type List []Problem

// Err returns an error that contains l's problems, or nil if l is empty. [All] returns the problems
// again, and [errors.Is] finds each of their codes.
func (l List) Err() error {
	if len(l) == 0 {
		return nil
	}
	return &listError{l}
}

// String returns the first message and counts the others, as in "username has 2 characters; …
// (and 2 more)". It returns "no problems" for an empty List.
func (l List) String() string {
	switch len(l) {
	case 0:
		return "no problems"
	case 1:
		return l[0].Message
	default:
		return fmt.Sprintf("%s (and %d more)", l[0].Message, len(l)-1)
	}
}

// A listError is a List as an error. It's a pointer, because two errors can be compared with ==,
// which panics for slices.
type listError struct {
	list List
}

func (e *listError) Error() string { return e.list.String() }

// Unwrap returns the problems, so that errors.Is finds their codes.
func (e *listError) Unwrap() []error {
	errs := make([]error, len(e.list))
	for i, p := range e.list {
		errs[i] = p
	}
	return errs
}

// Codes returns the problems' codes, in order. It returns nil for an empty List.
func (l List) Codes() []Code {
	var codes []Code
	for _, p := range l {
		codes = append(codes, p.Code)
	}
	return codes
}

// All returns every [Problem] in err's tree, depth first. It therefore finds problems in wrapped
// errors, in the result of [List.Err], and in that of [errors.Join]. It returns nil if there are
// none, for example for a network error.
func All(err error) List {
	return appendAll(nil, err)
}

func appendAll(list List, err error) List {
	switch e := err.(type) { //nolint:errorlint // this walks the tree itself
	case Problem:
		return append(list, e)
	case *Problem:
		if e == nil {
			return list
		}
		return append(list, *e)
	case *listError:
		return append(list, e.list...)
	case interface{ Unwrap() error }:
		return appendAll(list, e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, err := range e.Unwrap() {
			list = appendAll(list, err)
		}
	}
	return list
}

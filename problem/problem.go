// Package problem defines the errors with codes that all packages of this module return
// for invalid values.
//
//	_, err := busname.Parse("x")
//	errors.Is(err, busname.CodeInvalidLength) // true, even if err is wrapped
//	for _, p := range problem.All(err) {
//		fmt.Println(p.Field, p.Code, p.Message)
//	}
//
// The [Code] is for machines: it never changes, [errors.Is] compares it, and the HTTP API
// sends it. The message is for people: it states what was found and then the rule or the
// remedy. Its wording may change in any release. The field identifies the input that the
// problem is about, so that a form can mark it.
//
// Call [errors.Is] to test an error for one code, and [All] to list its problems. [New]
// and [List] are for packages that report problems. The package that reports a code
// declares it as a constant.
//
// A message may quote the value that it is about, so don't log it. Log the codes instead.
package problem

import "fmt"

// A Code identifies a kind of problem, such as "username_length". Released codes never
// change.
//
// A Code is an error, so that it can be the target of [errors.Is].
type Code string

// Error returns the code.
func (c Code) Error() string { return string(c) }

// A Problem is one rule that a value breaks. It is an error. Problems are comparable.
type Problem struct {
	// Field is the name of the input in the HTTP API, such as "username". It is empty if
	// the problem is about no single input.
	Field   string `json:"field,omitempty"`
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

// New returns a Problem without a field, whose message is formatted as by [fmt.Sprintf].
func New(code Code, format string, args ...any) Problem {
	return Problem{Code: code, Message: fmt.Sprintf(format, args...)}
}

// In returns a copy of p with another field, for callers whose inputs have other names:
//
//	problem.New(CodeInvalid, "phone has 5 digits; at least 8 are required").In("phone")
func (p Problem) In(field string) Problem {
	p.Field = field
	return p
}

// Error returns the message.
func (p Problem) Error() string { return p.Message }

// Unwrap returns the code, so that errors.Is(p, code) holds.
func (p Problem) Unwrap() error { return p.Code }

// A List holds all problems of a value, in the order in which its rules are documented.
// It is an error; use [List.Err] to return it as one. An empty List means that the value
// is valid.
type List []Problem

// Err returns l as an error, or nil if l is empty. A function that returns l itself as an
// error would return a non-nil error for an empty list.
func (l List) Err() error {
	if len(l) == 0 {
		return nil
	}
	return l
}

// Error returns the first message and the number of the others, as in
// "username has 2 characters; … (and 2 more)".
func (l List) Error() string {
	switch len(l) {
	case 0:
		return "no problems"
	case 1:
		return l[0].Message
	default:
		return fmt.Sprintf("%s (and %d more)", l[0].Message, len(l)-1)
	}
}

// Unwrap returns the problems, so that [errors.Is] finds the code of each.
func (l List) Unwrap() []error {
	errs := make([]error, len(l))
	for i, p := range l {
		errs[i] = p
	}
	return errs
}

// Codes returns the code of each problem, in order, and nil for an empty list.
func (l List) Codes() []Code {
	var codes []Code
	for _, p := range l {
		codes = append(codes, p.Code)
	}
	return codes
}

// All returns every [Problem] in the tree of err, depth first: those of a [List], of
// errors that [errors.Join] combined, and of wrapped ones. It returns nil if there are
// none, such as for a network error and for a nil error.
func All(err error) List {
	return appendAll(nil, err)
}

func appendAll(list List, err error) List {
	switch e := err.(type) { //nolint:errorlint // this walks the tree itself
	case Problem:
		return append(list, e)
	case List:
		return append(list, e...)
	case interface{ Unwrap() error }:
		return appendAll(list, e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, err := range e.Unwrap() {
			list = appendAll(list, err)
		}
	}
	return list
}

// Package problem defines the errors with codes that all packages of this module return
// for invalid values.
//
//	_, err := busname.Parse("x")
//	errors.Is(err, busname.CodeInvalidLength) // true, also if err is wrapped
//	for _, p := range problem.All(err) {
//		fmt.Println(p.Code, p.Message)
//	}
//
// A problem has a code and a message. The [Code] is for machines: it never changes,
// [errors.Is] compares it, and the HTTP API sends it. The message is for people: it
// states the rule and then the finding, and its wording may change in any release.
//
// # Which function
//
// Call [errors.Is] to test an error for one code, and [All] to list its problems. [New]
// and [List] are for packages that report problems. The package that reports a code
// declares it as a constant.
//
// # What is not done
//
// A message may quote the value that it is about, so do not log it. Log the codes
// instead. The package does not implement the problem details of RFC 9457.
package problem

import (
	"errors"
	"fmt"
)

// A Code identifies a kind of problem, such as "username_length". Released codes never
// change.
//
// A Code is an error, so that it can be the target of [errors.Is].
type Code string

// Error returns the code.
func (c Code) Error() string { return string(c) }

// A Problem is one rule that a value breaks. It is an error.
type Problem struct {
	Code    Code
	Message string
}

// New returns a Problem whose message is formatted as by [fmt.Sprintf].
func New(code Code, format string, args ...any) Problem {
	return Problem{Code: code, Message: fmt.Sprintf(format, args...)}
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
// "username must … (and 2 more)".
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

// All returns the problems of err: the first [List] in its tree of wrapped errors, or
// else the first [Problem] in it. It returns nil if err has neither, such as an error of
// a network or a file, and for a nil error.
func All(err error) List {
	var list List
	if errors.As(err, &list) {
		return list
	}
	var p Problem
	if errors.As(err, &p) {
		return List{p}
	}
	return nil
}

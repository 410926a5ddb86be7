// Package problem defines the coded problems that all packages of this module
// report.
//
//	_, err := busname.Parse("x")
//	errors.Is(err, busname.CodeInvalidLength) // true, however often err was wrapped
//	for _, p := range problem.All(err) {
//		fmt.Println(p.Code, p.Message)
//	}
//
// A problem has two readers. The [Code] is for machines: it is stable, it is what
// [errors.Is] compares and what goes over the wire. The message is for people: it
// states the rule and then what was found, and its wording may change in any release.
//
// Call [All] to list the problems of an error, and [errors.Is] to test for one. [New] and
// [List] are for packages that report problems. A code is declared as a constant by the
// package that reports it. The name has nothing to do with the problem details of
// RFC 9457.
//
// A message may quote the value that it is about. Show it to whoever sent the value, and
// keep it out of logs.
package problem

import (
	"errors"
	"fmt"
)

// A Code names a kind of problem. Released codes never change.
//
// A Code is itself an error so that it can be the target of [errors.Is].
type Code string

// Error returns the code.
func (c Code) Error() string { return string(c) }

// A Problem is one finding about one value.
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

// A List holds every finding about one value, in the order in which its rules are
// documented. The nil List means that nothing is wrong.
type List []Problem

// Err returns the list as an error, or nil if it is empty.
func (l List) Err() error {
	if len(l) == 0 {
		return nil
	}
	return l
}

// Error returns the first message and says how many more there are.
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

// All returns every problem that err reports: those of the first List in its tree,
// otherwise its first Problem alone. For an error that is not about the caller's value
// it returns nil.
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

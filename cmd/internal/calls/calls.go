// Package calls makes the functions of the library callable with bytes, without
// reflection: arguments come as bytes, and results are appended to bytes. It is the part
// of the WebAssembly module that does not depend on WebAssembly.
//
// # Encoding
//
// Arguments and results are values without separators, in the order of their
// declaration. All numbers are little-endian.
//
//	string, bytes   length as uint32, then the bytes
//	int             int32
//	float           float64
//	bool            int32, 0 or 1
//	list            length as uint32, then the elements
//	object          the values of its fields
//	optional value  bool, then the value if it is present
package calls

import (
	"fmt"

	"github.com/hailmark/hailmark/problem"
)

// Version is the version of the npm package. The script that builds the module sets it.
var Version string

// A Status says what the bytes of a result are.
type Status int

// The statuses.
const (
	OK       Status = iota // the result of the function
	Problems               // a list of problems: code and message of each
	Failure                // the message of an error without a code
	Fault                  // the message of a panic, which is an error of the library
)

// A function reads its arguments and appends its result.
type function struct {
	name string
	call func(*arguments, *result) error
}

// Function returns the number of the function with the name in args, or -1 if there is
// none.
func Function(args []byte) int {
	name := (&arguments{args}).string()
	for i := range functions {
		if functions[i].name == name {
			return i
		}
	}
	return -1
}

// Call calls a function, and appends its result or its error to dst.
func Call(number int, args, dst []byte) (out []byte, status Status) {
	start := len(dst)
	defer func() {
		if fault := recover(); fault != nil {
			out, status = appendString(dst[:start], fmt.Sprint(fault)), Fault
		}
	}()
	r := result{dst}
	err := functions[number].call(&arguments{args}, &r)
	if err == nil {
		return r.data, OK
	}
	r.data = r.data[:start]
	list := problem.All(err)
	if len(list) == 0 {
		r.string(err.Error())
		return r.data, Failure
	}
	r.problems(list)
	return r.data, Problems
}

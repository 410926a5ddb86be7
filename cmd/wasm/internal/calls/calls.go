// Package calls provides the library's functions to hosts that exchange bytes, such as
// JavaScript with WebAssembly. It doesn't depend on WebAssembly itself, and doesn't need
// reflection.
//
// # Encoding
//
// Arguments and results are encoded without separators, in declaration order. Numbers are
// little-endian.
//
//	string, bytes   length as uint32, then the bytes
//	int             int32
//	float           float64
//	bool            int32, 0 or 1
//	list            length as uint32, then the elements
//	result object   the values of its fields
//	argument object number of its fields that are set, then the index and value of each
//	optional value  bool, then the value if it is present
//
// calls.Fields returns an object's fields.
package calls

import (
	"fmt"

	"github.com/hailmark/hailmark/problem"
)

// Version is the npm package's version. The build script sets it.
var Version string

// A Status specifies the content of a result.
type Status int

const (
	OK       Status = iota // the function's result
	Problems               // problems, each with field, code and message
	Failure                // the message for an error without a code
	Fault                  // the message for a panic, which indicates a bug
)

type function struct {
	name string
	call func(*arguments, *result) error
}

// Function returns the index for a function name, or -1 if it isn't supported.
func Function(args []byte) int {
	name := (&arguments{args}).string()
	for i := range functions {
		if functions[i].name == name {
			return i
		}
	}
	return -1
}

// Call calls a function. It appends the result or error to dst.
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

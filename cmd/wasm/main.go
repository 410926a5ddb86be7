//go:build wasip1

// Command wasm is the WebAssembly module of the npm package hailmark. The script build
// beside it builds the module.
//
// A host calls a function of package calls in four steps:
//
//  1. reserve(n) returns the address of a buffer of n bytes. The buffer can be used for
//     many calls, until the next reserve.
//  2. The host writes the name of the function into the buffer, in the encoding of package
//     calls. function(n) returns the number of the function, or -1 for an unknown name.
//  3. The host writes the arguments into the buffer. call(number, n) calls the function
//     and returns its status.
//  4. The two 32-bit numbers at the address that result returns, which never changes, are
//     the address and the length of the result. It is valid until the next call.
//
// The memory of the module can grow in each call. Besides WASI, the module imports the
// function normalize of the host: see package batch.
package main

import (
	"unsafe"

	"github.com/hailmark/hailmark/cmd/internal/calls"
)

// maxKept is the size up to which buffers are kept for the next call.
const maxKept = 1 << 20

var (
	arguments []byte
	output    []byte
	location  struct{ address, length uint32 } // of output
)

func main() {}

//go:wasmexport reserve
func Reserve(n uint32) *byte {
	arguments = nil // lets the garbage collector free it before the next one is made
	arguments = make([]byte, n)
	return unsafe.SliceData(arguments)
}

//go:wasmexport result
func Result() unsafe.Pointer { return unsafe.Pointer(&location) }

//go:wasmexport function
func Function(n uint32) int32 { return int32(calls.Function(arguments[:n])) }

//go:wasmexport call
func Call(number, n uint32) uint32 {
	if cap(output) > maxKept {
		output = nil
	}
	var status calls.Status
	output, status = calls.Call(int(number), arguments[:n], output[:0])
	location.address, location.length = uint32(uintptr(unsafe.Pointer(unsafe.SliceData(output)))), uint32(len(output))
	return uint32(status)
}

//go:build wasip1

// Command wasm implements the npm package's WebAssembly module, which cmd/wasm/build compiles.
//
// A host should call package calls' functions in four steps:
//
//  1. reserve(n) returns the address of an n-byte buffer, which is valid until the next reserve.
//  2. The host writes the function's name into the buffer, in package calls' encoding.
//     function(n) returns its number, or -1 for an unknown name.
//  3. The host writes the arguments into the buffer. call(number, n) returns the status.
//  4. result returns a constant address, which contains the result's 32-bit address and length.
//     The result is valid until the next call.
//
// The module's memory can grow in each call, so hosts shouldn't keep views. In addition to WASI,
// the host provides normalize, which package batch describes.
package main

import (
	"unsafe"

	"github.com/hailmark/hailmark/cmd/wasm/internal/calls"
)

// maxKept is the maximum size of buffers kept for the next call. Larger buffers are discarded instead.
const maxKept = 1 << 20

var (
	arguments []byte
	output    []byte
	location  struct{ address, length uint32 } // the place of output in memory
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

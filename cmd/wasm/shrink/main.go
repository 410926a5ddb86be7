// Command shrink makes a WebAssembly module that the Go linker wrote smaller, without a
// change of what it does.
//
//	shrink module.wasm
//
// It writes the data in fewer segments: the linker ends a segment at each run of zeros,
// although the beginning of a segment takes up to ten bytes. And it removes what only a
// stack trace shows: the names of functions, files and the numbers of lines. Together that is
// a sixth of the compressed size.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: shrink module.wasm")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "shrink:", err)
		os.Exit(1)
	}
}

func run(name string) error {
	module, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	smaller, err := shrink(module)
	if err != nil {
		return err
	}
	return os.WriteFile(name, smaller, 0o644)
}

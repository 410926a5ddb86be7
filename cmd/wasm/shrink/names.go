package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
)

// The layout of runtime.pcHeader, runtime.functab and runtime._func on a machine with 64-bit
// pointers, in Go 1.20 to 1.26. The magic number changes with the layout.
const (
	magic = "\xF1\xFF\xFF\xFF\x00\x00\x01\x08" // 1: instructions, 8: pointers

	atFunctions = 8
	atNames     = 32 // the offset of the table of names
	atUnits     = 40 // … of the table of files of each package, which follows
	atFiles     = 48
	atLines     = 56
	atTable     = 64
	headerSize  = 72

	entrySize  = 8 // address and offset of each function
	atName     = 4 // in a function: the offset of its name
	atStack    = 16
	atFileOf   = 20
	atLine     = 24
	atCount    = 28
	atUnit     = 32
	atFirst    = 36 // the number of its first line
	fixedSize  = 44
	offsetSize = 4
)

// stripNames removes names of functions, files and lines. A function with the offset 0 for
// its name and lines has none: then the runtime prints "?".
func stripNames(memory []byte) error {
	start := bytes.Index(memory, []byte(magic))
	if start < 0 || bytes.Contains(memory[start+1:], []byte(magic)) || len(memory) < start+headerSize {
		return errors.New("the table of functions is not that of a known release of Go")
	}
	table := memory[start:]
	le := binary.LittleEndian
	offset := func(at int) int { return int(le.Uint64(table[at:])) }
	names, units, files, lines, functions := offset(atNames), offset(atUnits), offset(atFiles), offset(atLines), offset(atTable)
	count := offset(atFunctions)
	if !slices.IsSorted([]int{headerSize, names, units, files, lines, functions, functions + count*entrySize, len(table)}) {
		return errors.New("the table of functions has an unexpected layout")
	}
	clear(table[names:lines])

	// The tables of lines lie among others, with which they are shared if they are equal.
	used := make(map[int]bool)
	var unused []int
	for i := range count {
		f := functions + int(le.Uint32(table[functions+i*entrySize+4:]))
		if f+fixedSize > len(table) {
			return errors.New("the table of functions has an unexpected layout")
		}
		unused = append(unused, int(le.Uint32(table[f+atFileOf:])), int(le.Uint32(table[f+atLine:])))
		used[int(le.Uint32(table[f+atStack:]))] = true
		for k := range int(le.Uint32(table[f+atCount:])) {
			used[int(le.Uint32(table[f+fixedSize+k*offsetSize:]))] = true
		}
		for _, at := range [...]int{atName, atFileOf, atLine, atUnit, atFirst} {
			le.PutUint32(table[f+at:], 0)
		}
	}
	for _, at := range unused {
		if !used[at] {
			clearTable(table[lines:functions], at)
		}
	}
	return nil
}

// clearTable clears the table at an index: numbers of one to five bytes in pairs, up to
// a zero in the place of the first number of a pair, except of the first pair.
func clearTable(tables []byte, at int) {
	for i := at; i < len(tables); {
		value, n := binary.Uvarint(tables[i:])
		if n <= 0 || value == 0 && i > at {
			return
		}
		_, m := binary.Uvarint(tables[i+n:])
		if m <= 0 {
			return
		}
		clear(tables[i : i+n+m])
		i += n + m
	}
}

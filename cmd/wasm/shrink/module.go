package main

import (
	"encoding/binary"
	"errors"
	"fmt"
)

const (
	header      = "\x00asm\x01\x00\x00\x00"
	dataSection = 11
	maxMemory   = 1 << 28 // far more than the data of a program
)

// shrink returns a smaller module.
func shrink(module []byte) ([]byte, error) {
	if len(module) < len(header) || string(module[:len(header)]) != header {
		return nil, errors.New("the file is not a WebAssembly module")
	}
	out := []byte(header)
	r := reader{data: module[len(header):]}
	for len(r.data) > 0 && r.err == nil {
		id := r.byte()
		content := r.bytes(r.uint())
		if id == dataSection && r.err == nil {
			memory, err := readData(content)
			if err != nil {
				return nil, err
			}
			if err := stripNames(memory); err != nil {
				return nil, err
			}
			content = appendData(nil, memory)
		}
		out = binary.AppendUvarint(append(out, id), uint64(len(content)))
		out = append(out, content...)
	}
	return out, r.err
}

// The start of a segment of memory 0: the instructions i32.const and end are around its
// address.
const (
	i32Const = 0x41
	end      = 0x0B
)

// readData returns the memory that the segments of a data section describe.
func readData(section []byte) ([]byte, error) {
	r := reader{data: section}
	var memory []byte
	for range r.uint() {
		if r.byte() != 0 || r.byte() != i32Const {
			return nil, errors.New("a data segment has an unexpected form")
		}
		address := r.int()
		if r.byte() != end {
			return nil, errors.New("a data segment has an unexpected form")
		}
		content := r.bytes(r.uint())
		if r.err != nil {
			return nil, r.err
		}
		if address < 0 || address+len(content) > maxMemory {
			return nil, fmt.Errorf("a data segment is at %d", address)
		}
		if missing := address + len(content) - len(memory); missing > 0 {
			memory = append(memory, make([]byte, missing)...)
		}
		copy(memory[address:], content)
	}
	return memory, r.err
}

// minGap is the length of a run of zeros that ends a segment. Shorter runs compress to
// less than the start of a segment.
const minGap = 4096

// appendData appends a data section for a memory.
func appendData(dst, memory []byte) []byte {
	type segment struct{ start, end int }
	var segments []segment
	for i, b := range memory {
		if b == 0 {
			continue
		}
		if n := len(segments); n > 0 && i-segments[n-1].end < minGap {
			segments[n-1].end = i + 1
		} else {
			segments = append(segments, segment{i, i + 1})
		}
	}
	dst = binary.AppendUvarint(dst, uint64(len(segments)))
	for _, s := range segments {
		dst = append(dst, 0, i32Const)
		dst = appendInt(dst, s.start)
		dst = append(dst, end)
		dst = binary.AppendUvarint(dst, uint64(s.end-s.start))
		dst = append(dst, memory[s.start:s.end]...)
	}
	return dst
}

// appendInt appends a signed LEB128 number.
func appendInt(dst []byte, v int) []byte {
	for {
		b := byte(v & 0x7F)
		v >>= 7
		if v == 0 && b&0x40 == 0 || v == -1 && b&0x40 != 0 {
			return append(dst, b)
		}
		dst = append(dst, b|0x80)
	}
}

// A reader reads the numbers and bytes of a module. After an error it reads zeros.
type reader struct {
	data []byte
	err  error
}

func (r *reader) byte() byte {
	b := r.bytes(1)
	if len(b) == 0 {
		return 0
	}
	return b[0]
}

func (r *reader) bytes(n int) []byte {
	if n < 0 || n > len(r.data) {
		r.data, r.err = nil, errors.New("the module ends too early")
		return nil
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}

// uint reads an unsigned LEB128 number.
func (r *reader) uint() int {
	v, n := binary.Uvarint(r.data)
	if n <= 0 || v > maxMemory {
		r.data, r.err = nil, errors.New("the module has an invalid number")
		return 0
	}
	r.data = r.data[n:]
	return int(v)
}

// int reads a signed LEB128 number.
func (r *reader) int() int {
	v, shift := 0, 0
	for {
		b := r.byte()
		v |= int(b&0x7F) << shift
		if shift += 7; b&0x80 == 0 || shift > 35 {
			if b&0x40 != 0 {
				v |= -1 << shift
			}
			return v
		}
	}
}

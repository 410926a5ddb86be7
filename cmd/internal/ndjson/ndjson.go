// Package ndjson reads text as lines with numbers, as in JSON with one value a line.
package ndjson

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// MaxLine is the greatest length of a line in bytes. A webhook has at most 4 MiB.
const MaxLine = 16 << 20

// ErrLongLine is the error for a line that is longer than [MaxLine].
var ErrLongLine = fmt.Errorf("the line is longer than %d MiB", MaxLine>>20)

// A Reader reads lines.
type Reader struct {
	r      *bufio.Reader
	number int
	long   []byte // a line that is longer than the buffer of r
}

// NewReader returns a Reader of r.
func NewReader(r io.Reader) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, 64<<10)}
}

// Next returns the next line that is not empty, without white space around it, and its
// number from 1 on. The line is valid until the next call. The error is io.EOF after the
// last line. After [ErrLongLine], Next continues with the line behind the long one.
func (r *Reader) Next() (line []byte, number int, err error) {
	for {
		line, err := r.readLine()
		if err != nil && (!errors.Is(err, io.EOF) || len(line) == 0) {
			return nil, r.number, err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, r.number, nil
		}
	}
}

// Buffered reports whether the next line may be read without waiting for the input.
func (r *Reader) Buffered() bool { return r.r.Buffered() > 0 }

func (r *Reader) readLine() ([]byte, error) {
	r.number++
	line, err := r.r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	r.long = r.long[:0]
	tooLong := false
	for errors.Is(err, bufio.ErrBufferFull) {
		if tooLong = tooLong || len(r.long)+len(line) > MaxLine; !tooLong {
			r.long = append(r.long, line...)
		}
		line, err = r.r.ReadSlice('\n')
	}
	if tooLong || len(r.long)+len(line) > MaxLine {
		if err == nil || errors.Is(err, io.EOF) {
			err = ErrLongLine
		}
		return nil, err
	}
	r.long = append(r.long, line...)
	return r.long, err
}

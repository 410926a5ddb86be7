// Package ndjson reads newline-delimited JSON and writes JSON strings.
package ndjson

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// MaxLine is the maximum line length in bytes, several times the platform's limit for
// webhooks.
const MaxLine = 16 << 20

// ErrLongLine reports a line longer than [MaxLine].
var ErrLongLine = fmt.Errorf("the line is longer than %d MiB", MaxLine>>20)

// A Reader reads numbered lines.
type Reader struct {
	r      *bufio.Reader
	number int
	long   []byte // holds lines that exceed r's buffer
}

func NewReader(r io.Reader) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, 64<<10)}
}

// Next returns the next non-empty line without surrounding white space, and its number, which
// starts at 1. The line is valid until the next call. At the end, the error is io.EOF. After
// [ErrLongLine], Next should be called again for the following line.
func (r *Reader) Next() (line []byte, number int, err error) {
	for {
		line, err := r.readLine()
		if err != nil && (!errors.Is(err, io.EOF) || len(line) == 0) {
			return nil, r.number, err
		}
		if r.number == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff")) // some editors write a byte order mark
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, r.number, nil
		}
	}
}

// Buffered reports whether Next can return without waiting for input.
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

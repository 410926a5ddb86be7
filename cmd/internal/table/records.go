package table

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/hailmark/hailmark/problem"
)

// recordSize is the greatest length of a row in bytes. The longest text of a link has
// 4096 characters.
const recordSize = 256 << 10

// records reads CSV.
//
//	record = cell *( separator cell ) end
//	cell   = *space '"' *( any character but '"' / '""' ) '"' *space / *( any character but separator and end )
//	end    = CR LF / LF / CR / end of the input
//
// Empty lines are skipped. A quote inside of an unquoted cell is an ordinary character.
type records struct {
	r         *bufio.Reader
	separator byte
	cells     []string
	atEOF     bool
	malformed bool // the record has text behind a closing quote
}

func newRecords(text io.Reader, separator byte) *records {
	return &records{r: bufio.NewReaderSize(text, recordSize), separator: separator}
}

// next returns the cells of the next record. The slice is valid until the next call. A
// malformed record is a problem.Problem, and next continues with the line behind its first line.
func (t *records) next() ([]string, error) {
	for {
		window, _ := t.r.Peek(t.r.Buffered())
		if n, done := t.parse(window); done {
			_, _ = t.r.Discard(n)
			if len(t.cells) == 1 && t.cells[0] == "" {
				continue
			}
			return t.cells, nil
		}
		switch {
		case t.atEOF && len(window) == 0:
			return nil, io.EOF
		case t.malformed:
			return nil, t.skipLine(window, "a quoted cell of the row must not have text behind its closing quote")
		case t.atEOF, len(window) == recordSize:
			return nil, t.skipLine(window, "a quoted cell of the row must have a closing quote, and a row at most 256 KiB")
		}
		if _, err := t.r.Peek(len(window) + 1); errors.Is(err, io.EOF) {
			t.atEOF = true
		} else if err != nil {
			return nil, err
		}
	}
}

// skipLine discards the first line.
func (t *records) skipLine(window []byte, message string) error {
	end := bytes.IndexAny(window, "\r\n")
	for end < 0 {
		_, _ = t.r.Discard(len(window))
		if _, err := t.r.Peek(1); err != nil {
			t.atEOF = true
			return problem.New(CodeMalformed, "%s", message)
		}
		window, _ = t.r.Peek(t.r.Buffered())
		end = bytes.IndexAny(window, "\r\n")
	}
	_, _ = t.r.Discard(t.endOfLine(window, end))
	return problem.New(CodeMalformed, "%s", message)
}

// endOfLine returns the index behind the line end that begins at i.
func (t *records) endOfLine(b []byte, i int) int {
	if b[i] == '\r' && i+1 < len(b) && b[i+1] == '\n' {
		return i + 2
	}
	return i + 1
}

// parse fills t.cells with the record at the beginning of b, and returns its length. It
// is not done if the record may go on behind b, or is malformed.
func (t *records) parse(b []byte) (length int, done bool) {
	t.cells, t.malformed = t.cells[:0], false
	if len(b) == 0 {
		return 0, false
	}
	for i := 0; ; {
		cell, next, ok := t.parseCell(b, i)
		if !ok {
			return 0, false
		}
		t.cells = append(t.cells, cell)
		switch {
		case next == len(b):
			return next, t.atEOF
		case b[next] == t.separator:
			i = next + 1
		case b[next] == '\r' && next+1 == len(b) && !t.atEOF: // the LF may follow
			return 0, false
		default:
			return t.endOfLine(b, next), true
		}
	}
}

// parseCell returns the cell at i, and the index of the separator or the line end behind
// it.
func (t *records) parseCell(b []byte, i int) (cell string, next int, ok bool) {
	start := i
	for start < len(b) && b[start] == ' ' {
		start++
	}
	if start == len(b) || b[start] != '"' {
		for i := start; ; i++ {
			if i == len(b) || b[i] == t.separator || b[i] == '\n' || b[i] == '\r' {
				return string(b[start:i]), i, true
			}
		}
	}
	var text strings.Builder
	for i = start + 1; i < len(b); i++ {
		if b[i] != '"' {
			text.WriteByte(b[i])
			continue
		}
		if i+1 == len(b) && !t.atEOF { // another quote may follow
			return "", 0, false
		}
		if i+1 < len(b) && b[i+1] == '"' {
			text.WriteByte('"')
			i++
			continue
		}
		for i++; i < len(b) && b[i] == ' '; i++ {
		}
		if i == len(b) {
			return text.String(), i, true
		}
		t.malformed = b[i] != t.separator && b[i] != '\n' && b[i] != '\r'
		return text.String(), i, !t.malformed
	}
	return "", 0, false
}

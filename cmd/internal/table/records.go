package table

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/hailmark/hailmark/problem"
)

// maxRecord limits a row's memory, because a missing quote can make it very long.
const maxRecord = 16 << 20

// records reads CSV and numbers its rows like a spreadsheet.
type records struct {
	input *bounded
	csv   *csv.Reader
	row   int // the last row's number
	line  int // the last row's last line; quoted cells can contain several
}

func newRecords(text io.Reader, separator rune) *records {
	input := &bounded{r: text}
	r := csv.NewReader(input)
	r.Comma, r.FieldsPerRecord, r.ReuseRecord = separator, -1, true
	r.TrimLeadingSpace = !unicode.IsSpace(separator) // because it would skip empty cells
	return &records{input: input, csv: r}
}

// next returns the next non-empty row, which is valid until the next call. A problem.Problem
// rejects only this row.
func (t *records) next() ([]string, error) {
	t.input.left = maxRecord
	cells, err := t.csv.Read()
	if malformed := (*csv.ParseError)(nil); errors.As(err, &malformed) {
		t.advance(malformed.StartLine, malformed.Line)
		if errors.Is(err, csv.ErrBareQuote) {
			return nil, problem.New("", CodeMalformed, `a cell contains a quote; quote the cell, and write "" for each quote in it`)
		}
		return nil, problem.New("", CodeMalformed, "a quoted cell has text after its closing quote, or no closing quote, so that it contains the rest of the table")
	}
	if err != nil {
		return nil, err
	}
	first, _ := t.csv.FieldPos(0)
	last, _ := t.csv.FieldPos(len(cells) - 1)
	t.advance(first, last+strings.Count(cells[len(cells)-1], "\n"))
	return cells, nil
}

// advance counts a row and the empty lines before it.
func (t *records) advance(first, last int) {
	t.row += first - t.line
	t.line = last
}

type bounded struct {
	r    io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("a row is longer than %d MiB; a closing quote may be missing", maxRecord>>20)
	}
	n, err := b.r.Read(p)
	b.left -= n
	return n, err
}

// A crReader replaces CR, the line end in old versions of Excel for Mac, with LF.
type crReader struct{ r io.Reader }

func (c crReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	for i := range p[:n] {
		if p[i] == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}

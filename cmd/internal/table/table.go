// Package table reads rows from CSV files as spreadsheets write them, and from JSON with
// one object a line.
//
// The encoding and the separator of a CSV file are recognized, and its columns are found
// by their names. A row that cannot be read does not hide the rows behind it.
package table

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hailmark/hailmark/cmd/internal/ndjson"
	"github.com/hailmark/hailmark/problem"
)

// The codes of rows that cannot be read.
const (
	CodeMalformed problem.Code = "row_malformed" // quotes or JSON that do not end, or too long a row
	CodeEncoding  problem.Code = "row_encoding"  // bytes that are not UTF-8
)

// Config says how to read a table. The zero Config recognizes everything, and has no
// columns.
type Config struct {
	// Columns are the names of the columns to return. Other columns are ignored.
	Columns []string

	// Map replaces the name of a column by that in the file, or by its number from 1 on.
	Map map[string]string

	// NoHeader says that the first row of a CSV file is data. Every column to use must
	// then have a number in Map.
	NoHeader bool

	// Encoding is utf-8, utf-16 or windows-1252, or "" to recognize it.
	Encoding string

	// Separator stands between the cells of a CSV file, or is 0 to recognize it.
	Separator rune

	// JSON says that the input is JSON with one object a line, not CSV.
	JSON bool
}

// A Row is one row of a table.
type Row struct {
	Number int      // from 1 on, without the header
	Values []string // in the order of Config.Columns
	Err    error    // a problem.Problem, if the row cannot be read
}

// IsEmpty reports whether all values are white space or "".
func (r *Row) IsEmpty() bool {
	for _, v := range r.Values {
		if strings.TrimSpace(v) != "" {
			return false
		}
	}
	return r.Err == nil
}

// A Reader reads the rows of a table.
type Reader struct {
	config  Config
	next    func() (Row, error)
	csv     *records
	columns []int // index of the cell of each column, or -1
	rows    int
}

// NewReader returns a Reader of r. It reads the beginning of r, to recognize what the
// config leaves open, and the header. Its error says what is wrong with the config or the
// header.
func NewReader(r io.Reader, config Config) (*Reader, error) {
	if !config.JSON {
		return NewCSVReader(r, config)
	}
	text, _, err := decode(bufio.NewReaderSize(r, sampleSize), config.Encoding)
	if err != nil {
		return nil, err
	}
	objects := &objects{config: &config, lines: ndjson.NewReader(text)}
	return &Reader{config: config, next: objects.next}, nil
}

// NewCSVReader is [NewReader] for CSV, whatever config.JSON is. A program that calls only
// NewCSVReader does not contain a parser for JSON.
func NewCSVReader(r io.Reader, config Config) (*Reader, error) {
	text, separator, err := decode(bufio.NewReaderSize(r, sampleSize), config.Encoding)
	if err != nil {
		return nil, err
	}
	config.JSON = false
	if config.Separator != 0 {
		separator = config.Separator
	}
	t := &Reader{config: config, csv: newRecords(text, byte(separator))}
	t.next = t.nextRecord
	return t, t.findColumns()
}

// findColumns reads the header.
func (t *Reader) findColumns() error {
	var header []string
	if !t.config.NoHeader {
		cells, err := t.csv.next()
		switch {
		case errors.Is(err, io.EOF):
			return errors.New("the table is empty: it must begin with a row of column names")
		case err != nil:
			return fmt.Errorf("the first row must have the names of the columns: %w", err)
		}
		header = cells
	}
	found := 0
	for _, column := range t.config.Columns {
		name, mapped := t.config.Map[column]
		index := -1
		if n, err := strconv.Atoi(name); mapped && err == nil && n > 0 {
			index = n - 1
		} else {
			if !mapped {
				name = column
			}
			for i, cell := range header {
				if strings.EqualFold(strings.TrimSpace(cell), strings.TrimSpace(name)) {
					if index >= 0 {
						return fmt.Errorf("the table has two columns named %q", name)
					}
					index = i
				}
			}
			if index < 0 && mapped {
				return fmt.Errorf("the table has no column %q; it has %s", name, quoted(header))
			}
		}
		if index >= 0 {
			found++
		}
		t.columns = append(t.columns, index)
	}
	if found == 0 {
		return fmt.Errorf("the table has none of the columns %s; it has %s", quoted(t.config.Columns), quoted(header))
	}
	return nil
}

func quoted(names []string) string {
	if len(names) == 0 {
		return "no names"
	}
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		if i == 12 {
			b.WriteString("…")
			break
		}
		fmt.Fprintf(&b, "%.40q", strings.TrimSpace(name))
	}
	return b.String()
}

// Has reports whether the table has a column. The objects of JSON may have any.
func (t *Reader) Has(column string) bool {
	for i, name := range t.config.Columns {
		if name == column {
			return t.config.JSON || t.columns[i] >= 0
		}
	}
	return false
}

// Next returns the next row. A row that cannot be read has its Err. The error of Next is
// io.EOF after the last row, or a fault of the input.
func (t *Reader) Next() (Row, error) { return t.next() }

func (t *Reader) nextRecord() (Row, error) {
	cells, err := t.csv.next()
	row := Row{Values: make([]string, len(t.columns))}
	var malformed problem.Problem
	switch {
	case errors.As(err, &malformed):
		row.Err = malformed
	case err != nil:
		return Row{}, err
	}
	t.rows++
	row.Number = t.rows
	for i, index := range t.columns {
		if index < 0 || index >= len(cells) || row.Err != nil {
			continue
		}
		if !utf8.ValidString(cells[index]) {
			row.Err = problem.New(CodeEncoding, "the table must be in UTF-8; set the encoding if it is another, such as windows-1252")
			continue
		}
		row.Values[i] = cells[index]
	}
	return row, nil
}

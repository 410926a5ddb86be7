// Package table reads CSV files written by spreadsheets, and newline-delimited JSON.
//
// It detects the encoding and separator for CSV, and finds columns by name. After a malformed
// row, reading continues.
package table

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hailmark/hailmark/cmd/internal/ndjson"
	"github.com/hailmark/hailmark/problem"
)

// Codes for unreadable rows.
const (
	CodeMalformed problem.Code = "row_malformed" // misplaced quotes, or invalid JSON
	CodeEncoding  problem.Code = "row_encoding"  // bytes that are not UTF-8
)

// Config specifies a table. The zero Config detects everything and contains no columns.
type Config struct {
	// Columns are the columns to return. Others are ignored.
	Columns []string

	// Aliases are other names of a column, such as Handle for username. They match in any case,
	// and without regard to spaces and punctuation.
	Aliases map[string][]string

	// Unless lists, for a column, others that mean the same: its aliases count only if the table has
	// none of these.
	Unless map[string][]string

	// Headerless, if not nil, decides about a CSV table with a single column and an unknown name: given
	// the first two cells, it returns the column that both are values of, or "" if the first may be a
	// name.
	Headerless func(first, second string) (column string)

	// Map specifies a column's name in the file, or its number, which starts at 1.
	Map map[string]string

	// NoHeader indicates that the first CSV row is data. Map should then contain numbers.
	NoHeader bool

	// Encoding is utf-8, utf-16 or windows-1252. If empty, it's detected.
	Encoding string

	// Separator separates CSV cells. If 0, it's detected.
	Separator rune

	// JSON indicates newline-delimited JSON instead of CSV.
	JSON bool
}

type Row struct {
	Number int      // the spreadsheet's row number; a CSV header is row 1
	Values []string // in the order of Config.Columns
	Err    error    // a problem.Problem for an unreadable row
}

// IsEmpty reports whether all values are blank.
func (r *Row) IsEmpty() bool { return r.Err == nil && isBlank(r.Values) }

func isBlank(cells []string) bool {
	return !slices.ContainsFunc(cells, func(cell string) bool { return strings.TrimSpace(cell) != "" })
}

type Reader struct {
	config  Config
	next    func() (Row, error)
	csv     *records
	columns []int // cell indexes of Config.Columns, or -1
	width   int   // the header's number of cells, or 0 without header
	unread  []readRecord
}

// A readRecord is a record that was read ahead.
type readRecord struct {
	cells []string
	err   error
	row   int
}

// NewReader returns a Reader. It reads the header, and enough input to detect settings that
// config doesn't specify.
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

// NewCSVReader is like [NewReader] but ignores config.JSON, so that the WebAssembly module
// doesn't contain a JSON parser.
func NewCSVReader(r io.Reader, config Config) (*Reader, error) {
	text, separator, err := decode(bufio.NewReaderSize(r, sampleSize), config.Encoding)
	if err != nil {
		return nil, err
	}
	config.JSON = false
	if config.Separator != 0 {
		separator = config.Separator
	}
	if strings.ContainsRune("\"\r\n\uFFFD", separator) || !utf8.ValidRune(separator) {
		return nil, fmt.Errorf("the separator can't be %q", separator)
	}
	t := &Reader{config: config, csv: newRecords(text, separator)}
	t.next = t.nextRecord
	return t, t.findColumns()
}

// A NoColumnsError reports that a table has none of the columns.
type NoColumnsError struct {
	Columns []string // that could be named
	Header  []string // the names that the table has
}

// Error implements error.
func (e *NoColumnsError) Error() string {
	return fmt.Sprintf("the table has none of the columns %s; it has %s", quoted(e.Columns), quoted(e.Header))
}

// findColumns finds the columns in the header.
func (t *Reader) findColumns() error {
	var header []string
	if !t.config.NoHeader {
		first := t.readAhead()
		switch {
		case errors.Is(first.err, io.EOF):
			return errors.New("the table is empty; its first row must contain the names of the columns")
		case first.err != nil:
			return fmt.Errorf("read the names of the columns in row %d: %v", first.row, first.err) //nolint:errorlint // not the error of a row
		}
		header = first.cells
		t.width = len(header)
	}
	found := false
	t.columns = make([]int, len(t.config.Columns))
	find := func(i int, aliases []string) error {
		index, err := t.find(t.config.Columns[i], aliases, header)
		found = found || index >= 0
		t.columns[i] = index
		return err
	}
	var last []int // columns that depend on the others
	for i, column := range t.config.Columns {
		if len(t.config.Unless[column]) > 0 {
			last = append(last, i)
		} else if err := find(i, t.config.Aliases[column]); err != nil {
			return err
		}
	}
	for _, i := range last {
		column := t.config.Columns[i]
		aliases := t.config.Aliases[column]
		if slices.ContainsFunc(t.config.Unless[column], func(other string) bool { return t.Position(other) >= 0 }) {
			aliases = nil
		}
		if err := find(i, aliases); err != nil {
			return err
		}
	}
	if !found && t.findHeaderless(header) {
		return nil
	}
	if !found {
		return &NoColumnsError{t.config.Columns, header}
	}
	t.unread = nil
	return nil
}

// readAhead reads a record that nextRecord returns again.
func (t *Reader) readAhead() readRecord {
	cells, err := t.csv.next()
	r := readRecord{slices.Clone(cells), err, t.csv.row}
	t.unread = append(t.unread, r)
	return r
}

// find returns the index of a column in the header, or -1.
func (t *Reader) find(column string, aliases, header []string) (int, error) {
	name, isMapped := t.config.Map[column]
	if n, err := strconv.Atoi(name); isMapped && err == nil && n > 0 && (n <= len(header) || t.config.NoHeader) {
		return n - 1, nil
	}
	if !isMapped {
		name = column
	}
	var matches []int
	for i, cell := range header {
		if strings.EqualFold(strings.TrimSpace(cell), strings.TrimSpace(name)) {
			matches = append(matches, i)
		}
	}
	switch {
	case len(matches) > 1:
		return -1, fmt.Errorf("two columns are named %q", name)
	case len(matches) == 1:
		return matches[0], nil
	case isMapped:
		return -1, fmt.Errorf("the table has no column %q; it has %s", name, quoted(header))
	}
	for i, cell := range header {
		if slices.ContainsFunc(aliases, func(alias string) bool { return letters(alias) == letters(cell) }) {
			matches = append(matches, i)
		}
	}
	switch {
	case len(matches) > 1:
		return -1, fmt.Errorf("the columns %q and %q can both be %s; choose one of them", header[matches[0]], header[matches[1]], column)
	case len(matches) == 1:
		return matches[0], nil
	}
	return -1, nil
}

// letters returns the letters, digits and @ of a column's name in lower case: @name isn't a name.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '@' {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// findHeaderless finds the column of a table without a header. It reports whether it's one.
func (t *Reader) findHeaderless(header []string) bool {
	if t.config.Headerless == nil || len(t.config.Map) > 0 || len(header) != 1 {
		return false
	}
	second := t.readAhead()
	if second.err != nil || len(second.cells) != 1 {
		return false
	}
	i := slices.Index(t.config.Columns, t.config.Headerless(header[0], second.cells[0]))
	if i < 0 {
		return false
	}
	t.columns[i], t.width = 0, 0
	return true
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

// Has reports whether the table contains a column. JSON objects may contain any.
func (t *Reader) Has(column string) bool {
	for i, name := range t.config.Columns {
		if name == column {
			return t.config.JSON || t.columns[i] >= 0
		}
	}
	return false
}

// Position returns the index of a column's cells in a CSV table, or -1.
func (t *Reader) Position(column string) int {
	return t.columns[slices.Index(t.config.Columns, column)]
}

// IsHeaderless reports whether the first row is data, although Config.NoHeader isn't set.
func (t *Reader) IsHeaderless() bool { return !t.config.NoHeader && t.width == 0 }

// Next returns the next row, whose Err indicates an unreadable row. After the last row, the
// error is io.EOF.
func (t *Reader) Next() (Row, error) { return t.next() }

func (t *Reader) nextRecord() (Row, error) {
	var record readRecord
	if len(t.unread) > 0 {
		record, t.unread = t.unread[0], t.unread[1:]
	} else {
		cells, err := t.csv.next()
		record = readRecord{cells, err, t.csv.row}
	}
	cells, err := record.cells, record.err
	row := Row{Values: make([]string, len(t.columns))}
	var malformed problem.Problem
	switch {
	case errors.As(err, &malformed):
		row.Err = malformed
	case err != nil:
		return Row{}, err
	}
	row.Number = record.row
	if t.width > 0 && len(cells) > t.width && !isBlank(cells[t.width:]) {
		row.Err = problem.New("", CodeMalformed, "the row has %d cells, but the header has %d; quote each cell that contains a separator", len(cells), t.width)
	}
	for i, index := range t.columns {
		if index < 0 || index >= len(cells) || row.Err != nil {
			continue
		}
		if !utf8.ValidString(cells[index]) {
			row.Err = problem.New("", CodeEncoding, "a cell isn't valid UTF-8; set the encoding of the table, for example windows-1252")
			continue
		}
		row.Values[i] = cells[index]
	}
	return row, nil
}

package batch

import (
	"bytes"
	"errors"
	"io"

	"github.com/hailmark/hailmark/cmd/internal/table"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

// Steps draw the rows of a CSV table in memory, some at a time, so that the caller can do
// other work in between. The output is the same as that of [Run] with an archive, or of
// [PrintLabels].
type Steps struct {
	config    Config
	rows      int
	table     *table.Reader
	draw      func(*table.Row) (Result, error)
	finish    func(printed bool) error
	out       *output
	results   []Result
	file      bytes.Buffer // the archive or the PDF
	csv, json bytes.Buffer
}

// Output is the result of [Steps].
type Output struct {
	Counts    Counts
	File      []byte // the archive or the PDF; nil for a check, or if no row was printed
	CSV, JSON []byte // the reports
}

// Archive begins an archive of images.
func Archive(input []byte, config Config) (*Steps, error) {
	s := &Steps{config: config}
	s.config.Archive = &s.file
	return s, s.images(input)
}

// Check begins a check of the rows.
func Check(input []byte, config Config) (*Steps, error) {
	s := &Steps{config: config}
	return s, s.images(input)
}

func (s *Steps) images(input []byte) error {
	names, err := s.begin(input, false)
	d := &drawer{&s.config, names}
	s.draw = func(row *table.Row) (Result, error) { return d.draw(row), nil }
	s.finish = func(bool) error { return nil }
	return err
}

// Labels begins sheets of labels. It needs config.Paper, and ignores the format.
func Labels(input []byte, config Config, sheet qrprint.Sheet) (*Steps, error) {
	s := &Steps{config: config}
	p, err := newLabelPrinter(&s.file, &s.config, sheet)
	if err != nil {
		return nil, err
	}
	s.draw, s.finish = p.print, p.finish
	_, err = s.begin(input, true)
	return s, err
}

// begin reads the table once, opens it again, and begins the outputs.
func (s *Steps) begin(input []byte, labels bool) (names *names, err error) {
	s.config.Table.Columns = columns
	s.config.Each = func(r Result) { s.results = append(s.results, r) }
	s.config.Reports = []Report{{&s.csv, true}, {&s.json, false}}
	if s.table, err = table.NewCSVReader(bytes.NewReader(input), s.config.Table); err != nil {
		return nil, err
	}
	if names, s.rows, err = s.config.names(s.table); err != nil {
		return nil, err
	}
	if s.table, err = table.NewCSVReader(bytes.NewReader(input), s.config.Table); err != nil {
		return nil, err
	}
	s.out, err = newOutput(&s.config, labels)
	return names, err
}

// Rows returns the number of rows of the table.
func (s *Steps) Rows() int { return s.rows }

// Step draws at most n more rows. The list is empty after the last row.
func (s *Steps) Step(n int) ([]Result, error) {
	s.results = nil
	for range n {
		if err := step(s.table, s.draw, s.out); err != nil {
			if errors.Is(err, io.EOF) {
				break
			}
			return nil, err
		}
	}
	return s.results, nil
}

// step draws one row. Its error is io.EOF after the last one.
func step(t *table.Reader, draw func(*table.Row) (Result, error), out *output) error {
	row, err := t.Next()
	if err != nil {
		return err
	}
	r, err := draw(&row)
	if err != nil {
		return err
	}
	return out.add(&r)
}

// Finish completes the output, which doesn't contain rows that weren't drawn.
func (s *Steps) Finish() (Output, error) {
	err := errors.Join(s.finish(s.out.counts.OK > 0), s.out.close())
	return Output{s.out.counts, s.file.Bytes(), s.csv.Bytes(), s.json.Bytes()}, err
}

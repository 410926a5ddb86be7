package batch

import (
	"bytes"
	"errors"
	"io"

	"github.com/hailmark/hailmark/cmd/internal/table"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

// Steps draws a CSV table in memory, a few rows at a time, so that a browser stays responsive.
// The output is identical to [Run] with an archive, or to [PrintLabels].
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

// Output contains the results of [Steps].
type Output struct {
	Counts    Counts
	File      []byte // the archive or PDF, or nil if there's none
	CSV, JSON []byte // the reports
}

// Archive starts an archive.
func Archive(input []byte, config Config) (*Steps, error) {
	s := &Steps{config: config}
	s.config.Archive = &s.file
	return s, s.images(input)
}

// Check starts a check.
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

// Labels starts label sheets. It requires config.Paper and ignores the format.
func Labels(input []byte, config Config, labels qrprint.Labels) (*Steps, error) {
	s := &Steps{config: config}
	p, err := newLabelPrinter(&s.file, &s.config, labels)
	if err != nil {
		return nil, err
	}
	s.draw, s.finish = p.print, p.finish
	_, err = s.begin(input, true)
	return s, err
}

// begin counts the rows, reopens the table and creates the outputs.
func (s *Steps) begin(input []byte, labels bool) (names *names, err error) {
	s.config.Table = s.config.tableConfig()
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

// Rows returns the total number of rows.
func (s *Steps) Rows() int { return s.rows }

// Step draws up to n rows. After the last row, the list is empty.
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

// step draws a row. After the last row, the error is io.EOF.
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

// Finish completes the output, which contains only the rows drawn so far.
func (s *Steps) Finish() (Output, error) {
	err := errors.Join(s.finish(s.out.counts.OK > 0), s.out.close())
	return Output{s.out.counts, s.file.Bytes(), s.csv.Bytes(), s.json.Bytes()}, err
}

package batch

import (
	"bytes"
	"errors"
	"io"

	"github.com/hailmark/hailmark/cmd/internal/table"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

// Steps draw the rows of a table in memory, some at a time, so that the caller can do
// other things in between. The table is CSV. The output is the same as that of [Run] with
// an archive, or of [PrintLabels].
type Steps struct {
	config    Config
	rows      int
	counts    Counts
	table     *table.Reader
	draw      func(*table.Row) (Result, error)
	labels    *labelPrinter // or nil
	zip       *archive      // or nil
	file      bytes.Buffer  // the archive or the PDF
	directory bytes.Buffer
	csv, json *report
	csvText   bytes.Buffer
	jsonText  bytes.Buffer
}

// Output is what remains of a batch.
type Output struct {
	Counts    Counts
	File      []byte // the archive or the PDF; nil for a check, or if no row was printed
	CSV, JSON []byte // the reports
}

// Archive begins an archive of pictures. If config.Out is "", the rows are only checked.
func Archive(input []byte, config Config) (*Steps, error) {
	s := &Steps{config: config}
	if err := s.open(input); err != nil {
		return nil, err
	}
	names, err := s.settle(input)
	if err != nil {
		return nil, err
	}
	if config.Out != "" {
		s.zip = &archive{data: &s.file, directory: &s.directory}
	}
	d := &drawer{config: &s.config, names: names}
	s.draw = func(row *table.Row) (Result, error) { return d.draw(row), nil }
	return s, s.begin()
}

// Labels begins sheets of labels. It needs config.Paper, and ignores the format.
func Labels(input []byte, config Config, sheet qrprint.Sheet) (*Steps, error) {
	config.onLabels = true
	s := &Steps{config: config}
	var err error
	if s.labels, err = newLabelPrinter(&s.file, &s.config, sheet); err != nil {
		return nil, err
	}
	if err := s.open(input); err != nil {
		return nil, err
	}
	if _, err := s.settle(input); err != nil {
		return nil, err
	}
	s.draw = s.labels.print
	return s, s.begin()
}

// open opens the table at its beginning.
func (s *Steps) open(input []byte) (err error) {
	s.config.Table.Columns = columns
	s.table, err = table.NewCSVReader(bytes.NewReader(input), s.config.Table)
	return err
}

// settle counts the rows, settles their names, and opens the table once more.
func (s *Steps) settle(input []byte) (names *names, err error) {
	if names, s.rows, err = s.config.namesOf(s.table); err != nil {
		return nil, err
	}
	return names, s.open(input)
}

func (s *Steps) begin() error {
	s.csv = newReport(&s.csvText, true, s.config.onLabels)
	s.json = newReport(&s.jsonText, false, s.config.onLabels)
	return errors.Join(s.csv.begin(), s.json.begin())
}

// Rows returns the number of rows of the table.
func (s *Steps) Rows() int { return s.rows }

// Step draws at most n more rows. The list is empty after the last row.
func (s *Steps) Step(n int) ([]Result, error) {
	var results []Result
	for len(results) < n {
		row, err := s.table.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		r, err := s.draw(&row)
		if err != nil {
			return nil, err
		}
		if s.zip != nil && r.Status == OK {
			if err := s.zip.add(r.File, r.picture); err != nil {
				return nil, err
			}
		}
		r.picture = nil
		if err := errors.Join(s.csv.add(&r), s.json.add(&r)); err != nil {
			return nil, err
		}
		s.counts.add(r.Status)
		results = append(results, r)
	}
	return results, nil
}

// Finish completes the output. Rows that were not drawn are missing in it.
func (s *Steps) Finish() (Output, error) {
	var err error
	switch {
	case s.labels != nil:
		err = s.labels.finish(s.counts.OK > 0)
	case s.zip != nil:
		err = s.zip.finish(&s.directory)
	}
	err = errors.Join(err, s.csv.flush(), s.json.flush())
	return Output{s.counts, s.file.Bytes(), s.csvText.Bytes(), s.jsonText.Bytes()}, err
}

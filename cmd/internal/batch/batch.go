// Package batch draws a QR code for each row of a table. It opens no files.
//
// A table is read twice: first to choose the names of the files, so that no two rows get the
// same one, and then to draw. Memory grows by eight bytes a row for the names, and by about
// 400 bytes a row for the directory of an archive.
package batch

import (
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/hailmark/hailmark/cmd/internal/table"
	"github.com/hailmark/hailmark/internal/service"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

// Config describes a batch.
type Config struct {
	Table   table.Config // without Columns
	Host    service.Host
	Text    string         // for rows without one
	Picture qrcode.Options // for rows without colors of their own
	Paper   *Paper         // unless nil, codes are drawn for paper

	// WriteFile writes an image, concurrently with others. It may be nil.
	WriteFile func(name string, image []byte) error

	// Archive gets a ZIP file with the images. It may be nil.
	Archive io.Writer

	// Reports list all rows.
	Reports []Report

	// Each is called for each row, in order. It may be nil.
	Each func(Result)

	// Progress is called after some rows. It may be nil.
	Progress func(Counts)
}

// A Paper describes codes for paper.
type Paper struct {
	Code   qrprint.Code // for rows without a caption or colors of their own
	Format qrprint.Format
	Bleed  qrprint.Millimeters
}

// A Report describes an output that lists all rows, as CSV or as newline-delimited JSON.
type Report struct {
	Writer io.Writer
	CSV    bool
}

// Counts are the numbers of rows by their [Status].
type Counts struct {
	OK      int `json:"ok"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
}

// Rows returns the number of all rows.
func (c Counts) Rows() int { return c.OK + c.Failed + c.Skipped }

func (c *Counts) add(s Status) {
	switch s {
	case OK:
		c.OK++
	case Failed:
		c.Failed++
	case Skipped:
		c.Skipped++
	}
}

// Run draws the rows of an input, which it reads twice.
func Run(input io.ReadSeeker, config Config) (Counts, error) {
	config.Table.Columns = columns
	t, err := table.NewReader(input, config.Table)
	if err != nil {
		return Counts{}, err
	}
	names, _, err := config.names(t)
	if err != nil {
		return Counts{}, err
	}
	if _, err := input.Seek(0, io.SeekStart); err != nil {
		return Counts{}, err
	}
	if t, err = table.NewReader(input, config.Table); err != nil {
		return Counts{}, err
	}
	out, err := newOutput(&config, false)
	if err != nil {
		return Counts{}, err
	}
	if err = out.run(t, &drawer{&config, names}); err == nil {
		err = out.close()
	}
	return out.counts, err
}

// rowsAChunk is the number of rows that a worker draws at a time.
const rowsAChunk = 32

// A chunk is a number of consecutive rows.
type chunk struct {
	rows    []table.Row
	results []Result
	done    chan struct{}
}

// run draws rows on all processors, and adds the results in the order of the table.
func (o *output) run(t *table.Reader, d *drawer) error {
	workers := runtime.GOMAXPROCS(0)
	work, ordered, stop := make(chan *chunk), make(chan *chunk, 2*workers), make(chan struct{})
	var readErr error
	for range workers {
		go func() {
			for chunk := range work {
				for i := range chunk.rows {
					chunk.results = append(chunk.results, d.draw(&chunk.rows[i]))
				}
				close(chunk.done)
			}
		}()
	}
	go func() {
		defer close(ordered)
		defer close(work)
		for readErr == nil {
			next := &chunk{done: make(chan struct{})}
			next.rows, readErr = readChunk(t)
			if len(next.rows) == 0 {
				continue
			}
			select {
			case ordered <- next:
				work <- next
			case <-stop:
				return
			}
		}
	}()
	var err error
	for chunk := range ordered {
		<-chunk.done
		for i := range chunk.results {
			if err == nil {
				if err = o.add(&chunk.results[i]); err != nil {
					close(stop)
				}
			}
		}
		if o.config.Progress != nil {
			o.config.Progress(o.counts)
		}
	}
	if err == nil && !errors.Is(readErr, io.EOF) {
		err = readErr
	}
	return err
}

// readChunk returns the next rows, and an error if there are no more after them.
func readChunk(t *table.Reader) ([]table.Row, error) {
	var rows []table.Row
	for len(rows) < rowsAChunk {
		row, err := t.Next()
		if err != nil {
			return rows, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// errWrite is the error for an image that can't be written, which ends a run.
func errWrite(row int, err error) error { return fmt.Errorf("row %d: write image: %w", row, err) }

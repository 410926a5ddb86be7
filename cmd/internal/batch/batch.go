// Package batch draws a QR code for each table row. It doesn't open files.
//
// A table is read twice, because file names should be unique before the first is written.
// Memory grows by eight bytes per row for the names, and by about 400 bytes per row for a ZIP
// directory.
package batch

import (
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/hailmark/hailmark/cmd/internal/table"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

// Config specifies a batch.
type Config struct {
	Table   table.Config   // without Columns
	Country string         // of numbers without a plus, as in phone.ParseIn; "" reads them from their country code
	Text    string         // for rows without one
	Picture qrcode.Options // for rows without colors of their own
	Paper   *Paper         // unless nil, codes are drawn for paper

	// Corrections replace cells, for example by suggestions that somebody has accepted.
	Corrections map[Cell]string

	// WriteFile, if not nil, writes an image. It should support concurrent calls.
	WriteFile func(name string, image []byte) error

	// Archive, if not nil, receives a ZIP file that contains the images.
	Archive io.Writer

	// Reports list all rows.
	Reports []Report

	// Each, if not nil, is called for each row in order.
	Each func(Result)

	// Progress, if not nil, is called after some rows with the total number of rows, or 0 if
	// it isn't known yet.
	Progress func(done Counts, rows int)
}

// A Cell is the place of a value in a table.
type Cell struct {
	Row    int // the spreadsheet's row number
	Column string
}

// A Paper specifies codes for paper.
type Paper struct {
	Code   qrprint.Code // for rows without a caption or colors of their own
	Format qrcode.Format
}

// A Report specifies an output that lists all rows.
type Report struct {
	Writer io.Writer
	CSV    bool
}

// Counts contains the number of rows with each [Status].
type Counts struct {
	OK      int `json:"ok"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
}

// Rows returns the total.
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

// Run draws the input's rows.
func Run(input io.ReadSeeker, config Config) (Counts, error) {
	config.Table = config.tableConfig()
	t, err := table.NewReader(input, config.Table)
	if err != nil {
		return Counts{}, err
	}
	names, rows, err := config.names(t)
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
	if err = out.run(t, &drawer{&config, names}, rows); err == nil {
		err = out.close()
	}
	return out.counts, err
}

// rowsAChunk is the number of rows per chunk.
const rowsAChunk = 32

// A chunk is a group of consecutive rows. One worker draws it.
type chunk struct {
	rows    []table.Row
	results []Result
	done    chan struct{}
}

// run draws rows on all processors and adds the results in table order.
func (o *output) run(t *table.Reader, d *drawer, rows int) error {
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
			o.config.Progress(o.counts, rows)
		}
	}
	if err == nil && !errors.Is(readErr, io.EOF) {
		err = readErr
	}
	return err
}

// readChunk returns the next rows, along with an error after the last row.
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

// errWrite reports an image that can't be written. It ends the run.
func errWrite(row int, err error) error { return fmt.Errorf("row %d: write image: %w", row, err) }

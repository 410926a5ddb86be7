// Package batch draws a QR code for each row of a table.
//
// A table is read twice. The first time settles the names of the files, so that no file
// replaces another one. The second time draws on all processors, and commits
// the rows in the order of the table. A journal records how many rows are committed, so an
// interrupted run can be resumed. Memory does not depend on the number of rows, except for
// eight bytes a row.
package batch

import (
	"errors"
	"io"
	"runtime"
	"time"

	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/cmd/internal/table"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

// Config says what to draw.
type Config struct {
	Table   table.Config // without Columns
	Host    chatlink.Host
	Text    chatlink.Text  // for rows without one
	Picture qrcode.Options // for rows without colours of their own
	Paper   *Paper         // draws codes for paper in place of Picture, unless it is nil

	// Out is a folder, or a file that ends in .zip. "" checks the rows and writes no
	// pictures.
	Out string

	// Reports are files that list all rows, as JSON or, if they end in .csv, as CSV.
	Reports []string

	// Resume continues an interrupted run.
	Resume bool

	// Each is called for each row, in order. It may be nil.
	Each func(Result)

	// Progress is called after some rows. It may be nil.
	Progress func(Counts)

	onLabels bool // set by PrintLabels
}

// A Paper says how to draw codes for paper.
type Paper struct {
	Code   qrprint.Code // for rows without a caption or colours of their own
	Format qrprint.Format
	Bleed  qrprint.Millimeters
}

// Counts are how the rows ended. Their sum is the number of rows.
type Counts struct {
	OK      int `json:"ok"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
}

// Rows returns the number of rows.
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
	names, sum, err := settleNames(input, &config)
	if err != nil {
		return Counts{}, err
	}
	if _, err := input.Seek(0, io.SeekStart); err != nil {
		return Counts{}, err
	}
	t, err := table.NewReader(input, config.Table)
	if err != nil {
		return Counts{}, err
	}
	c, err := newCommitter(&config, sum)
	if err != nil {
		return Counts{}, err
	}
	if !c.done {
		err = c.run(t, &drawer{config: &config, names: names, write: c.writer()})
	}
	return c.counts, errors.Join(err, c.close(err == nil))
}

// rowsAChunk is how many rows a worker takes at a time.
const rowsAChunk = 32

// A chunk is some rows that follow each other.
type chunk struct {
	rows    []table.Row
	results []Result
	done    chan struct{}
}

// run draws the rows that are not committed yet.
func (c *committer) run(t *table.Reader, d *drawer) error {
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
			next.rows, readErr = readChunk(t, c.committed)
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
				if err = c.commit(&chunk.results[i]); err != nil {
					close(stop)
				}
			}
		}
		if c.config.Progress != nil {
			c.config.Progress(c.counts)
		}
	}
	if err == nil && !errors.Is(readErr, io.EOF) {
		err = readErr
	}
	return err
}

// readChunk reads rows behind the first ones, which are committed.
func readChunk(t *table.Reader, committed int) ([]table.Row, error) {
	var rows []table.Row
	for len(rows) < rowsAChunk {
		row, err := t.Next()
		if err != nil {
			return rows, err
		}
		if row.Number > committed {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// checkpointEvery is how often the journal is written.
const (
	checkpointRows  = 1024
	checkpointEvery = time.Second
)

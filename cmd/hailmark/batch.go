package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/cmd/internal/batch"
	"github.com/hailmark/hailmark/cmd/internal/progress"
)

const tableHelp = `The table is CSV, or JSON with one object a line, with the columns

  username or phone    whom the code opens a chat with
  text                 a message that is ready to send
  file                 the name of the picture (default: the username or the number)
  color, background    the colours, as 000000 and ffffff
  caption              on paper, a text below the code (default: --caption)

In --caption, {name} stands for the username, as in @jane.doe, or the number of the row.

The encoding (UTF-8, UTF-16, Windows-1252) and the separator (comma, semicolon, tab) of CSV
are recognized, and can be set. Other columns are ignored. Empty rows are skipped.`

const batchHelp = `Batch draws a QR code for each row of a table, into a folder or a file that ends in .zip.
The flags for pictures and paper are those of hailmark qr; the format is png unless --format
is set.

` + tableHelp + `

Names of files are settled before the first is written: they are safe on every system, and
if several rows have the same name, in either case of letters, each gets "~" and the number
of its row. Every row ends as ok, failed or skipped. A report lists them all, as JSON, or as
CSV if its name ends in .csv; the CSV has no cell that a spreadsheet takes for a formula.

A run that was interrupted, even by a crash of the program, continues with --resume and the
same flags. Its journal, in the folder or beside the archive, has no personal data, and is
removed at the end. It does not protect from a crash of the machine.

The exit status is 1 if a row failed.`

const checkHelp = `Check reads a table as hailmark batch does, and prints the rows that would fail, then how many
rows there are of each kind. It writes no pictures.

` + tableHelp + `

The exit status is 1 if a row would fail.`

type batchOptions struct {
	picture picture
	source  source
	config  batch.Config
}

func (o *batchOptions) addFlags(flags *pflag.FlagSet) {
	o.picture.addFlags(flags)
	o.source.addFlags(flags)
}

func (a *app) newBatch() *cobra.Command {
	var o batchOptions
	cmd := &cobra.Command{
		Use:     "batch table",
		Short:   "Draw a QR code for each row of a table",
		Long:    batchHelp,
		GroupID: "make",
		Example: `  hailmark batch people.csv --out codes/ --format png --report report.ndjson
  hailmark batch people.csv --out codes.zip --format svg
  hailmark batch people.csv --out print/ --format pdf --mm 25 --caption "{name}" --logo logo.png`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if o.config.Out == "" {
				return usage("--out must name a folder, or a file that ends in .zip; hailmark check writes nothing")
			}
			return a.batch(&o, args[0])
		},
	}
	cmd.Flags().StringVar(&o.config.Out, "out", "", "the `folder` or .zip file of the pictures (required)")
	cmd.Flags().BoolVar(&o.config.Resume, "resume", false, "continue an interrupted run")
	o.addFlags(cmd.Flags())
	return cmd
}

func (a *app) newCheck() *cobra.Command {
	var o batchOptions
	cmd := &cobra.Command{
		Use:     "check table",
		Short:   "Check the rows of a table for hailmark batch",
		Long:    checkHelp,
		GroupID: "check",
		Example: `  hailmark check people.csv --json
  hailmark check customers.csv`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.batch(&o, args[0]) },
	}
	o.addFlags(cmd.Flags())
	a.jsonFlag(cmd)
	return cmd
}

// maxListed is how many failed rows the command batch prints.
const maxListed = 20

func (a *app) batch(o *batchOptions, file string) error {
	config, err := o.prepare(file)
	if err != nil {
		return err
	}
	input, err := a.openTwice(file)
	if err != nil {
		return err
	}
	defer input.Close()
	_, err = a.follow(config, func(c batch.Config) (batch.Counts, error) { return batch.Run(input, c) }, config.Out == "")
	return err
}

// follow runs a batch, and prints its failed rows, warnings, progress and counts. A dry
// run prints them as data.
func (a *app) follow(config batch.Config, run func(batch.Config) (batch.Counts, error), dry bool) (batch.Counts, error) {
	line := progress.New(a.stderr, a.isTerminal(a.stderr))
	defer line.Clear()
	listed := 0
	config.Each = func(r batch.Result) {
		if r.Status != batch.Failed && len(r.Warnings) == 0 || !dry && listed > maxListed {
			return
		}
		line.Clear()
		place := fmt.Sprintf("row %d", r.Row)
		switch listed++; {
		case a.json:
			_ = writeJSON(a.stdout, &r)
		case dry && r.Status == batch.Failed:
			fmt.Fprintf(a.stdout, "%s: %s (%s)\n", place, r.Problem.Message, r.Problem.Code)
		case dry:
			for _, w := range r.Warnings {
				fmt.Fprintf(a.stdout, "%s: warning: %s (%s)\n", place, w.Message, w.Code)
			}
		case listed > maxListed:
			fmt.Fprintln(a.stderr, "hailmark: more rows failed or have warnings; --report lists them all")
		case r.Status == batch.Failed:
			a.report(place, r.Problem)
		default:
			a.warn(place, r.Warnings)
		}
	}
	started := -1
	config.Progress = func(c batch.Counts) {
		if started < 0 {
			started = c.Rows()
		}
		line.Update(func(elapsed time.Duration) string {
			return fmt.Sprintf("%d rows, %.0f a second, %d failed", c.Rows(), float64(c.Rows()-started)/elapsed.Seconds(), c.Failed)
		})
	}
	counts, err := run(config)
	line.Clear()
	if err != nil {
		return counts, err
	}
	a.bad = a.bad || counts.Failed > 0
	if a.json {
		return counts, writeJSON(a.stdout, struct {
			Rows int `json:"rows"`
			batch.Counts
		}{counts.Rows(), counts})
	}
	summary := a.stderr
	if dry {
		summary = a.stdout
	}
	_, err = fmt.Fprintf(summary, "%d rows: %d ok, %d failed, %d skipped\n", counts.Rows(), counts.OK, counts.Failed, counts.Skipped)
	return counts, err
}

// prepare returns the configuration of the flags.
func (o *batchOptions) prepare(file string) (config batch.Config, err error) {
	config = o.config
	if o.picture.isForPaper() {
		p := &batch.Paper{}
		if p.Code, p.Format, err = o.picture.code(); err == nil {
			config.Picture, err = o.picture.style.options()
		}
		if err == nil {
			p.Bleed, err = o.picture.paper.bleedWidth()
		}
		config.Paper = p
	} else {
		config.Picture, err = o.picture.options()
	}
	if err != nil {
		return config, err
	}
	return config, o.source.apply(&config, file)
}

// A source has the flags of the rows of a table, and of their report.
type source struct {
	table      tableOptions
	reports    []string
	text, host string
}

func (s *source) addFlags(flags *pflag.FlagSet) {
	flags.StringArrayVar(&s.reports, "report", nil, "list all rows in this `file`, which ends in .ndjson or .csv; may be repeated")
	flags.StringVar(&s.text, "text", "", "a message that is ready to send, for rows without a text")
	flags.StringVar(&s.host, "host", chatlink.DefaultHost, "the `host` of the links")
	s.table.addFlags(flags)
}

// apply checks the flags, and sets what they are about.
func (s *source) apply(config *batch.Config, file string) (err error) {
	if config.Host, config.Text, err = parseLinkOptions(s.host, s.text); err != nil {
		return err
	}
	if err := s.table.check(batch.Columns()); err != nil {
		return err
	}
	for _, report := range s.reports {
		if ending := strings.ToLower(filepath.Ext(report)); ending != ".ndjson" && ending != ".csv" {
			return usage("--report must end in .ndjson or .csv")
		}
	}
	config.Reports, config.Table = s.reports, s.table.config(file)
	return nil
}

// openTwice opens a file that is read twice. The standard input is kept in a file
// meanwhile.
func (a *app) openTwice(name string) (io.ReadSeekCloser, error) {
	if name != "-" {
		return os.Open(name)
	}
	f, err := os.CreateTemp("", "hailmark-*")
	if err != nil {
		return nil, err
	}
	// An open file needs no name, except on some systems, which remove it later.
	t := temporary{f, os.Remove(f.Name()) != nil}
	if _, err := io.Copy(f, a.stdin); err != nil {
		return nil, errors.Join(fmt.Errorf("standard input: %w", err), t.Close())
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// A temporary is a file that is removed when it is closed, if it has a name.
type temporary struct {
	*os.File
	named bool
}

// Close closes and removes the file.
func (t temporary) Close() error {
	err := t.File.Close()
	if t.named {
		return os.Remove(t.Name())
	}
	return err
}

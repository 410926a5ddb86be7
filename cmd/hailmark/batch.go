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

The encoding (UTF-8, UTF-16, Windows-1252) and the separator (comma, semicolon, tab) of CSV
are recognized, and can be set. Other columns are ignored. Empty rows are skipped.`

const batchHelp = `Batch draws a QR code for each row of a table, into a folder or a file that ends in .zip.

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
	picture    picture
	table      tableOptions
	text, host string
	config     batch.Config
}

func (o *batchOptions) addFlags(flags *pflag.FlagSet) {
	flags.StringArrayVar(&o.config.Reports, "report", nil, "list all rows in this `file`, which ends in .ndjson or .csv; may be repeated")
	flags.StringVar(&o.text, "text", "", "a message that is ready to send, for rows without a text")
	flags.StringVar(&o.host, "host", chatlink.DefaultHost, "the `host` of the links")
	o.picture.addFlags(flags)
	o.table.addFlags(flags)
}

func (a *app) newBatch() *cobra.Command {
	var o batchOptions
	cmd := &cobra.Command{
		Use:     "batch table",
		Short:   "Draw a QR code for each row of a table",
		Long:    batchHelp,
		GroupID: "make",
		Example: `  hailmark batch people.csv --out codes/ --format png --report report.ndjson
  hailmark batch people.csv --out codes.zip --format svg`,
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
	line := progress.New(a.stderr, a.isTerminal(a.stderr))
	defer line.Clear()
	dry := config.Out == ""
	listed := 0
	config.Each = func(r batch.Result) {
		if r.Status != batch.Failed || !dry && listed > maxListed {
			return
		}
		line.Clear()
		switch listed++; {
		case a.json:
			_ = writeJSON(a.stdout, &r)
		case dry:
			fmt.Fprintf(a.stdout, "row %d: %s (%s)\n", r.Row, r.Problem.Message, r.Problem.Code)
		case listed > maxListed:
			fmt.Fprintln(a.stderr, "hailmark: more rows failed; --report lists them all")
		default:
			a.report(fmt.Sprintf("row %d", r.Row), r.Problem)
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
	counts, err := batch.Run(input, config)
	line.Clear()
	if err != nil {
		return err
	}
	a.bad = a.bad || counts.Failed > 0
	if a.json {
		return writeJSON(a.stdout, struct {
			Rows int `json:"rows"`
			batch.Counts
		}{counts.Rows(), counts})
	}
	summary := a.stderr
	if dry {
		summary = a.stdout
	}
	_, err = fmt.Fprintf(summary, "%d rows: %d ok, %d failed, %d skipped\n", counts.Rows(), counts.OK, counts.Failed, counts.Skipped)
	return err
}

// prepare returns the configuration of the flags.
func (o *batchOptions) prepare(file string) (config batch.Config, err error) {
	config = o.config
	if config.Host, config.Text, err = parseLinkOptions(o.host, o.text); err != nil {
		return config, err
	}
	if config.Picture, err = o.picture.options(); err != nil {
		return config, err
	}
	if err := o.table.check(batch.Columns()); err != nil {
		return config, err
	}
	for _, report := range config.Reports {
		if ending := strings.ToLower(filepath.Ext(report)); ending != ".ndjson" && ending != ".csv" {
			return config, usage("--report must end in .ndjson or .csv")
		}
	}
	config.Table = o.table.config(file)
	return config, nil
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

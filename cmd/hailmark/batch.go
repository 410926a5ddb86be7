package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hailmark/hailmark/cmd/hailmark/internal/outfile"
	"github.com/hailmark/hailmark/cmd/hailmark/internal/progress"
	"github.com/hailmark/hailmark/cmd/internal/batch"
	"github.com/hailmark/hailmark/problem"
)

// tableHelp is what the commands for tables have in common.
const tableHelp = `The table is CSV, or JSON with one object per line. Its columns are:

  username or phone    who the code opens a chat with
  target               the same in one column: usernames, phone numbers or links, mixed
  text                 the message to fill in (default: --text)
  file                 the image name (default: the username or phone number)
  color, background    the colors, for example 000000 and ffffff
  caption              the text below the code, only for paper (default: --caption)

In --caption, {name} is replaced by the username, as in @jane.doe, or the phone number.

The encoding (UTF-8, UTF-16, Windows-1252) and the separator (comma, semicolon, tab) are
detected. Other columns are ignored, and empty rows are skipped. Rows are numbered as in a
spreadsheet, so the header is row 1.

Rows with errors don't stop the command. They are listed at the end, grouped by column and
reason. A report from --report lists every row, as CSV if its name ends in .csv, and as JSON
with one object per line if it ends in .ndjson or is a device or "-". In CSV, cells that look
like formulas are escaped with an apostrophe.

The exit status is 1 if a row has an error.`

const batchHelp = `The codes are written to a folder or a .zip file. The image flags work like those of hailmark
qr; the default format is png.

'hailmark help table' describes the columns and the report.

File names are valid on every operating system. If several rows produce the same name
(ignoring case), "~" and the row number are appended to each.

With --force, a folder may contain files already. Files of the same name are replaced, and
the others stay. If the command is interrupted, it leaves no files.`

const checkHelp = `No images are written. With the image flags of hailmark batch, such as --format and --caption,
rows that couldn't be drawn are listed, too.

'hailmark help table' describes the columns and the report.`

type batchOptions struct {
	picture picture
	source  source
	out     string
}

func (o *batchOptions) addFlags(flags *pflag.FlagSet) {
	o.picture.addFlags(flags)
	o.source.addFlags(flags)
}

func (a *app) newBatch() *cobra.Command {
	var o batchOptions
	cmd := &cobra.Command{
		Use:     "batch <table>",
		Short:   "Draw a QR code for each row of a CSV file",
		Long:    batchHelp,
		GroupID: "make",
		Example: `  hailmark batch people.csv --out codes/ --format png --report report.csv
  hailmark batch people.csv --out codes.zip --format svg --force
  hailmark batch people.csv --out print/ --format pdf --mm 25 --caption "{name}" --logo logo.png`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if o.out == "" || o.out == "-" {
				return usage("--out needs a folder or a .zip file, for example --out codes/; to draw nothing, use hailmark check")
			}
			return a.batch(&o, args[0])
		},
	}
	cmd.Flags().StringVarP(&o.out, "out", "o", "", "the `folder` or .zip file to write (required)")
	o.addFlags(cmd.Flags())
	a.forceFlag(cmd.Flags())
	return cmd
}

func (a *app) newCheck() *cobra.Command {
	var o batchOptions
	cmd := &cobra.Command{
		Use:     "check <table>",
		Short:   "List the invalid rows of a CSV file before you run batch",
		Long:    checkHelp,
		GroupID: "check",
		Example: `  hailmark check people.csv --json
  hailmark check customers.csv --report report.csv`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.batch(&o, args[0]) },
	}
	o.addFlags(cmd.Flags())
	a.jsonFlag(cmd)
	for _, name := range imageFlags() {
		cmd.Flags().Lookup(name).Hidden = true // help lists them for batch
	}
	a.forceFlag(cmd.Flags())
	return cmd
}

// imageFlags returns the names of the flags for images.
func imageFlags() (names []string) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(picture).addFlags(flags)
	flags.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

func (a *app) batch(o *batchOptions, file string) error {
	config, err := o.prepare(a.files, file)
	if err != nil {
		return err
	}
	input, err := a.files.OpenSeekable(file)
	if err != nil {
		return err
	}
	defer input.Close()
	switch {
	case strings.EqualFold(filepath.Ext(o.out), ".zip"):
		config.Archive, err = a.files.Create(o.out)
	case o.out != "":
		var folder *outfile.Folder
		if folder, err = a.files.Folder(o.out); err == nil {
			config.WriteFile = folder.WriteFile
		}
	}
	if err != nil {
		return err
	}
	if config.Reports, err = o.source.createReports(a.files); err != nil {
		return err
	}
	if a.json && a.files.WritesToStdout() {
		return usage("--json and --report both write to standard output; remove --json")
	}
	_, err = a.follow(config, func(c batch.Config) (batch.Counts, error) { return batch.Run(input, c) })
	return err
}

// follow runs a batch and prints its progress, problems and counts. Problems and counts are the result
// unless standard output has another.
func (a *app) follow(config batch.Config, run func(batch.Config) (batch.Counts, error)) (batch.Counts, error) {
	a.files.RemoveOnSignal() // says so even if the command writes nothing
	line := progress.New(a.stderr, a.isTerminal(a.stderr))
	defer line.Clear()
	var found findings
	config.Each = func(r batch.Result) {
		if a.json && (r.Status == batch.Failed || len(r.Warnings) > 0) {
			_ = writeJSON(a.stdout, &r)
		}
		found.add(&r)
	}
	config.Progress = func(c batch.Counts, rows int) {
		line.Update(func() string {
			of := ""
			if rows > 0 {
				of = fmt.Sprintf(" of %d", rows)
			}
			return fmt.Sprintf("%d%s rows, %d failed", c.Rows(), of, c.Failed)
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
	out := a.stderr
	printsResult := !a.files.WritesToStdout()
	if printsResult {
		out = a.stdout
	}
	err = found.print(out, printsResult || a.isTerminal(out))
	a.hint(found.problems())
	if err == nil {
		_, err = fmt.Fprintf(out, "%s: %d ok, %d failed, %d skipped\n", plural(counts.Rows(), "row"), counts.OK, counts.Failed, counts.Skipped)
	}
	return counts, err
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// maxListed is the maximum number of rows listed in a group.
const maxListed = 10

// findings group a batch's errors and warnings.
type findings []*finding

type finding struct {
	column  string
	warning bool
	code    problem.Code
	rows    int
	first   []batch.Result // at most maxListed
}

func (f *findings) add(r *batch.Result) {
	if r.Status == batch.Failed {
		f.addOne(r, r.Problem, false)
	}
	for _, w := range r.Warnings {
		f.addOne(r, w, true)
	}
}

func (f *findings) addOne(r *batch.Result, p problem.Problem, warning bool) {
	var group *finding
	for _, g := range *f {
		if g.column == r.Column && g.warning == warning && g.code == p.Code {
			group = g
		}
	}
	if group == nil {
		group = &finding{column: r.Column, warning: warning, code: p.Code}
		*f = append(*f, group)
	}
	if group.rows++; group.rows <= maxListed {
		first := *r
		first.Problem = p
		group.first = append(group.first, first)
	}
}

// print prints the groups. It includes values only in a result or a terminal, because other
// messages may go to a log.
func (f findings) print(w io.Writer, values bool) error {
	var b strings.Builder
	for _, g := range f {
		b.WriteString(plural(g.rows, "row"))
		switch {
		case g.warning:
			b.WriteString(" with a warning")
		case g.column != "":
			b.WriteString(" with an error in column " + g.column)
		default:
			b.WriteString(" with an error")
		}
		fmt.Fprintf(&b, " (%s):\n", g.code)
		for i := range g.first {
			r := &g.first[i]
			fmt.Fprintf(&b, "  row %d: ", r.Row)
			if values && r.Column != "" && !g.warning {
				fmt.Fprintf(&b, "%q: ", r.Value)
			}
			message := r.Problem.Message
			if !values {
				message, _, _ = strings.Cut(message, " (did you mean ")
			}
			b.WriteString(message + "\n")
		}
		if more := g.rows - len(g.first); more > 0 {
			fmt.Fprintf(&b, "  and %s more; --report lists all\n", plural(more, "row"))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (f findings) problems() (list problem.List) {
	for _, g := range f {
		list = append(list, g.first[0].Problem)
	}
	return list
}

func (o *batchOptions) prepare(files *outfile.Files, file string) (config batch.Config, err error) {
	if o.picture.isForPaper() {
		p := &batch.Paper{}
		if p.Code, p.Format, err = o.picture.code(files); err == nil {
			_, _, screen, _ := o.picture.style.inks() // p.Code contains the inks
			config.Picture, err = screen.options()
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

type source struct {
	table   tableOptions
	chat    chatFlags
	reports []string
}

func (s *source) addFlags(flags *pflag.FlagSet) {
	flags.StringArrayVar(&s.reports, "report", nil, "list all rows in this .csv or .ndjson `file`; may be repeated")
	s.chat.addFlags(flags)
	s.table.addFlags(flags)
}

// apply validates the flags and copies them to config.
func (s *source) apply(config *batch.Config, file string) error {
	chat, err := s.chat.parse()
	if err != nil {
		return err
	}
	config.Text, config.Country = chat.text, chat.country
	if err := s.table.check(batch.Columns()); err != nil {
		return err
	}
	for _, name := range s.reports {
		if name != "-" && !strings.HasPrefix(name, "/dev/") && !isCSV(name) && !strings.EqualFold(filepath.Ext(name), ".ndjson") {
			return usage("--report %s doesn't end in .csv or .ndjson", name)
		}
	}
	config.Table = s.table.config(file)
	return nil
}

func isCSV(name string) bool { return strings.EqualFold(filepath.Ext(name), ".csv") }

func (s *source) createReports(files *outfile.Files) (reports []batch.Report, err error) {
	for _, name := range s.reports {
		w, err := files.Create(name)
		if err != nil {
			return nil, err
		}
		reports = append(reports, batch.Report{Writer: w, CSV: isCSV(name)})
	}
	return reports, nil
}

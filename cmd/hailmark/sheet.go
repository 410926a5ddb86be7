package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hailmark/hailmark/cmd/internal/batch"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

const sheetHelp = `Sheet prints a QR code for each row of a table on sheets of labels, as a PDF. Each code is as
large as its label allows, unless --mm or --module is set. On a wide label the caption is
beside the code.

` + tableHelp + `

The column file is ignored. A row that cannot be printed is reported, and takes no label.

Print the PDF in its original size, first with --border on plain paper. If the borders are
not where the labels are, move them with --offset-x and --offset-y.

The exit status is 1 if a row failed.

Other labels than those below are described in a JSON file, in millimetres:

  {"paper": "a4", "columns": 4, "rows": 5, "width": 45, "height": 45,
   "left": 7.5, "top": 26, "pitchX": 50, "pitchY": 50}

The paper is a4, a5 or letter. Left and top are the distances of the first label from the
edges of the paper, and pitchX and pitchY those from one label to the next, from edge to
same edge. The known labels are

  `

// sheetOptions are the flags of the command sheet.
type sheetOptions struct {
	style                   style
	paper                   paper
	source                  source
	output, labels, padding string
	sheet                   qrprint.Sheet
}

func (a *app) newSheet() *cobra.Command {
	var o sheetOptions
	cmd := &cobra.Command{
		Use:     "sheet table",
		Short:   "Print a QR code for each row of a table on labels",
		Long:    sheetHelp + strings.Join(qrprint.LabelNames(), "\n  "),
		GroupID: "make",
		Example: `  hailmark sheet people.csv -o labels.pdf --labels avery-l7160 --start 5
  hailmark sheet people.csv -o test.pdf --labels avery-l7160 --border --caption "{name}" --report report.csv
  hailmark sheet people.csv -o own.pdf --labels labels.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.printSheet(&o, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&o.output, "output", "o", "", "the `file` to write, which ends in .pdf (required)")
	flags.StringVar(&o.labels, "labels", "", "the manufacturer and `number` of the labels, such as avery-l7160, or a .json file (required)")
	flags.IntVar(&o.sheet.Start, "start", 1, "the first `label` to print on, counted by rows from 1")
	flags.BoolVar(&o.sheet.Borders, "border", false, "draw the edges of all labels, to check their position on plain paper")
	flags.Float64Var((*float64)(&o.sheet.OffsetX), "offset-x", 0, "move everything to the right by this many `mm`, or to the left if negative")
	flags.Float64Var((*float64)(&o.sheet.OffsetY), "offset-y", 0, "move everything down by this many `mm`, or up if negative")
	flags.StringVar(&o.padding, "padding", "", "the `mm` between the edge of a label and what is printed on it, or 0 (default 1.5)")
	o.style.addFlags(flags)
	o.paper.addFlags(flags)
	o.source.addFlags(flags)
	return cmd
}

func (a *app) printSheet(o *sheetOptions, file string) error {
	config, err := o.prepare(file)
	if err != nil {
		return err
	}
	input, err := a.open(file)
	if err != nil {
		return err
	}
	defer input.Close()
	var out io.Writer = &outputFile{name: o.output}
	if o.output == "-" {
		if err := a.refuseBinary("pdf"); err != nil {
			return err
		}
		out = a.stdout
	}
	buffered := bufio.NewWriterSize(out, 64<<10)
	counts, err := a.follow(config, func(c batch.Config) (batch.Counts, error) {
		counts, err := batch.PrintLabels(input, buffered, c, o.sheet)
		return counts, errors.Join(err, buffered.Flush())
	}, false)
	if f, ok := out.(*outputFile); ok {
		err = errors.Join(err, f.close(err == nil))
	}
	if err == nil && counts.OK == 0 {
		return errors.New("no row could be printed, so nothing was written")
	}
	return err
}

// prepare returns the configuration of the flags, and completes the sheet.
func (o *sheetOptions) prepare(file string) (config batch.Config, err error) {
	switch {
	case o.output != "-" && strings.ToLower(filepath.Ext(o.output)) != ".pdf":
		return config, usage("--output must name a file that ends in .pdf")
	case o.labels == "":
		return config, usage("--labels must name the labels, such as avery-l7160")
	case o.sheet.Start < 1:
		return config, usage("--start must be 1 or more")
	}
	if o.sheet.NoPadding = o.padding == "0"; !o.sheet.NoPadding {
		if err := flagValue("padding", o.padding, &o.sheet.Padding, parseLength); err != nil {
			return config, err
		}
	}
	if o.sheet.Labels, err = readLabels(o.labels); err != nil {
		return config, err
	}
	config.Paper = &batch.Paper{}
	if config.Paper.Code, err = o.paper.code(o.style); err != nil {
		return config, err
	}
	if config.Picture, err = o.style.options(); err != nil {
		return config, err
	}
	return config, o.source.apply(&config, file)
}

// readLabels returns the labels with a name, or those that a .json file describes.
func readLabels(name string) (labels qrprint.Labels, err error) {
	if strings.ToLower(filepath.Ext(name)) != ".json" {
		return qrprint.ParseLabels(strings.ToLower(name))
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return labels, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err = d.Decode(&labels); err == nil && d.More() {
		err = errors.New("more than one value")
	}
	if err != nil {
		return labels, problem.New(qrprint.CodeInvalidLabels, "labels must be one JSON object with the fields that hailmark sheet --help shows: %v", err)
	}
	return labels, nil
}

package main

import (
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hailmark/hailmark/cmd/hailmark/internal/outfile"
	"github.com/hailmark/hailmark/cmd/internal/batch"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

const sheetHelp = `The sheets are a PDF. Each code is as large as its label allows, unless --mm or --module is
set. On a wide label, the caption is next to the code.

'hailmark help table' describes the columns and the report. The column file is ignored. A row
with an error uses no label.

Print the PDF in its original size, first with --border on plain paper. If the borders are
not where the labels are, move them with --offset-x and --offset-y.

To use labels other than those below, describe them in a JSON file, in millimeters:

  {"paper": "a4", "columns": 4, "rows": 5, "width": 45, "height": 45,
   "left": 7.5, "top": 26, "pitchX": 50, "pitchY": 50}

The paper is a4, a5 or letter. Left and top are the distances of the first label from the
edges of the paper; pitchX and pitchY are the distances between the left and the top edges
of adjacent labels. These labels are known:

  `

type sheetOptions struct {
	style                   style
	paper                   paper
	source                  source
	output, labels, padding string
	offsetX, offsetY        float64
	sheet                   qrprint.Labels
}

func (a *app) newSheet() *cobra.Command {
	var o sheetOptions
	cmd := &cobra.Command{
		Use:        "sheet <table>",
		SuggestFor: []string{"label", "labels"},
		Short:      "Draw label sheets with a QR code for each row of a CSV file",
		Long:       sheetHelp + strings.Join(qrprint.LabelNames(), "\n  "),
		GroupID:    "make",
		Example: `  hailmark sheet people.csv -o labels.pdf --labels avery-l7160 --start 5
  hailmark sheet people.csv -o test.pdf --labels avery-l7160 --border --caption "{name}"
  hailmark sheet people.csv -o own.pdf --labels labels.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.printSheet(&o, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&o.output, "output", "o", "", "the .pdf `file` to write (required)")
	flags.StringVar(&o.labels, "labels", "", "the `labels`, for example avery-l7160, or a .json file (required)")
	flags.IntVar(&o.sheet.Start, "start", 1, "the first `label` to use, counted row by row from 1")
	flags.BoolVar(&o.sheet.Borders, "border", false, "draw the borders of all labels, to check their position on plain paper")
	flags.Float64Var(&o.offsetX, "offset-x", 0, "move everything this many `mm` to the right, or to the left if negative")
	flags.Float64Var(&o.offsetY, "offset-y", 0, "move everything this many `mm` down, or up if negative")
	flags.StringVar(&o.padding, "padding", "", "the `mm` between the edge of a label and what is printed on it, or 0 (default 1.5)")
	o.style.addFlags(flags)
	o.paper.addFlags(flags)
	o.source.addFlags(flags)
	a.forceFlag(flags)
	return cmd
}

func (a *app) printSheet(o *sheetOptions, file string) error {
	config, err := o.prepare(a.files, file)
	if err != nil {
		return err
	}
	input, err := a.files.Open(file)
	if err != nil {
		return err
	}
	defer input.Close()
	out, err := a.create(o.output, "pdf")
	if err != nil {
		return err
	}
	if config.Reports, err = o.source.createReports(a.files); err != nil {
		return err
	}
	counts, err := a.follow(config, func(c batch.Config) (batch.Counts, error) {
		return batch.PrintLabels(input, out, c, o.sheet)
	})
	if err == nil && counts.OK == 0 {
		return errors.New("no row could be printed, so no file was written")
	}
	return err
}

// prepare returns the batch configuration and completes o.sheet.
func (o *sheetOptions) prepare(files *outfile.Files, file string) (config batch.Config, err error) {
	switch {
	case o.output != "-" && strings.ToLower(filepath.Ext(o.output)) != ".pdf":
		return config, usage("--output needs a .pdf file, for example -o labels.pdf")
	case o.labels == "":
		return config, usage("--labels is required, for example --labels avery-l7160")
	case o.sheet.Start < 1:
		return config, usage("--start %d isn't a label; the first is 1", o.sheet.Start)
	}
	start, borders := o.sheet.Start, o.sheet.Borders
	if o.sheet, err = readLabels(files, o.labels); err != nil {
		return config, err
	}
	o.sheet.Start, o.sheet.Borders = start, borders
	if o.padding == "0" {
		o.sheet.Padding = 0
	} else if err := flagValue("padding", o.padding, &o.sheet.Padding, parseLength); err != nil {
		return config, err
	}
	if err := batch.Shift(&o.sheet, qrprint.Millimeters(o.offsetX), qrprint.Millimeters(o.offsetY)); err != nil {
		return config, err
	}
	config.Paper = &batch.Paper{}
	if config.Paper.Code, err = o.paper.code(files, o.style); err != nil {
		return config, err
	}
	_, _, screen, _ := o.style.inks() // the code contains the inks
	if config.Picture, err = screen.options(); err != nil {
		return config, err
	}
	return config, o.source.apply(&config, file)
}

// readLabels returns known labels, or those specified by a .json file.
func readLabels(files *outfile.Files, name string) (labels qrprint.Labels, err error) {
	if strings.ToLower(filepath.Ext(name)) != ".json" {
		return qrprint.ParseLabels(name)
	}
	f, err := files.Open(name)
	if err != nil {
		return labels, err
	}
	defer f.Close()
	labels.Padding = 1.5 // as for known labels
	d := json.NewDecoder(f)
	d.DisallowUnknownFields()
	if err = d.Decode(&labels); err == nil {
		if _, end := d.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("there is text after the object")
		}
	}
	if err != nil {
		return labels, problem.New("labels", qrprint.CodeInvalidLabels, "invalid labels: %v; hailmark sheet --help shows the format", err)
	}
	return labels, nil
}

//go:build !core

package calls

import (
	"bytes"
	"errors"
	"strings"

	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/cmd/internal/batch"
	"github.com/hailmark/hailmark/internal/textvalue"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

// batches contains the open batches.
var batches struct {
	open map[int]*batch.Steps
	last int
}

func openBatch(a *arguments, r *result) error {
	input := bytes.Clone(a.bytes())
	b, err := a.batch()
	if err != nil {
		return err
	}
	var steps *batch.Steps
	switch b.output {
	case "labels":
		steps, err = batch.Labels(input, b.config, b.labels)
	case "zip":
		steps, err = batch.Archive(input, b.config)
	case "check":
		steps, err = batch.Check(input, b.config)
	default:
		err = errors.New("output isn't zip, labels or check")
	}
	if err != nil {
		return err
	}
	if batches.open == nil {
		batches.open = make(map[int]*batch.Steps)
	}
	batches.last++
	batches.open[batches.last] = steps
	r.int(batches.last)
	r.int(steps.Rows())
	return nil
}

type batchOptions struct {
	output string
	config batch.Config
	labels qrprint.Labels
}

// defaultDPI is the default resolution for a PNG for paper.
const defaultDPI = 300

// batch reads the options, which correspond to command-line flags.
func (a *arguments) batch() (b batchOptions, err error) {
	b.output = a.string()
	format, labels := a.string(), a.string()
	start, borders := a.int(), a.bool()
	offsetX, offsetY, padding := a.length(), a.length(), a.length()
	errs := []error{setting(a, &b.config.Host, chatlink.ParseHost), setting(a, &b.config.Text, chatlink.ParseText)}
	t := &b.config.Table
	t.Encoding = a.string()
	if separator := a.string(); separator != "" {
		t.Separator = rune(separator[0])
	}
	t.NoHeader = a.bool()
	t.Map = make(map[string]string)
	for _, column := range batch.Columns() {
		if name := a.string(); name != "" {
			t.Map[column] = name
		}
	}

	o := &b.config.Picture
	o.Size = a.int()
	errs = append(errs, setting(a, &o.MinLevel, textvalue.Parse[qrcode.Level]))
	o.Margin = a.margin()
	errs = append(errs, setting(a, &o.Foreground, qrcode.ParseColor), setting(a, &o.Background, qrcode.ParseBackground))

	code := qrprint.Code{Options: qrcode.Options{MinLevel: o.MinLevel, Foreground: o.Foreground, Background: o.Background, Margin: o.Margin}}
	code.Width, code.ModuleWidth, code.DPI = a.length(), a.length(), a.int()
	if code.Bleed = a.length(); b.output == "labels" {
		code.Bleed = 0
	}
	code.Caption, code.Frame = a.string(), a.string()
	logo, err := a.logo()
	code.Logo, code.LogoShare = logo, a.float()
	errs = append(errs, err)

	settings := code
	settings.MinLevel, settings.Margin, settings.Foreground, settings.Background = 0, 0, qrcode.Color{}, qrcode.Color{}
	switch {
	case b.output == "labels":
		if labels == "" {
			return b, errors.New("labels is empty; name the labels, such as avery-l7160")
		}
		b.labels, err = qrprint.ParseLabels(strings.ToLower(labels))
		errs = append(errs, batch.Shift(&b.labels, offsetX, offsetY))
		b.labels.Start, b.labels.Borders = start, borders
		if padding != 0 {
			b.labels.Padding = padding
		}
		b.config.Paper = &batch.Paper{Code: code}
	case format == "pdf" || format == "eps" || settings != qrprint.Code{}:
		paper := &batch.Paper{Code: code, Format: qrcode.PNG}
		if format != "" {
			paper.Format, err = batch.ParsePaperFormat(format)
		}
		if paper.Code.DPI == 0 && paper.Format == qrcode.PNG {
			paper.Code.DPI = defaultDPI
		}
		b.config.Paper = paper
	case format != "":
		o.Format, err = qrcode.ParseFormat(format)
	}
	for _, err := range errs { // an invalid host has no code
		if err != nil && len(problem.All(err)) == 0 {
			return b, err
		}
	}
	return b, problemsOf(append(errs, err)...)
}

func batchOf(a *arguments) (number int, steps *batch.Steps, err error) {
	number = a.int()
	steps = batches.open[number]
	if steps == nil {
		err = errors.New("the batch is closed")
	}
	return number, steps, err
}

func stepBatch(a *arguments, r *result) error {
	_, steps, err := batchOf(a)
	if err != nil {
		return err
	}
	results, err := steps.Step(a.int())
	r.int(len(results))
	for i := range results {
		row := &results[i]
		r.int(row.Row)
		r.string(string(row.Status))
		r.int(row.Page)
		r.int(row.Label)
		r.string(row.File)
		r.string(row.Link)
		r.string(row.Column)
		r.string(row.Value)
		r.string(string(row.Problem.Code))
		r.string(row.Problem.Message)
		r.problems(row.Warnings)
	}
	return err
}

func finishBatch(a *arguments, r *result) error {
	number, steps, err := batchOf(a)
	if err != nil {
		return err
	}
	delete(batches.open, number)
	output, err := steps.Finish()
	r.int(output.Counts.OK)
	r.int(output.Counts.Failed)
	r.int(output.Counts.Skipped)
	r.bytes(output.File)
	r.bytes(output.CSV)
	r.bytes(output.JSON)
	return err
}

func closeBatch(a *arguments, _ *result) error {
	delete(batches.open, a.int())
	return nil
}

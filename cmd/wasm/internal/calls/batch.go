//go:build !core && !npm

package calls

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/cmd/internal/batch"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

// columnFields are the columns of a table.
func columnFields() (list []field) {
	for _, column := range batch.Columns() {
		list = append(list, field{column, textKind})
	}
	return list
}

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

// batch reads the options, which correspond to command-line flags, then the columns' names and the
// corrections of cells.
func (a *arguments) batch() (b batchOptions, err error) {
	o, names := a.object("batch"), a.object("columns")
	b.output = o.text("output")
	format, labels := o.text("format"), o.text("labels")
	errs := []error{setting(o, "text", &b.config.Text, chatlink.ParseText)}
	b.config.Country = o.text("country")
	t := &b.config.Table
	t.Encoding = o.text("encoding")
	if separator := o.text("separator"); separator != "" {
		t.Separator, _ = utf8.DecodeRuneInString(separator)
	}
	t.NoHeader = o.bool("noHeader")
	t.Map = make(map[string]string)
	for _, column := range batch.Columns() {
		if name := names.text(column); name != "" {
			t.Map[column] = name
		}
	}
	b.config.Corrections = make(map[batch.Cell]string)
	for range a.int() {
		row, column := a.int(), a.string()
		b.config.Corrections[batch.Cell{Row: row, Column: column}] = a.string()
	}

	p := &b.config.Picture
	p.Size = o.int("size")
	errs = append(errs, o.style(&p.Style))

	code := qrprint.Code{Style: p.Style}
	code.Width, code.ModuleWidth, code.DPI = o.length("mm"), o.length("module"), o.int("dpi")
	if code.Bleed = o.length("bleed"); b.output == "labels" {
		code.Bleed = 0
	}
	code.Caption, code.Frame = o.text("caption"), o.text("frame")
	code.Logo, err = o.logo()
	code.LogoShare = o.float("logoShare")
	errs = append(errs, err)

	settings := code
	settings.Style = qrcode.Style{}
	switch {
	case b.output == "labels":
		if labels == "" {
			return b, errors.New("labels is empty; name the labels, such as avery-l7160")
		}
		b.labels, err = qrprint.ParseLabels(strings.ToLower(labels))
		errs = append(errs, batch.Shift(&b.labels, o.length("offsetX"), o.length("offsetY")))
		b.labels.Start, b.labels.Borders = o.int("start"), o.bool("border")
		if padding := o.length("padding"); padding != 0 {
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
		p.Format, err = qrcode.ParseFormat(format)
	}
	for _, err := range errs { // an error without a code is about no field
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

var rowMembers = []member[batch.Result]{
	intOf("row", func(b *batch.Result) int { return b.Row }),
	textOf("status", func(b *batch.Result) string { return string(b.Status) }),
	intOf("page", func(b *batch.Result) int { return b.Page }),
	intOf("label", func(b *batch.Result) int { return b.Label }),
	textOf("file", func(b *batch.Result) string { return b.File }),
	textOf("link", func(b *batch.Result) string { return b.Link }),
	textOf("column", func(b *batch.Result) string { return b.Column }),
	textOf("value", func(b *batch.Result) string { return b.Value }),
	textOf("code", func(b *batch.Result) string { return string(b.Problem.Code) }),
	textOf("message", func(b *batch.Result) string { return b.Problem.Message }),
	textOf("suggestion", func(b *batch.Result) string { return b.Suggestion }),
}

func stepBatch(a *arguments, r *result) error {
	_, steps, err := batchOf(a)
	if err != nil {
		return err
	}
	results, err := steps.Step(a.int())
	r.int(len(results))
	for i := range results {
		write(r, rowMembers, &results[i])
		r.problems(results[i].Warnings)
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

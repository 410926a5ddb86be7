package batch

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/cmd/internal/table"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

// Codes for rows.
const (
	CodeMissingTarget                = chatlink.CodeMissingTarget // none or several of username, phone and target
	CodeCaptionNotDrawn problem.Code = "caption_not_drawn"        // a warning: only codes for paper have captions
)

// NamePlaceholder in the default caption is replaced by the username, as in @jane.doe, or the
// phone number, as in +16505551234.
const NamePlaceholder = "{name}"

// A Status is the outcome of a row.
type Status string

const (
	OK      Status = "ok"
	Failed  Status = "failed"
	Skipped Status = "skipped" // the row is empty
)

// A Result is the outcome of a row.
type Result struct {
	Row         int // the spreadsheet's row number
	Status      Status
	File        string // the image's name
	Page, Label int    // the position on label sheets, from 1
	Link        string
	Column      string // the column that caused the error, if known
	Value       string // the column's value, possibly truncated
	Suggestion  string // a valid value that the problem suggests instead, if it suggests just one
	Problem     problem.Problem
	Warnings    problem.List

	picture []byte // for an archive
	err     error  // an error that ends the run
}

// maxValue is the maximum length of Result.Value in characters.
const maxValue = 100

func (r *Result) fail(row *table.Row, err error) {
	r.Status, r.Problem, r.Warnings = Failed, problem.All(err)[0], nil
	column := -1
	if inCell := (*cellError)(nil); errors.As(err, &inCell) {
		column = inCell.column
	} else {
		for _, i := range columnsOf[r.Problem.Code] {
			if strings.TrimSpace(row.Values[i]) != "" {
				column = i
				break
			}
		}
	}
	if column >= 0 {
		value := []rune(row.Values[column])
		r.Column, r.Value = columns[column], string(value[:min(len(value), maxValue)])
	}
	if slices.Contains(targetColumns, column) {
		if all := r.Problem.Suggestions.All(); len(all) == 1 { // somebody has to choose one of several
			r.Suggestion = all[0]
		}
	}
}

// correct replaces a row's cells by the corrections.
func (c *Config) correct(row *table.Row) {
	for i, column := range columns {
		if value, found := c.Corrections[Cell{row.Number, column}]; found && row.Err == nil {
			row.Values[i] = value
		}
	}
}

// A cellError identifies the column that caused an error.
type cellError struct {
	column int
	error
}

func (e *cellError) Unwrap() error { return e.error }

// columnsOf lists the columns that can cause a drawing error. If they're empty, the
// configuration caused it.
var columnsOf = map[problem.Code][]int{
	CodeMissingTarget:                {columnPhone, columnTarget},
	chatlink.CodeTextNotSupported:    {columnText},
	chatlink.CodeTextTooLong:         {columnText},
	qrcode.CodeLowContrast:           {columnColor, columnBackground},
	qrprint.CodeUnsupportedCharacter: {columnCaption},
	qrprint.CodeTextDoesNotFit:       {columnCaption},
}

// A code is a parsed row.
type code struct {
	link    string
	name    string // the file name without extension, not unique yet
	caption string
	options qrcode.Options

	warnings problem.List // about the phone number
}

func (c *Config) parse(row *table.Row) (code, error) {
	o := code{options: c.Picture}
	c.correct(row)
	if row.Err != nil {
		return o, row.Err
	}
	cell := func(i int) string { return strings.TrimSpace(row.Values[i]) }
	text := c.Text
	if row.Values[columnText] != "" {
		var err error
		if text, err = chatlink.ParseText(row.Values[columnText]); err != nil {
			return o, &cellError{columnText, err}
		}
	}
	var filled []int
	for _, i := range targetColumns {
		if cell(i) != "" {
			filled = append(filled, i)
		}
	}
	switch len(filled) {
	case 0:
		return o, problem.New("", CodeMissingTarget, "the row has no username and no phone")
	case 1:
	default:
		return o, problem.New("", CodeMissingTarget, "the row has a %s and a %s; a code opens one chat", columns[filled[0]], columns[filled[1]])
	}
	if err := o.open(cell(filled[0]), filled[0], text, c); err != nil {
		return o, err
	}
	if file := cell(columnFile); file != "" {
		o.name = file
	}
	if caption := cell(columnCaption); caption != "" {
		o.caption = caption
	} else if c.Paper != nil {
		o.caption = strings.ReplaceAll(c.Paper.Code.Caption, NamePlaceholder, o.caption)
	}
	var err error
	if color := cell(columnColor); color != "" {
		if o.options.Foreground, err = qrcode.ParseColor(color); err != nil {
			return o, &cellError{columnColor, err}
		}
	}
	if background := cell(columnBackground); background != "" {
		if o.options.Background, err = qrcode.ParseBackground(background); err != nil {
			return o, &cellError{columnBackground, err}
		}
	}
	o.options.Title = o.link
	return o, nil
}

// open sets the link to the target in a cell, and what depends on it.
func (o *code) open(cell string, column int, text string, c *Config) error {
	target, err := c.parseCell(cell, column)
	if err != nil {
		return &cellError{column, err}
	}
	link, err := target.Link(text)
	if err != nil {
		return err
	}
	o.link, o.warnings, o.caption = link.String(), target.Warnings(), target.String()
	if link.Kind() == chatlink.KindUsername {
		o.name, o.caption = link.Username().String(), "@"+link.Username().String()
		return nil
	}
	if link.Kind() == chatlink.KindPhone {
		o.name, o.caption = link.Phone().String(), "+"+link.Phone().String()
		return nil
	}
	o.name = cmp.Or(link.Code(), link.Phone().String(), string(link.Kind()))
	return nil
}

// targetColumns are the columns that say who a code opens a chat with.
var targetColumns = []int{columnUsername, columnPhone, columnTarget}

// parseCell parses a cell of a target column. Each of these columns may contain what says itself what
// it is: a link, a name with an @ and a number with a plus. Otherwise a cell must contain what its
// column is for: "unknown" in the column for phone numbers isn't a username. In a column that may
// contain anything, such a word may not be one either.
func (c *Config) parseCell(cell string, column int) (chatlink.Target, error) {
	parse := chatlink.ParseTarget
	if c.Country != "" {
		parse = func(s string) (chatlink.Target, error) { return chatlink.ParseTargetIn(s, c.Country) }
	}
	target, err := parse(cell)
	isLink := strings.Contains(cell, "/") && strings.ContainsFunc(cell, unicode.IsLetter)
	switch {
	case isLink, len(cell) > 1 && strings.ContainsAny(cell[:1], "@+"), errors.Is(err, chatlink.CodeTargetIsBSUID),
		err == nil && column != columnTarget && (column == columnPhone) == (target.Kind() == chatlink.KindPhone):
		return target, err
	case column == columnTarget:
		if err == nil && target.Kind() == chatlink.KindUsername && !strings.ContainsAny(cell, "._0123456789") {
			err = problem.New("", CodeMissingTarget, "the target may be a word instead of a username; write a username with @, as in @%s", cell)
		}
		return target, err
	}
	if column == columnPhone {
		const scheme = "tel:"
		number := cell
		if len(cell) > len(scheme) && strings.EqualFold(cell[:len(scheme)], scheme) {
			number = cell[len(scheme):]
		}
		_, _, err = table.InspectPhone(number, c.Country)
	} else {
		_, err = busname.Parse(strings.TrimPrefix(cell, "@"))
	}
	return target, c.withSuggestions(err, cell, column)
}

// withSuggestions adds what a cell contains to an error without suggestions. In the column for phone
// numbers, a word is none.
func (c *Config) withSuggestions(err error, cell string, column int) error {
	list := problem.All(err)
	if len(list) == 0 || list[0].Suggestions != (problem.Suggestions{}) {
		return err
	}
	var found []string
	for _, t := range chatlink.Suggest(cell, c.Country) {
		if column != columnPhone || t.Kind() != chatlink.KindUsername {
			found = append(found, t.String())
		}
	}
	list[0] = list[0].WithSuggestions(problem.NewSuggestions(found...))
	return list.Err()
}

// paper returns the row's code for paper. It requires c.Paper.
func (c *Config) paper(row *code) qrprint.Code {
	p := c.Paper.Code
	p.Text, p.Caption = row.link, row.caption
	p.Foreground, p.Background = row.options.Foreground, row.options.Background
	if p.Foreground != (qrcode.Color{}) {
		p.ForegroundCMYK = qrprint.CMYK{}
	}
	if p.Background != (qrcode.Color{}) {
		p.BackgroundCMYK = qrprint.CMYK{}
	}
	return p
}

func (c *Config) draw(row *code) (image []byte, extension string, warnings problem.List, err error) {
	if c.Paper == nil {
		image, err = qrcode.RenderQR(row.link, row.options)
		warnings, _ := row.options.Check() // RenderQR returns the error
		return image, string(cmp.Or(row.options.Format, qrcode.PNG)), warnings, err
	}
	page, err := c.paper(row).Page()
	if err != nil {
		return nil, "", nil, err
	}
	image, err = page.Append(nil, c.Paper.Format)
	return image, string(c.Paper.Format), page.Warnings(), err
}

// A drawer draws rows. It's safe for concurrent use.
type drawer struct {
	config *Config
	names  *names
}

// draw draws a row and writes the image, unless it's for an archive.
func (d *drawer) draw(row *table.Row) Result {
	r := Result{Row: row.Number, Status: Skipped}
	if row.IsEmpty() {
		return r
	}
	c, err := d.config.parse(row)
	if err != nil {
		r.fail(row, err)
		return r
	}
	image, extension, warnings, err := d.config.draw(&c)
	if err != nil {
		r.fail(row, err)
		return r
	}
	if d.config.Paper == nil && strings.TrimSpace(row.Values[columnCaption]) != "" {
		warnings = append(warnings, problem.New("caption", CodeCaptionNotDrawn, "the caption isn't drawn; only codes for paper have captions, for example with a width in mm, or as PDF"))
	}
	r.Status, r.Link, r.File, r.Warnings = OK, c.link, d.names.of(c.name, row.Number)+"."+extension, append(c.warnings, warnings...)
	if d.config.Archive != nil {
		r.picture = image
	} else if d.config.WriteFile != nil {
		r.err = d.config.WriteFile(r.File, image)
	}
	return r
}

// isUnsafe reports whether a file name shouldn't contain r, because some systems reject it,
// shells or spreadsheets interpret it, or it's invisible.
func isUnsafe(r rune) bool {
	return strings.ContainsRune(`<>:"/\|?*~;,'`+"`"+"$&%!", r) || !unicode.IsPrint(r) || r == unicode.ReplacementChar
}

// ParsePaperFormat parses a format of package qrprint.
func ParsePaperFormat(s string) (qrcode.Format, error) {
	switch f := qrcode.Format(s); f {
	case qrprint.PDF, qrprint.EPS, qrcode.SVG, qrcode.PNG:
		return f, nil
	}
	return "", problem.New("format", qrcode.CodeInvalidFormat, "format isn't pdf, eps, svg or png")
}

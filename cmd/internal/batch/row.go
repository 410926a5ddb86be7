package batch

import (
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

// The codes of rows that cannot be drawn.
const (
	CodeMissingTarget problem.Code = "missing_target"   // neither or both of username and phone
	CodeWriteFailed   problem.Code = "row_write_failed" // the file system refused the file
)

// columns are the columns of a table.
var columns = []string{"username", "phone", "text", "file", "color", "background", "caption"}

// Columns returns the columns that a table may have.
func Columns() []string { return slices.Clone(columns) }

const (
	columnUsername = iota
	columnPhone
	columnText
	columnFile
	columnColor
	columnBackground
	columnCaption
)

// NamePlaceholder stands for the username, as in @jane.doe, or the number, as in
// +16505551234, in a caption for all rows.
const NamePlaceholder = "{name}"

// A Status is how a row ended.
type Status string

// The statuses.
const (
	OK      Status = "ok"
	Failed  Status = "failed"
	Skipped Status = "skipped" // the row is empty
)

// A Result is what became of a row.
type Result struct {
	Row         int
	Status      Status
	File        string // the name of the picture
	Page, Label int    // the place on sheets of labels, from 1 on
	Link        string // the content of the code
	Problem     problem.Problem
	Warnings    problem.List

	picture []byte // for an archive
	err     error  // a fault that ends the run
}

// A code is a row that was read: what to draw, and where.
type code struct {
	link    string
	name    string // the name of the file, without ending and not settled
	caption string
	options qrcode.Options
}

// parse reads a row.
func (c *Config) parse(row *table.Row) (code, error) {
	o := code{options: c.Picture}
	if row.Err != nil {
		return o, row.Err
	}
	cell := func(i int) string { return strings.TrimSpace(row.Values[i]) }
	username, phone := cell(columnUsername), cell(columnPhone)
	text := c.Text
	if row.Values[columnText] != "" {
		var err error
		if text, err = chatlink.ParseText(row.Values[columnText]); err != nil {
			return o, err
		}
	}
	switch {
	case (username == "") == (phone == ""):
		return o, problem.New(CodeMissingTarget, "a row must have a username or a phone, and not both")
	case username != "":
		u, err := busname.Parse(username)
		if err != nil {
			return o, err
		}
		o.link, o.name, o.caption = c.Host.UsernameLink(u, text), username, "@"+u.String()
	default:
		p, err := table.ParsePhone(phone)
		if err != nil {
			return o, err
		}
		o.link, o.name, o.caption = c.Host.PhoneLink(p, text), p.String(), "+"+p.String()
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
	if color := strings.TrimPrefix(cell(columnColor), "#"); color != "" {
		if o.options.Foreground, err = qrcode.ParseColor(color); err != nil {
			return o, err
		}
	}
	if background := strings.TrimPrefix(cell(columnBackground), "#"); background != "" {
		if o.options.Background, err = qrcode.ParseBackground(background); err != nil {
			return o, err
		}
	}
	o.options.Title = o.link
	return o, nil
}

// paper returns the code for paper. Paper must be set.
func (c *Config) paper(row *code) qrprint.Code {
	p := c.Paper.Code
	p.Text, p.Caption = row.link, row.caption
	p.Foreground, p.Background = row.options.Foreground, row.options.Background
	return p
}

// draw returns the picture of a row, the ending of its file and its warnings.
func (c *Config) draw(row *code) (picture []byte, ending string, warnings problem.List, err error) {
	if c.Paper == nil {
		picture, err = qrcode.RenderQR(row.link, row.options)
		return picture, row.options.Format.String(), qrcode.Warnings(row.options), err
	}
	page, err := c.paper(row).PageWithBleed(c.Paper.Bleed)
	if err != nil {
		return nil, "", nil, err
	}
	picture, err = page.Append(nil, c.Paper.Format)
	return picture, c.Paper.Format.String(), page.Warnings(), err
}

// A drawer draws rows. It is safe for concurrent use.
type drawer struct {
	config *Config
	names  *names
	write  func(file string, picture []byte) error // nil for an archive and for a check
}

// draw draws a row, and writes its picture if the output is a folder.
func (d *drawer) draw(row *table.Row) Result {
	r := Result{Row: row.Number, Status: Skipped}
	if row.IsEmpty() {
		return r
	}
	fail := func(err error) Result {
		r.Status, r.Problem = Failed, problem.All(err)[0]
		return r
	}
	c, err := d.config.parse(row)
	if err != nil {
		return fail(err)
	}
	picture, ending, warnings, err := d.config.draw(&c)
	if err != nil {
		return fail(err)
	}
	r.Link, r.File, r.Warnings = c.link, d.names.settled(c.name, row.Number)+"."+ending, warnings
	if d.write == nil {
		r.picture = picture
	} else if err := d.write(r.File, picture); err != nil {
		r.err = err
		return fail(problem.New(CodeWriteFailed, "the file must be writable: %v", err))
	}
	r.Status = OK
	return r
}

// isUnsafe reports whether a character must not be in the name of a file: some systems
// refuse it, shells or spreadsheets give it a meaning, or it cannot be seen.
func isUnsafe(r rune) bool {
	return strings.ContainsRune(`<>:"/\|?*~;,'`+"`"+"$&%!", r) || !unicode.IsPrint(r) || r == unicode.ReplacementChar
}

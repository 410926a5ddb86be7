package batch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/cmd/internal/table"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
)

// The codes of rows that cannot be drawn.
const (
	CodeMissingTarget problem.Code = "missing_target"   // neither or both of username and phone
	CodeWriteFailed   problem.Code = "row_write_failed" // the file system refused the file
)

// columns are the columns of a table.
var columns = []string{"username", "phone", "text", "file", "color", "background"}

// Columns returns the columns that a table may have.
func Columns() []string { return append([]string(nil), columns...) }

const (
	columnUsername = iota
	columnPhone
	columnText
	columnFile
	columnColor
	columnBackground
)

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
	Row     int
	Status  Status
	File    string // the name of the picture
	Link    string // what the code says
	Problem problem.Problem

	picture []byte // for an archive
	err     error  // a fault that ends the run
}

// A code is a row that was read: what to draw, and where.
type code struct {
	link    string
	name    string // the name of the file, without ending and not settled
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
		o.link, o.name = c.Host.UsernameLink(u, text), username
	default:
		p, err := table.ParsePhone(phone)
		if err != nil {
			return o, err
		}
		o.link, o.name = c.Host.PhoneLink(p, text), p.String()
	}
	if file := cell(columnFile); file != "" {
		o.name = file
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

// A drawer draws rows. It is safe for concurrent use.
type drawer struct {
	config *Config
	names  *names
	folder string // "" for an archive and for a check
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
	picture, err := qrcode.RenderQR(c.link, c.options)
	if err != nil {
		return fail(err)
	}
	r.Link, r.File = c.link, d.names.settled(c.name, row.Number)+"."+c.options.Format.String()
	if d.folder == "" {
		r.picture = picture
	} else if err := os.WriteFile(filepath.Join(d.folder, r.File), picture, 0o644); err != nil {
		// The name of the file is personal data, and the message of a path error has it.
		var pathError *fs.PathError
		if errors.As(err, &pathError) {
			err = pathError.Err
		}
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

package batch

import (
	"bufio"
	"encoding/csv"
	"slices"
	"strconv"
	"strings"

	"github.com/hailmark/hailmark/cmd/internal/ndjson"
)

// A report lists rows.
type report struct {
	out    *bufio.Writer
	csv    *csv.Writer // or nil for JSON
	labels bool        // the rows are on sheets of labels, and not in files
}

func newReport(r Report, labels bool) (*report, error) {
	report := &report{out: bufio.NewWriter(r.Writer), labels: labels}
	if !r.CSV {
		return report, nil
	}
	report.csv = csv.NewWriter(report.out)
	place := []string{"file"}
	if labels {
		place = []string{"page", "label"}
	}
	return report, report.csv.Write(slices.Concat([]string{"row", "status"}, place, []string{"link", "column", "value", "code", "message", "warnings"}))
}

func (r *report) add(result *Result) error {
	if r.csv == nil {
		_, err := r.out.Write(append(result.appendJSON(r.out.AvailableBuffer()), '\n'))
		return err
	}
	place := []string{cell(result.File)}
	if r.labels {
		place = []string{number(result.Page), number(result.Label)}
	}
	return r.csv.Write(slices.Concat([]string{strconv.Itoa(result.Row), string(result.Status)}, place, []string{
		cell(result.Link), result.Column, cell(result.Value), string(result.Problem.Code), cell(result.Problem.Message), strings.Join(result.warnings(), " "),
	}))
}

func (r *report) close() error {
	if r.csv != nil {
		r.csv.Flush()
	}
	return r.out.Flush() // or the error of an earlier write
}

// number returns "" for 0.
func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// warnings returns the codes of the warnings.
func (r *Result) warnings() []string {
	var codes []string
	for _, w := range r.Warnings {
		codes = append(codes, string(w.Code))
	}
	return codes
}

// cell returns a text that no spreadsheet runs as a formula: it doesn't begin like one, even
// after a character at which a spreadsheet may split the line.
func cell(s string) string {
	s = strings.Map(func(r rune) rune {
		switch r {
		case ';', '\t', '\r', '\n':
			return ' '
		default:
			return r
		}
	}, s)
	if s != "" && strings.ContainsAny(s[:1], "=+-@") || strings.HasPrefix(s, "＝") || strings.HasPrefix(s, "＋") || strings.HasPrefix(s, "－") || strings.HasPrefix(s, "＠") {
		return "'" + s
	}
	return s
}

// MarshalJSON returns the result as in a report.
func (r *Result) MarshalJSON() ([]byte, error) { return r.appendJSON(nil), nil }

// appendJSON appends the result as in a report.
func (r *Result) appendJSON(dst []byte) []byte {
	dst = strconv.AppendInt(append(dst, `{"row":`...), int64(r.Row), 10)
	dst = appendMember(dst, "status", string(r.Status))
	dst = appendMember(dst, "file", r.File)
	if r.Page > 0 {
		dst = strconv.AppendInt(append(dst, `,"page":`...), int64(r.Page), 10)
		dst = strconv.AppendInt(append(dst, `,"label":`...), int64(r.Label), 10)
	}
	dst = appendMember(dst, "link", r.Link)
	dst = appendMember(dst, "column", r.Column)
	dst = appendMember(dst, "value", r.Value)
	dst = appendMember(dst, "code", string(r.Problem.Code))
	dst = appendMember(dst, "message", r.Problem.Message)
	for i, code := range r.warnings() {
		if i == 0 {
			dst = append(dst, `,"warnings":[`...)
		} else {
			dst = append(dst, ',')
		}
		dst = ndjson.AppendString(dst, code)
	}
	if len(r.Warnings) > 0 {
		dst = append(dst, ']')
	}
	return append(dst, '}')
}

// appendMember appends a member of an object, unless its value is "".
func appendMember(dst []byte, name, value string) []byte {
	if value == "" {
		return dst
	}
	dst = append(append(append(dst, `,"`...), name...), `":`...)
	return ndjson.AppendString(dst, value)
}

package batch

import (
	"bufio"
	"encoding/csv"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hailmark/hailmark/cmd/internal/ndjson"
)

type report struct {
	out    *bufio.Writer
	csv    *csv.Writer // or nil for JSON
	labels bool        // rows are on label sheets instead of in files
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
	return r.out.Flush() // includes earlier errors
}

// number formats n, or returns "" for 0.
func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func (r *Result) warnings() []string {
	var codes []string
	for _, w := range r.Warnings {
		codes = append(codes, string(w.Code))
	}
	return codes
}

// formula matches the beginning of a cell that a spreadsheet runs as a formula, also if it splits the
// line at semicolons, as in many countries.
var formula = regexp.MustCompile(`(^|;)(\s*[=+\-@＝＋－＠])`)

// cell returns a cell that no spreadsheet runs as a formula. It marks formulas with an apostrophe, and
// replaces line breaks and tabs.
func cell(s string) string {
	s = strings.NewReplacer("\t", " ", "\r", " ", "\n", " ").Replace(s)
	return formula.ReplaceAllString(s, "$1'$2")
}

// MarshalJSON implements [json.Marshaler].
func (r *Result) MarshalJSON() ([]byte, error) { return r.appendJSON(nil), nil }

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

// appendMember appends an object member unless value is empty.
func appendMember(dst []byte, name, value string) []byte {
	if value == "" {
		return dst
	}
	dst = append(append(append(dst, `,"`...), name...), `":`...)
	return ndjson.AppendString(dst, value)
}

package batch

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

// A report lists rows in a file.
type report struct {
	file   *os.File
	out    *bufio.Writer
	csv    *csv.Writer // or nil
	labels bool        // the rows are on sheets of labels, and not in files
}

// openReport opens a report that has size bytes from an earlier run.
func openReport(name string, size int64, labels bool) (*report, error) {
	f, err := openAt(name, size)
	if err != nil {
		return nil, err
	}
	r := &report{file: f, out: bufio.NewWriterSize(f, 64<<10), labels: labels}
	if strings.HasSuffix(strings.ToLower(name), ".csv") {
		r.csv = csv.NewWriter(r.out)
		if size == 0 {
			place := []string{"file"}
			if labels {
				place = []string{"page", "label"}
			}
			err = r.csv.Write(slices.Concat([]string{"row", "status"}, place, []string{"link", "code", "message", "warnings"}))
		}
	}
	return r, err
}

// openAt opens a file for writing behind its first size bytes, and removes the rest.
func openAt(name string, size int64) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	end, err := f.Seek(0, io.SeekEnd)
	if err == nil && end < size {
		err = fmt.Errorf("%s has lost its end since the earlier run: remove the output, and start again", name)
	}
	if err == nil {
		err = f.Truncate(size)
	}
	if err == nil {
		_, err = f.Seek(size, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (r *report) add(result *Result) error {
	if r.csv != nil {
		place := []string{cell(result.File)}
		if r.labels {
			place = []string{number(result.Page), number(result.Label)}
		}
		return r.csv.Write(slices.Concat([]string{strconv.Itoa(result.Row), string(result.Status)}, place, []string{
			cell(result.Link), cell(string(result.Problem.Code)), cell(result.Problem.Message), strings.Join(result.warnings(), " "),
		}))
	}
	enc := json.NewEncoder(r.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(result)
}

// number returns a number from 1 on, or "" for 0.
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

// cell returns a text that no spreadsheet takes for a formula: it does not begin like one,
// also behind a character at which a spreadsheet may split the line.
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

// MarshalJSON returns the result as a line of a report.
func (r *Result) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Row      int      `json:"row"`
		Status   Status   `json:"status"`
		File     string   `json:"file,omitempty"`
		Page     int      `json:"page,omitempty"`
		Label    int      `json:"label,omitempty"`
		Link     string   `json:"link,omitempty"`
		Code     string   `json:"code,omitempty"`
		Message  string   `json:"message,omitempty"`
		Warnings []string `json:"warnings,omitempty"`
	}{r.Row, r.Status, r.File, r.Page, r.Label, r.Link, string(r.Problem.Code), r.Problem.Message, r.warnings()})
}

// flush writes what is buffered, and returns the size of the file.
func (r *report) flush() (int64, error) {
	if r.csv != nil {
		if r.csv.Flush(); r.csv.Error() != nil {
			return 0, r.csv.Error()
		}
	}
	if err := r.out.Flush(); err != nil {
		return 0, err
	}
	return r.file.Seek(0, io.SeekCurrent)
}

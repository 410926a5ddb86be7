package batch

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// A report lists rows in a file.
type report struct {
	file *os.File
	out  *bufio.Writer
	csv  *csv.Writer // or nil
}

// openReport opens a report that has size bytes from an earlier run.
func openReport(name string, size int64) (*report, error) {
	f, err := openAt(name, size)
	if err != nil {
		return nil, err
	}
	r := &report{file: f, out: bufio.NewWriterSize(f, 64<<10)}
	if strings.HasSuffix(strings.ToLower(name), ".csv") {
		r.csv = csv.NewWriter(r.out)
		if size == 0 {
			err = r.csv.Write([]string{"row", "status", "file", "link", "code", "message"})
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
		return r.csv.Write([]string{
			strconv.Itoa(result.Row), string(result.Status), cell(result.File), cell(result.Link),
			cell(string(result.Problem.Code)), cell(result.Problem.Message),
		})
	}
	enc := json.NewEncoder(r.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(result)
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
		Row     int    `json:"row"`
		Status  Status `json:"status"`
		File    string `json:"file,omitempty"`
		Link    string `json:"link,omitempty"`
		Code    string `json:"code,omitempty"`
		Message string `json:"message,omitempty"`
	}{r.Row, r.Status, r.File, r.Link, string(r.Problem.Code), r.Problem.Message})
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

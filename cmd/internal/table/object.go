package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"

	"github.com/hailmark/hailmark/cmd/internal/ndjson"
	"github.com/hailmark/hailmark/problem"
)

// nextObject returns the next object as a row. Values are strings or numbers, which keep
// their digits.
func (t *Reader) nextObject() (Row, error) {
	line, _, err := t.lines.Next()
	row := Row{Values: make([]string, len(t.config.Columns))}
	switch {
	case errors.Is(err, ndjson.ErrLongLine):
		row.Err = problem.New(CodeMalformed, "%v", err)
	case err != nil:
		return Row{}, err
	}
	t.rows++
	row.Number = t.rows
	if row.Err != nil {
		return row, nil
	}
	if !utf8.Valid(line) {
		row.Err = problem.New(CodeEncoding, "the line must be in UTF-8")
		return row, nil
	}
	var object map[string]any
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	if err := dec.Decode(&object); err != nil || object == nil || dec.More() {
		row.Err = problem.New(CodeMalformed, "the line must be one JSON object such as %s", `{"username":"jane.doe"}`)
		return row, nil
	}
	for i, column := range t.config.Columns {
		name, mapped := t.config.Map[column]
		if !mapped {
			name = column
		}
		switch v := object[name].(type) {
		case nil:
		case string:
			row.Values[i] = v
		case json.Number:
			row.Values[i] = v.String()
		default:
			row.Err = problem.New(CodeMalformed, "the field %s must be a string", column)
			return row, nil
		}
	}
	return row, nil
}

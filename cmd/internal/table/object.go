package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"

	"github.com/hailmark/hailmark/cmd/internal/ndjson"
	"github.com/hailmark/hailmark/internal/jsonscan"
	"github.com/hailmark/hailmark/problem"
)

// objects reads newline-delimited JSON.
type objects struct {
	config *Config
	lines  *ndjson.Reader
}

// next returns the next object as a row. Numbers keep their digits.
func (t *objects) next() (Row, error) {
	line, number, err := t.lines.Next()
	if err != nil && !errors.Is(err, ndjson.ErrLongLine) {
		return Row{}, err
	}
	row := Row{Number: number, Values: make([]string, len(t.config.Columns))}
	if err != nil {
		row.Err = problem.New("", CodeMalformed, "%v", err)
	} else {
		row.Err = t.read(line, row.Values)
	}
	return row, nil
}

// read fills values from an object.
func (t *objects) read(line []byte, values []string) error {
	if !utf8.Valid(line) {
		return problem.New("", CodeEncoding, "the line isn't valid UTF-8")
	}
	const malformed = `the line isn't a JSON object, such as {"username":"jane.doe"}`
	// Package json would choose one of two values, and replace unpaired surrogates.
	if _, err := jsonscan.Parse(line); err != nil {
		return problem.New("", CodeMalformed, "%s; found %v", malformed, err)
	}
	if i := jsonscan.LoneSurrogate(line); i >= 0 {
		return problem.New("", CodeMalformed, "%s; found an unpaired surrogate at byte %d", malformed, i)
	}
	var object map[string]any
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	if err := dec.Decode(&object); err != nil || object == nil {
		return problem.New("", CodeMalformed, malformed)
	}
	found := len(object) == 0
	for i, column := range t.config.Columns {
		name, mapped := t.config.Map[column]
		if !mapped {
			name = column
		}
		value, has := object[name]
		found = found || has
		switch v := value.(type) {
		case nil:
		case string:
			values[i] = v
		case json.Number:
			values[i] = v.String()
		default:
			return problem.New("", CodeMalformed, "%s isn't a string", column)
		}
	}
	if !found {
		return problem.New("", CodeMalformed, "the object has none of the members %s; upper and lower case are different", quoted(t.config.Columns))
	}
	return nil
}

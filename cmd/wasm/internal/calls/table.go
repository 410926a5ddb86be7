//go:build !core

package calls

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"github.com/hailmark/hailmark/cmd/internal/table"
)

// Limits of what tableRows returns. Somebody chooses among the columns.
const (
	maxTableColumns = 50
	maxTableRows    = 100
)

// tableRows returns a table's first rows as they are, without their meaning, so that somebody
// can say which column is which.
func tableRows(a *arguments, r *result) error {
	config := table.Config{NoHeader: true, Map: map[string]string{}}
	input, n := a.bytes(), min(a.int(), maxTableRows)
	for i := range maxTableColumns {
		name := strconv.Itoa(i + 1)
		config.Columns, config.Map[name] = append(config.Columns, name), name
	}
	t, err := table.NewCSVReader(bytes.NewReader(input), config)
	if err != nil {
		return err
	}
	var rows [][]string
	width := 0
	for len(rows) < n {
		row, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if row.Err != nil {
			continue // Step reports it
		}
		for i, cell := range row.Values {
			if cell != "" {
				width = max(width, i+1)
			}
		}
		rows = append(rows, row.Values)
	}
	r.int(len(rows))
	for _, row := range rows {
		r.strings(row[:width])
	}
	return nil
}

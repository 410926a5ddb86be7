//go:build !core && !npm

package calls

import "github.com/hailmark/hailmark/cmd/internal/batch"

// tableRows returns a table's first rows as they are.
func tableRows(a *arguments, r *result) error {
	rows, err := batch.Rows(a.bytes(), a.int())
	r.int(len(rows))
	for _, row := range rows {
		r.strings(row)
	}
	return err
}

// guessColumns returns what a table's columns probably are.
func guessColumns(a *arguments, r *result) error {
	g, err := batch.GuessColumns(a.bytes(), a.string())
	r.bool(g.Certain)
	r.bool(g.NoHeader)
	for _, column := range batch.Columns() {
		r.int(g.Columns[column])
	}
	return err
}
